//! What is known of a metric of AIPerf or genai-perf: its key, its printed name, what it sets.

use trueline_core::{Definition, Metric, Total};

use crate::results::row::Takes;

/// Whose count of tokens a metric holds: where a run has both, the server's are the run's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::results::formats) enum Counts {
    /// It counts nothing, or there is no other count.
    Alone,
    /// Prompt tokens as the tool counts them.
    OwnPrompt,
    /// Output tokens as the tool counts them.
    OwnOutput,
    /// Prompt tokens as the server counts them.
    ServerPrompt,
    /// Output tokens as the server counts them.
    ServerOutput,
}

/// One metric of the tool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::results::formats) struct Field {
    /// Its key in JSON.
    pub(in crate::results::formats) tag: &'static str,
    /// Its name in CSV and on the console, without the unit.
    pub(in crate::results::formats) name: &'static str,
    /// What it sets.
    pub(in crate::results::formats) takes: Takes,
    /// Whose count it is.
    pub(in crate::results::formats) counts: Counts,
    /// What its largest value sets, where that is a quantity of its own.
    pub(in crate::results::formats) largest: Option<(Metric, Definition)>,
}

impl Field {
    const fn new(tag: &'static str, name: &'static str, takes: Takes) -> Self {
        Self { tag, name, takes, counts: Counts::Alone, largest: None }
    }

    /// A metric with statistics.
    pub(in crate::results::formats) const fn spread(
        tag: &'static str,
        name: &'static str,
        metric: Metric,
        meaning: Definition,
    ) -> Self {
        Self::new(tag, name, Takes::Spread(metric, meaning))
    }

    /// A metric that a run has one of.
    pub(in crate::results::formats) const fn run(
        tag: &'static str,
        name: &'static str,
        metric: Metric,
        meaning: Definition,
    ) -> Self {
        Self::new(tag, name, Takes::Run(metric, meaning))
    }

    /// A total.
    pub(in crate::results::formats) const fn total(
        tag: &'static str,
        name: &'static str,
        total: Total,
    ) -> Self {
        Self::new(tag, name, Takes::Total(total))
    }

    /// A metric that the reader's own code looks at.
    pub(in crate::results::formats) const fn elsewhere(
        tag: &'static str,
        name: &'static str,
    ) -> Self {
        Self::new(tag, name, Takes::Elsewhere)
    }

    /// A metric that is known and not used.
    pub(in crate::results::formats) const fn unused(tag: &'static str, name: &'static str) -> Self {
        Self::new(tag, name, Takes::Unused)
    }

    /// The same, as somebody's count of tokens.
    pub(super) const fn by(mut self, counts: Counts) -> Self {
        self.counts = counts;
        self
    }

    /// The same with a meaning for its largest value.
    pub(super) const fn with_largest(mut self, metric: Metric, meaning: Definition) -> Self {
        self.largest = Some((metric, meaning));
        self
    }
}
