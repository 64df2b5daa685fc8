//! What differs between start and end of a watch and must not.

use trueline_core::{Conditions, Finding, Need, Outcomes, Severity};

use crate::checks::STATE_CHANGED;
use crate::judge::View;
use crate::platform::rules::{Verdict, conclude};

/// A condition that must stay as it is, and what a change of it does.
struct Stays {
    key: &'static str,
    severity: Severity,
}

const fn revokes(key: &'static str) -> Stays {
    Stays { key, severity: Severity::Error }
}

const fn weakens(key: &'static str) -> Stays {
    Stays { key, severity: Severity::Warning }
}

/// What must stay. Readings that drift by themselves, such as clocks and temperatures, are no
/// conditions; another start of the system is `rebooted`.
const STAYS: &[Stays] = &[
    revokes("governor"),
    revokes("cpu_limit_mhz"),
    revokes("turbo"),
    revokes("cpu_quota"),
    revokes("cpus"),
    revokes("threads_share_cores"),
    revokes("power_source"),
    revokes("power_profile"),
    // Of what runs: a process that comes or goes changes them as well.
    weakens("nice"),
    weakens("affinity"),
    revokes("gpu_power_limit_w"),
    revokes("gpu_mig"),
    revokes("gpu_ecc"),
    // A source that is slow is an error of its own.
    weakens("clock_source"),
    // Memory that is already given keeps its pages.
    weakens("huge_pages"),
];

pub(crate) fn check(view: &View<'_>, outcomes: &mut Outcomes) {
    conclude(view, &STATE_CHANGED, changed(view), outcomes);
}

fn changed(view: &View<'_>) -> Verdict {
    view.state().ok_or(Need::HostRecord)?;
    let ends = (view.record.before.as_ref(), view.record.after.as_ref());
    let (Some(before), Some(after)) = ends else { return Err(Need::HostWatched) };
    compare(view, &before.conditions(), &after.conditions())
}

/// What differs. What could be read at one end alone has not changed.
fn compare(view: &View<'_>, before: &Conditions, after: &Conditions) -> Verdict {
    let keys = || STAYS.iter().map(|stays| stays.key);
    let known = keys().filter(|key| before.get(key).is_some() && after.get(key).is_some());
    if known.count() == 0 {
        return Err(Need::HostReading);
    }
    let differing = before.differing(after, keys());
    let severity = STAYS.iter().filter(|stays| differing.iter().any(|d| d.key == stays.key));
    let Some(severity) = severity.map(|stays| stays.severity).max() else { return Ok(None) };
    let changes: Vec<String> = differing
        .iter()
        .map(|d| format!("{} from {:?} to {:?}", d.key, d.first, d.second))
        .collect();
    let message = format!("from start to end there changed: {}", changes.join("; "));
    let finding = Finding::new(&STATE_CHANGED, view.about.clone(), message)
        .at(severity)
        .with("changes", changes);
    Ok(Some(finding))
}

#[cfg(test)]
mod tests {
    use trueline_core::{Scope, Thresholds};

    use super::*;
    use crate::record::HostRecord;

    fn judged(before: &[(&str, &str)], after: &[(&str, &str)]) -> Verdict {
        let (record, about) = (HostRecord::default(), Scope::default());
        let thresholds = Thresholds::default();
        let view = View { record: &record, about: &about, thresholds: &thresholds };
        let all = |pairs: &[(&str, &str)]| pairs.iter().copied().collect::<Conditions>();
        compare(&view, &all(before), &all(after))
    }

    #[test]
    fn settings_that_change_are_named_with_both_values() {
        let before = [("governor", "performance"), ("turbo", "on"), ("machine", "box1")];
        let after = [("governor", "powersave"), ("turbo", "off"), ("machine", "box1")];
        let found = judged(&before, &after).unwrap().unwrap();
        let expected = "from start to end there changed: governor from \"performance\" to \
                        \"powersave\"; turbo from \"on\" to \"off\"";
        assert_eq!((found.severity, found.message.as_str()), (Severity::Error, expected));
    }

    #[test]
    fn what_was_read_at_one_end_alone_has_not_changed() {
        let before = [("governor", "performance"), ("turbo", "on")];
        assert_eq!(judged(&before, &[("governor", "performance")]), Ok(None));
        assert_eq!(judged(&before, &[("cpu_quota", "4")]), Err(Need::HostReading));
        assert_eq!(judged(&[], &[]), Err(Need::HostReading));
    }

    #[test]
    fn another_start_and_what_may_drift_are_no_change_here() {
        let before =
            [("governor", "performance"), ("boot_id", "a"), ("gpu_clock_busy_mhz", "1980")];
        let after = [("governor", "performance"), ("boot_id", "b"), ("gpu_clock_busy_mhz", "1950")];
        assert_eq!(judged(&before, &after), Ok(None));
    }

    #[test]
    fn a_change_that_reaches_new_memory_alone_weakens() {
        let found = judged(&[("huge_pages", "always")], &[("huge_pages", "never")]);
        assert_eq!(found.unwrap().unwrap().severity, Severity::Warning);
    }
}
