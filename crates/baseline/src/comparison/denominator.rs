//! Whether a gain is one over a baseline that production knows.

use trueline_core::{Claim, ClaimKind, Evidence, Finding, Metric, Need, Outcomes, Scope, Severity};

use crate::checks::SYNTHETIC_IN_TAIL;

/// Checks that a gain is not over a baseline in production's slow tail, nor a loss against one in its
/// fast tail.
///
/// `placed` is what placing the baseline's samples found, or what it would take to place them;
/// `is_faster` says that the candidate is the faster one. What holds no prefill is weakened only: the
/// placement is one of prefill rates.
///
/// # Shape
/// No outcome where the baseline is not in the tail that matters: the placement itself is told of its
/// arm already.
pub fn check_denominator(
    claim: &Claim,
    is_faster: bool,
    placed: Result<&[&Finding], Need>,
) -> Outcomes {
    let mut outcomes = Outcomes::default();
    let has_prefill = claim.metric.is_some_and(holds_prefill);
    let placed = match placed {
        Ok(placed) => placed,
        Err(need) if has_prefill => {
            outcomes.not_observed(&SYNTHETIC_IN_TAIL, need, Scope::of_claim(&claim.id));
            return outcomes;
        }
        Err(_) => return outcomes,
    };
    let (end, what) = if is_faster { ("slowest", "gain") } else { ("fastest", "loss") };
    for finding in placed.iter().filter(|f| f.code == SYNTHETIC_IN_TAIL.code) {
        if finding.evidence.get("end") != Some(&Evidence::from(end)) {
            continue;
        }
        let severity =
            if has_prefill { finding.severity } else { finding.severity.min(Severity::Warning) };
        let mut told = Finding::new(
            &SYNTHETIC_IN_TAIL,
            Scope::of_claim(&claim.id),
            format!("a {what} over a baseline that is no usual one: {}", finding.message),
        )
        .at(severity)
        .touching([ClaimKind::Relative, ClaimKind::Ranking])
        .advising(
            "measure the baseline until it lies where production's requests of its kind do, and \
             compare then",
        );
        told.evidence.clone_from(&finding.evidence);
        outcomes.found(told);
    }
    outcomes
}

/// Whether a metric's time holds the prefill.
const fn holds_prefill(metric: Metric) -> bool {
    !matches!(
        metric,
        Metric::ItlS | Metric::TpotS | Metric::DecodeTokPerS | Metric::QueueS | Metric::SendDelayS
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(metric: Metric, is_faster: bool, end: &str, at: Severity) -> Option<Severity> {
        let mut claim = Claim::new("c", ClaimKind::Relative, "t");
        claim.metric = Some(metric);
        let about = Scope::default().with_run("old");
        let placed = Finding::new(&SYNTHETIC_IN_TAIL, about, "the 3 slowest of 41").at(at);
        let placed = placed.with("end", end);
        let outcomes = check_denominator(&claim, is_faster, Ok(&[&placed]));
        let finding = outcomes.findings().next()?;
        assert_eq!(finding.about, Scope::of_claim("c"));
        Some(finding.severity)
    }

    #[test]
    fn a_gain_over_a_baseline_in_the_slow_tail_is_revoked_and_a_loss_is_not() {
        let (error, warning) = (Severity::Error, Severity::Warning);
        assert_eq!(told(Metric::PrefillTokPerS, true, "slowest", error), Some(error));
        assert_eq!(told(Metric::TtftS, true, "slowest", warning), Some(warning));
        assert_eq!(told(Metric::TtftS, false, "slowest", error), None);
        assert_eq!(told(Metric::TtftS, false, "fastest", error), Some(error));
        assert_eq!(told(Metric::TpotS, true, "slowest", error), Some(warning));
        let mut claim = Claim::new("c", ClaimKind::Relative, "t");
        for (metric, outcomes) in [(Metric::TtftS, 1), (Metric::TpotS, 0)] {
            claim.metric = Some(metric);
            let unplaced = check_denominator(&claim, true, Err(Need::Samples));
            assert!(unplaced.findings().next().is_none());
            assert_eq!(unplaced.iter().count(), outcomes);
        }
    }
}
