//! Looking until it is significant, and telling the best of several variants.

use trueline_core::number::percent;
use trueline_core::{Claim, Correction, Finding, Outcomes, Scope};

use super::checks::PEEKING;
use crate::stats::{false_alarms, real};

/// How often one look at the usual level of 95 % calls a difference that is not there.
const ONE_LOOK: f64 = 0.05;

/// The deviate of one look at that level.
const BOUND: f64 = 1.959_964;

/// More looks than that are counted as so many.
const MOST_LOOKS: u32 = 50;

/// How often so many looks, each at the usual level, find a difference that is not there; with more
/// than [`MOST_LOOKS`] it is at least that.
fn by_looks(looks: u32) -> f64 {
    let bounds = vec![BOUND; usize::try_from(looks.min(MOST_LOOKS)).unwrap_or(1)];
    false_alarms(&bounds).filter(|_| looks > 1).unwrap_or(ONE_LOOK)
}

/// Checks that a result which was looked at more than once, or is the best of several variants, was
/// corrected for it or confirmed in fresh runs.
///
/// # Formula
/// Looks: [`false_alarms`] at 1.96 each. Variants: `1 - (1 - a)^v`, where `a` is the share for the looks at one of them.
///
/// # Shape
/// A claim that says nothing of looks and variants gives no outcome.
///
/// # Examples
/// ```
/// use trueline_baseline::comparison::check_peeking;
/// use trueline_core::{Claim, ClaimKind};
/// let mut claim = Claim::new("c", ClaimKind::Relative, "1.03x");
/// claim.selection.looks = Some(5); // 14 % instead of 5 %
/// assert!(check_peeking(&claim).has("peeking"));
/// claim.selection.confirmed_by = Some("three fresh runs an arm".into());
/// assert!(!check_peeking(&claim).has("peeking"));
/// ```
pub fn check_peeking(claim: &Claim) -> Outcomes {
    let check = &PEEKING;
    let mut outcomes = Outcomes::default();
    let selection = &claim.selection;
    if selection.looks.is_none() && selection.variants.is_none() {
        return outcomes;
    }
    let about = Scope::of_claim(&claim.id);
    let fresh = selection.confirmed_by.as_ref().is_some_and(|text| !text.trim().is_empty());
    let covers = |by: fn(Correction) -> bool| selection.correction.is_some_and(by);
    let open =
        |n: Option<u32>, covered: bool| n.unwrap_or(1).max(1) * u32::from(!covered && !fresh);
    let looks = open(selection.looks, covers(Correction::covers_looks));
    let variants = open(selection.variants, covers(Correction::covers_variants));
    if looks <= 1 && variants <= 1 {
        outcomes.clear(check, about);
        return outcomes;
    }
    let one = by_looks(looks);
    let share = 1.0 - (1.0 - one).powf(real(u64::from(variants.max(1))));
    let mut what: Vec<String> = Vec::new();
    if looks > 1 {
        what.push(format!("looked at {looks} times"));
    }
    if variants > 1 {
        what.push(format!("picked from {variants} variants"));
    }
    let least = if looks <= MOST_LOOKS { "" } else { "at least " };
    let message = format!(
        "{}, and nothing corrects for it: where there is no difference it shows one with {least}{}, \
         not {}",
        what.join(" and "),
        percent(share),
        percent(ONE_LOOK)
    );
    let mut finding = Finding::new(check, about, message)
        .with("alpha", ONE_LOOK)
        .with("false_positive_share", share);
    if looks > 1 {
        finding = finding.with("looks", u64::from(looks));
    }
    if variants > 1 {
        finding = finding.with("variants", u64::from(variants));
    }
    outcomes.found(finding);
    outcomes
}

#[cfg(test)]
mod tests {
    use trueline_core::{ClaimKind, Evidence};

    use super::*;

    fn claim(looks: Option<u32>, variants: Option<u32>) -> Claim {
        let mut claim = Claim::new("c", ClaimKind::Relative, "t");
        claim.selection.looks = looks;
        claim.selection.variants = variants;
        claim
    }

    /// The share of false positives, if it fires.
    fn share(claim: &Claim) -> Option<f64> {
        let got = check_peeking(claim);
        let finding = got.findings().next()?.clone();
        match finding.evidence.get("false_positive_share") {
            Some(Evidence::Number(x)) => Some(*x),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn looks_and_variants_give_their_true_rate() {
        // Published in three digits: 2 to 5 and 10 looks at 1.96. By hand: 1 - 0.95^3 = 0.142625;
        // 1 - 0.917^4 = 0.2929.
        for (looks, variants, expected) in [
            (Some(2), None, 0.083),
            (Some(3), None, 0.107),
            (Some(4), Some(1), 0.126),
            (Some(5), None, 0.142),
            (Some(10), None, 0.193),
            (None, Some(3), 0.142_625),
            (Some(2), Some(4), 0.292_906),
        ] {
            let got = share(&claim(looks, variants)).unwrap();
            assert!((got - expected).abs() < 8e-4, "{looks:?} {variants:?}: {got}");
        }
    }

    #[test]
    fn more_looks_than_can_be_counted_are_at_least_so_bad() {
        let said = |looks| {
            let got = check_peeking(&claim(Some(looks), None));
            got.findings().next().unwrap().message.clone()
        };
        assert!(said(7).contains("with 17 %, not 5.0 %"), "{}", said(7));
        // Published: 50 looks are 32 %.
        assert!(said(u32::MAX).contains("with at least 32 %"), "{}", said(u32::MAX));
    }

    #[test]
    fn one_look_a_correction_or_fresh_runs_are_quiet() {
        assert_eq!(share(&claim(Some(1), Some(1))), None);
        let corrected = |by, looks, variants| {
            let mut claim = claim(looks, variants);
            claim.selection.correction = Some(by);
            share(&claim)
        };
        assert_eq!(corrected(Correction::Pocock, Some(5), None), None);
        assert_eq!(corrected(Correction::Holm, None, Some(5)), None);
        assert_eq!(corrected(Correction::Bonferroni, Some(5), Some(5)), None);
        // Boundaries for looks say nothing of variants.
        assert!(corrected(Correction::Pocock, Some(5), Some(3)).is_some());
        let mut fresh = claim(Some(5), Some(3));
        fresh.selection.confirmed_by = Some("six runs on another day".into());
        assert_eq!(share(&fresh), None);
        fresh.selection.confirmed_by = Some(" ".into());
        assert!(share(&fresh).is_some());
    }

    #[test]
    fn a_claim_that_is_silent_gives_no_outcome() {
        assert_eq!(check_peeking(&claim(None, None)).iter().count(), 0);
    }
}
