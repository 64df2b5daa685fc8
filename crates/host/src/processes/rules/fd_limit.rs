//! Whether client and server may open enough files.

use trueline_core::{Finding, Outcomes};

use super::super::checks::FD_LIMIT_LOW;
use super::super::process::Process;
use super::conclusion::conclude;
use super::seen::{seen, whose};
use crate::judge::View;

/// Checks the limit of open files against what is open, and against the least that is usual.
pub(super) fn check_fd_limit(view: &View<'_>, outcomes: &mut Outcomes) {
    let check = &FD_LIMIT_LOW;
    let seen = seen(view);
    let limit = |name| view.thresholds.get(check, name);
    #[expect(clippy::cast_precision_loss, reason = "a number of files below 2^53")]
    let float = |n: u64| n as f64;
    let is_low = |process: &Process, most: u64| {
        let open = process.open_files.value();
        open.is_some_and(|open| float(most) < limit("headroom") * float(open))
            || float(most) < limit("least")
    };
    let (low, unread) =
        seen.find(|process| &process.open_files_limit, |process, most| is_low(process, *most));
    let found = low.map(|(process, most)| {
        let mut message =
            format!("{} {} may open {most} files", whose(process.role), process.words());
        let mut finding = Finding::new(check, view.about.clone(), "")
            .with("open_files_limit", *most)
            .with("pid", u64::from(process.pid));
        if let Some(open) = process.open_files.value() {
            message += &format!(" and has {open} open");
            finding = finding.with("open_files", open);
        }
        finding.saying(message)
    });
    conclude(view, outcomes, check, found, unread);
}

#[cfg(test)]
mod tests {
    use trueline_core::{Known, Severity, Why};

    use super::super::made::*;

    const CODE: &str = "fd-limit-low";

    fn with(open: u64, limit: u64) -> String {
        let mut made = made();
        made.both(|server| {
            server.open_files = is(open);
            server.open_files_limit = is(limit);
        });
        made.outcome(CODE)
    }

    #[test]
    fn a_limit_below_the_usual_or_twice_what_is_open_warns() {
        assert_eq!(with(20, 1024), "clear");
        assert_eq!(with(20, 256), "warning");
        // Twice 513 is 1,026.
        assert_eq!(with(513, 1024), "warning");
        assert_eq!(with(512, 1024), "clear");
        assert_eq!(with(3_000, 65_536), "clear");
    }

    #[test]
    fn no_limit_is_clear_and_an_unread_one_is_not_observed() {
        let mut made = made();
        made.both(|server| server.open_files_limit = Known::Not(Why::NotApplicable));
        assert_eq!(made.outcome(CODE), "clear");
        made.both(|server| server.open_files_limit = Known::Not(Why::Denied));
        assert_eq!(made.outcome(CODE), "needs HostReading");
        made.both(|server| server.open_files_limit = is(256));
        assert_eq!(made.severity(CODE), Some(Severity::Warning));
        assert!(made.message(CODE).contains("may open 256 files and has 20 open"));
    }
}
