//! Whether two things were measured under the same conditions.

use std::collections::BTreeSet;

use trueline_core::{
    Checked, Claim, Conditions, Finding, Need, Outcomes, RUN_CONDITIONS, Role, Scope, Severity,
    Thresholds, Window,
};

use crate::checks::{CONDITIONS_DIFFER, CONDITIONS_UNKNOWN};

fn keys(roles: &'static [Role]) -> impl Iterator<Item = &'static str> {
    RUN_CONDITIONS.iter().filter(move |key| roles.contains(&key.role)).map(|key| key.name)
}

/// Checks that a log is a witness of a run: same model, server, version and machine, same days.
///
/// # Shape
/// The value says whether it is: model and server recorded equal and the run not far outside the
/// log. `false` without a finding means that something is not recorded.
pub fn check_log_witnesses_run(
    about: Scope,
    run: (&Conditions, Option<Window>),
    log: (&Conditions, Option<Window>),
    thresholds: &Thresholds,
) -> Checked<bool> {
    let check = &CONDITIONS_DIFFER;
    let mut outcomes = Outcomes::default();
    let compared = ["model", "server", "server_version", "machine"];
    let mut differences: Vec<String> =
        run.0.differing(log.0, compared).iter().map(|d| format!("{d} in the log")).collect();
    let hours = run
        .1
        .zip(log.1)
        .map(|(run, log)| log.gap_to(&run).as_secs_f64() / 3600.0)
        .filter(|hours| *hours > thresholds.get(check, "hours_apart"));
    if let Some(hours) = hours {
        differences.push(format!("time span: the run lies {hours:.0} h outside the log"));
    }
    let same =
        differences.is_empty() && run.0.unknown_in_either(log.0, ["model", "server"]).is_empty();
    if !differences.is_empty() {
        outcomes.found(
            Finding::new(
                check,
                about,
                format!("the log is not one of this run: {}", differences.join("; ")),
            )
            .with("differences", differences),
        );
    } else if same {
        outcomes.clear(check, about);
    } else {
        outcomes.not_observed(check, Need::ProductionLog, about);
    }
    Checked { value: same, outcomes }
}

/// What is known of two arms besides their conditions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ArmNotes {
    /// Where an arm's runs, or the claim and an arm, contradict each other.
    pub contradictions: Vec<String>,
    /// The clients that measured each arm, by name; empty where nobody says.
    pub clients: (BTreeSet<String>, BTreeSet<String>),
    /// What only one arm records.
    pub one_sided: Vec<String>,
    /// What was varied on purpose.
    pub varies: Vec<String>,
}

/// Checks that the conditions a claim states are those of the run it is about.
pub fn check_claim_conditions(claim: &Claim, run: &Conditions) -> Outcomes {
    let mut outcomes = Outcomes::default();
    let keys: Vec<&str> = claim.conditions.iter().map(|(key, _)| key).collect();
    let differences: Vec<String> = run
        .differing(&claim.conditions, keys.iter().copied())
        .iter()
        .map(|d| format!("{}: the run has {}, the claim says {}", d.key, d.first, d.second))
        .collect();
    if !differences.is_empty() {
        let about = Scope::of_claim(&claim.id);
        outcomes.found(
            Finding::new(&CONDITIONS_DIFFER, about, differences.join("; "))
                .touching([claim.kind])
                .with("differences", differences),
        );
    }
    outcomes
}

/// Checks that two arms were measured under the same conditions.
///
/// # Shape
/// The value holds the material keys that an arm does not record: with any, nothing can be said.
/// What a comparison is about (server, version, flags) may differ. `known` brings what was found
/// besides the two maps: contradictions within an arm, and what only one arm records.
pub fn check_same_conditions(
    about: Scope,
    a: &Conditions,
    b: &Conditions,
    known: ArmNotes,
) -> Checked<Vec<String>> {
    let mut outcomes = Outcomes::default();
    let mut differences: Vec<String> = known.contradictions;
    let between: Vec<String> = a
        .differing(b, keys(&[Role::Material, Role::Setting]))
        .iter()
        .filter(|d| !known.varies.contains(&d.key))
        .map(|d| format!("the arms differ in {d}"))
        .collect();
    differences.extend(between);
    let (ours, theirs) = &known.clients;
    let other_clients = !ours.is_empty()
        && !theirs.is_empty()
        && ours != theirs
        && !known.varies.iter().any(|key| key == "client");
    if differences.is_empty() && other_clients {
        outcomes.found(two_clients(about.clone(), ours, theirs));
    } else if differences.is_empty() {
        outcomes.clear(&CONDITIONS_DIFFER, about.clone());
    } else {
        outcomes.found(
            Finding::new(&CONDITIONS_DIFFER, about.clone(), differences.join("; "))
                .with("differences", differences),
        );
    }
    let missing: Vec<String> =
        a.unknown_in_either(b, keys(&[Role::Material])).into_iter().map(str::to_owned).collect();
    let unknown = a.unknown_in_either(b, keys(&[Role::Setting, Role::Subject]));
    // Options are rarely written down; the rest of the settings are one word each.
    let unknown: Vec<String> = unknown
        .into_iter()
        .filter(|key| *key != "flags")
        .map(str::to_owned)
        .chain(known.one_sided)
        .collect();
    if unknown.is_empty() {
        outcomes.clear(&CONDITIONS_UNKNOWN, about);
    } else {
        outcomes.found(
            Finding::new(
                &CONDITIONS_UNKNOWN,
                about,
                format!("not recorded for both arms: {}", unknown.join(", ")),
            )
            .with("keys", unknown),
        );
    }
    Checked { value: missing, outcomes }
}

/// The finding that each arm was measured by a client of its own: what a client takes for itself is
/// then in the ratio, and nobody knows how much that is.
fn two_clients(about: Scope, ours: &BTreeSet<String>, theirs: &BTreeSet<String>) -> Finding {
    let words = |names: &BTreeSet<String>| {
        names.iter().map(String::as_str).collect::<Vec<_>>().join(" and ")
    };
    let (ours, theirs) = (words(ours), words(theirs));
    let message = format!(
        "one arm was measured by {ours}, the other by {theirs}: what a client takes for itself is in the \
         ratio"
    );
    Finding::new(&CONDITIONS_DIFFER, about, message)
        .at(Severity::Warning)
        .with("first_client", ours)
        .with("second_client", theirs)
        .advising("measure both arms with one client")
}

#[cfg(test)]
mod tests {
    use trueline_core::WallTime;

    use super::*;

    fn conditions(pairs: &[(&str, &str)]) -> Conditions {
        pairs.iter().copied().collect()
    }

    fn hour(h: i64) -> WallTime {
        WallTime::from_nanos(h * 3_600_000_000_000)
    }

    #[test]
    fn another_model_or_another_week_is_no_witness_and_a_gap_of_an_hour_is() {
        let run = conditions(&[("model", "m"), ("server", "s"), ("machine", "box")]);
        let mut other = run.clone();
        other.set("model", "m2", trueline_core::By::Reported);
        let span = Some(Window::new(hour(0), hour(10)));
        let near = Some(Window::new(hour(11), hour(12)));
        let far = Some(Window::new(hour(50), hour(51)));
        let none = Thresholds::default();
        let witness = |run_window, log: &Conditions| {
            check_log_witnesses_run(Scope::default(), (&run, run_window), (log, span), &none)
        };
        assert!(witness(near, &run).value);
        assert!(witness(far, &run).outcomes.has("conditions-differ"));
        assert!(witness(near, &other).outcomes.has("conditions-differ"));
        let silent = witness(near, &Conditions::default());
        assert!(!silent.value && !silent.outcomes.has("conditions-differ"));
    }

    #[test]
    fn two_clients_weaken_a_ratio_and_one_does_not() {
        let base = [("model", "m"), ("quantization", "q4"), ("hardware", "h"), ("machine", "b")];
        let c = conditions(&base);
        let set = |name: &str| BTreeSet::from([name.to_owned()]);
        let check = |first: BTreeSet<String>, second: BTreeSet<String>, varies: &[&str]| {
            let varies = varies.iter().map(|key| (*key).to_owned()).collect();
            let notes = ArmNotes { clients: (first, second), varies, ..ArmNotes::default() };
            check_same_conditions(Scope::default(), &c, &c, notes).outcomes
        };
        let two = check(set("vllm"), set("sglang"), &[]);
        let finding = two.findings().find(|f| f.code == "conditions-differ").unwrap();
        assert_eq!(finding.severity, Severity::Warning);
        assert!(!check(set("vllm"), set("vllm"), &[]).has("conditions-differ"));
        assert!(!check(set("vllm"), BTreeSet::new(), &[]).has("conditions-differ"));
        assert!(!check(set("vllm"), set("sglang"), &["client"]).has("conditions-differ"));
    }

    #[test]
    fn arms_may_differ_in_the_server_and_in_nothing_else() {
        let base = [("model", "m"), ("quantization", "q4"), ("hardware", "h"), ("machine", "b")];
        let arm = |server: &str, extra: Option<(&str, &str)>| {
            let mut c = conditions(&base);
            for (key, value) in
                [("server", server), ("server_version", "1")].into_iter().chain(extra)
            {
                c.set(key, value, trueline_core::By::Reported);
            }
            c
        };
        let check = |a: &Conditions, b: &Conditions| {
            check_same_conditions(Scope::default(), a, b, ArmNotes::default())
        };
        let same = check(&arm("x", None), &arm("y", None));
        assert_eq!(same.outcomes.findings().count(), 0);
        assert!(same.value.is_empty());
        let q8 = check(&arm("x", None), &arm("y", Some(("quantization", "q8"))));
        assert!(q8.outcomes.has("conditions-differ"));
        let silent = check(&arm("x", None), &conditions(&base[..1]));
        assert_eq!(silent.value, ["quantization", "hardware"]);
        assert!(silent.outcomes.has("conditions-unknown"));
    }
}
