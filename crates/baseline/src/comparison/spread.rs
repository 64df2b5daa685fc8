//! Whether the runs of one arm spread at all.

use trueline_core::number::short;
use trueline_core::{Finding, Metric, Outcomes, Scope, Thresholds};

use crate::levels::{ZERO_SPREAD, is_measured, written_digits};
use crate::stats::count;

/// Checks that three or more runs of an arm do not give one value to the last digit.
///
/// # Formula
/// All values equal, in at least as many significant digits as the threshold says: by `step` where
/// they are written in steps, else as the shortest decimal that gives the value.
///
/// # Shape
/// One value a run. Fewer runs than the threshold give no outcome, and neither do counts and what the
/// workload or the load alone defines (lengths, requests in flight, hit shares): equal ones are right.
pub fn check_arm_spread(
    about: Scope,
    arm: &str,
    metric: Metric,
    (values, step): (&[f64], f64),
    thresholds: &Thresholds,
) -> Outcomes {
    let check = &ZERO_SPREAD;
    let mut outcomes = Outcomes::default();
    if !is_measured(metric) || count(values.len()) < thresholds.get(check, "runs") {
        return outcomes;
    }
    let Some((first, others)) = values.split_first() else { return outcomes };
    let equal = others.iter().all(|value| (value - first).abs() <= 1e-12 * first.abs());
    if !equal || written_digits(*first, step) < thresholds.get(check, "digits_alone") {
        outcomes.clear(check, about);
        return outcomes;
    }
    let (unit, what) = metric.words();
    let message = format!(
        "all {} runs of {arm} give {} {unit} {what} to the last digit: copies, not repetitions",
        values.len(),
        short(*first, 6)
    );
    outcomes.found(
        Finding::new(check, about, message)
            .with("runs", values.len())
            .with("value", *first)
            .with("metric", metric.name()),
    );
    outcomes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `None` without an outcome.
    fn fires(metric: Metric, values: &[f64], step: f64) -> Option<bool> {
        let none = Thresholds::default();
        let got = check_arm_spread(Scope::default(), "a", metric, (values, step), &none);
        got.iter().next().map(|_| got.has("zero-spread"))
    }

    #[test]
    fn three_runs_of_one_value_are_copies() {
        let rate = Metric::OutputTokPerS;
        assert_eq!(fires(rate, &[75.240_5; 3], 0.0), Some(true));
        assert_eq!(fires(rate, &[75.240_5, 75.240_5, 75.240_6], 0.0), Some(false));
        assert_eq!(fires(rate, &[75.240_5; 2], 0.0), None);
        assert_eq!(fires(rate, &[], 0.0), None);
    }

    #[test]
    fn values_of_few_digits_agree_by_rounding() {
        // 13.5 tok/s is three digits; 4.38 ms in steps of 0.01 ms too.
        assert_eq!(fires(Metric::DecodeTokPerS, &[13.5; 3], 0.0), Some(false));
        assert_eq!(fires(Metric::TpotS, &[0.004_38; 3], 1e-5), Some(false));
        assert_eq!(fires(Metric::TtftS, &[0.186_18; 3], 1e-5), Some(true));
    }

    #[test]
    fn what_the_workload_defines_is_rightly_equal() {
        assert_eq!(fires(Metric::OutputTokens, &[128.125; 4], 0.0), None);
        assert_eq!(fires(Metric::PeakConcurrency, &[8.0; 4], 0.0), None);
    }
}
