//! Ratios: what the arms say.

use trueline_core::{Claim, Finding, Need, Outcomes, Scope, Thresholds};

use crate::checks::{QUOTED_VALUE_NOT_FOUND, RATIO_WITHOUT_INTERVAL};
use crate::comparison::Estimate;
use crate::quoted::says;

/// Checks what a relative claim says against what its arms show.
///
/// # Shape
/// `estimate` is `None` where an arm has no value that a ratio can be made of. Without an interval the
/// claim is weakened to a direction; `runs_needed` is how many runs an arm would change that.
pub fn check_ratio_shown(
    claim: &Claim,
    estimate: Option<&Estimate>,
    runs_needed: Option<usize>,
    thresholds: &Thresholds,
) -> Outcomes {
    let mut outcomes = Outcomes::default();
    let about = Scope::of_claim(&claim.id);
    let Some(estimate) = estimate else {
        outcomes.not_observed(&RATIO_WITHOUT_INTERVAL, Need::BothArms, about);
        return outcomes;
    };
    if estimate.interval.is_some() {
        outcomes.clear(&RATIO_WITHOUT_INTERVAL, about.clone());
    } else {
        outcomes.found(without_interval(about.clone(), estimate, runs_needed));
    }
    if let Some(value) = claim.value {
        let check = &QUOTED_VALUE_NOT_FOUND;
        if says(value, estimate.ratio, thresholds.get(check, "tolerance")) {
            outcomes.clear(check, about.clone());
        } else {
            outcomes.found(
                Finding::new(
                    check,
                    about.clone(),
                    format!("the arms' ratio is {:.3}, not {value}", estimate.ratio),
                )
                .with("quoted", value)
                .with("found", estimate.ratio),
            );
        }
    }
    if let (Some(stated), Some(found)) = (claim.interval, estimate.interval) {
        let near = |a: f64, b: f64| (a - b).abs() <= 0.05 * estimate.ratio;
        if !(near(stated.0, found.0) && near(stated.1, found.1)) {
            outcomes.found(
                Finding::new(
                    &QUOTED_VALUE_NOT_FOUND,
                    about,
                    format!("the interval is [{:.3}, {:.3}]", found.0, found.1),
                )
                .with("quoted", vec![stated.0, stated.1])
                .with("found", vec![found.0, found.1]),
            );
        }
    }
    outcomes
}

fn without_interval(about: Scope, estimate: &Estimate, runs_needed: Option<usize>) -> Finding {
    let (a, b) = estimate.n;
    let runs = match (a, b) {
        (1, 1) => "one run each".to_owned(),
        (3.., 3..) => "no spread between the runs, which copies have".to_owned(),
        _ => format!("{a} and {b} runs"),
    };
    let needed = runs_needed.map_or(String::new(), |n| format!(", {n} runs an arm are needed"));
    let message = format!("{runs}: direction only{needed}");
    let mut finding = Finding::new(&RATIO_WITHOUT_INTERVAL, about, message)
        .with("candidate_runs", a)
        .with("baseline_runs", b)
        .with("ratio", estimate.ratio);
    if let Some(needed) = runs_needed {
        finding = finding.with("runs_needed", needed);
    }
    finding
}

#[cfg(test)]
mod tests {
    use trueline_core::ClaimKind;

    use super::*;
    use crate::comparison::{RunValue, estimate_ratio};

    fn claim(value: f64) -> Claim {
        let mut claim = Claim::new("c", ClaimKind::Relative, "text");
        claim.value = Some(value);
        claim.baseline = Some("library".into());
        claim
    }

    fn shown(claim: &Claim, a: &[f64], b: &[f64]) -> (Option<Estimate>, Outcomes) {
        let arm = |values: &[f64]| values.iter().map(|v| RunValue::untimed(*v)).collect::<Vec<_>>();
        let estimate = estimate_ratio(&arm(a), &arm(b), 0.95);
        let outcomes = check_ratio_shown(claim, estimate.as_ref(), Some(3), &Thresholds::default());
        (estimate, outcomes)
    }

    #[test]
    fn one_run_an_arm_gives_a_direction_and_three_an_interval() {
        let (one, outcomes) = shown(&claim(0.84), &[1.57], &[1.87]);
        assert_eq!(one.unwrap().interval, None);
        let said = outcomes.findings().next().unwrap();
        assert_eq!(said.message, "one run each: direction only, 3 runs an arm are needed");
        let (three, outcomes) = shown(&claim(0.84), &[34.0, 34.1, 34.2], &[40.5, 40.6, 40.7]);
        assert!(three.unwrap().interval.is_some());
        assert_eq!(outcomes.findings().count(), 0);
        let (none, outcomes) = shown(&claim(0.84), &[0.0], &[40.5]);
        assert!(none.is_none() && outcomes.findings().count() == 0);
        assert_eq!(outcomes.iter().count(), 1);
    }

    #[test]
    fn a_ratio_that_the_arms_do_not_show_is_found_out() {
        let (_, outcomes) = shown(&claim(1.3), &[1.0], &[1.0]);
        assert!(outcomes.has("quoted-value-not-found"));
    }
}
