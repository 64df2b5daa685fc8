//! Whether the system started anew between two moments.

use std::time::Duration;

use trueline_core::{CheckInfo, Finding, Known, Need};

use super::Verdict;
use crate::judge::{Stretch, View};
use crate::platform::reading::word;
use crate::snapshot::Snapshot;

/// Whether both ends are within one start, as far as can be told.
pub(super) fn is_same(stretch: &Stretch<'_>) -> bool {
    !started_anew(stretch.before, stretch.after)
}

pub(super) fn rebooted(view: &View<'_>, check: &CheckInfo) -> Verdict {
    super::state(view)?;
    let ends = (view.record.before.as_ref(), view.record.after.as_ref());
    let (Some(before), Some(after)) = ends else { return Err(Need::HostWatched) };
    if started_anew(before, after) {
        let mut message = "the machine started anew between start and end".to_owned();
        if let Some(since) = after.clocks.since_boot.value() {
            message += &format!(", {} s before the end", since.as_secs());
        }
        let mut finding = Finding::new(check, view.about.clone(), message);
        for (name, state) in [("boot_id_at_start", before), ("boot_id_at_end", after)] {
            if let Some(id) = word(&state.platform.identity.boot_id) {
                finding = finding.with(name, id);
            }
        }
        return Ok(Some(finding));
    }
    if has_id(before) && has_id(after) {
        return Ok(None);
    }
    // A start that was longer ago than the first one hides behind clocks that went on; wall time
    // then went on further.
    let on = |of: fn(&Snapshot) -> Option<Duration>| of(after)?.checked_sub(of(before)?);
    let since = on(|state| state.clocks.since_boot.value()).ok_or(Need::HostReading)?;
    let wall = on(|state| {
        let nanos = state.clocks.wall.value()?.as_nanos();
        u64::try_from(nanos).ok().map(Duration::from_nanos)
    });
    let apart = wall.ok_or(Need::HostReading)?.abs_diff(since);
    let most = view.thresholds.get(check, "clocks_s");
    if apart.as_secs_f64() < most { Ok(None) } else { Err(Need::HostReading) }
}

fn has_id(state: &Snapshot) -> bool {
    word(&state.platform.identity.boot_id).is_some()
}

fn started_anew(before: &Snapshot, after: &Snapshot) -> bool {
    let id = |state: &Snapshot| state.platform.identity.boot_id.clone();
    if let (Known::Is { value: before, .. }, Known::Is { value: after, .. }) =
        (id(before), id(after))
    {
        return before != after;
    }
    let back = |before: Known<Duration>, after: Known<Duration>| {
        before.value().zip(after.value()).is_some_and(|(before, after)| after < before)
    };
    back(before.clocks.since_boot, after.clocks.since_boot)
        || back(before.clocks.monotonic, after.clocks.monotonic)
}

#[cfg(test)]
mod tests {
    use trueline_core::Severity;

    use crate::platform::made::{Said, Tree, at_once, between, clocks};
    use crate::snapshot::Snapshot;

    fn at(seconds: u64, id: Option<&str>) -> Snapshot {
        let tree = Tree::new();
        if let Some(id) = id {
            tree.write("proc/sys/kernel/random/boot_id", id);
        }
        tree.snapshot(seconds, &[])
    }

    #[test]
    fn another_boot_id_is_another_start() {
        // The uptime alone would not show it: it went on.
        let said = between(&at(60, Some("one")), &at(100, Some("two")), "rebooted");
        assert!(matches!(said, Said::Found(Severity::Error, m) if m.contains("100 s before")));
        assert_eq!(between(&at(60, Some("one")), &at(100, Some("one")), "rebooted"), Said::Clear);
    }

    #[test]
    fn without_an_id_the_clocks_tell() {
        let said = between(&at(100, None), &at(60, None), "rebooted");
        assert!(matches!(said, Said::Found(Severity::Error, _)));
        assert_eq!(between(&at(60, None), &at(100, None), "rebooted"), Said::Clear);
        // An hour of wall time and 40 s of uptime: a start, or a clock that was set.
        let mut after = at(100, None);
        after.clocks.wall = clocks(3_660).wall;
        assert_eq!(between(&at(60, None), &after, "rebooted"), Said::NotObserved);
    }

    #[test]
    fn counters_across_a_start_are_not_compared() {
        let (before, after) = (at(60, Some("one")), at(100, Some("two")));
        for code in ["cpu-steal", "swapping", "quota-throttled", "wall-time-jump"] {
            assert_eq!(between(&before, &after, code), Said::NotObserved, "{code}");
        }
        assert_eq!(at_once(&before, "rebooted"), Said::NotObserved);
    }
}
