//! Where a program has its data from, and what it advises to add to them.

use trueline_core::{Input, Need};

/// Where a program has its data from. What is missing is supplied otherwise where a program measured by
/// itself than where it read what others left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Origin {
    /// It read files, and takes more of them.
    #[default]
    Read,
    /// It measured, and watched the host meanwhile. `audit` takes what it saved, with other files beside it.
    Measured,
    /// It read one log, which says what it says.
    Logged,
}

impl Origin {
    /// What would supply a piece of evidence, and how to add it.
    pub(super) const fn supply(self, need: Need) -> (&'static str, &'static str) {
        let (what, add) = need.input().words();
        match self {
            Self::Read => (what, add),
            Self::Logged => match need.input() {
                Input::Results => (what, "which this log does not state"),
                Input::ProductionLog => ("rows that say it", "of which this log holds none"),
                _ => (what, add),
            },
            Self::Measured => match (need, need.input()) {
                (Need::Figures, _) => ("what a tool states of its run", "this one states nothing"),
                (_, Input::Results) => (what, "more answers, or a server that tells more"),
                (_, Input::ProductionLog) => (what, "audit takes it beside what --save wrote"),
                (_, Input::HostRecord) => {
                    (what, "audit takes a record that holds it beside what --save wrote")
                }
                (_, Input::HostWatch) => (what, "a longer run"),
                (_, Input::GpuReadings) => (what, "NVML on the server's machine"),
                (_, Input::Command) => (what, "check_results takes it"),
                _ => (what, add),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use trueline_core::{BenchRun, By, Known, Outcome, RequestRecord, Side, Stretch};

    use super::*;
    use crate::Audit;
    use crate::report::TextOptions;

    /// What is said of a run without a record of its host, its values told by a table.
    fn tabled(origin: Origin) -> String {
        let mut request = RequestRecord::default();
        request.outcome = Outcome::Ok;
        request.tokens.prompt = RequestRecord::counted(100);
        request.tokens.cached = RequestRecord::counted(0);
        let took = Known::is(Duration::from_secs(1), By::Measured);
        request.spans.set(Stretch::ClientTtft, took);
        let run = BenchRun::new("a", Side::Client, vec![request; 8]);
        let mut report = Audit::new().run(run).judge(&[]);
        (report.tabled, report.origin) = (true, origin);
        let text = report.to_text(TextOptions::default());
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_summary_sends_nobody_to_files_that_its_program_does_not_take() {
        let (read, measured) = (tabled(Origin::Read), tabled(Origin::Measured));
        assert!(read.contains("audit takes a host record (--host)"), "{read}");
        assert!(read.contains("Nothing in these files"), "{read}");
        assert!(!measured.contains("--host") && !measured.contains("--log"), "{measured}");
        assert!(measured.contains("Nothing in these data"), "{measured}");
    }

    #[test]
    fn a_log_that_lacks_something_is_not_said_to_lack_a_file() {
        assert_eq!(Origin::Logged.supply(Need::ProductionLog).1, "of which this log holds none");
        assert_eq!(Origin::Logged.supply(Need::CachedTokens).0, "rows that say it");
        assert_eq!(Origin::Logged.supply(Need::Ttft).1, "which this log does not state");
    }

    #[test]
    fn a_program_that_measures_advises_no_flag_of_those_that_read() {
        // The flags of files that audit and check_results take.
        let files = ["--host", "--log", "--command", "--gpu-log", "watch_host"];
        let of_files = |need: Need, origin: Origin| {
            let add = origin.supply(need).1;
            files.iter().any(|flag| add.contains(flag))
        };
        for need in [
            Need::HostRecord,
            Need::HostWatched,
            Need::ForeignTraffic,
            Need::ProductionLog,
            Need::CachedTokens,
            Need::GpuReadings,
            Need::CommandLine,
        ] {
            assert!(of_files(need, Origin::Read), "{need:?}");
            assert!(!of_files(need, Origin::Measured), "{need:?}");
        }
    }

    #[test]
    fn what_both_kinds_of_program_take_is_advised_by_both() {
        for (need, add) in [
            (Need::ServerCounters, "--metrics-url URL"),
            (Need::ServerProcess, "--pid N or --port N"),
            (Need::Repetitions, "measure every level at least 3 times"),
        ] {
            assert_eq!(Origin::Read.supply(need).1, add);
            assert_eq!(Origin::Measured.supply(need), Origin::Read.supply(need));
        }
    }
}
