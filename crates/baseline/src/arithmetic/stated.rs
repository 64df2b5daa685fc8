//! The figures, totals and rows of one run that an identity may use.

use std::time::Duration;

use trueline_core::{
    BenchRun, Definition, Each, Figure, Finding, Load, Mark, Metric, Outcome, RequestRecord,
    Statistic, Stretch, Total,
};

use crate::samples::metric_values;
use crate::stats::{self, real};

/// A figure in use: its value, the step it is written in and what it means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stated {
    pub(super) value: f64,
    pub(super) step: f64,
    pub(super) meaning: Definition,
}

impl Stated {
    fn of(figure: &Figure) -> Option<Self> {
        let value = figure.value.value().filter(|x| x.is_finite() && *x > 0.0)?;
        Some(Self { value, step: figure.step, meaning: figure.definition })
    }

    /// The step as a share of the value.
    pub(super) fn slack(&self) -> f64 {
        self.step / self.value
    }
}

/// A statistic over requests or gaps, above zero: a latency of zero stands for none.
pub(super) fn spread(run: &BenchRun, metric: Metric, statistic: Statistic) -> Option<Stated> {
    let figure = run.reported.figure(metric, Some(statistic))?;
    let fits = matches!(figure.definition.each, Each::Request | Each::Chunk | Each::Token);
    fits.then(|| Stated::of(figure))?
}

/// The mean of a metric: as stated, else of the requests where each of them has one. A stated mean
/// that is not that of the requests beside it gives way to theirs.
pub(super) fn mean(run: &BenchRun, metric: Metric) -> Option<Stated> {
    let to = if metric == Metric::TtftS { Mark::FirstToken } else { Mark::LastToken };
    let of_rows = || {
        let rows: Vec<&RequestRecord> = run.measured().collect();
        let values = metric_values(&rows, metric).filter(|v| v.len() == rows.len())?;
        let value = stats::mean(&values)?;
        (value > 0.0).then(|| Stated {
            value,
            step: 0.0,
            meaning: Definition::new(Mark::Sent, to, run.side),
        })
    };
    let Some(stated) = spread(run, metric, Statistic::Mean) else { return of_rows() };
    let another = |rows: &Stated| {
        all_recorded(run)
            && rows.meaning.to == stated.meaning.to
            && (rows.value / stated.value - 1.0).abs() > 0.01
    };
    Some(of_rows().filter(another).unwrap_or(stated))
}

/// The time per token after the first that the means of end-to-end latency and TTFT leave, with the
/// server's count of tokens before the tool's own.
pub(super) fn decode_per_token(run: &BenchRun) -> Option<f64> {
    let (e2e, ttft) = (mean(run, Metric::E2eLatencyS)?, mean(run, Metric::TtftS)?);
    let one_way = (e2e.meaning.from, e2e.meaning.side) == (ttft.meaning.from, ttft.meaning.side);
    let (decode, after_first) = (e2e.value - ttft.value, mean_output(run)? - 1.0);
    (one_way && decode > 0.0 && after_first >= 1.0).then(|| decode / after_first)
}

/// A figure that a run has one of; a mean over slices of the run is none.
pub(super) fn of_run(run: &BenchRun, metric: Metric) -> Option<Stated> {
    run.reported
        .figures_of(metric)
        .filter(|f| f.definition.each == Each::Run)
        .filter(|f| matches!(f.statistic, None | Some(Statistic::Mean)))
        .find_map(Stated::of)
}

/// The duration that the tool states, in seconds, and the share of it that its last digit is.
pub(super) fn duration(run: &BenchRun) -> Option<(f64, f64)> {
    let seconds = run.reported.duration.value()?.as_secs_f64();
    (seconds > 0.0).then(|| (seconds, run.reported.duration_step_s / seconds))
}

/// Mean output tokens of a reply: from the totals, else as a figure.
pub(super) fn mean_output(run: &BenchRun) -> Option<f64> {
    mean_of(run, Total::OutputTokens, Metric::OutputTokens)
}

/// Mean tokens of a request: from the totals, else as a figure.
pub(super) fn mean_of(run: &BenchRun, total: Total, metric: Metric) -> Option<f64> {
    let from_totals = run
        .tokens(total)
        .zip(run.completed())
        .filter(|(tokens, n)| *tokens > 0 && *n > 0)
        .map(|(tokens, n)| real(tokens) / real(n));
    from_totals.or_else(|| Some(spread(run, metric, Statistic::Mean)?.value))
}

/// Whether all replies are known to be of one length.
pub(super) fn equal_lengths(run: &BenchRun) -> bool {
    let rows: Option<Vec<u64>> =
        run.measured().map(|r| r.tokens.output.value().map(trueline_core::Tokens::get)).collect();
    if let Some((first, rest)) = rows.as_deref().and_then(<[u64]>::split_first) {
        return rest.iter().all(|n| n == first);
    }
    let figure = |statistic| run.reported.value(Metric::OutputTokens, Some(statistic));
    if let (Some(min), Some(max)) = (figure(Statistic::Min), figure(Statistic::Max)) {
        return (max - min).abs() < 0.5;
    }
    // No reply is longer than asked for: where the sum is the product, all are that long.
    let asked = run.plan.output_tokens.zip(run.completed());
    asked.is_some_and(|(each, n)| {
        run.tokens(Total::OutputTokens) == each.get().checked_mul(n) && n > 0
    })
}

/// The most requests allowed in flight.
pub(super) fn cap(run: &BenchRun) -> Option<f64> {
    let held = match run.plan.load {
        Some(Load::Concurrency(n)) => Some(n),
        _ => None,
    };
    run.plan.max_concurrency.or(held).filter(|n| *n > 0).map(f64::from)
}

/// Requests that failed or were cancelled; `None` where nobody counted.
pub(super) fn failures(run: &BenchRun) -> Option<u64> {
    let stated = run.reported.failures();
    let rows = run.failures().filter(|_| !run.requests.is_empty()).map(|n| n as u64);
    let planned = run.plan.requests.or_else(|| run.reported.total(Total::PlannedRequests));
    let short = planned.zip(run.completed()).map(|(planned, done)| planned.saturating_sub(done));
    [stated, rows, short].into_iter().flatten().max()
}

/// One streamed reply: seconds and tokens, all from one observer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Reply<'a> {
    pub(super) ttft: f64,
    pub(super) e2e: f64,
    pub(super) tokens: f64,
    pub(super) gaps: &'a [Duration],
}

/// The replies whose TTFT, end-to-end latency and output tokens are known and in order.
pub(super) fn replies(run: &BenchRun) -> Vec<Reply<'_>> {
    let pairs =
        [(Stretch::ClientTtft, Stretch::ClientE2e), (Stretch::ServerTtft, Stretch::ServerE2e)];
    run.measured()
        .filter_map(|r| {
            let tokens = r.tokens.output.value()?.as_f64();
            pairs.iter().find_map(|(ttft, e2e)| {
                let ttft = r.spans.get(*ttft).value()?.as_secs_f64();
                let e2e = r.spans.get(*e2e).value()?.as_secs_f64();
                (ttft > 0.0 && e2e >= ttft).then_some(Reply { ttft, e2e, tokens, gaps: &r.gaps })
            })
        })
        .collect()
}

/// Whether every answered request is recorded: some tools keep a sample of them.
pub(super) fn all_recorded(run: &BenchRun) -> bool {
    let rows = run.measured().count() as u64;
    let answered = run.requests.iter().filter(|r| !r.warmup && r.outcome == Outcome::Ok).count();
    let stated = run.reported.total(Total::CompletedRequests);
    rows > 0 && stated.is_none_or(|n| n == rows || n == answered as u64)
}

/// A finding about each of some metrics: what it says of how latencies are split concerns whoever
/// quotes one of them.
pub(super) fn about_each(metrics: &[Metric], finding: &Finding) -> Vec<Finding> {
    metrics
        .iter()
        .map(|metric| {
            let mut finding = finding.clone();
            finding.about.metric = Some(*metric);
            finding
        })
        .collect()
}
