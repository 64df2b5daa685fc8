//! Whether a summary is that of the requests in the same file.

use trueline_core::{
    BenchRun, By, Each, Figure, Finding, Known, Mark, Metric, Need, Outcomes, Percentiles, Scope,
    Statistic, Stretch, Thresholds, TokensBy, Total,
};

use super::checks::SUMMARY_CONTRADICTS_REQUESTS;
use super::pair::Pair;
use super::stated::all_recorded;
use super::words::worded;
use crate::conclusion::conclude;
use crate::form::Form;
use crate::samples::metric_values;
use crate::stats::{count, real};

/// The metrics whose samples a file of requests holds.
const METRICS: [Metric; 7] = [
    Metric::TtftS,
    Metric::E2eLatencyS,
    Metric::TpotS,
    Metric::ItlS,
    Metric::E2ePerTokenS,
    Metric::PromptTokens,
    Metric::OutputTokens,
];

/// Checks every statistic and sum that the requests of the same file give anew.
///
/// # Formula
/// A mean within the tolerance; a percentile between the samples at ranks `n q - 1` and `n q`, in
/// which every Hyndman and Fan type lies, with the tolerance on either side; a deviation over `n`
/// or over `n - 1`.
pub(super) fn check_summary(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &SUMMARY_CONTRADICTS_REQUESTS;
    let tolerance = thresholds.get(check, "tolerance");
    let mut findings = Vec::new();
    let mut compared = false;
    for metric in METRICS {
        let Some(values) = samples(run, metric) else { continue };
        let mut wrong: Vec<(String, f64, f64)> = Vec::new();
        for figure in figures(run, metric) {
            let (Some(stated), Some(range)) = (figure.value.value(), range(figure, &values)) else {
                continue;
            };
            if is_beyond(figure, values.len()) {
                continue;
            }
            compared = true;
            let (low, high) = range;
            let slack = |x: f64| tolerance * x.abs() + figure.step + 1e-9;
            if stated < low - slack(low) || stated > high + slack(high) {
                wrong.push((figure.name(), stated, if stated < low { low } else { high }));
            }
        }
        if let Some((total, stated, summed)) = sum(run, metric, &values) {
            compared = true;
            if (stated - summed).abs() > tolerance * summed {
                wrong.push((total.name().to_owned(), stated, summed));
            }
        }
        let Some((name, stated, found)) = wrong.first() else { continue };
        let more = match wrong.len() - 1 {
            0 => String::new(),
            more => format!(" ({more} more differ)"),
        };
        let text = format!(
            "{name} is {} in the summary and {} over the {} of the same file{more}",
            worded(metric, *stated),
            worded(metric, *found),
            if metric == Metric::ItlS { "gaps" } else { "requests" },
        );
        findings.push(
            Finding::new(check, Scope::of_run(run).with_metric(metric), text)
                .with("form", Form::Requests)
                .with("figures", wrong.iter().map(|w| w.0.clone()).collect::<Vec<_>>())
                .with("stated", wrong.iter().map(|w| w.1).collect::<Vec<_>>())
                .with("recomputed", wrong.iter().map(|w| w.2).collect::<Vec<_>>())
                .with("samples", values.len()),
        );
    }
    let missing = (!compared).then_some(Need::Samples);
    conclude(check, Scope::of_run(run), findings, missing)
}

/// Whether a percentile lies beyond the samples and nobody says how the tool takes it: some draw a
/// line past the largest one.
fn is_beyond(figure: &Figure, n: usize) -> bool {
    let Some(q) = figure.statistic.and_then(Statistic::tail) else { return false };
    let unknown = figure.definition.percentiles == Percentiles::Unknown;
    unknown && q.get().min(1.0 - q.get()) * count(n) < 1.0
}

/// Means and medians of the summary beside those of the requests.
pub(super) fn summary_pairs(run: &BenchRun) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for metric in METRICS {
        let Some(values) = samples(run, metric) else { continue };
        for figure in figures(run, metric) {
            if let (Some(stated), Some((low, high))) =
                (figure.value.value(), range(figure, &values))
                && matches!(figure.statistic, Some(Statistic::Mean | Statistic::Median))
            {
                let what = format!("{} beside that of the requests", figure.name());
                let derived = f64::midpoint(low, high);
                pairs.push(Pair { metric, what, stated, derived, slack: 0.0 });
            }
        }
    }
    pairs
}

/// The sorted samples of a metric where every answered request is recorded and has one.
fn samples(run: &BenchRun, metric: Metric) -> Option<Vec<f64>> {
    if !all_recorded(run) {
        return None;
    }
    let rows: Vec<&trueline_core::RequestRecord> = run.measured().collect();
    // A latency that was put together from others here is no statement of the file.
    let joined = |stretch| {
        rows.iter().any(|r| matches!(r.spans.get(stretch), Known::Is { by: By::Derived, .. }))
    };
    let needs_e2e = matches!(metric, Metric::E2eLatencyS | Metric::TpotS | Metric::E2ePerTokenS);
    if needs_e2e && (joined(Stretch::ClientE2e) || joined(Stretch::ServerE2e)) {
        return None;
    }
    let mut values = metric_values(&rows, metric)?;
    let expected = match metric {
        // A reply without a gap tells of none, and one of a single token has no TPOT.
        Metric::ItlS => usize::from(rows.iter().any(|r| !r.gaps.is_empty())) * values.len(),
        Metric::TpotS => {
            rows.iter().filter(|r| r.tokens.output.value().is_none_or(|n| n.get() > 1)).count()
        }
        _ => rows.len(),
    };
    values.sort_by(f64::total_cmp);
    (!values.is_empty() && values.len() == expected).then_some(values)
}

/// The figures that are statistics of those samples.
fn figures(run: &BenchRun, metric: Metric) -> impl Iterator<Item = &Figure> {
    run.reported.figures_of(metric).filter(move |figure| {
        let meaning = figure.definition;
        let each = if metric == Metric::ItlS { Each::Chunk } else { Each::Request };
        let is_time = metric.words().0 == "s";
        let sent = matches!(meaning.from, Mark::Sent | Mark::FirstToken | Mark::Arrived);
        let not_zero = !is_time || figure.value.value() != Some(0.0);
        // What was averaged on reading is no summary of the file.
        let stated = !matches!(figure.value, Known::Is { by: By::Derived, .. });
        stated
            && meaning.each == each
            && is_counted_alike(run, figure)
            && (!is_time || (sent && meaning.side == run.side))
            && not_zero
    })
}

/// Whether a figure rests on the same count of tokens as the requests do: theirs is the server's where
/// the server counts, and some tools divide by their own.
fn is_counted_alike(run: &BenchRun, figure: &Figure) -> bool {
    let (server, own) = match figure.metric {
        Metric::TpotS | Metric::E2ePerTokenS | Metric::OutputTokens => {
            (Total::OutputTokens, Total::OwnOutputTokens)
        }
        Metric::PromptTokens => (Total::PromptTokens, Total::OwnPromptTokens),
        _ => return true,
    };
    let by_tool = figure.definition.tokens_by == TokensBy::Tool;
    let both = run.tokens(server).zip(run.reported.total(own));
    !by_tool || both.is_none_or(|(server, own)| server == own)
}

/// Between which values a statistic of the samples lies.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "ranks between 0 and n, clipped"
)]
fn range(figure: &Figure, sorted: &[f64]) -> Option<(f64, f64)> {
    let n = count(sorted.len());
    let mean = sorted.iter().sum::<f64>() / n;
    let q = match figure.statistic? {
        Statistic::Mean => return Some((mean, mean)),
        Statistic::Deviation => {
            let squares: f64 = sorted.iter().map(|x| (x - mean).powi(2)).sum();
            return Some(((squares / n).sqrt(), (squares / (n - 1.0).max(1.0)).sqrt()));
        }
        Statistic::Best => return None,
        Statistic::Min => 0.0,
        Statistic::Median => 0.5,
        Statistic::Max => 1.0,
        Statistic::Quantile(q) => q.get(),
    };
    // Ranks from 0; a hair off so that 0.99 x 100 is 99.
    let low = (n * q - 1.0 + 1e-9).floor().max(0.0) as usize;
    let high = (n * q - 1e-9).ceil().max(0.0) as usize;
    let last = sorted.len().checked_sub(1)?;
    let (low, high) = match figure.statistic? {
        Statistic::Min => (0, 0),
        Statistic::Max => (last, last),
        _ => (low.min(last), high.min(last)),
    };
    Some((*sorted.get(low)?, *sorted.get(high)?))
}

/// A total that the tool states, beside the sum of the requests.
fn sum(run: &BenchRun, metric: Metric, values: &[f64]) -> Option<(Total, f64, f64)> {
    let total = match metric {
        Metric::PromptTokens => Total::PromptTokens,
        Metric::OutputTokens => Total::OutputTokens,
        _ => return None,
    };
    Some((total, real(run.reported.total(total)?), values.iter().sum()))
}

#[cfg(test)]
mod tests {
    use trueline_core::{Share, Side};

    use super::super::fixture::Made;
    use super::*;

    /// TTFT 1, 2, ... 10 ms; end to end ten times that; 11 tokens.
    fn ten() -> Made {
        (1..=10).fold(Made::run().total_completed(10), |made, i| {
            let ms = f64::from(i);
            made.request(0.0, ms, 10.0 * ms, 11)
        })
    }

    fn fires(made: &Made) -> bool {
        check_summary(&made.0, &Thresholds::default()).has("summary-contradicts-requests")
    }

    fn p(percent: f64) -> Statistic {
        Statistic::Quantile(Share::new(percent / 100.0).unwrap())
    }

    #[test]
    fn a_time_per_token_by_another_count_is_not_that_of_the_requests() {
        // As published: 130 ms, TTFT 32 ms, and 24 tokens by the server: 4.24 ms; the tool divides
        // by its own 25 - 1: 4.07 ms.
        let of = |own: u64| {
            let rows = (0..12).fold(Made::run(), |made, _| made.request(0.0, 32.1, 129.7, 24));
            let by_tool = super::super::fixture::usual(Metric::TpotS).tokens_by(TokensBy::Tool);
            let tpot = (129.7 - 32.1) / 24.0 / 1e3;
            let made = rows
                .total(Total::OutputTokens, 12 * 24)
                .total(Total::OwnOutputTokens, 12 * own)
                .stepped(Metric::TpotS, Statistic::Mean, tpot, by_tool, 0.0);
            check_summary(&made.0, &Thresholds::default()).has("summary-contradicts-requests")
        };
        assert!(!of(25));
        // With the same count it is another time.
        assert!(of(24));
    }

    #[test]
    fn means_agree_to_a_hundredth() {
        // Mean of 1 to 10 is 5.5.
        assert!(!fires(&ten().mean_ms(Metric::TtftS, 5.55)));
        assert!(fires(&ten().mean_ms(Metric::TtftS, 5.57)));
        // TPOT: 9 i / 10 ms, mean 4.95.
        assert!(!fires(&ten().mean_ms(Metric::TpotS, 4.95)));
        assert!(fires(&ten().mean_ms(Metric::TpotS, 2.4)));
    }

    #[test]
    fn any_type_of_percentile_is_right() {
        // numpy.quantile(range(1, 11), 0.9, method): inverted_cdf 9, linear 9.1, weibull 9.9.
        for ms in [9.0, 9.1, 9.9] {
            assert!(!fires(&ten().ms(Metric::TtftS, p(90.0), ms)), "{ms}");
        }
        assert!(fires(&ten().ms(Metric::TtftS, p(90.0), 8.8)));
        assert!(fires(&ten().ms(Metric::TtftS, p(90.0), 10.2)));
        // Medians: lower 5, higher 6, linear 5.5.
        for ms in [5.0, 5.5, 6.0] {
            assert!(!fires(&ten().ms(Metric::TtftS, Statistic::Median, ms)), "{ms}");
        }
        assert!(fires(&ten().ms(Metric::TtftS, Statistic::Max, 9.0)));
    }

    #[test]
    fn deviations_over_n_and_over_n_less_one_are_both_right() {
        // numpy.std(range(1, 11)) is 2.8723, with ddof=1 3.0277.
        for ms in [2.872, 3.028] {
            assert!(!fires(&ten().ms(Metric::TtftS, Statistic::Deviation, ms)), "{ms}");
        }
        assert!(fires(&ten().ms(Metric::TtftS, Statistic::Deviation, 3.1)));
    }

    #[test]
    fn sums_agree_and_a_file_with_a_sample_of_requests_is_not_judged() {
        assert!(!fires(&ten().total(Total::OutputTokens, 110)));
        assert!(fires(&ten().total(Total::OutputTokens, 120)));
        let mut sampled = ten().mean_ms(Metric::TtftS, 9.0);
        sampled.0.requests.truncate(2);
        assert!(Made::not_observed(&check_summary(&sampled.0, &Thresholds::default())));
    }

    #[test]
    fn a_figure_that_means_something_else_is_left_alone() {
        // From when it was meant to be sent: the wait in the client is in it.
        let waited = super::super::fixture::SENT.between(Mark::Intended, Mark::FirstToken);
        assert!(!fires(&ten().stepped(Metric::TtftS, Statistic::Mean, 9.0, waited, 0.0)));
        let mut server = ten().mean_ms(Metric::TtftS, 3.0);
        server.0.reported.figures.iter_mut().for_each(|f| f.definition.side = Side::Server);
        assert!(!fires(&server));
    }

    #[test]
    fn a_latency_that_was_put_together_here_contradicts_nothing() {
        let mut made = ten().mean_ms(Metric::E2eLatencyS, 60.0);
        assert!(fires(&made));
        for r in &mut made.0.requests {
            let e2e = r.spans.get(Stretch::ClientE2e).value();
            r.spans.set(Stretch::ClientE2e, Known::derived(e2e, trueline_core::Why::NeedsMore));
        }
        assert!(!fires(&made));
    }
}
