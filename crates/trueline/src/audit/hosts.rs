//! Which host records speak of a run, and what they say.

use trueline_core::{BenchRun, By, Conditions, Need, Outcomes, Scope, Thresholds};
use trueline_host::{HostRecord, check_host, check_same_host, host_checks};

/// A host record, and the arm that it was given for.
#[derive(Debug, Clone)]
pub(super) struct HostOf {
    pub(super) record: HostRecord,
    /// The arm alone that it speaks of; whichever runs it reaches over where absent.
    pub(super) arm: Option<String>,
}

impl HostOf {
    /// Whether the record is of this run's machine and time, and reads something. One that was given
    /// for the run's arm is taken at its word where the times are not known.
    fn is_of(&self, run: &BenchRun, reach: Reach) -> bool {
        let record = &self.record;
        let reaches = match (record.window, run.window()) {
            (Some(record), Some(run)) if reach == Reach::Partly => record.overlaps(&run),
            (Some(record), Some(run)) => record.from <= run.from && record.to >= run.to,
            _ => self.arm.is_some() && reach == Reach::Partly,
        };
        reaches && self.is_of_machine(run) && record.reads()
    }

    /// Whether the record is of the machine of a run, as far as both say, and not another arm's.
    pub(super) fn is_of_machine(&self, run: &BenchRun) -> bool {
        let own = self.arm.as_deref().is_none_or(|arm| arm == run.arm());
        own && self.record.conditions.differing(&run.conditions, ["machine"]).is_empty()
    }
}

/// Judges the host records that reach over a run; without one its state is not observed. A record
/// of another machine, or without any reading that is judged, is none.
///
/// # Shape
/// `true` if the host's state over this run is known. A record without GPU readings counts unless
/// the run's conditions name a GPU (`gpu`).
pub(super) fn check_host_records(
    records: &[HostOf],
    run: &BenchRun,
    thresholds: &Thresholds,
) -> (bool, Outcomes) {
    let about = Scope::of_run(run);
    let mut outcomes = Outcomes::default();
    // A bad reading counts wherever it was taken within the run; the state is known only where a
    // record reaches over all of it.
    let over: Vec<&HostOf> = records.iter().filter(|host| host.is_of(run, Reach::Partly)).collect();
    for host in &over {
        outcomes.extend_new(check_host(&host.record, &about, thresholds));
    }
    if over.is_empty() {
        for check in host_checks() {
            outcomes.not_observed(check, Need::HostRecord, about.clone());
        }
    }
    let covers = records.iter().any(|host| host.is_of(run, Reach::Wholly));
    let gpu = run.conditions.get("gpu").is_none() || over.iter().any(|h| h.record.reads_gpu());
    (covers && gpu, outcomes)
}

/// Compares the hosts of two arms, the first record over each; nothing without a record of both.
pub(super) fn check_hosts_of_arms(
    about: &Scope,
    records: &[HostOf],
    arms: (&[&BenchRun], &[&BenchRun]),
    varies: &[String],
    thresholds: &Thresholds,
) -> Outcomes {
    match (first_over(records, arms.0), first_over(records, arms.1)) {
        (Some(first), Some(second)) if !std::ptr::eq(first, second) => {
            check_same_host(about, first, second, varies, thresholds)
        }
        _ => Outcomes::default(),
    }
}

/// The first record over any of some runs.
pub(super) fn first_over<'a>(records: &'a [HostOf], runs: &[&BenchRun]) -> Option<&'a HostRecord> {
    let over = |host: &&HostOf| runs.iter().any(|run| host.is_of(run, Reach::Partly));
    records.iter().find(over).map(|host| &host.record)
}

/// The records that reach over some runs, at least partly.
pub(super) fn all_over<'a>(records: &'a [HostOf], runs: &[&BenchRun]) -> Vec<&'a HostRecord> {
    let over = |host: &&HostOf| runs.iter().any(|run| host.is_of(run, Reach::Partly));
    records.iter().filter(over).map(|host| &host.record).collect()
}

/// Takes what a record that was given for an arm knows of its machine, where the runs do not say. A
/// record that is known by its time alone may be of any machine.
pub(super) fn take_machine(conditions: &mut Conditions, records: &[HostOf], runs: &[&BenchRun]) {
    let given = |host: &&HostOf| {
        host.arm.is_some() && runs.iter().any(|run| host.is_of(run, Reach::Partly))
    };
    let Some(host) = records.iter().find(given) else { return };
    for (key, of_host) in [("machine", "machine"), ("hardware", "gpu")] {
        if let (None, Some(value)) = (conditions.get(key), host.record.conditions.get(of_host)) {
            conditions.set(key, value, By::Measured);
        }
    }
}

/// How far a record reaches over a run.
#[derive(Clone, Copy, PartialEq)]
enum Reach {
    Partly,
    Wholly,
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use trueline_core::{Known, RequestRecord, Side, Stretch, WallTime};
    use trueline_host::parse_host_record;

    use super::*;

    fn record(conditions: &str) -> HostOf {
        let record = parse_host_record(&format!(
            r#"{{"schema":"trueline.host/1","started_at_s":100,"ended_at_s":200,
                "conditions":{conditions}}}"#
        ));
        HostOf { record: record.unwrap(), arm: None }
    }

    fn run(at: i64) -> BenchRun {
        let mut r = RequestRecord::default();
        r.started = Known::is(WallTime::from_nanos(at * 1_000_000_000), By::Measured);
        r.spans.set(Stretch::ClientTtft, Known::is(Duration::from_secs(5), By::Measured));
        BenchRun::new("r", Side::Client, vec![r])
    }

    fn codes(records: &[HostOf], at: i64) -> (bool, Vec<&'static str>) {
        let (present, outcomes) = check_host_records(records, &run(at), &Thresholds::default());
        (present, outcomes.findings().map(|f| f.code).collect())
    }

    #[test]
    fn a_record_of_another_time_is_no_record_of_this_run() {
        let sick = [record(r#"{"nice":5,"gpu_clock_busy_mhz":460,"gpu_clock_expected_mhz":1380}"#)];
        let both = vec!["nice-not-zero", "gpu-clock-low"];
        assert_eq!(codes(&sick, 150), (true, both.clone()));
        assert_eq!(codes(&sick, 250), (false, vec![]));
        // It reaches over part of the run: what it reads counts, the rest is not known.
        assert_eq!(codes(&sick, 198), (false, both));
        assert_eq!(codes(&[], 150), (false, vec![]));
    }

    #[test]
    fn a_record_that_reads_nothing_does_not_make_the_host_known() {
        assert_eq!(codes(&[record("{}")], 150), (false, vec![]));
        assert_eq!(codes(&[record(r#"{"nice":0}"#)], 150), (true, vec![]));
    }

    #[test]
    fn a_record_given_for_an_arm_speaks_of_that_arm_alone_and_needs_no_times_of_its_runs() {
        let mut sick = record(r#"{"nice":5}"#);
        sick.arm = Some("r".into());
        assert_eq!(codes(&[sick.clone()], 150), (true, vec!["nice-not-zero"]));
        assert_eq!(codes(&[sick.clone()], 250), (false, vec![]));
        let untimed = BenchRun::new("r", Side::Client, Vec::new());
        let told = |record: &HostOf| {
            let records = std::slice::from_ref(record);
            let (known, told) = check_host_records(records, &untimed, &Thresholds::default());
            (known, told.findings().count())
        };
        assert_eq!(told(&sick), (false, 1));
        sick.arm = Some("other".into());
        assert_eq!((told(&sick), codes(&[sick], 150)), ((false, 0), (false, vec![])));
    }

    #[test]
    fn a_run_on_a_gpu_needs_readings_of_a_gpu() {
        let mut on_gpu = run(150);
        on_gpu.conditions.set("gpu", "H100", By::Reported);
        let known =
            |text: &str| check_host_records(&[record(text)], &on_gpu, &Thresholds::default()).0;
        assert!(!known(r#"{"nice":0}"#));
        assert!(known(r#"{"nice":0,"gpu_clock_busy_mhz":1300,"gpu_clock_expected_mhz":1380}"#));
    }
}
