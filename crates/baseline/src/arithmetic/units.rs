//! Numbers that must agree and differ by a factor between units.

use trueline_core::{
    BenchRun, Figure, Finding, Metric, Need, Outcomes, Scope, Statistic, Thresholds,
};

use super::checks::UNIT_MISMATCH;
use super::pair::Pair;
use super::parts::latency_pairs;
use super::rates::{request_pair, token_pairs};
use super::stated::spread;
use super::summary::summary_pairs;
use super::words::worded;
use crate::conclusion::conclude;
use crate::form::Form;
use crate::samples::is_of_a_run;

/// What a factor between two units is called.
const FACTORS: [(f64, &str); 4] =
    [(60.0, "minutes and seconds"), (1e3, "1,000"), (1e6, "1e6"), (1e9, "1e9")];

/// Checks every pair of numbers that must agree: rates and counts, latency and its parts, summary
/// and requests, one statistic in two places, a decode rate and TPOT.
pub(super) fn check_units(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &UNIT_MISMATCH;
    let tolerance = thresholds.get(check, "tolerance");
    let pairs = pairs(run);
    let mut findings: Vec<Finding> = Vec::new();
    for pair in &pairs {
        let Some((factor, name)) = factor(pair, tolerance) else { continue };
        let about = Scope::of_run(run).with_metric(pair.metric);
        if findings.iter().any(|f| f.about == about) {
            continue;
        }
        let (stated, derived) =
            (worded(pair.metric, pair.stated), worded(pair.metric, pair.derived));
        let text = format!("{}: {stated} against {derived}, a factor of {name}", pair.what);
        findings.push(
            Finding::new(check, about, text)
                .with("form", Form::Aggregate)
                .with("stated", pair.stated)
                .with("derived", pair.derived)
                .with("factor", factor),
        );
    }
    let missing = pairs.is_empty().then_some(Need::Samples);
    conclude(check, Scope::of_run(run), findings, missing)
}

/// The unit factor that a pair is apart by, and its name. Minutes are mixed up in rates alone.
fn factor(pair: &Pair, tolerance: f64) -> Option<(f64, &'static str)> {
    let ratio = pair.ratio()?;
    let apart = if ratio < 1.0 { ratio.recip() } else { ratio };
    FACTORS.into_iter().find(|(factor, _)| {
        let fits = *factor > 100.0 || is_of_a_run(pair.metric);
        fits && (apart / factor - 1.0).abs() <= tolerance
    })
}

fn pairs(run: &BenchRun) -> Vec<Pair> {
    let mut pairs = token_pairs(run);
    pairs.extend(request_pair(run));
    pairs.extend(latency_pairs(run));
    pairs.extend(summary_pairs(run));
    pairs.extend(decode_pair(run));
    pairs.extend(twins(run));
    pairs
}

/// A decode rate beside the inverse of TPOT: equal up to their spread.
fn decode_pair(run: &BenchRun) -> Option<Pair> {
    let rate = spread(run, Metric::DecodeTokPerS, Statistic::Mean)?;
    let tpot = spread(run, Metric::TpotS, Statistic::Mean)?;
    Some(Pair {
        metric: Metric::DecodeTokPerS,
        what: "mean decode rate beside the inverse of mean TPOT".to_owned(),
        stated: rate.value,
        derived: tpot.value.recip(),
        slack: 0.0,
    })
}

/// One statistic of one meaning that stands in two places.
fn twins(run: &BenchRun) -> Vec<Pair> {
    let known = |f: &Figure| f.value.value().filter(|x| *x > 0.0);
    let figures = &run.reported.figures;
    figures
        .iter()
        .enumerate()
        .filter_map(|(i, second)| {
            let first = figures.iter().take(i).find(|first| {
                (first.metric, first.statistic) == (second.metric, second.statistic)
                    && first.definition.means_same_as(&second.definition)
            })?;
            Some(Pair {
                metric: second.metric,
                what: format!("{} in two places", second.name()),
                stated: known(second)?,
                derived: known(first)?,
                slack: 0.0,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use trueline_core::Total;

    use super::super::fixture::{Made, SENT, chunk4, sglang};
    use super::*;

    fn run(made: &Made) -> Outcomes {
        check_units(&made.0, &Thresholds::default())
    }

    #[test]
    fn a_rate_per_minute_is_told_from_one_per_second() {
        let of = |rate| {
            Made::run().lasting(10.0, 0.0).total_completed(10).run_figure(
                Metric::RequestPerS,
                rate,
                0.0,
            )
        };
        // 10 in 10 s are 1 per second and 60 per minute.
        assert!(run(&of(60.0)).has("unit-mismatch") && run(&of(62.9)).has("unit-mismatch"));
        assert!(!run(&of(63.1)).has("unit-mismatch") && !run(&of(1.0)).has("unit-mismatch"));
    }

    #[test]
    fn milliseconds_in_a_field_of_seconds_are_found() {
        let of = |tpot_ms| {
            Made::run()
                .total_completed(10)
                .total(Total::OutputTokens, 110)
                .mean_ms(Metric::E2eLatencyS, 100.0)
                .mean_ms(Metric::TtftS, 50.0)
                .mean_ms(Metric::TpotS, tpot_ms)
        };
        assert!(run(&of(5_000.0)).has("unit-mismatch"));
        assert!(run(&of(0.005)).has("unit-mismatch"));
        // Twice too small is another fault.
        assert!(!run(&of(2.4)).has("unit-mismatch"));
        // 10 tokens in 50 ms are 5 ms each; 60 times that is no minute: times have none.
        assert!(!run(&of(300.0)).has("unit-mismatch"));
    }

    #[test]
    fn one_statistic_in_two_places_and_a_decode_rate_are_compared() {
        let twice = |ms| Made::run().mean_ms(Metric::TtftS, 30.0).mean_ms(Metric::TtftS, ms);
        assert!(run(&twice(30_000.0)).has("unit-mismatch"));
        assert!(!run(&twice(31.0)).has("unit-mismatch"));
        let rate = |rate| {
            let made = Made::run().mean_ms(Metric::TpotS, 20.0);
            made.stepped(Metric::DecodeTokPerS, Statistic::Mean, rate, SENT, 0.0)
        };
        assert!(!run(&rate(52.0)).has("unit-mismatch") && run(&rate(0.05)).has("unit-mismatch"));
    }

    #[test]
    fn healthy_runs_are_clear_and_empty_ones_not_observed() {
        assert!(Made::clear(&run(&sglang())) && Made::clear(&run(&chunk4())));
        assert!(Made::not_observed(&run(&Made::run())));
    }
}
