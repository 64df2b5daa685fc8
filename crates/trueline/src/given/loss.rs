//! Whether the causes that a loss is blamed on are large enough for it.

use trueline_core::{Claim, Finding, Outcomes, Scope, Thresholds};

use crate::ceiling::CLOCK_DOES_NOT_EXPLAIN;
use trueline_core::number::short;

/// Checks a claim that explains a loss by causes, each with the most it can account for.
///
/// # Formula
/// `rest = value / product of the causes`, where `value` is the loss as a factor above 1.
///
/// # Shape
/// A claim without causes gives no outcome.
pub fn explain_loss(claim: &Claim, thresholds: &Thresholds) -> Outcomes {
    let check = &CLOCK_DOES_NOT_EXPLAIN;
    let mut outcomes = Outcomes::default();
    let usable = |x: f64| x.is_finite() && x > 0.0;
    let Some(loss) = claim.value.filter(|v| usable(*v)).map(|v| v.max(v.recip())) else {
        return outcomes;
    };
    if claim.explained_by.is_empty() || !claim.explained_by.iter().all(|c| usable(c.at_most)) {
        return outcomes;
    }
    let about = Scope::of_claim(&claim.id);
    let explained: f64 = claim.explained_by.iter().map(|c| c.at_most).product();
    let rest = loss / explained;
    if rest < thresholds.get(check, "rest") {
        outcomes.clear(check, about);
        return outcomes;
    }
    let causes: Vec<String> =
        claim.explained_by.iter().map(|c| format!("{} at most {}x", c.what, c.at_most)).collect();
    outcomes.found(
        Finding::new(
            check,
            about,
            format!(
                "{loss:.1}x is not explained: {} make at most {}x; {rest:.1}x is left",
                causes.join(", "),
                short(explained, 3)
            ),
        )
        .with("loss", loss)
        .with("explained_at_most", explained)
        .with("rest", rest)
        .with("causes", causes),
    );
    outcomes
}

#[cfg(test)]
mod tests {
    use trueline_core::{Cause, ClaimKind};

    use super::*;

    fn fires(value: f64, causes: &[f64]) -> bool {
        let mut claim = Claim::new("c", ClaimKind::Absolute, "t");
        claim.value = Some(value);
        claim.explained_by =
            causes.iter().map(|&x| Cause { what: "cause".into(), at_most: x }).collect();
        explain_loss(&claim, &Thresholds::default()).has("clock-does-not-explain")
    }

    #[test]
    fn a_third_of_the_clock_and_nice_5_do_not_make_21_7() {
        // 40.6 / 1.87 = 21.71; 3 x 3 = 9; 2.4 is left.
        assert!(fires(40.6 / 1.87, &[3.0, 3.0]));
        assert!(fires(1.87 / 40.6, &[3.0, 3.0]));
    }

    #[test]
    fn causes_that_suffice_are_quiet_and_a_claim_without_causes_is_not_judged() {
        assert!(!fires(8.5, &[3.0, 3.0]));
        assert!(!fires(17.9, &[3.0, 3.0]));
        assert!(!fires(21.7, &[]));
        assert!(!fires(21.7, &[f64::NAN]));
    }
}
