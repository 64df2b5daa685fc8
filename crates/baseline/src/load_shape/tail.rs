//! Whether a few requests hold most of the time.

use trueline_core::number::percent;
use trueline_core::{
    BenchRun, Each, Finding, Metric, Need, Outcomes, Scope, Statistic, Thresholds,
};

use super::checks::HEAVY_TAIL;
use crate::conclusion::conclude;
use crate::form::Form;
use crate::samples::value_of;
use crate::stats::{count, real};

/// Checks that one request in a hundred does not hold a quarter of the summed time.
///
/// # Formula
/// Requests: the sum of the largest 1 % (rounded up) over the sum of all. Aggregate: that share is
/// at least `0.01 p99 / mean` and at most `0.01 max / mean`; what lies between is not judged.
pub(super) fn check_tail(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &HEAVY_TAIL;
    let about = Scope::of_run(run);
    let mut findings = Vec::new();
    let least = thresholds.get(check, "requests");
    let limit = thresholds.get(check, "share");
    let (mut clear, mut few) = (false, false);
    for metric in [Metric::E2eLatencyS, Metric::TtftS] {
        let judged = from_requests(run, metric, least).or_else(|| from_figures(run, metric, least));
        match judged {
            Some(Judged { n, low, form, .. }) if low > limit => findings.push(
                Finding::new(
                    check,
                    about.clone().with_metric(metric),
                    format!(
                        "1 % of {n} requests hold {} of the summed {}",
                        percent(low),
                        metric.words().1
                    ),
                )
                .with("form", form)
                .with("requests", n)
                .with("top_percent_share", low),
            ),
            Some(judged) => clear |= judged.high <= limit,
            None => few |= run.completed().is_some_and(|n| real(n) < least),
        }
    }
    let need = if few { Need::MoreRequests } else { Need::Samples };
    conclude(check, about, findings, (!clear).then_some(need))
}

/// Between which shares that of the slowest 1 % lies.
struct Judged {
    n: u64,
    low: f64,
    high: f64,
    form: Form,
}

fn from_requests(run: &BenchRun, metric: Metric, least: f64) -> Option<Judged> {
    let mut values: Vec<f64> = run.measured().filter_map(|r| value_of(r, metric)).collect();
    if count(values.len()) < least {
        return None;
    }
    values.sort_by(|a, b| b.total_cmp(a));
    let all: f64 = values.iter().sum();
    let top: f64 = values.iter().take(values.len().div_ceil(100)).sum();
    let share = (all > 0.0).then(|| top / all)?;
    Some(Judged { n: values.len() as u64, low: share, high: share, form: Form::Requests })
}

fn from_figures(run: &BenchRun, metric: Metric, least: f64) -> Option<Judged> {
    let value = |wanted: fn(Statistic) -> bool| {
        let mut figures = run.reported.figures_of(metric);
        let figure = figures
            .find(|f| f.definition.each == Each::Request && f.statistic.is_some_and(wanted))?;
        figure.value.value().map(|value| (value, figure.step / 2.0))
    };
    let n = run.completed().filter(|n| real(*n) >= least)?;
    let (mean, mean_half) = value(|s| s == Statistic::Mean).filter(|(mean, _)| *mean > 0.0)?;
    let p99 = value(|s| matches!(s, Statistic::Quantile(q) if (q.get() - 0.99).abs() < 1e-9));
    let max = value(|s| s == Statistic::Max);
    let low = p99.map_or(0.0, |(p99, half)| 0.01 * (p99 - half) / (mean + mean_half));
    let high = max.map_or(1.0, |(max, half)| 0.01 * (max + half) / (mean - mean_half).max(0.0));
    Some(Judged { n, low, high, form: Form::Aggregate })
}

#[cfg(test)]
mod tests {
    use trueline_core::{By, CheckOutcome, Definition, Figure, Known, Mark, Side, Total};

    use super::super::timeline::made::*;
    use super::*;

    /// `None` where the check could not run.
    fn found(run: &BenchRun) -> Option<bool> {
        let outcomes = check_tail(run, &Thresholds::default());
        match outcomes.iter().next() {
            Some(CheckOutcome::NotObserved { .. }) => None,
            _ => Some(outcomes.has("heavy-tail")),
        }
    }

    /// 200 requests of 1 s, of which two take so long.
    fn two_slow(seconds: f64) -> BenchRun {
        let latency = |i: u32| if i % 100 == 7 { seconds } else { 1.0 };
        closed(1, &(0..200).map(latency).collect::<Vec<_>>())
    }

    #[test]
    fn two_of_two_hundred_may_hold_a_quarter_and_no_more() {
        // By hand: 2 x 32 of 198 + 64 is 24.4 %; 2 x 34 of 198 + 68 is 25.6 %.
        assert_eq!(found(&two_slow(32.0)), Some(false));
        assert_eq!(found(&two_slow(34.0)), Some(true));
    }

    #[test]
    fn fewer_than_two_hundred_are_not_judged() {
        let mut run = two_slow(100.0);
        run.requests.truncate(199);
        assert_eq!(found(&run), None);
        assert_eq!(found(&with_load(Vec::new(), None)), None);
    }

    #[test]
    fn figures_bound_the_share_from_both_sides() {
        let with = |n: u64, p99: f64, max: Option<f64>| {
            let mut run = with_load(Vec::new(), None);
            run.reported.set_total(Total::CompletedRequests, Known::is(n, By::Reported), "n");
            let meaning = Definition::new(Mark::Sent, Mark::LastToken, Side::Client);
            let rows = [("mean", Some(1.0)), ("p99", Some(p99)), ("max", max)];
            for (statistic, value) in rows {
                let value = Known::derived(value, trueline_core::Why::Absent);
                let statistic = Some(statistic.parse().unwrap());
                let figure = Figure::new(Metric::E2eLatencyS, statistic, value, meaning, "x");
                run.reported.figures.push(figure);
            }
            run
        };
        // 0.01 x 26 / 1 is 26 % at least; 0.01 x 24 / 1 is 24 % at most.
        assert_eq!(found(&with(1_000, 26.0, None)), Some(true));
        assert_eq!(found(&with(1_000, 3.0, Some(24.0))), Some(false));
        assert_eq!(found(&with(1_000, 3.0, Some(90.0))), None);
        assert_eq!(found(&with(199, 26.0, None)), None);
    }
}
