//! Whether processors were slowed down because they were too hot.

use trueline_core::number::{count, percent};
use trueline_core::{CheckInfo, Finding, Need, Severity};

use super::{Verdict, watched};
use crate::judge::View;
use crate::platform::reading::{float, seen};
use crate::platform::thermal::Throttled;

/// What happened to the hottest processor.
#[derive(Debug, Clone, Copy)]
struct Heat {
    cpu: u32,
    events: u64,
    ms: Option<u64>,
}

/// Judged by the longest time that a processor was slow; by the events where no time is counted.
pub(super) fn heat(view: &View<'_>, check: &CheckInfo) -> Verdict {
    let stretch = watched(view)?;
    let ends = (&stretch.before.platform.throttled, &stretch.after.platform.throttled);
    let (Some(before), Some(after)) = (seen(ends.0), seen(ends.1)) else {
        return Err(Need::HostReading);
    };
    let heats = after.iter().filter_map(|last| {
        let first = before.iter().find(|first| first.cpu == last.cpu)?;
        Some(between(first, last))
    });
    let hot: Vec<Heat> = heats.filter(|heat| heat.events > 0 || heat.ms > Some(0)).collect();
    let Some(worst) = hot.iter().max_by_key(|heat| (heat.ms, heat.events)) else { return Ok(None) };
    let share = worst.ms.map(|ms| float(ms) / 1e3 / stretch.took.as_secs_f64());
    let large = share.is_none_or(|share| share >= view.thresholds.get(check, "error_share"));
    let of_time = share.map(|share| format!(", {} of the time", percent(share.min(1.0))));
    let message = format!(
        "{} processors were too hot; processor {} was slowed down {} times{}",
        hot.len(),
        worst.cpu,
        count(worst.events),
        of_time.unwrap_or_default(),
    );
    let finding = Finding::new(check, view.about.clone(), message)
        .at(if large { Severity::Error } else { Severity::Warning })
        .with("hot_processors", hot.len())
        .with("events_of_hottest", worst.events)
        .with("stretch_s", stretch.took.as_secs_f64())
        .with_known("slowed_down_s", worst.ms.map(|ms| float(ms) / 1e3));
    Ok(Some(finding))
}

/// Core and package may be hot at once: the longer of the two times, and the more events.
fn between(first: &Throttled, last: &Throttled) -> Heat {
    let ms = |first: Option<u64>, last: Option<u64>| last?.checked_sub(first?);
    let core = last.core_events.saturating_sub(first.core_events);
    let package = last.package_events.zip(first.package_events);
    let package = package.map(|(last, first)| last.saturating_sub(first));
    Heat {
        cpu: last.cpu,
        events: package.map_or(core, |package| core.max(package)),
        ms: ms(first.core_ms, last.core_ms).max(ms(first.package_ms, last.package_ms)),
    }
}

#[cfg(test)]
mod tests {
    use trueline_core::Severity::{Error, Warning};

    use crate::platform::made::{Said, Tree, at_once, between};
    use crate::snapshot::Snapshot;

    const CODE: &str = "cpu-thermal-throttled";

    fn at(at_s: u64, events: u64, ms: Option<u64>) -> Snapshot {
        let tree = Tree::new();
        for cpu in 0..2 {
            let path =
                |file: &str| format!("sys/devices/system/cpu/cpu{cpu}/thermal_throttle/{file}");
            tree.write(&path("core_throttle_count"), &events.to_string());
            tree.write(&path("package_throttle_count"), "17");
            if let Some(ms) = ms {
                tree.write(&path("core_throttle_total_time_ms"), &ms.to_string());
            }
        }
        tree.snapshot(at_s, &[])
    }

    #[test]
    fn counters_that_grow_are_found_and_old_ones_are_not() {
        // In 60 s: 3 s are 5 %, 0.06 s are 0.1 %.
        let before = at(0, 40, Some(9_000));
        let hot = between(&before, &at(60, 55, Some(12_000)), CODE);
        let expected = "2 processors were too hot; processor 1 was slowed down 15 times, 5.0 % of \
                        the time";
        assert_eq!(hot, Said::Found(Error, expected.to_owned()));
        let short = between(&before, &at(60, 41, Some(9_060)), CODE);
        assert!(matches!(short, Said::Found(Warning, _)));
        assert_eq!(between(&before, &at(60, 40, Some(9_000)), CODE), Said::Clear);
        assert!(matches!(between(&at(0, 1, None), &at(60, 2, None), CODE), Said::Found(Error, _)));
    }

    #[test]
    fn machines_without_counters_are_not_observed() {
        let tree = Tree::new();
        let said = between(&tree.snapshot(0, &[]), &tree.snapshot(60, &[]), CODE);
        assert_eq!((said, at_once(&at(0, 1, None), CODE)), (Said::NotObserved, Said::NotObserved));
    }
}
