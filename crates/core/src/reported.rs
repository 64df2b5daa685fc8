//! What a tool itself says of a run: figures with their meaning, and totals.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

use crate::{Definition, Known, Metric, Statistic};

/// The tool that wrote a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Tool {
    /// Its name, as its users call it.
    pub name: String,
    /// Its version: as stated, or the range that its fields point to.
    pub version: Known<String>,
}

impl Tool {
    /// A tool of unknown version.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), version: Known::default() }
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.version {
            Known::Is { value, .. } => write!(f, "{} {value}", self.name),
            Known::Not(_) => f.write_str(&self.name),
        }
    }
}

/// Something counted or summed over a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Total {
    /// Requests that were to be sent.
    PlannedRequests,
    /// Requests that were answered.
    CompletedRequests,
    /// Requests that failed.
    FailedRequests,
    /// Requests that were cancelled or still open at the end.
    CancelledRequests,
    /// Prompt tokens of the answered requests.
    PromptTokens,
    /// Cached ones among them.
    CachedTokens,
    /// Generated tokens of the answered requests.
    OutputTokens,
    /// Generated tokens in the reasoning channel.
    ReasoningTokens,
    /// Prompt tokens as the tool's own tokenizer counts them, where the server counted too.
    OwnPromptTokens,
    /// Generated tokens as the tool's own tokenizer counts them, where the server counted too.
    OwnOutputTokens,
    /// Prompt tokens of the data set: known before the first request was sent.
    PlannedPromptTokens,
    /// Output tokens of the data set: known before the first request was sent.
    PlannedOutputTokens,
    /// Requests that the server preempted.
    Preemptions,
    /// Attempts beyond the first.
    Retries,
}

impl Total {
    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PlannedRequests => "planned_requests",
            Self::CompletedRequests => "completed_requests",
            Self::FailedRequests => "failed_requests",
            Self::CancelledRequests => "cancelled_requests",
            Self::PromptTokens => "prompt_tokens_total",
            Self::CachedTokens => "cached_tokens_total",
            Self::OutputTokens => "output_tokens_total",
            Self::ReasoningTokens => "reasoning_tokens_total",
            Self::OwnPromptTokens => "own_prompt_tokens_total",
            Self::OwnOutputTokens => "own_output_tokens_total",
            Self::PlannedPromptTokens => "planned_prompt_tokens_total",
            Self::PlannedOutputTokens => "planned_output_tokens_total",
            Self::Preemptions => "preemptions",
            Self::Retries => "retries",
        }
    }

    /// Whether the plan alone sets it: it says nothing of how a run went.
    pub const fn is_planned(self) -> bool {
        matches!(
            self,
            Self::PlannedRequests | Self::PlannedPromptTokens | Self::PlannedOutputTokens
        )
    }
}

/// A total as a tool states it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TotalFigure {
    /// Which.
    pub total: Total,
    /// What it says.
    pub value: Known<u64>,
    /// The key or label it stands under.
    pub source: String,
}

/// A figure as a tool states it.
///
/// # Units
/// Those of the metric's name: seconds, tokens per second, shares of 1.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Figure {
    /// The quantity.
    pub metric: Metric,
    /// What was done with the samples; `None` for what a run has one of.
    pub statistic: Option<Statistic>,
    /// What it says.
    pub value: Known<f64>,
    /// The smallest step in which it is written; 0 where it is written in full.
    pub step: f64,
    /// What the tool means by it.
    pub definition: Definition,
    /// The key or label it stands under.
    pub source: String,
}

impl Figure {
    /// A figure written in full.
    pub fn new(
        metric: Metric,
        statistic: Option<Statistic>,
        value: Known<f64>,
        definition: Definition,
        source: impl Into<String>,
    ) -> Self {
        Self { metric, statistic, value, step: 0.0, definition, source: source.into() }
    }

    /// The same, written in steps.
    #[must_use]
    pub fn in_steps_of(mut self, step: f64) -> Self {
        self.step = step;
        self
    }

    /// Its name: the metric's, and the statistic behind a dot.
    pub fn name(&self) -> String {
        match self.statistic {
            Some(statistic) => format!("{}.{statistic}", self.metric),
            None => self.metric.name().to_owned(),
        }
    }
}

/// What a tool itself says of a run.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Reported {
    /// Which tool.
    pub tool: Option<Tool>,
    /// The wall time that its rates are over.
    pub duration: Known<Duration>,
    /// The smallest step in which the duration is written, in seconds; 0 where in full.
    pub duration_step_s: f64,
    /// Its figures, as they stand in the source.
    pub figures: Vec<Figure>,
    /// Its totals, as they stand in the source.
    pub totals: Vec<TotalFigure>,
}

impl Reported {
    /// Whether the tool says nothing.
    pub fn is_empty(&self) -> bool {
        self.figures.is_empty() && self.totals.is_empty() && self.duration.value().is_none()
    }

    /// Whether it states results: figures of the server, or what they are made of. A client that only says
    /// how late it was itself, and how often it sent again, states none.
    pub fn states_results(&self) -> bool {
        self.figures.iter().any(|figure| figure.metric != Metric::SendDelayS)
            || self.totals.iter().any(|total| total.total != Total::Retries)
            || self.duration.is_known()
    }

    /// Records a total.
    pub fn set_total(&mut self, total: Total, value: Known<u64>, source: impl Into<String>) {
        self.totals.push(TotalFigure { total, value, source: source.into() });
    }

    /// The first known figure of a metric and statistic. A median and a 0.5 quantile are the same.
    pub fn figure(&self, metric: Metric, statistic: Option<Statistic>) -> Option<&Figure> {
        let is_median = |s: Option<Statistic>| s.is_some_and(Statistic::is_median);
        let same = |a, b| a == b || (is_median(a) && is_median(b));
        self.figures
            .iter()
            .find(|f| f.metric == metric && same(f.statistic, statistic) && f.value.is_known())
    }

    /// The value of that figure.
    pub fn value(&self, metric: Metric, statistic: Option<Statistic>) -> Option<f64> {
        self.figure(metric, statistic)?.value.value()
    }

    /// The known figures of a metric.
    pub fn figures_of(&self, metric: Metric) -> impl Iterator<Item = &Figure> {
        self.figures.iter().filter(move |f| f.metric == metric && f.value.is_known())
    }

    /// The first known value of a total.
    pub fn total(&self, total: Total) -> Option<u64> {
        self.totals.iter().filter(|t| t.total == total).find_map(|t| t.value.value())
    }

    /// The requests that did not end well, as the tool counts them: those that failed, and the
    /// cancelled ones where it tells them apart. `None` where it counts no failures.
    pub fn failures(&self) -> Option<u64> {
        let failed = self.total(Total::FailedRequests)?;
        // A tool that has no cancelled requests has no count of them.
        failed.checked_add(self.total(Total::CancelledRequests).unwrap_or(0))
    }
}
