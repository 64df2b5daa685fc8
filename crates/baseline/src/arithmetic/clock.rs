//! Times on a grid: a coarse clock took them.

use trueline_core::{BenchRun, Finding, Metric, Need, Outcomes, Scope, Thresholds, number};

use super::checks::COARSE_CLOCK;
use super::words::seconds;
use crate::conclusion::conclude;
use crate::form::Form;
use crate::samples::metric_values;
use crate::stats::{count, median_of};

/// To what values are taken, in seconds.
const TAKEN_TO: f64 = 1e-5;

/// Checks the grain of gaps and TTFTs.
///
/// # Formula
/// The smallest distance between two different values over their median; values are taken to 10 us,
/// so that the noise of subtracting two floating-point stamps makes no grain; a grain of no more than
/// that is not told from none. On a grid values
/// repeat: those of a queue that is served one by one lie far apart and do not. Values that are all
/// one are a grid of themselves.
pub(super) fn check_clock(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &COARSE_CLOCK;
    let rows: Vec<_> = run.measured().collect();
    let mut findings = Vec::new();
    let mut judged = false;
    for (metric, what) in [(Metric::ItlS, "gaps"), (Metric::TtftS, "TTFTs")] {
        let mut values = metric_values(&rows, metric).unwrap_or_default();
        values.retain(|x| *x > 0.0);
        let n = values.len();
        if count(n) < thresholds.get(check, "values") {
            continue;
        }
        let Some(median) = median_of(values.clone()) else { continue };
        judged = true;
        let (step, distinct) = grain(&values);
        let repeats = count(distinct) <= thresholds.get(check, "different") * count(n);
        let told = step > 1.5 * TAKEN_TO;
        if !(repeats && told) || step <= thresholds.get(check, "step_share") * median {
            continue;
        }
        let text = format!(
            "{n} {what} take {distinct} different values, {} apart, {} of their median",
            seconds(step),
            number::percent(step / median),
        );
        findings.push(
            Finding::new(check, Scope::of_run(run).with_metric(metric), text)
                .with("form", Form::Requests)
                .with("values", n)
                .with("different_values", distinct)
                .with("step_s", step)
                .with("median_s", median),
        );
    }
    conclude(check, Scope::of_run(run), findings, (!judged).then_some(Need::Samples))
}

/// The smallest distance between two different values, and how many different ones there are.
fn grain(values: &[f64]) -> (f64, usize) {
    let mut grid: Vec<f64> = values.iter().map(|x| (x / TAKEN_TO).round()).collect();
    grid.sort_by(f64::total_cmp);
    grid.dedup();
    let steps = grid.iter().zip(grid.iter().skip(1)).map(|(a, b)| b - a);
    let step = steps.fold(f64::INFINITY, f64::min);
    let only = grid.first().copied().unwrap_or(0.0);
    (if step.is_finite() { step } else { only } * TAKEN_TO, grid.len())
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Made;
    use super::*;

    fn fires(gaps: &[f64]) -> bool {
        let made = Made::run().request(0.0, 20.0, 500.0, 99).gaps(gaps);
        check_clock(&made.0, &Thresholds::default()).has("coarse-clock")
    }

    #[test]
    fn whole_milliseconds_are_coarse_beside_gaps_of_four() {
        let whole: Vec<f64> = (0..40).map(|i| f64::from(3 + i % 3)).collect();
        assert!(fires(&whole));
        // Stamps of 15.6 ms with the noise of floating-point seconds.
        let ticks = (0..40).map(|i| 15.6 * f64::from(1 + i % 2) + f64::from(i) * 1e-5);
        assert!(fires(&ticks.collect::<Vec<f64>>()));
    }

    #[test]
    fn a_fine_clock_is_clear_with_outliers_and_without() {
        // 4 ms, each 0.02 ms longer: 20 us apart, half a per cent.
        let mut fine: Vec<f64> = (0..40).map(|i| 4.0 + 0.02 * f64::from(i)).collect();
        assert!(!fires(&fine));
        fine.extend([9.0, 17.0, 33.0]);
        assert!(!fires(&fine));
        // Whole milliseconds are fine beside gaps of 200.
        let slow: Vec<f64> = (0..40).map(|i| 200.0 + f64::from(i % 7)).collect();
        assert!(!fires(&slow));
    }

    #[test]
    fn gaps_of_a_tenth_of_a_millisecond_need_no_coarse_clock() {
        // 90 to 110 us, each 0.5 us longer.
        let quick: Vec<f64> = (0..40).map(|i| 0.09 + 0.0005 * f64::from(i)).collect();
        assert!(!fires(&quick));
        // 50 us apart they are on a grid.
        let ticks: Vec<f64> = (0..40).map(|i| 0.1 + 0.05 * f64::from(i % 3)).collect();
        assert!(fires(&ticks));
    }

    #[test]
    fn a_queue_served_one_by_one_is_no_grid() {
        // 40 requests at once, one prefill of 100 ms after the other.
        let queue = (1..=40).fold(Made::run(), |made, i| {
            made.request(0.0, 100.0 * f64::from(i), 100.0 * f64::from(i) + 50.0, 9)
        });
        assert!(Made::clear(&check_clock(&queue.0, &Thresholds::default())));
    }

    #[test]
    fn few_values_lie_apart_by_chance() {
        let few: Vec<f64> = (0..29).map(|i| f64::from(3 + i % 3)).collect();
        assert!(!fires(&few));
        let made = Made::run().request(0.0, 20.0, 500.0, 99).gaps(&few);
        assert!(Made::not_observed(&check_clock(&made.0, &Thresholds::default())));
    }
}
