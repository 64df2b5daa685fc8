//! Whether the clocks are good ones, and whether somebody set them.

use std::time::Duration;

use trueline_core::number::short;
use trueline_core::{CheckInfo, Finding, Need, Severity};

use super::{Verdict, state, watched};
use crate::judge::{Stretch, View};
use crate::platform::reading::word;

/// Sources outside of the processor, or with the resolution of a timer tick.
const SLOW: [&str; 5] = ["hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"];

pub(super) fn source(view: &View<'_>, check: &CheckInfo) -> Verdict {
    state(view)?;
    let ends = [&view.record.before, &view.record.after];
    let sources: Vec<&str> = ends
        .into_iter()
        .flatten()
        .filter_map(|state| word(&state.platform.clock_source.current))
        .collect();
    let (Some(first), Some(last)) = (sources.first(), sources.last()) else {
        return Err(Need::HostReading);
    };
    let Some(slow) = sources.iter().find(|source| SLOW.contains(source)) else { return Ok(None) };
    let message = if first == last {
        format!("clocks are read from {slow}")
    } else {
        format!("clocks are read from {last}, and were from {first} at the start")
    };
    let finding = Finding::new(check, view.about.clone(), message)
        .with("clock_source_at_start", *first)
        .with("clock_source_at_end", *last);
    Ok(Some(finding))
}

/// # Formula
/// `|wall - monotonic|`, each from start to end, less what NTP corrects in that time; and
/// `since boot - monotonic`, the time asleep.
pub(super) fn jump(view: &View<'_>, check: &CheckInfo) -> Verdict {
    let stretch = watched(view)?;
    let threshold = |name| view.thresholds.get(check, name);
    let took = stretch.took.as_secs_f64();
    let slewed = took * threshold("slew_ppm") * 1e-6;
    let set = wall_s(&stretch).map(|wall| wall - took);
    let slept = slept(&stretch).map(|slept| slept.as_secs_f64());
    let jumped = set.map_or(0.0, |set| (set.abs() - slewed).max(0.0));
    let slept_s = slept.unwrap_or(0.0);
    let largest = jumped.max(slept_s);
    if set.is_none() && slept.is_none() {
        return Err(Need::HostReading);
    }
    if largest < threshold("warning_s") {
        return if set.is_none() { Err(Need::HostReading) } else { Ok(None) };
    }
    // Wall time goes on while a machine sleeps: that is one event and no second one.
    let message = if slept_s >= threshold("warning_s") {
        format!("the machine slept for {} s", short(slept_s, 3))
    } else {
        let way = if set.is_some_and(|set| set < 0.0) { "back" } else { "forward" };
        let by = set.map_or(0.0, f64::abs);
        format!("the wall clock was set {way} by {} s", short(by, 3))
    };
    let large = largest >= threshold("error_s");
    let finding = Finding::new(check, view.about.clone(), message)
        .at(if large { Severity::Error } else { Severity::Warning })
        .with_known("wall_minus_monotonic_s", set)
        .with_known("asleep_s", slept)
        .with("stretch_s", took);
    Ok(Some(finding))
}

/// Wall time from start to end; it may have gone back.
#[expect(clippy::cast_precision_loss, reason = "a difference of two stamps is far below 2^53 ns")]
fn wall_s(stretch: &Stretch<'_>) -> Option<f64> {
    let (before, after) = (stretch.before.clocks.wall.value()?, stretch.after.clocks.wall.value()?);
    Some(after.as_nanos().checked_sub(before.as_nanos())? as f64 / 1e9)
}

fn slept(stretch: &Stretch<'_>) -> Option<Duration> {
    let since = |clocks: &crate::Clocks| clocks.since_boot.value();
    let on = since(&stretch.after.clocks)?.checked_sub(since(&stretch.before.clocks)?)?;
    Some(on.saturating_sub(stretch.took))
}

#[cfg(test)]
mod tests {
    use trueline_core::{By, Known, WallTime, Why};

    use super::*;
    use crate::platform::made::{Said, Tree, at_once, between};
    use crate::snapshot::Snapshot;

    /// A state whose wall clock is off by so many milliseconds.
    fn off_by(seconds: u64, millis: i64) -> Snapshot {
        let mut state = Tree::new().snapshot(seconds, &[]);
        let wall = state.clocks.wall.value().unwrap().as_nanos() + millis * 1_000_000;
        state.clocks.wall = Known::is(WallTime::from_nanos(wall), By::Measured);
        state
    }

    fn read_from(source: &str) -> Snapshot {
        let path = "sys/devices/system/clocksource/clocksource0/current_clocksource";
        Tree::new().with(&[(path, source)]).snapshot(100, &[])
    }

    #[test]
    fn a_clock_that_was_set_is_found_and_one_that_is_corrected_is_not() {
        let before = off_by(100, 0);
        // By hand: 500 ppm of an hour are 1.8 s, and of a minute 30 ms.
        for (at, millis, expected) in [
            (3_700, 1_700, None),
            (3_700, -1_700, None),
            (3_700, 1_950, Some(Severity::Error)),
            (160, 35, None),
            (160, 60, Some(Severity::Warning)),
            (160, -2_000, Some(Severity::Error)),
        ] {
            let said = between(&before, &off_by(at, millis), "wall-time-jump");
            let found = match said {
                Said::Found(severity, _) => Some(severity),
                Said::Clear => None,
                other => panic!("{other:?}"),
            };
            assert_eq!(found, expected, "{millis} ms in {at} s");
        }
    }

    #[test]
    fn a_machine_that_slept_is_found() {
        // A minute on a clock that stops asleep, ten minutes since boot and of wall time.
        let mut after = off_by(160, 600_000);
        after.clocks.since_boot = Known::is(Duration::from_secs(760), By::Measured);
        let said = between(&off_by(100, 0), &after, "wall-time-jump");
        let expected = "the machine slept for 600 s";
        assert!(matches!(said, Said::Found(Severity::Error, m) if m == expected));
    }

    #[test]
    fn clocks_at_one_moment_or_none_are_not_observed() {
        assert_eq!(at_once(&off_by(100, 0), "wall-time-jump"), Said::NotObserved);
        let mut after = off_by(160, 0);
        after.clocks.wall = Known::Not(Why::Absent);
        assert_eq!(between(&off_by(100, 0), &after, "wall-time-jump"), Said::NotObserved);
    }

    #[test]
    fn a_source_outside_of_the_processor_is_slow() {
        let code = "clock-source-slow";
        for source in ["hpet", "acpi_pm", "jiffies"] {
            let said = at_once(&read_from(source), code);
            assert!(matches!(said, Said::Found(Severity::Error, _)), "{source}");
        }
        for source in ["tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"] {
            assert_eq!(at_once(&read_from(source), code), Said::Clear, "{source}");
        }
        assert_eq!(at_once(&Tree::new().snapshot(100, &[]), code), Said::NotObserved);
    }

    #[test]
    fn a_source_given_up_during_the_run_is_named_with_the_one_before() {
        // As in sozu-proxy/sozu#500.
        let mut after = read_from("hpet");
        after.clocks = crate::platform::made::clocks(160);
        let said = between(&read_from("tsc"), &after, "clock-source-slow");
        let expected = "clocks are read from hpet, and were from tsc at the start";
        assert!(matches!(said, Said::Found(Severity::Error, m) if m == expected));
    }
}
