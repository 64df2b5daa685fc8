//! What the throughput does as the load rises: dips, and where it stops growing.

use trueline_core::number::{percent, short};
use trueline_core::{BenchRun, Claim, ClaimKind, Finding, Need, Outcomes, Scope, Thresholds};

use super::checks::{SATURATION_NOT_REACHED, THROUGHPUT_DIP};
use super::curve::{Level, arm_of, at_levels, curves, throughput};
use crate::form::Form;
use crate::samples::is_of_a_run;

/// Checks that no level lies below its lower neighbour while the next one is back up.
///
/// # Formula
/// `X(k+1) < 0.8 X(k)` and `X(k+2) > X(k)`, with `X` the median of the repetitions at a level. A
/// curve that falls and stays down is past its peak, not dented.
pub(super) fn check_dip(runs: &[&BenchRun], thresholds: &Thresholds) -> Outcomes {
    let check = &THROUGHPUT_DIP;
    let about = arm_of(runs);
    let mut outcomes = Outcomes::default();
    let mut judged = false;
    for curve in curves(runs).into_iter().filter(|curve| curve.len() >= 3) {
        let Some((metric, values)) = throughput(&curve) else { continue };
        judged = true;
        for (three, levels) in values.windows(3).zip(curve.windows(3)) {
            let ([before, at, after], [low, dip, high]) = (three, levels) else { continue };
            if *at >= thresholds.get(check, "quotient") * before || after <= before {
                continue;
            }
            let message = format!(
                "{} falls to {} at {}, between {} at {} and {} at {}",
                metric.name(),
                short(*at, 4),
                dip.load,
                short(*before, 4),
                low.load,
                short(*after, 4),
                high.load
            );
            outcomes.found(
                Finding::new(check, about.clone().with_load(dip.load), message)
                    .with("form", Form::Aggregate)
                    .with("metric", metric.name())
                    .with("below", *before)
                    .with("dip", *at)
                    .with("above", *after),
            );
        }
    }
    if !judged {
        outcomes.not_observed(check, Need::ThreeLevels, about);
    } else if outcomes.findings().count() == 0 {
        outcomes.clear(check, about);
    }
    outcomes
}

/// Checks that a claim of the most that something can do rests on a load beyond which there is no
/// more.
///
/// # Formula
/// From the highest level at or below half of the highest load to that load, the throughput grows by
/// `(X_high / X_low)^(1 / log2(load_high / load_low)) - 1` a doubling; above 10 % it is not
/// saturated.
///
/// # Shape
/// `runs` are those of the claim's arm at all loads; others are left out. A claim that is no
/// capacity claim gives no outcome at all.
pub fn check_saturation(claim: &Claim, runs: &[&BenchRun], thresholds: &Thresholds) -> Outcomes {
    let check = &SATURATION_NOT_REACHED;
    let mut outcomes = Outcomes::default();
    if claim.kind != ClaimKind::Capacity {
        return outcomes;
    }
    let about = Scope::of_claim(&claim.id);
    let mine: Vec<&BenchRun> = runs
        .iter()
        .copied()
        .filter(|run| claim.of.as_deref().is_none_or(|arm| arm == run.arm() || arm == run.label))
        .collect();
    let mut best: Option<Gain> = None;
    for curve in curves(&mine) {
        let gain = last_doubling(&curve, claim);
        // One curve that flattens shows the most, whatever the other does.
        if let Some(gain) = gain
            && best.as_ref().is_none_or(|known| gain.a_doubling < known.a_doubling)
        {
            best = Some(gain);
        }
    }
    match best {
        None => outcomes.not_observed(check, Need::Saturation, about),
        Some(gain) if gain.a_doubling > thresholds.get(check, "gain") + 1e-9 => outcomes.found(
            Finding::new(
                check,
                about,
                format!(
                    "from {} to {} the throughput still grows by {} a doubling",
                    gain.from,
                    gain.to,
                    percent(gain.a_doubling)
                ),
            )
            .with("form", Form::Aggregate)
            .with("gain_a_doubling", gain.a_doubling)
            .with("throughputs", vec![gain.low, gain.high]),
        ),
        Some(_) => outcomes.clear(check, about),
    }
    outcomes
}

/// What the last doubling of the load gave.
struct Gain {
    from: String,
    to: String,
    low: f64,
    high: f64,
    a_doubling: f64,
}

fn last_doubling(curve: &[Level<'_>], claim: &Claim) -> Option<Gain> {
    let own = claim.metric.filter(|metric| is_of_a_run(*metric));
    let values = own
        .and_then(|metric| at_levels(curve, metric))
        .or_else(|| throughput(curve).map(|(_, values)| values))?;
    let (top, high) = (curve.last()?, *values.last()?);
    let half = curve.iter().zip(&values).rev();
    let (level, low) = half.clone().find(|(level, _)| level.size <= top.size / 2.0 + 1e-9)?;
    let doublings = (top.size / level.size).log2();
    let a_doubling = (high / low).powf(doublings.recip()) - 1.0;
    a_doubling.is_finite().then(|| Gain {
        from: level.load.to_string(),
        to: top.load.to_string(),
        low: *low,
        high,
        a_doubling,
    })
}

#[cfg(test)]
mod tests {
    use trueline_core::{CheckOutcome, Load, Metric};

    use super::super::curve::made::*;
    use super::*;

    /// `None` where the check could not run.
    fn found(outcomes: &Outcomes) -> Option<bool> {
        match outcomes.iter().next() {
            Some(CheckOutcome::NotObserved { .. }) => None,
            _ => Some(outcomes.findings().count() > 0),
        }
    }

    fn dip(levels: &[(u32, f64)]) -> Option<bool> {
        let runs = sweep("output_tok_per_s", levels);
        found(&check_dip(&refs(&runs), &Thresholds::default()))
    }

    #[test]
    fn the_published_dent_at_16_is_found_and_is_about_that_level() {
        // Published: 318.5 at 8, 169.6 at 16, 1,334.6 at 32.
        let runs = sweep("output_tok_per_s", &[(8, 318.5), (16, 169.6), (32, 1_334.6)]);
        let outcomes = check_dip(&refs(&runs), &Thresholds::default());
        let finding = outcomes.findings().next().unwrap();
        assert_eq!(finding.about.load, Some(Load::Concurrency(16)));
        assert_eq!(finding.about.run.as_deref(), Some("arm"));
    }

    #[test]
    fn a_slight_dip_and_a_curve_past_its_peak_are_quiet() {
        assert_eq!(dip(&[(8, 100.0), (16, 80.0), (32, 120.0)]), Some(false));
        assert_eq!(dip(&[(8, 100.0), (16, 79.9), (32, 100.1)]), Some(true));
        assert_eq!(dip(&[(8, 100.0), (16, 60.0), (32, 99.0)]), Some(false));
        assert_eq!(dip(&[(8, 100.0), (16, 50.0)]), None);
        assert_eq!(dip(&[]), None);
    }

    fn saturation(kind: ClaimKind, levels: &[(u32, f64)]) -> Option<bool> {
        let mut claim = Claim::new("most", kind, "the most");
        claim.metric = Some(Metric::OutputTokPerS);
        let runs = sweep("output_tok_per_s", levels);
        found(&check_saturation(&claim, &refs(&runs), &Thresholds::default()))
    }

    #[test]
    fn ten_percent_more_from_the_last_doubling_is_saturated() {
        let most = |levels: &[(u32, f64)]| saturation(ClaimKind::Capacity, levels);
        assert_eq!(most(&[(32, 1_000.0), (64, 1_100.0)]), Some(false));
        assert_eq!(most(&[(32, 1_000.0), (64, 1_101.0)]), Some(true));
        assert_eq!(most(&[(16, 900.0), (32, 1_000.0), (64, 800.0)]), Some(false));
        // 1 to 4 are two doublings: the root of 1.44 is 1.2.
        assert_eq!(most(&[(1, 100.0), (4, 144.0)]), Some(true));
        // 48 to 64 is no doubling; 16 to 64 is two, and the root of 1.2 is 1.095.
        assert_eq!(most(&[(16, 100.0), (48, 119.0), (64, 120.0)]), Some(false));
    }

    #[test]
    fn one_level_shows_no_saturation_and_other_claims_need_none() {
        assert_eq!(saturation(ClaimKind::Capacity, &[(64, 1_000.0)]), None);
        let runs = sweep("output_tok_per_s", &[(1, 1.0), (2, 2.0)]);
        let claim = Claim::new("a", ClaimKind::Absolute, "a");
        let outcomes = check_saturation(&claim, &refs(&runs), &Thresholds::default());
        assert_eq!(outcomes.iter().count(), 0);
    }
}
