//! The check of a self-test, and what it finds.

use trueline_core::number::short;
use trueline_core::{
    CheckInfo, Checked, Claim, ClaimKind, Finding, Need, Outcomes, Scope, Severity, Thresholds,
};

use super::{Called, SelfTest, SelfTestPlan};
use crate::checks::threshold;
use crate::conclusion::conclude;
use crate::stats::{RatioEstimate, count, ratio_of_means, real, share_interval};

/// The check of a self-test.
pub(crate) const A_VS_A_DIFFERS: CheckInfo = CheckInfo {
    code: "a-vs-a-differs",
    severity: (Severity::Error, Severity::Error),
    touches: &[ClaimKind::Relative, ClaimKind::Ranking],
    needs: &[Need::Repetitions],
    implied_by: &[],
    thresholds: &[
        threshold("tries", 20.0, "of fewer comparisons a share says nothing"),
        threshold("times_alpha", 2.0, "some comparisons are called different by chance"),
        threshold(
            "confidence",
            0.99,
            "at 95 % one sound harness in twenty would be called broken; that the share is above \
             alpha, and the ratio off 1, must be this certain",
        ),
    ],
    rule: "the harness measures a difference between an arm and itself",
    advice: "find what differs between the arms' places: order, warm-up, cache, clock, prompts; \
             or, where requests were compared, compare runs",
};

/// The checks that a harness makes on itself.
pub const SELF_TEST_CHECKS: &[CheckInfo] = &[A_VS_A_DIFFERS];

/// Checks two arms that are said to be the same: one value a run each.
///
/// # Formula
/// The ratio of [`ratio_of_means`]; its interval ought to hold 1. At the confidence `c` of the check's
/// threshold for all `rows` of a table together, `1 - (1 - c) / rows` for each (Bonferroni).
///
/// # Shape
/// Not observed with fewer than three runs an arm, without spread, or of values not above zero.
///
/// # Examples
/// ```
/// use trueline_baseline::check_a_vs_a;
/// use trueline_core::{Claim, ClaimKind, Thresholds};
///
/// let claim = Claim::new("null build", ClaimKind::Relative, "the version string alone changed");
/// let usual = Thresholds::default();
/// let faster = check_a_vs_a(&claim, &[127.1, 127.3, 126.9], &[100.1, 100.0, 99.8], 1, &usual);
/// assert!(faster.has("a-vs-a-differs"));
/// let same = check_a_vs_a(&claim, &[100.2, 99.9, 100.3], &[100.1, 100.0, 99.8], 1, &usual);
/// assert!(!same.has("a-vs-a-differs"));
/// ```
pub fn check_a_vs_a(
    claim: &Claim,
    candidate: &[f64],
    baseline: &[f64],
    rows: usize,
    thresholds: &Thresholds,
) -> Outcomes {
    let check = &A_VS_A_DIFFERS;
    let about = Scope::of_claim(&claim.id);
    let confidence = 1.0 - (1.0 - thresholds.get(check, "confidence")) / count(rows.max(1));
    let ratio = ratio_of_means(candidate, baseline, confidence);
    let missing = ratio.and_then(|ratio| ratio.interval).is_none().then_some(Need::Repetitions);
    let found = ratio.and_then(|ratio| off_one(&ratio, about.clone(), "an arm over itself"));
    conclude(check, about, found.into_iter().collect(), missing)
}

/// A result with what the check says of it.
pub(super) fn judged(
    plan: &SelfTestPlan,
    thresholds: &Thresholds,
    value: SelfTest,
) -> Checked<SelfTest> {
    let check = &A_VS_A_DIFFERS;
    let interval = value.a_over_a.and_then(|ratio| ratio.interval);
    let missing =
        (interval.is_none() && value.alike.interval.is_none()).then_some(Need::Repetitions);
    let mut findings: Vec<Finding> = differs(&value).into_iter().collect();
    findings.extend(too_often(plan, thresholds, &value.alike).filter(|_| findings.is_empty()));
    Checked { value, outcomes: conclude(check, Scope::default(), findings, missing) }
}

/// The finding where an arm differs from itself.
fn differs(value: &SelfTest) -> Option<Finding> {
    let which =
        if value.seed.is_some() { "some runs over the others" } else { "an arm over itself" };
    let finding = off_one(&value.a_over_a?, Scope::default(), which)?;
    Some(
        finding
            .with("called_different", u64::from(value.alike.times))
            .with("comparisons", u64::from(value.alike.of)),
    )
}

/// The finding where a ratio that ought to be 1 is not.
fn off_one(ratio: &RatioEstimate, about: Scope, which: &str) -> Option<Finding> {
    let (low, high) = ratio.interval.filter(|(low, high)| *low > 1.0 || *high < 1.0)?;
    let message = format!(
        "{which}: {} [{}, {}], where it ought to be 1",
        short(ratio.ratio, 4),
        short(low, 4),
        short(high, 4)
    );
    Some(
        Finding::new(&A_VS_A_DIFFERS, about, message)
            .with("ratio", ratio.ratio)
            .with("ratio_low", low)
            .with("ratio_high", high)
            .with("candidate_runs", ratio.n.0)
            .with("baseline_runs", ratio.n.1),
    )
}

/// The finding where equal arms are called different too often; comparisons that share their runs
/// are not judged.
fn too_often(plan: &SelfTestPlan, thresholds: &Thresholds, alike: &Called) -> Option<Finding> {
    let check = &A_VS_A_DIFFERS;
    let (alpha, share) = (1.0 - plan.confidence, alike.share()?);
    alike.interval?;
    let certain = thresholds.get(check, "confidence");
    let (times, of) = (u64::from(alike.times), u64::from(alike.of));
    let least = share_interval(times, of, certain)?.0;
    let enough = real(of) >= thresholds.get(check, "tries");
    if !(enough && share > thresholds.get(check, "times_alpha") * alpha && least > alpha) {
        return None;
    }
    let message = format!(
        "{times} of {of} comparisons of an arm with itself were called different, where {} are \
         expected",
        short(alpha * real(of), 2)
    );
    Some(
        Finding::new(check, Scope::default(), message)
            .with("called_different", times)
            .with("comparisons", of)
            .with("expected_share", alpha)
            .with("share_low", least),
    )
}

#[cfg(test)]
mod tests {
    use trueline_core::CheckOutcome;

    use super::*;

    fn check(candidate: &[f64], baseline: &[f64]) -> Outcomes {
        let claim = Claim::new("c", ClaimKind::Relative, "nothing changed");
        check_a_vs_a(&claim, candidate, baseline, 1, &Thresholds::default())
    }

    const BASELINE: [f64; 5] = [100.0, 101.0, 99.5, 100.5, 99.0];

    #[test]
    fn a_null_build_that_gains_a_quarter_is_found() {
        let gain = BASELINE.map(|value| 1.27 * value);
        let got = check(&gain, &BASELINE);
        let finding = got.findings().next().unwrap();
        assert_eq!((finding.code, finding.severity), ("a-vs-a-differs", Severity::Error));
        assert!(finding.message.starts_with("an arm over itself: 1.27 ["), "{}", finding.message);
    }

    #[test]
    fn a_difference_of_half_a_percent_at_a_spread_of_one_is_left_alone() {
        let near = BASELINE.map(|value| 1.005 * value);
        assert!(matches!(check(&near, &BASELINE).iter().next(), Some(CheckOutcome::Clear { .. })));
    }

    #[test]
    fn two_runs_an_arm_are_not_judged() {
        for (a, b) in [(&[1.0, 2.0][..], &[3.0, 4.0][..]), (&[], &[]), (&[2.0; 3], &[1.0; 3])] {
            let got = check(a, b);
            let need = got.iter().next();
            assert!(matches!(
                need,
                Some(CheckOutcome::NotObserved { need: Need::Repetitions, .. })
            ));
        }
    }
}
