//! What differs between start and end of a watch and must not.

use trueline_core::{
    ClaimKind, Conditions, Finding, Need, Outcomes, Role, Scope, Severity, Thresholds,
};

use crate::checks::{STATE_CHANGED, host_conditions};
use crate::judge::View;
use crate::platform::rules::{Verdict, conclude};
use crate::record::HostRecord;

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
    weakens("cpu_affinity"),
    revokes("gpu_power_limit_w"),
    revokes("gpu_mig"),
    revokes("gpu_ecc"),
    // A source that is slow is an error of its own.
    weakens("clock_source"),
    // Memory that is already given keeps its pages.
    weakens("huge_pages"),
];

/// Checks that two arms were measured on hosts in the same state: the settings of two records, and
/// the clock of a GPU under load.
///
/// # Shape
/// What was varied on purpose (`varies`, names of conditions) may differ; where the machine or the
/// hardware was, all of it may. What only one record knows is not compared.
pub fn check_same_host(
    about: &Scope,
    first: &HostRecord,
    second: &HostRecord,
    varies: &[String],
    thresholds: &Thresholds,
) -> Outcomes {
    let mut outcomes = Outcomes::default();
    let check = &STATE_CHANGED;
    if ["machine", "hardware"].iter().any(|key| varies.iter().any(|varied| varied == key)) {
        return outcomes;
    }
    let (a, b) = (&first.conditions, &second.conditions);
    let settings: Vec<&str> = host_conditions()
        .filter(|key| matches!(key.role, Role::Material | Role::Setting))
        .map(|key| key.name)
        .filter(|key| !varies.iter().any(|varied| varied == key))
        .collect();
    if !settings.iter().any(|key| a.get(key).is_some() && b.get(key).is_some()) {
        outcomes.not_observed(check, Need::HostRecord, about.clone());
        return outcomes;
    }
    let mut changes: Vec<(Severity, String)> = a
        .differing(b, settings.iter().copied())
        .into_iter()
        .map(|d| {
            (
                severity_of(&d.key),
                format!("{} is {} in one, {} in the other", d.key, d.first, d.second),
            )
        })
        .collect();
    let clock = |of: &Conditions| of.get(BUSY_CLOCK)?.trim().parse::<f64>().ok();
    if let (Some(one), Some(other)) = (clock(a), clock(b))
        && (one / other - 1.0).abs() > thresholds.get(check, "gpu_clock_offset")
    {
        let words = format!("the GPU ran at {one} MHz in one, {other} MHz in the other");
        changes.push((Severity::Error, words));
    }
    let Some(severity) = changes.iter().map(|(severity, _)| *severity).max() else {
        outcomes.clear(check, about.clone());
        return outcomes;
    };
    let changes: Vec<String> = changes.into_iter().map(|(_, words)| words).collect();
    let message = format!("the hosts of the two arms differ: {}", changes.join("; "));
    outcomes.found(
        Finding::new(check, about.clone(), message)
            .at(severity)
            .touching([ClaimKind::Relative, ClaimKind::Ranking])
            .with("changes", changes),
    );
    outcomes
}

/// The clock of a GPU under load.
const BUSY_CLOCK: &str = "gpu_clock_busy_mhz";

/// What a difference in a setting does; one that is not listed weakens.
fn severity_of(key: &str) -> Severity {
    STAYS.iter().find(|stays| stays.key == key).map_or(Severity::Warning, |stays| stays.severity)
}

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
    use super::*;

    fn judged(before: &[(&str, &str)], after: &[(&str, &str)]) -> Verdict {
        let (record, about) = (HostRecord::default(), Scope::default());
        let thresholds = Thresholds::default();
        let view = View { record: &record, about: &about, thresholds: &thresholds };
        let all = |pairs: &[(&str, &str)]| pairs.iter().copied().collect::<Conditions>();
        compare(&view, &all(before), &all(after))
    }

    fn arms(first: &[(&str, &str)], second: &[(&str, &str)], varies: &[&str]) -> Outcomes {
        let record = |pairs: &[(&str, &str)]| {
            HostRecord::stated(None, pairs.iter().copied().collect::<Conditions>())
        };
        let varies: Vec<String> = varies.iter().map(|key| (*key).to_owned()).collect();
        let about = Scope::default();
        check_same_host(&about, &record(first), &record(second), &varies, &Thresholds::default())
    }

    fn severity(outcomes: &Outcomes) -> Option<Severity> {
        outcomes.findings().map(|finding| finding.severity).max()
    }

    #[test]
    fn arms_on_hosts_in_two_states_are_told_apart() {
        let well = [("governor", "performance"), ("gpu_clock_busy_mhz", "1755")];
        let slow = [("governor", "powersave"), ("gpu_clock_busy_mhz", "1755")];
        assert_eq!(severity(&arms(&well, &slow, &[])), Some(Severity::Error));
        assert_eq!(severity(&arms(&well, &well, &[])), None);
        // On purpose, or on another machine.
        assert_eq!(severity(&arms(&well, &slow, &["governor"])), None);
        assert_eq!(severity(&arms(&well, &slow, &["machine"])), None);
        // A kernel's mitigations cost little, and both arms should have the same.
        let (one, other) = ([("mitigations", "a1")], [("mitigations", "b2")]);
        assert_eq!(severity(&arms(&one, &other, &[])), Some(Severity::Warning));
        // Nothing that both know.
        let outcomes = arms(&[("governor", "performance")], &[("turbo", "on")], &[]);
        assert!(matches!(
            outcomes.iter().next(),
            Some(trueline_core::CheckOutcome::NotObserved { .. })
        ));
    }

    #[test]
    fn a_gpu_a_percent_slower_in_one_arm_is_found_and_the_jitter_of_a_clock_is_not() {
        let arm = |mhz| [("nice", "0"), ("gpu_clock_busy_mhz", mhz)];
        // By hand: 1,755 to 1,700 MHz is 3.1 %, 1,755 to 1,745 is 0.6 %.
        assert_eq!(severity(&arms(&arm("1755"), &arm("1700"), &[])), Some(Severity::Error));
        assert_eq!(severity(&arms(&arm("1755"), &arm("1745"), &[])), None);
    }

    #[test]
    fn what_must_stay_is_recorded() {
        let recorded: Vec<&str> = crate::host_conditions().map(|key| key.name).collect();
        for stays in STAYS {
            assert!(recorded.contains(&stays.key), "{}", stays.key);
        }
    }

    #[test]
    fn what_must_stay_are_conditions_that_a_record_holds() {
        let known: Vec<&str> = crate::host_conditions().map(|key| key.name).collect();
        let unknown = STAYS.iter().map(|stays| stays.key).find(|key| !known.contains(key));
        assert_eq!(unknown, None);
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
