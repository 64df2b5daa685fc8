//! How far repetitions at one load lie apart.

use std::collections::BTreeMap;

use statrs::distribution::{ContinuousCDF, Normal};
use trueline_core::number::{percent, short};
use trueline_core::{BenchRun, Finding, Metric, Need, Outcomes, Thresholds};

use super::checks::HIGH_SPREAD;
use super::curve::{Level, Stepped, arm_of, curves, value_of};
use super::deviation::check_deviations;
use crate::form::Form;
use crate::stats::{count, median, sorted};

/// The metrics judged: throughput, the usual value of each time, and what an engine does without
/// load.
const JUDGED: [Metric; 7] = [
    Metric::OutputTokPerS,
    Metric::RequestPerS,
    Metric::TtftS,
    Metric::TpotS,
    Metric::E2eLatencyS,
    Metric::PrefillTokPerS,
    Metric::DecodeTokPerS,
];

/// Checks that repetitions at one load agree to a tenth.
///
/// # Formula
/// `(max - min - rounding) / median` over the repetitions, for throughput and for the median (else
/// mean) of each time. The more runs the further apart the outermost: of n > 3 runs the share is
/// multiplied by `e(3) / e(n)`, the expected range of three of them over that of n, with Blom's
/// `e(n) = 2 z((n - 0.375) / (n + 0.25))` of normal values. Rates of prefill and decode are those of tests: only tests of the same
/// lengths and settings repeat each other. Or the deviation over the mean, where a tool states these
/// for repetitions of its own.
///
/// # Shape
/// One outcome a level with repetitions, or one finding for each metric that spreads; one of the
/// widest where all of several spread, as something is then wrong with the level. A single outcome
/// about the arm where no level has repetitions.
///
/// # Source
/// Blom, “Statistical Estimates and Transformed Beta-Variables”, 1958 (expected order statistics).
pub(super) fn check_spread(runs: &[&BenchRun], thresholds: &Thresholds) -> Outcomes {
    let check = &HIGH_SPREAD;
    let about = arm_of(runs);
    let mut outcomes = Outcomes::default();
    for level in curves(runs).into_iter().flatten().filter(|level| level.runs.len() >= 2) {
        let about = about.clone().with_load(level.load);
        let spreads: Vec<Spread> =
            JUDGED.iter().filter_map(|metric| widest(&level, *metric)).collect();
        let wide = |spread: &&Spread| spread.of_three() > thresholds.get(check, "share");
        let mut found: Vec<&Spread> = spreads.iter().filter(wide).collect();
        let all = found.len() >= 3 && found.len() == spreads.len();
        if all {
            found.sort_by(|a, b| b.share.total_cmp(&a.share));
            found.truncate(1);
        }
        for spread in found {
            let (unit, what) = spread.metric.words();
            let mut message = format!(
                "{} repetitions at {} differ by {} in {}: {} to {} {unit}",
                spread.runs,
                level.load,
                percent(spread.share),
                if what.is_empty() { "requests a second" } else { what },
                short(spread.least, 3),
                short(spread.most, 3)
            );
            let mut about = about.clone().with_metric(spread.metric);
            if all {
                message += ", and by over a tenth in every other figure";
                about.metric = None;
            }
            outcomes.found(
                Finding::new(check, about, message)
                    .with("metric", spread.metric.name())
                    .with("form", Form::Aggregate)
                    .with("runs", spread.runs)
                    .with("least", spread.least)
                    .with("most", spread.most)
                    .with("spread_share", spread.share)
                    .with("spread_share_of_three", spread.of_three()),
            );
        }
        if spreads.is_empty() {
            outcomes.not_observed(check, Need::Samples, about);
        } else if !spreads.iter().any(|spread| wide(&spread)) {
            outcomes.clear(check, about);
        }
    }
    check_deviations(runs, thresholds, &mut outcomes);
    if outcomes.iter().count() == 0 {
        outcomes.not_observed(check, Need::Repetitions, about);
    }
    outcomes
}

struct Spread {
    metric: Metric,
    runs: usize,
    least: f64,
    most: f64,
    share: f64,
}

impl Spread {
    /// How far three of these runs would lie apart, where there are more.
    fn of_three(&self) -> f64 {
        if self.runs <= 3 { self.share } else { self.share * range_of(3) / range_of(self.runs) }
    }
}

/// The expected range of normal values, over their standard deviation, to 3 %.
fn range_of(n: usize) -> f64 {
    let n = count(n);
    let outermost = (n - 0.375) / (n + 0.25);
    Normal::new(0.0, 1.0).map_or(1.0, |normal| 2.0 * normal.inverse_cdf(outermost))
}

/// The widest spread of a metric among the repetitions of a level.
fn widest(level: &Level<'_>, metric: Metric) -> Option<Spread> {
    let of_tests = matches!(metric, Metric::PrefillTokPerS | Metric::DecodeTokPerS);
    let groups = if of_tests { alike(level, metric) } else { vec![level.runs.clone()] };
    let spreads = groups.iter().filter_map(|runs| spread(runs, metric));
    spreads.max_by(|a, b| a.share.total_cmp(&b.share))
}

/// The runs that state a metric, those of the same lengths and settings together, where there are
/// several.
fn alike<'a>(level: &Level<'a>, metric: Metric) -> Vec<Vec<&'a BenchRun>> {
    let mut groups: BTreeMap<String, Vec<&'a BenchRun>> = BTreeMap::new();
    for run in level.runs.iter().copied().filter(|run| value_of(run, metric).is_some()) {
        let settings: Vec<String> = run
            .conditions
            .iter()
            .filter(|(key, _)| *key != "date")
            .map(|(key, value)| format!("{key}={value:?}"))
            .collect();
        let lengths = (run.plan.prompt_tokens, run.plan.output_tokens);
        groups.entry(format!("{lengths:?} {}", settings.join(" "))).or_default().push(run);
    }
    groups.into_values().filter(|runs| runs.len() > 1).collect()
}

fn spread(runs: &[&BenchRun], metric: Metric) -> Option<Spread> {
    let values: Vec<Stepped> =
        runs.iter().map(|run| value_of(run, metric)).collect::<Option<_>>()?;
    let rounding = values.iter().map(|v| v.half_step).fold(0.0, f64::max) * 2.0;
    let sorted = sorted(values.iter().map(|v| v.value).collect());
    let (least, most) = (*sorted.first()?, *sorted.last()?);
    let middle = median(&sorted).filter(|middle| *middle > 0.0)?;
    let share = (most - least - rounding).max(0.0) / middle;
    Some(Spread { metric, runs: runs.len(), least, most, share })
}

#[cfg(test)]
mod tests {
    use trueline_core::{CheckOutcome, Each, Load};

    use super::super::curve::made::*;
    use super::*;

    /// The metrics found; `None` where the check could not run.
    fn found(runs: &[BenchRun]) -> Option<Vec<Option<Metric>>> {
        let outcomes = check_spread(&refs(runs), &Thresholds::default());
        match outcomes.iter().next() {
            Some(CheckOutcome::NotObserved { .. }) => None,
            _ => Some(outcomes.findings().map(|f| f.about.metric).collect()),
        }
    }

    fn repetition(rate: f64, ttft: f64) -> BenchRun {
        run("r", Load::Concurrency(8), &[("output_tok_per_s", rate), ("ttft_s.median", ttft)])
    }

    #[test]
    fn a_tenth_apart_is_quiet_and_more_is_said_of_that_metric_alone() {
        // (105 - 95) / 100 is a tenth; (0.12 - 0.10) / 0.11 is 18 %.
        let at = |rate, ttft| repetition(rate, ttft);
        assert_eq!(found(&[at(95.0, 0.1), at(105.0, 0.1)]), Some(vec![]));
        assert_eq!(
            found(&[at(94.9, 0.1), at(105.1, 0.1)]),
            Some(vec![Some(Metric::OutputTokPerS)])
        );
        assert_eq!(found(&[at(95.0, 0.10), at(105.0, 0.12)]), Some(vec![Some(Metric::TtftS)]));
    }

    #[test]
    fn a_level_where_everything_spreads_is_one_finding_about_the_level() {
        let at = |factor: f64| {
            let figures = [
                ("output_tok_per_s", 100.0 * factor),
                ("ttft_s.median", 0.1 / factor),
                ("tpot_s.median", 0.02 / factor),
            ];
            run("r", Load::Concurrency(8), &figures)
        };
        assert_eq!(found(&[at(1.0), at(1.2)]), Some(vec![None]));
    }

    #[test]
    fn more_repetitions_may_lie_further_apart() {
        // Control charts (d2) have 1.693, 2.326 and 3.532 for 3, 5 and 16.
        for (n, range) in [(3, 1.693), (5, 2.326), (16, 3.532)] {
            assert!((range_of(n) / range - 1.0).abs() < 0.03, "{n}: {}", range_of(n));
        }
        // 11 % over sixteen runs are 11 x 1.74 / 3.54 = 5.4 % over three, 21 % are 10.3 %.
        let sixteen = |apart: f64| -> Vec<BenchRun> {
            (0..16).map(|i| repetition(100.0 + apart * (f64::from(i) / 15.0 - 0.5), 0.1)).collect()
        };
        assert_eq!(found(&sixteen(11.0)), Some(vec![]));
        assert_eq!(found(&sixteen(21.0)), Some(vec![Some(Metric::OutputTokPerS)]));
    }

    #[test]
    fn rounding_is_no_spread() {
        let mut coarse = [repetition(100.0, 0.01), repetition(100.0, 0.02)];
        assert_eq!(found(&coarse), Some(vec![Some(Metric::TtftS)]));
        for run in &mut coarse {
            for figure in &mut run.reported.figures {
                *figure = figure.clone().in_steps_of(0.01);
            }
        }
        assert_eq!(found(&coarse), Some(vec![]));
    }

    #[test]
    fn one_run_a_level_is_no_repetition() {
        assert_eq!(found(&sweep("output_tok_per_s", &[(1, 10.0), (2, 20.0)])), None);
        assert_eq!(found(&[]), None);
    }

    /// A test of an engine: its mean rate, its deviation over repetitions, its length.
    fn test(label: &str, mean: f64, std: f64, prompt: u64) -> BenchRun {
        let figures = [("prefill_tok_per_s.mean", mean), ("prefill_tok_per_s.std", std)];
        let mut run = run(label, Load::Concurrency(1), &figures);
        for figure in &mut run.reported.figures {
            figure.definition.each = Each::Run;
        }
        run.plan.prompt_tokens = Some(trueline_core::Tokens::new(prompt));
        run
    }

    #[test]
    fn tests_repeat_each_other_where_lengths_and_settings_are_the_same() {
        // Published: 92 or 275 tok/s by the clock, steady within each run.
        let two = [test("a", 92.0, 0.3, 512), test("b", 275.0, 0.9, 512)];
        assert_eq!(found(&two), Some(vec![Some(Metric::PrefillTokPerS)]));
        let quiet = |runs: &[BenchRun]| found(runs).is_none_or(|found| found.is_empty());
        assert!(quiet(&[test("a", 92.0, 0.3, 512), test("b", 275.0, 0.9, 1_024)]));
        let mut threads = two.clone();
        threads[1].conditions.set("n_threads", "8", trueline_core::By::Reported);
        assert!(quiet(&threads));
    }
}
