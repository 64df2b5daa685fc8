//! The check of a self-test, and what it finds.

use trueline_core::number::short;
use trueline_core::{CheckInfo, Checked, ClaimKind, Finding, Need, Scope, Severity, Thresholds};

use super::{Called, SelfTest, SelfTestPlan};
use crate::checks::threshold;
use crate::conclusion::conclude;
use crate::stats::{real, share_interval};

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
    let ratio = value.a_over_a?;
    let (low, high) = ratio.interval.filter(|(low, high)| *low > 1.0 || *high < 1.0)?;
    let which =
        if value.seed.is_some() { "later runs over earlier ones" } else { "an arm over itself" };
    let message = format!(
        "{which}: {} [{}, {}], where it ought to be 1",
        short(ratio.ratio, 4),
        short(low, 4),
        short(high, 4)
    );
    Some(
        Finding::new(&A_VS_A_DIFFERS, Scope::default(), message)
            .with("ratio", ratio.ratio)
            .with("ratio_low", low)
            .with("ratio_high", high)
            .with("called_different", u64::from(value.alike.times))
            .with("comparisons", u64::from(value.alike.of)),
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
