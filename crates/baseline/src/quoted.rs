//! What a quoted value has to do with the samples it is said to come from.

use trueline_core::number::short;
use trueline_core::{
    Claim, ClaimKind, Figure, Finding, Metric, Need, Outcomes, Scope, Statistic, Thresholds,
};

use crate::checks::{BEST_OF_N, QUOTED_VALUE_NOT_FOUND, TOO_FEW_SAMPLES};
use crate::stats::{count, mean, median, quantile, smallest_n, sorted, squares_about};

fn finite(samples: &[f64]) -> Vec<f64> {
    sorted(samples.iter().copied().filter(|x| x.is_finite()).collect())
}

/// The standard deviation over n and over n - 1: a claim may mean either.
fn deviations(values: &[f64]) -> Vec<f64> {
    let Some(mean) = mean(values).filter(|_| values.len() >= 2) else { return Vec::new() };
    let squares = squares_about(mean, values);
    let over = |n: usize| (squares / count(n)).sqrt();
    vec![over(values.len()), over(values.len() - 1)]
}

fn best(sorted: &[f64], metric: Option<Metric>) -> Option<f64> {
    match metric.and_then(Metric::higher_is_better) {
        Some(false) => sorted.first(),
        _ => sorted.last(),
    }
    .copied()
}

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

/// Checks that a quoted value is a statistic of its samples.
pub fn check_value_found(claim: &Claim, samples: &[f64], thresholds: &Thresholds) -> Outcomes {
    let check = &QUOTED_VALUE_NOT_FOUND;
    let mut outcomes = Outcomes::default();
    let about = Scope::of_claim(&claim.id);
    let sorted = finite(samples);
    let (Some(value), false) = (claim.value, sorted.is_empty()) else {
        outcomes.not_observed(check, Need::QuotedSamples, about);
        return outcomes;
    };
    let (mean, middle) = (mean(&sorted), median(&sorted));
    let candidates: Vec<f64> = match claim.statistic {
        Some(Statistic::Mean) => mean.into_iter().collect(),
        Some(Statistic::Median) => middle.into_iter().collect(),
        Some(Statistic::Best) => best(&sorted, claim.metric).into_iter().collect(),
        Some(Statistic::Min) => sorted.first().copied().into_iter().collect(),
        Some(Statistic::Max) => sorted.last().copied().into_iter().collect(),
        Some(Statistic::Deviation) => deviations(&sorted),
        Some(Statistic::Quantile(q)) => quantile(&sorted, q.get()).into_iter().collect(),
        None => [mean, middle, best(&sorted, claim.metric)].into_iter().flatten().collect(),
    };
    let tolerance = thresholds.get(check, "tolerance");
    if candidates.iter().any(|c| says(value, *c, tolerance)) {
        outcomes.clear(check, about);
        return outcomes;
    }
    let middle = middle.unwrap_or(f64::NAN);
    let which = claim.statistic.map_or("median".to_owned(), |s| s.to_string());
    let is = candidates.first().copied().filter(|_| claim.statistic.is_some()).unwrap_or(middle);
    outcomes.found(
        Finding::new(
            check,
            about,
            format!(
                "the {which} of {} sample{} is {}",
                sorted.len(),
                if sorted.len() == 1 { "" } else { "s" },
                short(is, 4)
            ),
        )
        .with("quoted", value)
        .with("samples", sorted.len())
        .with("found", is),
    );
    outcomes
}

/// Checks that a quoted value is one that the tool states, of the statistic that the claim names.
///
/// # Shape
/// `figures` are those that the claim can mean; none of them leaves the check not observed.
pub fn check_value_stated(claim: &Claim, figures: &[&Figure], thresholds: &Thresholds) -> Outcomes {
    let check = &QUOTED_VALUE_NOT_FOUND;
    let mut outcomes = Outcomes::default();
    let about = Scope::of_claim(&claim.id);
    let stated = || figures.iter().filter_map(|f| Some((f, f.value.value()?)));
    let (Some(value), Some((first, _))) = (claim.value, stated().next()) else {
        outcomes.not_observed(check, Need::QuotedSamples, about);
        return outcomes;
    };
    let tolerance = thresholds.get(check, "tolerance");
    if stated().any(|(_, x)| says(value, x, tolerance)) {
        outcomes.clear(check, about);
        return outcomes;
    }
    let unit = first.metric.words().0;
    let all: Vec<String> =
        stated().map(|(f, x)| format!("{} {} {unit}", f.source, short(x, 4))).take(3).collect();
    outcomes.found(
        Finding::new(check, about, format!("the tool states {}", all.join(", ")))
            .with("quoted", value)
            .with("stated", stated().map(|(_, x)| x).collect::<Vec<f64>>()),
    );
    outcomes
}

/// Whether a quoted value stands for a true one: within a share of it, or half of its last digit
/// where that is no more than 5 %.
pub(crate) fn says(quoted: f64, value: f64, tolerance: f64) -> bool {
    let text = format!("{quoted:.9}");
    let decimals = text.trim_end_matches('0').split_once('.').map_or(0, |(_, after)| after.len());
    let half_a_digit = 0.5 * 10_f64.powi(-i32::try_from(decimals).unwrap_or(9));
    let off = (quoted - value).abs();
    off <= tolerance * value.abs() || off <= half_a_digit.min(0.05 * value.abs())
}

/// Checks that the samples a claim states are among those that were measured.
pub fn check_samples_measured(claim: &Claim, measured: &[f64]) -> Outcomes {
    let check = &QUOTED_VALUE_NOT_FOUND;
    let mut outcomes = Outcomes::default();
    let stray: Vec<f64> = claim
        .samples
        .iter()
        .copied()
        .filter(|sample| !measured.iter().any(|m| says(*sample, *m, 0.01)))
        .collect();
    if !stray.is_empty() {
        outcomes.found(
            Finding::new(
                check,
                Scope::of_claim(&claim.id),
                format!(
                    "not among the {} measured: {} of the claim's {} samples",
                    measured.len(),
                    stray.len(),
                    claim.samples.len()
                ),
            )
            .with("not_measured", stray),
        );
    }
    outcomes
}

/// Checks that a claim which needs an interval has samples that admit one.
///
/// # Shape
/// `n` is the number of samples behind the claim (for a ratio, of runs in its smaller arm); `None` where nobody says. Claims that need no
/// interval give no outcome at all.
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
                    "{n} sample{} no {:.0} % interval; {needed} are needed",
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

    fn claim(kind: ClaimKind, value: f64, statistic: Option<Statistic>) -> Claim {
        let mut claim = Claim::new("c", kind, "text");
        claim.metric = Some(Metric::PrefillTokPerS);
        claim.value = Some(value);
        claim.statistic = statistic;
        claim
    }

    const REPETITIONS: [f64; 3] = [115.4, 107.1, 100.6];

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

    #[test]
    fn a_value_that_the_samples_do_not_hold_is_found_out() {
        let none = Thresholds::default();
        let found = |value, statistic| {
            check_value_found(&claim(ClaimKind::Absolute, value, statistic), &REPETITIONS, &none)
                .has("quoted-value-not-found")
        };
        assert!(!found(115.0, None) && !found(107.0, None) && !found(107.7, None));
        assert!(found(320.0, None));
        // 1.8 stands for 1.77 and not for 1.7; 4 stands for 4.03 and not for 4.4.
        assert!(says(1.8, 1.77, 0.01) && !says(1.8, 1.7, 0.01));
        assert!(says(4.0, 4.03, 0.01) && !says(4.0, 4.4, 0.01));
        assert!(says(2.0, 2.03, 0.01) && !says(0.1, 0.149, 0.01) && !says(0.3, 0.26, 0.01));
        // Nor is the worst sample a statistic that anybody means.
        assert!(found(100.6, None));
        assert!(found(115.0, Some(Statistic::Median)));
    }

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
