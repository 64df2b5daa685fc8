//! Peaks beside means.

use trueline_core::{
    BenchRun, Each, Finding, Metric, Need, Outcomes, Scope, Thresholds, Total, number,
};

use super::checks::PEAK_BELOW_MEAN;
use super::in_flight::InFlight;
use super::stated::{duration, of_run};
use super::words::seconds;
use crate::conclusion::conclude;
use crate::form::Form;
use crate::stats::real;

/// Checks that no peak is lower than the mean allows.
///
/// # Formula
/// Of the seconds that a run touches, `ceil(duration)`, the fullest holds at least
/// `output tokens / ceil(duration)`; the peak in flight is at least the mean in flight.
pub(super) fn check_peak(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &PEAK_BELOW_MEAN;
    let about = Scope::of_run(run);
    let share = 1.0 - thresholds.get(check, "tolerance");
    let mut findings = Vec::new();
    let mut compared = false;
    if let (Some((peak, step)), Some((lasting, slack)), Some(tokens)) = (
        peak(run, Metric::PeakOutputTokPerS),
        duration(run),
        run.tokens(Total::OutputTokens).filter(|n| *n > 0),
    ) {
        compared = true;
        let slices = (lasting * (1.0 + slack)).ceil();
        let least = real(tokens) / slices;
        if peak + step < share * least {
            let text = format!(
                "a peak of {} tok/s, and the fullest second of {} holds at least {} of {} tokens",
                number::short(peak, 4),
                seconds(lasting),
                number::short(least, 4),
                number::count(tokens),
            );
            findings.push(
                Finding::new(check, about.clone().with_metric(Metric::PeakOutputTokPerS), text)
                    .with("form", Form::Aggregate)
                    .with("peak_tok_per_s", peak)
                    .with("least_tok_per_s", least)
                    .with("output_tokens", tokens)
                    .with("duration_s", lasting),
            );
        }
    }
    let mean = InFlight::of(run)
        .map(|flight| flight.mean() / (1.0 + flight.slack))
        .or_else(|| of_run(run, Metric::Concurrency).map(|f| f.value - f.step));
    if let (Some((peak, step)), Some(mean)) = (peak(run, Metric::PeakConcurrency), mean) {
        compared = true;
        if peak + step < share * mean {
            let text = format!(
                "a peak of {} in flight is below the mean of {}",
                number::short(peak, 4),
                number::short(mean, 4),
            );
            findings.push(
                Finding::new(check, about.clone().with_metric(Metric::PeakConcurrency), text)
                    .with("form", Form::Aggregate)
                    .with("peak_in_flight", peak)
                    .with("mean_in_flight", mean),
            );
        }
    }
    conclude(check, about, findings, if compared { None } else { Some(Need::Figures) })
}

/// A peak of the run and its step.
fn peak(run: &BenchRun, metric: Metric) -> Option<(f64, f64)> {
    run.reported
        .figures_of(metric)
        .filter(|f| matches!(f.definition.each, Each::Run | Each::Slice))
        .find_map(|f| Some((f.value.value().filter(|x| *x > 0.0)?, f.step)))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Made, chunk4, sglang};
    use super::*;

    fn run(made: &Made) -> Outcomes {
        check_peak(&made.0, &Thresholds::default())
    }

    #[test]
    fn a_peak_below_the_mean_rate_in_less_than_a_second_is_no_contradiction() {
        // 288 tokens in 0.81 s are 354 tok/s, and the one second of the run holds 288.
        assert!(Made::clear(&run(&sglang())));
    }

    #[test]
    fn a_peak_of_chunks_is_below_the_tokens_of_the_fullest_second() {
        let got = run(&chunk4());
        let finding = got.findings().next().unwrap();
        assert_eq!(finding.about.metric, Some(Metric::PeakOutputTokPerS));
        assert!(finding.message.contains("72 tok/s"), "{}", finding.message);
    }

    #[test]
    fn the_limit_is_the_mean_of_the_seconds_touched() {
        // 1,000 tokens in 9.5 s touch ten seconds: at least 100, less 2 %.
        let of = |peak, lasting, step| {
            Made::run().lasting(lasting, step).total(Total::OutputTokens, 1_000).run_figure(
                Metric::PeakOutputTokPerS,
                peak,
                0.0,
            )
        };
        assert!(Made::clear(&run(&of(98.1, 9.5, 0.0))));
        assert!(run(&of(97.9, 9.5, 0.0)).has("peak-below-mean"));
        // 9.999 s written as 10.00 may be 10.001 s and touch eleven.
        assert!(Made::clear(&run(&of(92.0, 10.0, 0.01))));
    }

    #[test]
    fn a_peak_in_flight_is_at_least_the_mean() {
        // 10 x 1 s in 2.5 s are 4 in flight; less 2 % 3.92.
        let of = |peak| {
            Made::run()
                .total_completed(10)
                .lasting(2.5, 0.0)
                .mean_ms(Metric::E2eLatencyS, 1_000.0)
                .run_figure(Metric::PeakConcurrency, peak, 0.0)
        };
        assert!(Made::clear(&run(&of(4.0))));
        assert!(run(&of(3.0)).has("peak-below-mean"));
    }

    #[test]
    fn without_a_peak_nothing_is_observed() {
        assert!(Made::not_observed(&run(&Made::run().lasting(1.0, 0.0))));
    }
}
