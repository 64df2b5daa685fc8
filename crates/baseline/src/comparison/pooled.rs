//! Intervals that take requests for repetitions.

use trueline_core::number::short;
use trueline_core::{Claim, Finding, Outcomes, Scope, Statistic, Thresholds};

use super::checks::POOLED_REQUESTS;
use crate::stats::{ratio_of_arithmetic_means, ratio_of_means};

/// Checks that the interval which a ratio states is not one of requests pooled over runs.
///
/// # Formula
/// Half widths are taken on logarithms, `ln(high / low) / 2`. Requests give, pooled over the runs of
/// an arm, that of Welch's interval on the logarithms or of Fieller's on the values. Found where the stated width is within the threshold of one that
/// requests give, and runs give one so many times wider, or none as there are under three an arm.
///
/// # Shape
/// The values of each run of the candidate, then of the baseline, one a request; `of_runs` is the
/// interval that the runs give, in whatever design. A claim that states no interval or is about a
/// tail, and runs of which no arm has more values than runs, give no outcome.
///
/// # Source
/// Hurlbert, “Pseudoreplication and the design of ecological field experiments”, 1984.
pub fn check_pooled_requests(
    claim: &Claim,
    candidate: &[Vec<f64>],
    baseline: &[Vec<f64>],
    of_runs: Option<(f64, f64)>,
    thresholds: &Thresholds,
) -> Outcomes {
    let check = &POOLED_REQUESTS;
    let mut outcomes = Outcomes::default();
    let is_tail = claim.statistic.and_then(Statistic::tail).is_some();
    let Some(stated) = claim.interval.and_then(half_width).filter(|_| !is_tail) else {
        return outcomes;
    };
    let (ours, theirs) = (candidate.concat(), baseline.concat());
    let requests = ours.len() + theirs.len();
    let runs = candidate.len() + baseline.len();
    if requests <= runs || candidate.is_empty() || baseline.is_empty() {
        return outcomes;
    }
    let about = Scope::of_claim(&claim.id);
    let by_requests = [on_logs(&ours, &theirs), on_values(&ours, &theirs)];
    let fits = |width: f64| (stated / width - 1.0).abs() <= thresholds.get(check, "fit");
    let pooled = by_requests.into_iter().flatten().find(|width| fits(*width));
    let of_runs_width = of_runs.and_then(half_width);
    let wider = |pooled: f64| {
        of_runs_width.is_none_or(|width| width >= thresholds.get(check, "wider") * pooled)
    };
    let (Some(pooled), Some((low, high))) = (pooled.filter(|width| wider(*width)), claim.interval)
    else {
        outcomes.clear(check, about);
        return outcomes;
    };
    let mut message = format!(
        "[{}, {}] is as wide as {requests} requests give that are taken for repetitions; ",
        short(low, 4),
        short(high, 4)
    );
    message += &match of_runs {
        Some((low, high)) => {
            format!("the {runs} runs give [{}, {}]", short(low, 4), short(high, 4))
        }
        None => format!("{} and {} runs admit none", candidate.len(), baseline.len()),
    };
    let mut finding = Finding::new(check, about, message)
        .with("requests", requests)
        .with("runs", runs)
        .with("stated_half_width_ln", stated)
        .with("pooled_half_width_ln", pooled);
    if let Some(width) = of_runs_width {
        finding = finding.with("runs_half_width_ln", width);
    }
    outcomes.found(finding);
    outcomes
}

/// Half the width of an interval on logarithms; `None` for one that is none of a ratio.
fn half_width((low, high): (f64, f64)) -> Option<f64> {
    let half = (high / low).ln() / 2.0;
    (low > 0.0 && half.is_finite() && half > 0.0).then_some(half)
}

/// By Welch on the logarithms of pooled values.
fn on_logs(a: &[f64], b: &[f64]) -> Option<f64> {
    half_width(ratio_of_means(a, b, 0.95)?.interval?)
}

/// By Fieller on pooled values.
fn on_values(a: &[f64], b: &[f64]) -> Option<f64> {
    half_width(ratio_of_arithmetic_means(a, b, 0.95)?.interval?)
}

#[cfg(test)]
mod tests {
    use trueline_core::{CheckOutcome, ClaimKind};

    use super::*;

    /// Runs of 40 requests that spread by 20 % about a mean of their own.
    fn runs(means: &[f64]) -> Vec<Vec<f64>> {
        let run = |mean: &f64| (0..40).map(|i| mean * (0.8 + 0.4 * f64::from(i) / 39.0)).collect();
        means.iter().map(run).collect()
    }

    fn outcome(interval: Option<(f64, f64)>, a: &[f64], b: &[f64]) -> Option<CheckOutcome> {
        let mut claim = Claim::new("c", ClaimKind::Relative, "t");
        claim.interval = interval;
        let of_runs = ratio_of_means(a, b, 0.95).and_then(|estimate| estimate.interval);
        let none = Thresholds::default();
        let got = check_pooled_requests(&claim, &runs(a), &runs(b), of_runs, &none);
        got.iter().next().cloned()
    }

    fn fires(interval: (f64, f64), a: &[f64], b: &[f64]) -> bool {
        matches!(outcome(Some(interval), a, b), Some(CheckOutcome::Found(_)))
    }

    #[test]
    fn an_interval_of_pooled_requests_is_found() {
        // Of one run: sd 0.4 / sqrt(12) = 0.1155, corrected for 40 values 0.1199; three runs of
        // 40: se 0.1199 / sqrt(120) = 0.0109 an arm, 0.0155 for the ratio, half width 0.030.
        let (a, b) = ([1.04, 1.10, 1.16], [0.94, 1.0, 1.06]);
        let narrow = (1.10 * (-0.03_f64).exp(), 1.10 * 0.03_f64.exp());
        assert!(fires(narrow, &a, &b));
        let Some(CheckOutcome::Found(finding)) = outcome(Some(narrow), &a, &b) else { panic!() };
        assert!(
            finding.message.starts_with(
                "[1.067, 1.133] is as wide as 240 requests give that are taken for repetitions; \
                 the 6 runs give [0.9655, 1.254]"
            ),
            "{}",
            finding.message
        );
        // One run an arm: half width 0.053, and runs admit none.
        assert!(fires((1.10 * (-0.053_f64).exp(), 1.10 * 0.053_f64.exp()), &[1.1], &[1.0]));
    }

    #[test]
    fn an_interval_of_runs_is_quiet() {
        let (a, b) = ([1.04, 1.10, 1.16], [0.94, 1.0, 1.06]);
        let estimate = ratio_of_means(&a, &b, 0.95).unwrap();
        assert!(!fires(estimate.interval.unwrap(), &a, &b));
        // Rounds of one run an arm may leave a narrower one, and it is theirs.
        let rounds = (1.10 * (-0.03_f64).exp(), 1.10 * 0.03_f64.exp());
        let mut claim = Claim::new("c", ClaimKind::Relative, "t");
        claim.interval = Some(rounds);
        let none = Thresholds::default();
        let got = check_pooled_requests(&claim, &runs(&a), &runs(&b), Some(rounds), &none);
        assert!(matches!(got.iter().next(), Some(CheckOutcome::Clear { .. })));
        // Runs that agree so well that requests say the same.
        let (a, b) = ([1.10, 1.107, 1.093], [1.0, 1.006, 0.994]);
        assert!(!fires((1.10 * (-0.03_f64).exp(), 1.10 * 0.03_f64.exp()), &a, &b));
    }

    #[test]
    fn without_an_interval_or_requests_there_is_nothing_to_judge() {
        assert!(outcome(None, &[1.1], &[1.0]).is_none());
        let mut claim = Claim::new("c", ClaimKind::Relative, "t");
        claim.interval = Some((1.0, 1.2));
        let one = [vec![1.1], vec![1.2]];
        let none = Thresholds::default();
        assert_eq!(check_pooled_requests(&claim, &one, &one, None, &none).iter().count(), 0);
        assert_eq!(check_pooled_requests(&claim, &[], &one, None, &none).iter().count(), 0);
        for bad in [(f64::NAN, 1.0), (-1.0, 1.0), (1.2, 1.2), (1.3, 1.2)] {
            claim.interval = Some(bad);
            let many = runs(&[1.0]);
            assert_eq!(check_pooled_requests(&claim, &many, &many, None, &none).iter().count(), 0);
        }
    }
}
