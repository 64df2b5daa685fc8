//! Whether memory was moved to and from disk, or a limit of memory was met.

use trueline_core::number::{count, short};
use trueline_core::{CheckInfo, Finding, Known, Need, Severity};

use super::{Verdict, watched};
use crate::judge::{Stretch, View};
use crate::platform::cgroup::{Group, Member};
use crate::platform::cgroup_memory::MemoryLevel;
use crate::platform::reading::{float, grown, seen};
use crate::processes::ProcessRole;

/// Reading back is the effect: a thread waits for it. Writing out and meeting a limit are causes.
pub(super) fn swapping(view: &View<'_>, check: &CheckInfo) -> Verdict {
    let stretch = watched(view)?;
    let (before, after) = (&stretch.before.platform.memory, &stretch.after.platform.memory);
    let (Some(read), Some(written)) = (
        grown(before.swapped_in_pages, after.swapped_in_pages),
        grown(before.swapped_out_pages, after.swapped_out_pages),
    ) else {
        return Err(Need::HostReading);
    };
    let took = stretch.took.as_secs_f64();
    let threshold = |name| view.thresholds.get(check, name);
    let rate = |n: u64| float(n) / took;
    let killed = of_groups(&stretch, |level| level.oom_kills);
    let met = [
        of_groups(&stretch, |level| level.high_events),
        of_groups(&stretch, |level| level.max_events),
    ];
    let limit = met.into_iter().flatten().reduce(u64::saturating_add);
    let server = server_growth(&stretch);
    let (message, severity) = if let Some(killed) = killed.filter(|killed| *killed > 0) {
        let killed = count(killed);
        (format!("{killed} processes of the group were ended for want of memory"), Severity::Error)
    } else if rate(read) >= threshold("error_pages_per_s") {
        let message = format!("{} pages a second were read back from swap", short(rate(read), 3));
        (message, Severity::Error)
    } else if rate(read.max(written)) >= threshold("warning_pages_per_s") {
        let message =
            format!("{} pages were written to swap and {} read back", count(written), count(read));
        (message, Severity::Warning)
    } else if let Some(server) = server.filter(|n| float(*n) >= threshold("server_bytes")) {
        let mib = short(float(server) / f64::from(1 << 20), 3);
        (format!("{mib} MiB of the server were written to swap"), Severity::Warning)
    } else if let Some(limit) = limit.filter(|n| rate(*n) >= threshold("limit_events_per_s")) {
        (format!("the group met its memory limit {} times", count(limit)), Severity::Warning)
    } else {
        return Ok(None);
    };
    let finding = Finding::new(check, view.about.clone(), message)
        .at(severity)
        .with("swapped_in_pages", read)
        .with("swapped_out_pages", written)
        .with_known("server_swap_growth_bytes", server)
        .with_known("memory_limit_events", limit)
        .with("stretch_s", took);
    Ok(Some(finding))
}

/// The growth of a count over the innermost groups of client and server; `None` where none has it.
fn of_groups(stretch: &Stretch<'_>, of: fn(&MemoryLevel) -> Known<u64>) -> Option<u64> {
    let innermost = |group: &Group| seen(&group.memory)?.first().cloned();
    let before: Vec<_> = stretch.before.platform.groups.iter().filter_map(innermost).collect();
    let mut after: Vec<MemoryLevel> = Vec::new();
    for level in stretch.after.platform.groups_of_run().into_iter().filter_map(innermost) {
        // Groups that are apart for processor time may be one for memory.
        if !after.iter().any(|known| known.group == level.group) {
            after.push(level);
        }
    }
    let grown = after.into_iter().filter_map(|level| {
        let first = before.iter().find(|known| known.group == level.group)?;
        grown(of(first), of(&level))
    });
    grown.reduce(u64::saturating_add)
}

/// How much more of the server is in swap at the end.
fn server_growth(stretch: &Stretch<'_>) -> Option<u64> {
    let members = |state: &crate::Snapshot| -> Vec<Member> {
        let all = state.platform.groups.iter().flat_map(|group| group.members.clone());
        all.filter(|member| member.party == ProcessRole::Server).collect()
    };
    let before = members(stretch.before);
    let grown = members(stretch.after).into_iter().filter_map(|member| {
        let first = before.iter().find(|known| known.pid == member.pid)?;
        grown(first.swap_bytes, member.swap_bytes)
    });
    grown.reduce(u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use trueline_core::Severity::{Error, Warning};

    use crate::platform::made::{Said, Tree, at_once, between};
    use crate::processes::ProcessRole;
    use crate::snapshot::Snapshot;

    const CODE: &str = "swapping";

    struct Made {
        read: u64,
        written: u64,
        swap_kb: u64,
        events: &'static str,
    }

    const QUIET: Made = Made { read: 70, written: 900, swap_kb: 100, events: "high 0\nmax 5" };

    fn at(at_s: u64, made: &Made) -> Snapshot {
        let stat = format!("pswpin {}\npswpout {}", made.read, made.written);
        let status = format!("Threads:\t1\nVmSwap:\t{} kB", made.swap_kb);
        let tree = Tree::new().with(&[
            ("proc/vmstat", &stat),
            ("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup rw"),
            ("proc/500/cgroup", "0::/serve"),
            ("proc/500/status", &status),
            ("sys/fs/cgroup/serve/memory.events", made.events),
        ]);
        tree.snapshot(at_s, &[(500, ProcessRole::Server)])
    }

    #[test]
    fn reading_back_is_an_error_and_causes_are_warnings() {
        let before = at(0, &QUIET);
        // In 60 s: 12,000 pages are 200 a second, 900 are 15, 300 are 5.
        let cases = [
            (Made { read: 12_070, ..QUIET }, Some(Error)),
            (Made { read: 370, ..QUIET }, None),
            (Made { written: 1_800, ..QUIET }, Some(Warning)),
            (Made { swap_kb: 100 + 64 * 1024, ..QUIET }, Some(Warning)),
            (Made { events: "high 0\nmax 605", ..QUIET }, Some(Warning)),
            (Made { events: "high 0\nmax 45", ..QUIET }, None),
            (Made { events: "high 0\nmax 5\noom_kill 0", ..QUIET }, None),
        ];
        for (made, expected) in cases {
            let said = between(&before, &at(60, &made), CODE);
            let found = match &said {
                Said::Found(severity, _) => Some(*severity),
                Said::Clear => None,
                other => panic!("{other:?}"),
            };
            assert_eq!(found, expected, "{said:?}");
        }
    }

    #[test]
    fn a_process_ended_for_want_of_memory_is_an_error() {
        let before = at(0, &Made { events: "max 5\noom_kill 0", ..QUIET });
        let after = at(60, &Made { events: "max 6\noom_kill 1", ..QUIET });
        assert!(matches!(between(&before, &after, CODE), Said::Found(Error, _)));
    }

    #[test]
    fn one_moment_or_no_counters_are_not_observed() {
        assert_eq!(at_once(&at(0, &QUIET), CODE), Said::NotObserved);
        let tree = Tree::new();
        let said = between(&tree.snapshot(0, &[]), &tree.snapshot(60, &[]), CODE);
        assert_eq!(said, Said::NotObserved);
    }
}
