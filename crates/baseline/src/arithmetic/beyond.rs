//! Percentiles that so few samples cannot show.

use trueline_core::{
    BenchRun, Each, Figure, Finding, Metric, Need, Outcomes, Scope, Severity, Statistic,
    Thresholds, Total,
};

use super::checks::PERCENTILE_BEYOND_DATA;
use crate::conclusion::conclude;
use crate::form::Form;
use crate::stats::real;

/// Checks that at least one sample is expected beyond every percentile stated.
///
/// # Formula
/// `n (1 - q) >= 1`, or `n q >= 1` for a low one. `n` is the answered requests, and for figures of
/// gaps the gaps: recorded, else output tokens minus requests.
pub(super) fn check_percentiles(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &PERCENTILE_BEYOND_DATA;
    let least = thresholds.get(check, "samples_beyond");
    let (mut beyond, mut metrics): (Vec<String>, Vec<Metric>) = (Vec::new(), Vec::new());
    let (mut stated, mut unknown, mut needed) = (false, false, 0.0_f64);
    for figure in &run.reported.figures {
        let Some(tail) = tail(figure) else { continue };
        stated = true;
        match samples(run, figure) {
            // Without any request there is nothing to be beyond of.
            None | Some(0) => unknown = true,
            Some(n) if real(n) * tail < least - 1e-9 => {
                if !metrics.contains(&figure.metric) {
                    metrics.push(figure.metric);
                }
                if !beyond.contains(&figure.name()) {
                    beyond.push(figure.name());
                }
                needed = needed.max((least / tail - 1e-9).ceil());
            }
            Some(_) => {}
        }
    }
    let about = Scope::of_run(run);
    let mut findings = Vec::new();
    if let Some(first) = beyond.first() {
        let about = match metrics.as_slice() {
            [one] => about.clone().with_metric(*one),
            _ => about.clone(),
        };
        let n = run.completed().unwrap_or(0);
        let more = match beyond.len() - 1 {
            0 => "is".to_owned(),
            more => format!("and {more} more are"),
        };
        let requests = if n == 1 { "request" } else { "requests" };
        let text = format!("{first} {more} beyond the data of {n} {requests}");
        findings.push(
            Finding::new(check, about, text)
                .at(Severity::Warning)
                .with("form", Form::Aggregate)
                .with("figures", beyond.clone())
                .with("metrics", metrics.iter().map(|m| m.name().to_owned()).collect::<Vec<_>>())
                .with("requests", n)
                .with("samples_needed", needed),
        );
    }
    let missing = if unknown {
        Some(Need::FailuresCounted)
    } else if stated {
        None
    } else {
        Some(Need::Figures)
    };
    conclude(check, about, findings, missing)
}

/// The share of samples beyond a tail's percentile.
fn tail(figure: &Figure) -> Option<f64> {
    figure.value.value()?;
    let q = figure.statistic.and_then(Statistic::tail)?.get();
    (q > 0.0 && q < 1.0).then(|| q.min(1.0 - q))
}

/// How many samples stand behind a figure; `None` where nobody says. Figures over slices of a run
/// are taken to rest on enough.
fn samples(run: &BenchRun, figure: &Figure) -> Option<u64> {
    match figure.definition.each {
        Each::Request => run.completed(),
        Each::Chunk | Each::Token => {
            let gaps: u64 = run.measured().map(|r| r.gaps.len() as u64).sum();
            if gaps > 0 {
                return Some(gaps);
            }
            run.tokens(Total::OutputTokens)?.checked_sub(run.completed()?)
        }
        Each::Run | Each::Slice | Each::Unknown => Some(u64::MAX),
    }
}

#[cfg(test)]
mod tests {
    use trueline_core::{Definition, Mark, Share, Side};

    use super::super::fixture::{Made, chunk4, sglang};
    use super::*;

    const TIME: Definition = Definition::new(Mark::Sent, Mark::FirstToken, Side::Client);

    fn run(requests: u64, percent: f64) -> Made {
        let q = Statistic::Quantile(Share::new(percent / 100.0).unwrap());
        Made::run().total_completed(requests).stepped(Metric::TtftS, q, 0.1, TIME, 0.0)
    }

    fn fires(made: &Made) -> bool {
        check_percentiles(&made.0, &Thresholds::default()).has("percentile-beyond-data")
    }

    #[test]
    fn a_99th_percentile_needs_a_hundred_samples() {
        assert!(fires(&run(99, 99.0)) && !fires(&run(100, 99.0)));
        assert!(fires(&run(999, 99.9)) && !fires(&run(1_000, 99.9)));
        assert!(!fires(&run(10, 90.0)) && fires(&run(9, 90.0)));
        assert!(fires(&run(99, 1.0)) && !fires(&run(100, 1.0)));
        assert!(!fires(&run(1, 50.0)));
    }

    #[test]
    fn twelve_requests_with_276_gaps_show_a_percentile_of_gaps_but_not_of_requests() {
        let got = check_percentiles(&sglang().0, &Thresholds::default());
        let finding = got.findings().next().unwrap();
        assert_eq!(finding.severity, Severity::Warning);
        // 288 - 12 = 276 gaps: p99 has 2.76 beyond it.
        let figures = finding.evidence.get("figures").unwrap();
        let text = format!("{figures:?}");
        assert!(text.contains("ttft_s.p99") && !text.contains("itl_s"), "{text}");
        assert_eq!(got.findings().count(), 1);
        assert!(fires(&chunk4()));
    }

    #[test]
    fn without_a_count_of_requests_nothing_is_observed() {
        let mut made = run(5, 99.0);
        made.0.reported.totals.clear();
        assert!(Made::not_observed(&check_percentiles(&made.0, &Thresholds::default())));
    }
}
