//! Whether a run lasted long enough for a steady state.

use trueline_core::number::short;
use trueline_core::{
    BenchRun, Each, Finding, Metric, Need, Outcomes, Scope, Statistic, Thresholds,
};

use super::checks::RUN_TOO_SHORT;
use crate::form::Form;
use crate::samples::value_of;
use crate::stats::{quantile, sorted};

/// Checks that a run lasted a minute and ten of its own p95 latencies.
///
/// # Formula
/// `T < max(60 s, 10 p95)`. Of a run without single requests the p95 lies between the largest
/// figure that is at most it (median, p90) and the smallest that is at least it (p99, maximum); a
/// duration between ten times either is not judged.
pub(super) fn check_length(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &RUN_TOO_SHORT;
    let about = Scope::of_run(run);
    let mut outcomes = Outcomes::default();
    let Some(seconds) = run.duration().map(|d| d.as_secs_f64()) else {
        outcomes.not_observed(check, Need::WallTimes, about);
        return outcomes;
    };
    // A duration written in steps may be half a step longer.
    let at_most = seconds + run.reported.duration_step_s / 2.0;
    let (least, times) = (thresholds.get(check, "seconds"), thresholds.get(check, "latencies"));
    let bounds = p95_bounds(run);
    let by_latency = bounds.low.map(|low| times * low).filter(|needed| at_most < *needed);
    let needed = by_latency.unwrap_or(0.0).max(least);
    if at_most < needed {
        let message = match (by_latency.filter(|by_latency| *by_latency >= least), bounds.low) {
            (Some(_), Some(low)) => format!(
                "the run lasts {} s, {}{} the p95 end-to-end latency of {} s",
                short(seconds, 3),
                if bounds.high == bounds.low { "" } else { "at most " },
                match short(seconds / low, 2).as_str() {
                    "1" => "no longer than".to_owned(),
                    times => format!("{times} times"),
                },
                short(low, 3)
            ),
            _ => format!("the run lasts {} s", short(seconds, 3)),
        };
        let mut finding = Finding::new(check, about, message)
            .with("form", Form::of(run))
            .with("duration_s", seconds)
            .with("needed_s", needed)
            .advising(format!("let the run last {} s or more", short(needed.ceil(), 4)));
        if let Some(low) = bounds.low {
            finding = finding.with("p95_e2e_at_least_s", low);
        }
        outcomes.found(finding);
    } else if bounds.high.is_some_and(|high| at_most >= times * high) {
        outcomes.clear(check, about);
    } else {
        outcomes.not_observed(check, Need::Samples, about);
    }
    outcomes
}

/// Between which values the p95 end-to-end latency lies.
struct Bounds {
    low: Option<f64>,
    high: Option<f64>,
}

fn p95_bounds(run: &BenchRun) -> Bounds {
    let latencies = run.measured().filter_map(|r| value_of(r, Metric::E2eLatencyS)).collect();
    let p95 = quantile(&sorted(latencies), 0.95);
    if p95.is_some() {
        return Bounds { low: p95, high: p95 };
    }
    let mut bounds = Bounds { low: None, high: None };
    for figure in run.reported.figures_of(Metric::E2eLatencyS) {
        let (Some(value), Each::Request) = (figure.value.value(), figure.definition.each) else {
            continue;
        };
        let half = figure.step / 2.0;
        let below = match figure.statistic {
            Some(Statistic::Min) => 0.0,
            Some(Statistic::Median) => 0.5,
            Some(Statistic::Max) => 1.0,
            Some(Statistic::Quantile(q)) => q.get(),
            _ => continue,
        };
        if below <= 0.95 + 1e-9 {
            bounds.low = Some(bounds.low.map_or(value - half, |low| low.max(value - half)));
        }
        if below >= 0.95 - 1e-9 {
            bounds.high = Some(bounds.high.map_or(value + half, |high| high.min(value + half)));
        }
    }
    bounds
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use trueline_core::{By, Definition, Figure, Known, Mark, Side};

    use super::super::timeline::made::*;
    use super::*;

    fn aggregate(seconds: f64, figures: &[(&str, f64)]) -> BenchRun {
        let mut run = with_load(Vec::new(), None);
        run.reported.duration = Known::is(Duration::from_secs_f64(seconds), By::Reported);
        let meaning = Definition::new(Mark::Sent, Mark::LastToken, Side::Client);
        for (statistic, value) in figures {
            let value = Known::is(*value, By::Reported);
            let statistic = Some(statistic.parse().unwrap());
            let figure = Figure::new(Metric::E2eLatencyS, statistic, value, meaning, "e2e");
            run.reported.figures.push(figure);
        }
        run
    }

    fn found(run: &BenchRun) -> Option<bool> {
        let outcomes = check_length(run, &Thresholds::default());
        match outcomes.iter().next() {
            Some(trueline_core::CheckOutcome::NotObserved { .. }) => None,
            Some(_) => Some(outcomes.has("run-too-short")),
            None => unreachable!("every check says something"),
        }
    }

    #[test]
    fn a_minute_and_ten_latencies_are_long_enough() {
        assert_eq!(found(&aggregate(0.88, &[("p95", 0.05)])), Some(true));
        assert_eq!(found(&aggregate(59.9, &[("p95", 1.0)])), Some(true));
        assert_eq!(found(&aggregate(60.0, &[("p95", 6.0)])), Some(false));
        assert_eq!(found(&aggregate(60.0, &[("p95", 6.1)])), Some(true));
    }

    #[test]
    fn figures_around_the_p95_decide_where_they_can() {
        // A published run of 81.6 s: ten medians of 8.16 s fit, ten p99 of 11.46 s do not.
        assert_eq!(found(&aggregate(81.63, &[("median", 8.16), ("p99", 11.46)])), None);
        assert_eq!(found(&aggregate(81.5, &[("median", 8.16), ("p99", 11.46)])), Some(true));
        assert_eq!(found(&aggregate(120.0, &[("median", 8.16), ("p99", 11.46)])), Some(false));
        assert_eq!(found(&aggregate(120.0, &[])), None);
        assert_eq!(found(&with_load(Vec::new(), None)), None);
    }

    #[test]
    fn a_duration_in_steps_may_be_half_a_step_longer() {
        let mut run = aggregate(59.6, &[("max", 1.0)]);
        run.reported.duration_step_s = 1.0;
        assert_eq!(found(&run), Some(false));
        run.reported.duration_step_s = 0.1;
        assert_eq!(found(&run), Some(true));
    }

    #[test]
    fn single_requests_give_their_own_p95() {
        let mut run = closed(1, &[1.0; 61]);
        run.reported.duration = Known::is(Duration::from_secs(61), By::Reported);
        assert_eq!(found(&run), Some(false));
        run.reported.duration = Known::is(Duration::from_secs(9), By::Reported);
        assert_eq!(found(&run), Some(true));
    }
}
