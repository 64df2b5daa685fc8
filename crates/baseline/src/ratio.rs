//! Ratios: what the arms say.

use trueline_core::{Checked, Claim, Finding, Need, Outcomes, Scope, Thresholds};

use crate::checks::{QUOTED_VALUE_NOT_FOUND, RATIO_WITHOUT_INTERVAL, TOO_FEW_SAMPLES};
use crate::quoted::says;
use crate::stats::{RatioEstimate, ratio_of_means};

/// Compares the two arms of a relative claim, one value a run.
///
/// # Shape
/// The value is `None` where an arm has no value. With fewer than three runs an arm it has no
/// interval and the claim is weakened to a direction.
pub fn compare_arms(
    claim: &Claim,
    candidate: &[f64],
    baseline: &[f64],
    thresholds: &Thresholds,
) -> Checked<Option<RatioEstimate>> {
    let mut outcomes = Outcomes::default();
    let about = Scope::of_claim(&claim.id);
    let confidence = thresholds.get(&TOO_FEW_SAMPLES, "confidence");
    let Some(estimate) = ratio_of_means(candidate, baseline, confidence) else {
        outcomes.not_observed(&RATIO_WITHOUT_INTERVAL, Need::BothArms, about);
        return Checked { value: None, outcomes };
    };
    if estimate.interval.is_some() {
        outcomes.clear(&RATIO_WITHOUT_INTERVAL, about.clone());
    } else {
        let (a, b) = estimate.n;
        let runs = match (a, b) {
            (1, 1) => "one run each".to_owned(),
            (3.., 3..) => "no spread between the runs, which copies have".to_owned(),
            _ => format!("{a} and {b} runs"),
        };
        outcomes.found(
            Finding::new(&RATIO_WITHOUT_INTERVAL, about.clone(), format!("{runs}: direction only"))
                .with("candidate_runs", a)
                .with("baseline_runs", b)
                .with("ratio", estimate.ratio),
        );
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
    Checked { value: Some(estimate), outcomes }
}

#[cfg(test)]
mod tests {
    use trueline_core::ClaimKind;

    use super::*;

    fn claim(value: f64) -> Claim {
        let mut claim = Claim::new("c", ClaimKind::Relative, "text");
        claim.value = Some(value);
        claim.baseline = Some("library".into());
        claim
    }

    #[test]
    fn one_run_an_arm_gives_a_direction_and_three_an_interval() {
        let none = Thresholds::default();
        let one = compare_arms(&claim(0.84), &[1.57], &[1.87], &none);
        assert_eq!(one.value.unwrap().interval, None);
        assert!(one.outcomes.has("ratio-without-interval"));
        let three = compare_arms(&claim(0.84), &[34.0, 34.1, 34.2], &[40.5, 40.6, 40.7], &none);
        assert!(three.value.unwrap().interval.is_some());
        assert_eq!(three.outcomes.findings().count(), 0);
    }

    #[test]
    fn a_ratio_that_the_arms_do_not_show_is_found_out() {
        let got = compare_arms(&claim(1.3), &[1.0], &[1.0], &Thresholds::default());
        assert!(got.outcomes.has("quoted-value-not-found"));
    }
}
