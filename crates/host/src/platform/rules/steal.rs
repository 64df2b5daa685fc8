//! Whether the hypervisor ran others while this machine wanted to run.

use trueline_core::number::percent;
use trueline_core::{CheckInfo, Finding, Need, Severity};

use super::{Verdict, watched};
use crate::judge::View;
use crate::platform::reading::{float, share};

/// # Formula
/// Stolen time over stolen and busy time: the share of the time wanted that was not had. Against
/// all time, idle processors would hide what one busy processor lost.
pub(super) fn steal(view: &View<'_>, check: &CheckInfo) -> Verdict {
    let stretch = watched(view)?;
    let ends = (&stretch.before.platform.load.ticks, &stretch.after.platform.load.ticks);
    let (Some(before), Some(after)) = (ends.0.value(), ends.1.value()) else {
        return Err(Need::HostReading);
    };
    let spent = after.since(&before);
    let wanted = spent.busy() + spent.steal;
    let Some(stolen) = share(spent.steal, wanted) else { return Ok(None) };
    let threshold = |name| view.thresholds.get(check, name);
    if float(spent.steal) < threshold("ticks") || stolen < threshold("warning_share") {
        return Ok(None);
    }
    let large = stolen >= threshold("error_share");
    let message = format!(
        "the hypervisor ran others for {} of the time that this machine wanted to run",
        percent(stolen)
    );
    let finding = Finding::new(check, view.about.clone(), message)
        .at(if large { Severity::Error } else { Severity::Warning })
        .with("stolen_share_of_wanted", stolen)
        .with_known("stolen_share_of_all", share(spent.steal, spent.total()))
        .with("stolen_ticks", spent.steal)
        .with("stretch_s", stretch.took.as_secs_f64());
    Ok(Some(finding))
}

#[cfg(test)]
mod tests {
    use trueline_core::{By, Known};

    use super::*;
    use crate::platform::load::CpuTicks;
    use crate::platform::made::{Said, Tree, at_once, between};
    use crate::snapshot::Snapshot;

    fn at(seconds: u64, user: u64, idle: u64, steal: u64) -> Snapshot {
        let mut state = Tree::new().snapshot(seconds, &[]);
        let ticks = CpuTicks { user, idle, steal, ..CpuTicks::default() };
        state.platform.load.ticks = Known::is(ticks, By::Measured);
        state
    }

    #[test]
    fn the_share_is_of_the_time_wanted() {
        // Two processors for 60 s are 12,000 ticks. By hand: 2,000 / (4,000 + 2,000) is 33 %;
        // 40 / (4,000 + 40) is 0.99 %.
        let before = at(100, 500, 500, 7);
        let large = between(&before, &at(160, 4_500, 6_500, 2_007), "cpu-steal");
        assert!(
            matches!(&large, Said::Found(Severity::Error, m) if m.contains("33 %")),
            "{large:?}"
        );
        let small = between(&before, &at(160, 4_500, 8_460, 47), "cpu-steal");
        assert!(matches!(&small, Said::Found(Severity::Warning, m) if m.contains("1.0 %")));
    }

    #[test]
    fn a_quiet_guest_is_clear() {
        // 385 stolen ticks of 1,439,663 wanted: what a guest showed half an hour after its start.
        let (before, after) = (at(100, 0, 0, 0), at(16_000, 1_439_278, 1_787_497, 385));
        assert_eq!(between(&before, &after, "cpu-steal"), Said::Clear);
        // Nine ticks of an idle guest are rounding.
        assert_eq!(between(&at(100, 0, 0, 0), &at(160, 100, 11_891, 9), "cpu-steal"), Said::Clear);
    }

    #[test]
    fn one_moment_or_no_counters_are_not_observed() {
        assert_eq!(at_once(&at(100, 1, 1, 1), "cpu-steal"), Said::NotObserved);
        let tree = Tree::new();
        let (before, after) = (tree.snapshot(100, &[]), tree.snapshot(160, &[]));
        assert_eq!(between(&before, &after, "cpu-steal"), Said::NotObserved);
    }
}
