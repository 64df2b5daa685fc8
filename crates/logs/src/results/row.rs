//! What a reader knows of a format's fields, as data: key, what it holds, its unit, its meaning.

use trueline_core::{Definition, Metric, Share, Statistic, Total};

/// What a field sets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Takes {
    /// A figure of the whole run.
    Run(Metric, Definition),
    /// A figure with a statistic before the key: `mean_` or `Mean `.
    Spread(Metric, Definition),
    /// A total.
    Total(Total),
    /// The wall time that rates are over.
    Duration,
    /// A condition under this key.
    Condition(&'static str),
    /// How many requests were asked for; also a total of that name.
    PlannedRequests,
    /// The cap of requests in flight.
    Concurrency,
    /// Requests a second asked for.
    Rate,
    /// Prompt length asked for.
    PromptLength,
    /// Output length asked for.
    OutputLength,
    /// Something that the reader's own code looks at.
    Elsewhere,
    /// Known, and deliberately not used.
    Unused,
}

/// One field of a format.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Row {
    /// The key in a document, or the label on a console; for a spread without its statistic.
    pub(crate) key: &'static str,
    /// What it sets.
    pub(crate) takes: Takes,
    /// What one unit of it is in the unit of the metric: 1e-3 for milliseconds.
    pub(crate) unit: f64,
    /// Whether every run of the tool and version has it: then its absence is a finding.
    pub(crate) expected: bool,
}

impl Row {
    const fn new(key: &'static str, takes: Takes, unit: f64) -> Self {
        Self { key, takes, unit, expected: false }
    }

    /// A figure that a run has one of.
    pub(crate) const fn run(
        key: &'static str,
        metric: Metric,
        unit: f64,
        meaning: Definition,
    ) -> Self {
        Self::new(key, Takes::Run(metric, meaning), unit)
    }

    /// A figure with statistics.
    pub(crate) const fn spread(
        key: &'static str,
        metric: Metric,
        unit: f64,
        meaning: Definition,
    ) -> Self {
        Self::new(key, Takes::Spread(metric, meaning), unit)
    }

    /// A total.
    pub(crate) const fn total(key: &'static str, total: Total) -> Self {
        Self::new(key, Takes::Total(total), 1.0)
    }

    /// The run's wall time.
    pub(crate) const fn duration(key: &'static str, unit: f64) -> Self {
        Self::new(key, Takes::Duration, unit)
    }

    /// A condition.
    pub(crate) const fn condition(key: &'static str, name: &'static str) -> Self {
        Self::new(key, Takes::Condition(name), 1.0)
    }

    /// Something asked for.
    pub(crate) const fn plan(key: &'static str, takes: Takes) -> Self {
        Self::new(key, takes, 1.0)
    }

    /// A field that the reader's own code looks at.
    pub(crate) const fn elsewhere(key: &'static str) -> Self {
        Self::new(key, Takes::Elsewhere, 1.0)
    }

    /// A field that is known and not used.
    pub(crate) const fn unused(key: &'static str) -> Self {
        Self::new(key, Takes::Unused, 1.0)
    }

    /// Whether a key or label is that of this row, with or without a statistic.
    pub(crate) fn is_under(&self, key: &str) -> bool {
        key == self.key || spread_of(key, std::slice::from_ref(self)).is_some()
    }

    /// The same, written by every run.
    pub(crate) const fn expected(mut self) -> Self {
        self.expected = true;
        self
    }
}

/// A statistic by the names that tools give it; `p99`, `p99_9`, `99.00 percentile` included.
pub(crate) fn statistic(name: &str) -> Option<Statistic> {
    let name = name.trim().to_ascii_lowercase();
    match name.as_str() {
        "mean" | "avg" | "average" => return Some(Statistic::Mean),
        "median" | "mdn" => return Some(Statistic::Median),
        "min" | "minimum" => return Some(Statistic::Min),
        "max" | "maximum" => return Some(Statistic::Max),
        "std" | "stddev" | "std_dev" | "stdev" => return Some(Statistic::Deviation),
        _ => {}
    }
    let percent = name.strip_prefix('p').or_else(|| name.strip_suffix(" percentile"))?;
    let percent: f64 = percent.replace('_', ".").trim().parse().ok()?;
    let share = Share::new(percent / 100.0).ok()?;
    Some(Statistic::Quantile(share))
}

/// The row of a key or label, with the statistic before it where it has one.
pub(crate) fn row_of<'r>(key: &str, rows: &'r [Row]) -> Option<(&'r Row, Option<Statistic>)> {
    let plain = rows.iter().find(|r| r.key == key && !matches!(r.takes, Takes::Spread(..)));
    plain
        .map(|row| (row, None))
        .or_else(|| spread_of(key, rows).map(|(statistic, row)| (row, Some(statistic))))
}

/// A key's statistic and the row of the rest: `mean_ttft_ms`, `Mean TTFT (ms)`.
pub(crate) fn spread_of<'r>(key: &str, rows: &'r [Row]) -> Option<(Statistic, &'r Row)> {
    rows.iter().filter(|row| matches!(row.takes, Takes::Spread(..))).find_map(|row| {
        let before = key.strip_suffix(row.key)?;
        let name = before.strip_suffix('_').or_else(|| before.strip_suffix(' '))?;
        Some((statistic(name)?, row))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_known_by_their_many_names() {
        for (name, expected) in [
            ("Mean", "mean"),
            ("avg", "mean"),
            ("P99", "p99"),
            ("p99_9", "p99.9"),
            ("p99.9", "p99.9"),
            ("99.00 percentile", "p99"),
            ("std_dev", "std"),
            ("Mdn", "median"),
        ] {
            assert_eq!(statistic(name).map(|s| s.to_string()).as_deref(), Some(expected), "{name}");
        }
        for name in ["pp", "p", "peak", "total", "p101", ""] {
            assert_eq!(statistic(name), None, "{name}");
        }
    }
}
