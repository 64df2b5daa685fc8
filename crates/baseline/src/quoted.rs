//! Whether a quoted value is one that the samples or the tool give.

use trueline_core::number::short;
use trueline_core::{Claim, Figure, Finding, Metric, Need, Outcomes, Scope, Statistic, Thresholds};

use crate::checks::QUOTED_VALUE_NOT_FOUND;
use crate::stats::{count, mean, median, quantile, sorted, squares_about};

/// The finite ones of some samples, in rising order.
pub(crate) fn finite(samples: &[f64]) -> Vec<f64> {
    sorted(samples.iter().copied().filter(|x| x.is_finite()).collect())
}

/// The standard deviation over n and over n - 1: a claim may mean either.
fn deviations(values: &[f64]) -> Vec<f64> {
    let Some(mean) = mean(values).filter(|_| values.len() >= 2) else { return Vec::new() };
    let squares = squares_about(mean, values);
    let over = |n: usize| (squares / count(n)).sqrt();
    vec![over(values.len()), over(values.len() - 1)]
}

/// The best of sorted samples: the least of what should be small, else the largest.
pub(crate) fn best(sorted: &[f64], metric: Option<Metric>) -> Option<f64> {
    match metric.and_then(Metric::higher_is_better) {
        Some(false) => sorted.first(),
        _ => sorted.last(),
    }
    .copied()
}

/// Checks that a quoted value is a statistic of its samples: the one that the claim names, else the
/// mean, the median or the best of them.
///
/// # Shape
/// `samples` in any order and in the claim's unit; none of them leaves the check not observed.
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
///
/// # Shape
/// Both in any order and in the claim's unit. Only a sample that is not there gives an outcome.
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

/// Claims made up for tests.
#[cfg(test)]
pub(crate) mod made {
    use trueline_core::ClaimKind;

    use super::*;

    /// A prefill rate as somebody quotes it.
    pub(crate) fn claim(kind: ClaimKind, value: f64, statistic: Option<Statistic>) -> Claim {
        let mut claim = Claim::new("c", kind, "text");
        claim.metric = Some(Metric::PrefillTokPerS);
        claim.value = Some(value);
        claim.statistic = statistic;
        claim
    }

    /// Three repetitions of one benchmark, in tok/s.
    pub(crate) const REPETITIONS: [f64; 3] = [115.4, 107.1, 100.6];
}

#[cfg(test)]
mod tests {
    use trueline_core::ClaimKind;

    use super::made::{REPETITIONS, claim};
    use super::*;

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
}
