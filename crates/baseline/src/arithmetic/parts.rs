//! The parts of an end-to-end latency, as means of a run.

use trueline_core::{BenchRun, Each, FirstToken, Metric, Share, Statistic, Total};

use super::pair::Pair;
use super::stated::{Stated, mean, mean_output, spread};
use crate::stats::real;

/// The means that the identity joins, in seconds, and the output tokens after the first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts {
    pub(super) e2e: Stated,
    pub(super) ttft: Stated,
    pub(super) tpot: Stated,
    pub(super) after_first: f64,
}

impl Parts {
    /// The means of a run where they are of one clock and begin at one mark. Of the server's and
    /// the tool's counts of tokens the one that fits best is taken: any may be behind TPOT.
    pub(super) fn of(run: &BenchRun) -> Option<Self> {
        let e2e = mean(run, Metric::E2eLatencyS).filter(|f| f.meaning.each == Each::Request)?;
        let ttft = mean(run, Metric::TtftS)?;
        let tpot = spread(run, Metric::TpotS, Statistic::Mean)?;
        let one_way = (e2e.meaning.from, e2e.meaning.side)
            == (ttft.meaning.from, ttft.meaning.side)
            && tpot.meaning.side == e2e.meaning.side;
        let without_first =
            !matches!(tpot.meaning.first_token, FirstToken::In | FirstToken::Unknown);
        if !one_way || !without_first {
            return None;
        }
        let own = run.reported.total(Total::OwnOutputTokens).zip(run.completed());
        let own = own.filter(|(_, n)| *n > 0).map(|(tokens, n)| real(tokens) / real(n));
        let figures = run.reported.figures_of(Metric::OutputTokens);
        let figures = figures.filter(|f| f.statistic == Some(Statistic::Mean));
        let figures = figures.filter_map(|f| f.value.value());
        [mean_output(run), own]
            .into_iter()
            .flatten()
            .chain(figures)
            .filter(|tokens| *tokens >= 2.0)
            .map(|tokens| Self { e2e, ttft, tpot, after_first: tokens - 1.0 })
            .min_by(|a, b| a.off().total_cmp(&b.off()))
    }

    /// How far the end-to-end latency is from its parts, as a share of it.
    pub(super) fn off(&self) -> f64 {
        (self.predicted() - self.e2e.value).abs() / self.e2e.value
    }

    pub(super) fn decode(&self) -> f64 {
        self.e2e.value - self.ttft.value
    }

    pub(super) fn derived_tpot(&self) -> f64 {
        self.decode() / self.after_first
    }

    pub(super) fn predicted(&self) -> f64 {
        self.ttft.value + self.tpot.value * self.after_first
    }

    /// The share of the end-to-end latency that printed digits may move.
    pub(super) fn slack(&self) -> f64 {
        let steps = self.e2e.step + self.ttft.step + self.tpot.step * self.after_first;
        steps / self.e2e.value
    }
}

/// TTFT and TPOT beside what the other means leave for them.
pub(super) fn latency_pairs(run: &BenchRun) -> Vec<Pair> {
    let Some(parts) = Parts::of(run) else { return Vec::new() };
    let pair = |metric: Metric, stated, derived| Pair {
        metric,
        what: format!("mean {metric} beside the rest of the mean end-to-end latency"),
        stated,
        derived,
        slack: parts.slack(),
    };
    vec![
        pair(Metric::TpotS, parts.tpot.value, parts.derived_tpot()),
        pair(
            Metric::TtftS,
            parts.ttft.value,
            parts.e2e.value - parts.tpot.value * parts.after_first,
        ),
        pair(Metric::E2eLatencyS, parts.e2e.value, parts.predicted()),
    ]
}

/// The most that TPOT and length varying together can move the product of their means, as a share
/// of the end-to-end latency; 0 where the spread of TPOT is not known.
pub(super) fn covariance(run: &BenchRun, parts: &Parts) -> f64 {
    let share = |metric| {
        let of = |statistic| spread(run, metric, statistic).map(|f| f.value);
        let range = of(Statistic::Max).zip(of(Statistic::Min)).map(|(max, min)| (max - min) / 2.0);
        let tail = Share::new(0.99).ok().and_then(|q| of(Statistic::Quantile(q)));
        let upper = tail.zip(of(Statistic::Median)).map(|(tail, median)| tail - median);
        Some(of(Statistic::Deviation).or(range).or(upper)? / of(Statistic::Mean)?)
    };
    // Lengths of unknown spread are taken to spread as an exponential does.
    let lengths = share(Metric::OutputTokens).unwrap_or(1.0);
    let decode = parts.tpot.value * parts.after_first;
    share(Metric::TpotS).unwrap_or(0.0) * lengths * decode / parts.e2e.value
}
