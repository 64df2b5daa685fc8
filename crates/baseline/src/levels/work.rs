//! Whether the levels of a sweep did the same work for each request.

use trueline_core::{
    BenchRun, ClaimKind, Finding, Metric, Need, Outcomes, Statistic, Thresholds, Total, number,
};

use super::curve::{arm_of, curves};
use crate::checks::WORKLOAD_DIFFERS;
use crate::conclusion::conclude;
use crate::form::Form;
use crate::samples::value_of;
use crate::stats::{count, real, squares_about};

/// The standard deviation of lengths over their mean where nobody states it: that of chat data.
const UNKNOWN_SPREAD: f64 = 1.0;

/// So many standard errors apart are no chance.
const ERRORS: f64 = 3.0;

/// Mean tokens a request of one run.
#[derive(Debug, Clone, Copy)]
struct Length {
    mean: f64,
    /// Standard deviation over mean.
    spread: f64,
    requests: f64,
}

/// Checks that levels with the same number of requests served prompts and replies of the same mean
/// length.
///
/// # Formula
/// Among runs at different loads with the same planned and answered requests: the mean prompt or
/// output tokens a request differ by more than the threshold and three standard errors of chance.
/// The spread of lengths is that of the requests or as stated, else as large as their mean.
///
/// # Shape
/// The finding is about the arm and touches claims about its curve. Levels with different numbers
/// of requests drew different prompts and are not compared.
pub(super) fn check_level_work(runs: &[&BenchRun], thresholds: &Thresholds) -> Outcomes {
    let check = &WORKLOAD_DIFFERS;
    let about = arm_of(runs);
    let mut outcomes = Outcomes::default();
    let limit = thresholds.get(check, "tokens_share");
    let mut compared = false;
    for curve in curves(runs) {
        let firsts: Vec<&BenchRun> =
            curve.iter().filter_map(|level| level.runs.first().copied()).collect();
        for (at, one) in firsts.iter().enumerate() {
            for other in firsts.iter().skip(at + 1).filter(|other| same_requests(one, other)) {
                for (metric, total, what) in [
                    (Metric::PromptTokens, Total::PromptTokens, "prompt"),
                    (Metric::OutputTokens, Total::OutputTokens, "output"),
                ] {
                    let (Some(a), Some(b)) =
                        (length(one, metric, total), length(other, metric, total))
                    else {
                        continue;
                    };
                    compared = true;
                    if (a.mean - b.mean).abs() <= allowed(a, b, limit) {
                        continue;
                    }
                    let (Some(low), Some(high)) = (one.plan.load, other.plan.load) else {
                        continue;
                    };
                    let message = format!(
                        "{} {what} tokens a request at {low}, {} at {high}",
                        number::short(a.mean, 4),
                        number::short(b.mean, 4)
                    );
                    outcomes.found(
                        Finding::new(check, about, message)
                            .touching([ClaimKind::Ranking, ClaimKind::Trend])
                            .advising("give every level the same requests")
                            .with("form", Form::Aggregate)
                            .with("mean_tokens", vec![a.mean, b.mean])
                            .with("runs", vec![one.label.clone(), other.label.clone()]),
                    );
                    return outcomes;
                }
            }
        }
    }
    conclude(check, about, Vec::new(), (!compared).then_some(Need::ThreeLevels))
}

fn same_requests(a: &BenchRun, b: &BenchRun) -> bool {
    let answered = a.completed().is_some() && a.completed() == b.completed();
    answered && a.plan.requests == b.plan.requests
}

fn allowed(a: Length, b: Length, limit: f64) -> f64 {
    let mean = a.mean.max(b.mean);
    let error = (a.spread.powi(2) / a.requests + b.spread.powi(2) / b.requests).sqrt();
    mean * (limit + ERRORS * error)
}

fn length(run: &BenchRun, metric: Metric, total: Total) -> Option<Length> {
    let requests = real(run.completed().filter(|n| *n > 0)?);
    let mean = real(run.tokens(total)?) / requests;
    let each: Option<Vec<f64>> = run.measured().map(|r| value_of(r, metric)).collect();
    let seen = each
        .filter(|each| each.len() >= 2)
        .map(|each| (squares_about(mean, &each) / (count(each.len()) - 1.0)).sqrt());
    let stated = || run.reported.value(metric, Some(Statistic::Deviation));
    let spread = seen.or_else(stated).map_or(UNKNOWN_SPREAD, |deviation| deviation / mean);
    (mean > 0.0).then_some(Length { mean, spread, requests })
}

#[cfg(test)]
mod tests {
    use trueline_core::{CheckOutcome, Load, RequestRecord};

    use super::super::curve::made::*;
    use super::*;

    /// `None` where the check could not run.
    fn found(runs: &[BenchRun]) -> Option<bool> {
        let outcomes = check_level_work(&refs(runs), &Thresholds::default());
        match outcomes.iter().next() {
            Some(CheckOutcome::NotObserved { .. }) => None,
            _ => Some(outcomes.has("workload-differs")),
        }
    }

    fn level(n: u32, requests: u64, output: u64, spread: Option<f64>) -> BenchRun {
        let figures: Vec<(&str, f64)> =
            spread.map(|spread| ("output_tokens.std", spread)).into_iter().collect();
        let mut run = run(&format!("c{n}"), Load::Concurrency(n), &figures);
        run.plan.requests = Some(requests);
        with_totals(run, &[(Total::CompletedRequests, requests), (Total::OutputTokens, output)])
    }

    #[test]
    fn lengths_that_are_fixed_may_differ_by_a_tenth() {
        let fixed = |n, output| level(n, 100, output, Some(0.0));
        assert_eq!(found(&[fixed(1, 12_800), fixed(8, 11_520)]), Some(false));
        assert_eq!(found(&[fixed(1, 12_800), fixed(8, 11_400)]), Some(true));
    }

    #[test]
    fn lengths_drawn_anew_may_differ_by_chance() {
        // Unknown spread, 12 requests: 10 % and 3 x sqrt(2 / 12) = 122 % are allowed.
        assert_eq!(found(&[level(1, 12, 277, None), level(2, 12, 200, None)]), Some(false));
        // 10,000 requests: 10 % and 4.2 %.
        let many = |n, output| level(n, 10_000, output, None);
        assert_eq!(found(&[many(1, 1_000_000), many(2, 870_000)]), Some(false));
        assert_eq!(found(&[many(1, 1_000_000), many(2, 850_000)]), Some(true));
    }

    #[test]
    fn the_spread_of_recorded_requests_is_their_own() {
        let recorded = |n, output: u64| {
            let mut run = level(n, 50, 50 * output, None);
            let mut request = RequestRecord::default();
            request.tokens.output = RequestRecord::counted(output);
            run.requests = vec![request; 50];
            run
        };
        assert_eq!(found(&[recorded(1, 128), recorded(2, 100)]), Some(true));
        assert_eq!(found(&[recorded(1, 128), recorded(2, 120)]), Some(false));
    }

    #[test]
    fn levels_with_other_numbers_of_requests_are_not_compared() {
        assert_eq!(found(&[level(1, 10, 1_000, None), level(2, 20, 200, None)]), None);
        assert_eq!(found(&[level(1, 10, 1_000, None)]), None);
    }
}
