//! Whether a quoted value is the best of its samples.

use trueline_core::number::short;
use trueline_core::{Claim, Finding, Need, Outcomes, Scope, Statistic, Thresholds};

use crate::checks::BEST_OF_N;
use crate::quoted::{best, finite};
use crate::stats::median;

/// Checks that a quoted value is not the best of its samples.
///
/// # Shape
/// `samples` in any order and in the claim's unit.
pub fn check_best_of_n(claim: &Claim, samples: &[f64], thresholds: &Thresholds) -> Outcomes {
    let check = &BEST_OF_N;
    let mut outcomes = Outcomes::default();
    let about = Scope::of_claim(&claim.id);
    let sorted = finite(samples);
    let (Some(value), Some(middle), Some(best)) =
        (claim.value, median(&sorted), best(&sorted, claim.metric))
    else {
        outcomes.not_observed(check, Need::QuotedSamples, about);
        return outcomes;
    };
    let rounding = thresholds.get(check, "rounding") * best.abs();
    let leads = (best - middle).abs() > thresholds.get(check, "lead") * middle.abs();
    let is_best = (value - best).abs() <= rounding && (value - best).abs() < (value - middle).abs();
    let said = claim.statistic == Some(Statistic::Best);
    if sorted.len() >= 2 && leads && (is_best || said) {
        outcomes.found(
            Finding::new(
                check,
                about,
                format!(
                    "the best of {} samples; their median is {}",
                    sorted.len(),
                    short(middle, 4)
                ),
            )
            .with("samples", samples.to_vec())
            .with("best", best)
            .with("median", middle),
        );
    } else {
        outcomes.clear(check, about);
    }
    outcomes
}

#[cfg(test)]
mod tests {
    use trueline_core::{ClaimKind, Metric};

    use super::*;
    use crate::quoted::made::{REPETITIONS, claim};

    #[test]
    fn the_best_is_found_whether_or_not_the_claim_says_so() {
        let none = Thresholds::default();
        for statistic in [None, Some(Statistic::Best)] {
            let c = claim(ClaimKind::Absolute, 115.0, statistic);
            assert!(check_best_of_n(&c, &REPETITIONS, &none).has("best-of-n"));
        }
    }

    #[test]
    fn a_median_that_happens_to_be_close_to_the_best_is_no_best_of_n() {
        let none = Thresholds::default();
        let c = claim(ClaimKind::Absolute, 107.0, None);
        assert!(!check_best_of_n(&c, &REPETITIONS, &none).has("best-of-n"));
        let close = claim(ClaimKind::Absolute, 100.4, None);
        assert!(!check_best_of_n(&close, &[100.0, 100.2, 100.4], &none).has("best-of-n"));
        let one = claim(ClaimKind::Absolute, 115.4, None);
        assert!(!check_best_of_n(&one, &[115.4], &none).has("best-of-n"));
    }

    #[test]
    fn for_a_latency_the_best_is_the_least() {
        let mut c = claim(ClaimKind::Absolute, 1.0, None);
        c.metric = Some(Metric::TtftS);
        assert!(check_best_of_n(&c, &[1.0, 1.5, 2.0], &Thresholds::default()).has("best-of-n"));
        c.value = Some(2.0);
        assert!(!check_best_of_n(&c, &[1.0, 1.5, 2.0], &Thresholds::default()).has("best-of-n"));
    }
}
