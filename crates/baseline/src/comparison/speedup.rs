//! Whether a speedup is one that the change can have made: Amdahl's law both ways.

use trueline_core::number::short;
use trueline_core::{Change, Claim, Finding, Metric, Outcomes, Scope, Thresholds};

use super::checks::SPEEDUP_IMPLAUSIBLE;
use crate::stats::{Explained, explain_saving, speedup_bound};

/// How many times faster a ratio of a metric says that the candidate is.
///
/// # Formula
/// The ratio itself where more is better or no metric is named, its inverse where less is better.
///
/// # Shape
/// `None` for a metric of which neither is better, and for a ratio that is not positive and finite.
pub(crate) fn times_faster(ratio: f64, metric: Option<Metric>) -> Option<f64> {
    let usable = ratio.is_finite() && ratio > 0.0;
    match metric.map_or(Some(true), Metric::higher_is_better) {
        Some(true) if usable => Some(ratio),
        Some(false) if usable => Some(ratio.recip()),
        _ => None,
    }
}

/// Checks a speedup against the share of the time that the change touches, and against the share
/// that it is said to remove.
///
/// # Formula
/// With `s` how many times faster the candidate is: found where `s > 1 / (1 - changed_share)`, or
/// where `s - 1` is under half of `1 / (1 - saved) - 1`. The removed share is the one that the
/// claim states and, where it states times, `removed / before`; where these two differ, both ends
/// are predicted and the smaller one decides.
///
/// # Source
/// Amdahl, “Validity of the single processor approach to achieving large scale computing
/// capabilities”, 1967: [`speedup_bound`].
///
/// # Shape
/// The speedup is the claim's `value`, else `after` over `before`. A claim that names no share gives
/// no outcome, and neither does one without a speedup.
///
/// # Examples
/// ```
/// use trueline_baseline::comparison::check_speedup;
/// use trueline_core::{Claim, ClaimKind, Thresholds};
/// let mut claim = Claim::new("c", ClaimKind::Relative, "12x by a faster attention kernel");
/// claim.value = Some(12.0);
/// claim.change.changed_share = Some(0.69); // at most 1 / 0.31 = 3.2x
/// assert!(check_speedup(&claim, &Thresholds::default()).has("speedup-implausible"));
/// ```
pub fn check_speedup(claim: &Claim, thresholds: &Thresholds) -> Outcomes {
    let check = &SPEEDUP_IMPLAUSIBLE;
    let mut outcomes = Outcomes::default();
    let change = &claim.change;
    let Some(speedup) = stated_ratio(claim).and_then(|ratio| times_faster(ratio, claim.metric))
    else {
        return outcomes;
    };
    let about = || Scope::of_claim(&claim.id);
    let bound = change.changed_share.and_then(speedup_bound);
    let shares = removed_shares(change);
    let predicted: Vec<f64> = shares.iter().copied().filter_map(speedup_bound).collect();
    if bound.is_none() && predicted.is_empty() {
        return outcomes;
    }
    let tolerance = 1.0 + thresholds.get(check, "tolerance");
    let before = outcomes.findings().count();
    if let (Some(bound), Some(share)) = (bound, change.changed_share)
        && speedup > bound * tolerance
    {
        let message = format!(
            "{}x is more than {}x, which is what is left when the changed {} of the time takes none",
            short(speedup, 3),
            short(bound, 3),
            whole_percent(share)
        );
        outcomes.found(
            Finding::new(check, about(), message)
                .with("speedup", speedup)
                .with("bound", bound)
                .with("changed_share", share),
        );
    }
    let least = predicted.iter().copied().fold(f64::INFINITY, f64::min);
    let gain = thresholds.get(check, "gain_share") * (least - 1.0);
    if let Some(most) = predicted.iter().copied().reduce(f64::max)
        && speedup - 1.0 < gain
    {
        let mut message = format!(
            "taking away {} of the time predicts {}; {}x was found",
            range(&shares, whole_percent),
            range(&predicted, |x| format!("{}x", short(x, 2))),
            short(speedup, 3)
        );
        let mut finding = Finding::new(check, about(), "")
            .with("speedup", speedup)
            .with("predicted_low", least)
            .with("predicted_high", most)
            .with("removed_shares", shares.clone());
        if let Some((removed, times)) = explained(claim) {
            message += &format!(
                "; {} of {} were saved, {} are unexplained",
                duration(times.saved),
                duration(removed),
                duration(times.unexplained)
            );
            finding = finding
                .with("removed_s", removed)
                .with("saved_s", times.saved)
                .with("unexplained_s", times.unexplained);
        }
        if let (true, Some(removed), Some(before), Some(saved)) =
            (shares.len() > 1, change.removed, change.before, change.saved)
        {
            message += &format!(
                "; {} are {} of {}, not the {} that is said",
                duration(removed),
                whole_percent(removed / before),
                duration(before),
                whole_percent(saved)
            );
        }
        outcomes.found(finding.saying(message));
    }
    if outcomes.findings().count() == before {
        outcomes.clear(check, about());
    }
    outcomes
}

/// The ratio that a claim states, else that of its times.
fn stated_ratio(claim: &Claim) -> Option<f64> {
    claim.value.or_else(|| Some(claim.change.after? / claim.change.before?))
}

/// The shares that are said to be removed: as stated, and as the times give it where that differs.
fn removed_shares(change: &Change) -> Vec<f64> {
    let by_times = change.removed.zip(change.before).map(|(removed, before)| removed / before);
    let mut shares: Vec<f64> = change.saved.into_iter().collect();
    if let Some(share) = by_times.filter(|share| (0.0..=1.0).contains(share))
        && !shares.iter().any(|stated| (stated - share).abs() < 0.005)
    {
        shares.push(share);
    }
    shares.sort_by(f64::total_cmp);
    shares
}

/// What a claim about a time says was removed, beside what is gone.
fn explained(claim: &Claim) -> Option<(f64, Explained)> {
    let change = &claim.change;
    claim.metric.filter(|metric| metric.words().0 == "s")?;
    let (before, after) = (change.before?, change.after?);
    let removed = change.removed.or_else(|| Some(change.saved? * before))?;
    Some((removed, explain_saving(before, after, removed)?))
}

/// A time as people write it.
fn duration(seconds: f64) -> String {
    if seconds.abs() < 1.0 {
        format!("{} ms", short(seconds * 1e3, 3))
    } else {
        format!("{} s", short(seconds, 3))
    }
}

fn whole_percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// One value, or the two ends of several: `3.1x`, `3.1x to 3.2x`.
fn range(values: &[f64], words: impl Fn(f64) -> String) -> String {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (low, high) = (words(low), words(high));
    if low == high { low } else { format!("{low} to {high}") }
}

#[cfg(test)]
mod tests {
    use trueline_core::ClaimKind;

    use super::*;

    fn claim(value: f64, metric: Metric) -> Claim {
        let mut claim = Claim::new("c", ClaimKind::Relative, "t");
        claim.value = Some(value);
        claim.metric = Some(metric);
        claim
    }

    fn said(claim: &Claim) -> Vec<String> {
        let got = check_speedup(claim, &Thresholds::default());
        got.findings().map(|f| f.message.clone()).collect()
    }

    /// The second story's patch, as it was published: 10.5 to 13.5 tok/s.
    fn patch() -> Claim {
        let mut claim = claim(74.1 / 95.6, Metric::TpotS);
        claim.change.saved = Some(0.69);
        claim.change.removed = Some(0.0646);
        claim.change.before = Some(0.0956);
        claim.change.after = Some(0.0741);
        claim
    }

    #[test]
    fn the_patch_of_the_second_story_saves_a_third_of_what_it_removes() {
        // By hand: 64.6 / 95.6 = 0.6757, 1 / 0.3243 = 3.08; 1 / 0.31 = 3.23; 95.6 - 74.1 = 21.5;
        // 64.6 - 21.5 = 43.1; 95.6 / 74.1 = 1.290.
        let expected = "taking away 68 % to 69 % of the time predicts 3.1x to 3.2x; 1.29x was found; \
                        21.5 ms of 64.6 ms were saved, 43.1 ms are unexplained; 64.6 ms are 68 % of \
                        95.6 ms, not the 69 % that is said";
        assert_eq!(said(&patch()), [expected]);
        let got = check_speedup(&patch(), &Thresholds::default());
        let evidence = &got.findings().next().unwrap().evidence;
        let number = |name: &str| match evidence.get(name) {
            Some(trueline_core::Evidence::Number(x)) => *x,
            other => panic!("{name}: {other:?}"),
        };
        assert!((number("predicted_low") - 3.083_870_967_74).abs() < 1e-9);
        assert!((number("predicted_high") - 3.225_806_451_61).abs() < 1e-9);
        assert!((number("saved_s") - 0.0215).abs() < 1e-12);
        assert!((number("unexplained_s") - 0.0431).abs() < 1e-12);
    }

    #[test]
    fn a_rate_that_rises_says_the_same_without_times() {
        let mut claim = claim(13.5 / 10.5, Metric::DecodeTokPerS);
        claim.change.saved = Some(0.69);
        let expected = "taking away 69 % of the time predicts 3.2x; 1.29x was found";
        assert_eq!(said(&claim), [expected]);
    }

    #[test]
    fn a_gain_of_half_of_what_is_predicted_is_quiet() {
        let of = |speedup: f64| {
            let mut claim = claim(speedup, Metric::DecodeTokPerS);
            claim.change.saved = Some(0.5);
            said(&claim).len()
        };
        // Half of the time gone predicts 2x; half of that gain is 1.5x.
        assert_eq!((of(1.49), of(1.5), of(2.0)), (1, 0, 0));
        // Slower is no gain at all.
        assert_eq!(of(0.9), 1);
    }

    #[test]
    fn nothing_is_faster_than_the_changed_share_allows() {
        let of = |ratio: f64, metric| {
            let mut claim = claim(ratio, metric);
            claim.change.changed_share = Some(0.5);
            said(&claim).len()
        };
        assert_eq!((of(2.0, Metric::DecodeTokPerS), of(2.1, Metric::DecodeTokPerS)), (0, 1));
        // A time that falls to 0.48 is 2.08x.
        assert_eq!((of(0.5, Metric::TpotS), of(0.48, Metric::TpotS)), (0, 1));
        // Everything was changed: nothing bounds it.
        let mut whole = claim(50.0, Metric::TpotS);
        whole.change.changed_share = Some(1.0);
        assert!(said(&whole).is_empty());
    }

    #[test]
    fn a_claim_without_shares_or_without_a_speedup_is_not_judged() {
        let outcomes = |claim: &Claim| check_speedup(claim, &Thresholds::default()).iter().count();
        assert_eq!(outcomes(&claim(3.0, Metric::TpotS)), 0);
        let mut bare = Claim::new("c", ClaimKind::Relative, "t");
        bare.change.changed_share = Some(0.5);
        assert_eq!(outcomes(&bare), 0);
        let mut neither = claim(3.0, Metric::CacheHitShare);
        neither.change.changed_share = Some(0.5);
        assert_eq!(outcomes(&neither), 0);
        let mut bad = claim(f64::NAN, Metric::TpotS);
        bad.change.saved = Some(f64::NAN);
        assert_eq!(outcomes(&bad), 0);
    }
}
