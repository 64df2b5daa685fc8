//! Whether a claim has as many samples as it needs.

use trueline_core::{Claim, ClaimKind, Finding, Need, Outcomes, Scope, Statistic, Thresholds};

use crate::checks::TOO_FEW_SAMPLES;
use crate::stats::smallest_n;

/// Checks that a claim which needs an interval has samples that admit one.
///
/// # Shape
/// `n` is the number of samples behind the claim (for a ratio, of runs in its smaller arm); `None`
/// where nobody says. Claims that need no interval give no outcome at all.
pub fn check_sample_count(claim: &Claim, n: Option<usize>, thresholds: &Thresholds) -> Outcomes {
    let check = &TOO_FEW_SAMPLES;
    let mut outcomes = Outcomes::default();
    let about = Scope::of_claim(&claim.id);
    let confidence = thresholds.get(check, "confidence");
    let needed = match (claim.kind, claim.statistic) {
        // A ratio's interval is one of runs: three an arm at least.
        (ClaimKind::Relative, _) if claim.interval.is_some() => Some(3),
        (ClaimKind::Relative, _) => return outcomes,
        (_, Some(Statistic::Quantile(q))) => smallest_n(q.get(), confidence),
        (ClaimKind::Production, _) => smallest_n(0.5, confidence),
        _ => return outcomes,
    };
    match (n, needed) {
        (Some(n), Some(needed)) if n < needed => outcomes.found(
            Finding::new(
                check,
                about,
                format!(
                    "{n} sample{} no {:.0} % interval, {needed} do",
                    if n == 1 { " admits" } else { "s admit" },
                    confidence * 100.0
                ),
            )
            .with("samples", n)
            .with("needed", needed)
            .advising(format!("measure at least {needed}")),
        ),
        (Some(_), Some(_)) => outcomes.clear(check, about),
        _ => outcomes.not_observed(check, Need::QuotedSamples, about),
    }
    outcomes
}

#[cfg(test)]
mod tests {
    use trueline_core::Share;

    use super::*;
    use crate::quoted::made::claim;

    #[test]
    fn only_claims_that_need_an_interval_ask_for_samples() {
        let none = Thresholds::default();
        let fires = |c: &Claim, n| check_sample_count(c, Some(n), &none).has("too-few-samples");
        assert!(!fires(&claim(ClaimKind::Absolute, 1.0, None), 1));
        let production = claim(ClaimKind::Production, 1.0, None);
        assert!(fires(&production, 5) && !fires(&production, 6));
        let p99 = Some(Statistic::Quantile(Share::new(0.99).unwrap()));
        let tail = claim(ClaimKind::Tail, 1.0, p99);
        assert!(fires(&tail, 367) && !fires(&tail, 368));
        let mut relative = claim(ClaimKind::Relative, 1.0, None);
        assert!(!fires(&relative, 1));
        relative.interval = Some((0.9, 1.1));
        assert!(fires(&relative, 2) && !fires(&relative, 3));
    }
}
