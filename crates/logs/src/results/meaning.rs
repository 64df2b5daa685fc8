//! What a format's figures and totals mean, listed from the tables that its reader uses.

use trueline_core::{Definition, Figure, Metric, Statistic, Total};

use super::format::ResultFormat;
use super::row::{Row, Takes};

/// Which statistics of a quantity stand under a key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Statistics {
    /// None: a run has one value of it.
    None,
    /// This one alone.
    One(Statistic),
    /// Any that the file names.
    Any,
}

/// What a figure of a format means.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FigureMeaning {
    /// The key or label it stands under. `STATISTIC` stands for the name of a statistic, `UNIT` for
    /// a unit that the file states itself.
    pub key: String,
    /// Under which circumstances the key means this, to be read behind "only"; empty where always.
    pub only: &'static str,
    /// The quantity.
    pub metric: Metric,
    /// Its statistics.
    pub statistics: Statistics,
    /// The unit in which the file states it, `as stated` where the file says so itself; empty for a
    /// share of 1.
    pub unit: &'static str,
    /// What the tool means by it.
    pub definition: Definition,
}

impl FigureMeaning {
    /// Our name of it: the metric's, and behind a dot the statistic or `STATISTIC`.
    pub fn name(&self) -> String {
        match self.statistics {
            Statistics::None => self.metric.name().to_owned(),
            Statistics::One(statistic) => format!("{}.{statistic}", self.metric),
            Statistics::Any => format!("{}.STATISTIC", self.metric),
        }
    }

    /// Whether a figure means this.
    pub fn is_of(&self, figure: &Figure) -> bool {
        self.metric == figure.metric && self.definition == figure.definition
    }

    /// Whether two keys mean the same.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (self.metric, self.statistics) == (other.metric, other.statistics)
            && self.definition == other.definition
    }

    /// The same under some circumstances alone.
    pub(crate) fn only(&mut self, only: &'static str) -> &mut Self {
        self.only = only;
        self
    }
}

/// What a total of a format is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TotalMeaning {
    /// The key or label it stands under.
    pub key: String,
    /// Under which circumstances the key means this, to be read behind "only"; empty where always.
    pub only: &'static str,
    /// Which.
    pub total: Total,
}

impl TotalMeaning {
    /// The same under some circumstances alone.
    pub(crate) fn only(&mut self, only: &'static str) {
        self.only = only;
    }
}

/// The meanings of a format while its reader lists them.
#[derive(Debug, Default)]
pub(crate) struct Meanings {
    figures: Vec<FigureMeaning>,
    totals: Vec<TotalMeaning>,
}

/// What a unit is called that the file states itself.
pub(crate) const AS_STATED: &str = "as stated";

impl Meanings {
    /// Lists a table of keys or labels; `under` is the path of the object that they stand in.
    pub(crate) fn rows(&mut self, under: &str, rows: &[Row]) {
        let path =
            |key: &str| if under.is_empty() { key.to_owned() } else { format!("{under}.{key}") };
        for row in rows {
            match row.takes {
                Takes::Run(..) => drop(self.row(path(row.key), row, Statistics::None)),
                Takes::Spread(..) => {
                    // Labels are words, keys are joined.
                    let joint = if row.key.contains(' ') { ' ' } else { '_' };
                    let key = path(&format!("STATISTIC{joint}{}", row.key));
                    self.row(key, row, Statistics::Any);
                }
                Takes::Total(total) => drop(self.total(path(row.key), total)),
                Takes::PlannedRequests => {
                    self.total(path(row.key), Total::PlannedRequests);
                }
                _ => {}
            }
        }
    }

    /// Lists a table whose quantities are objects of statistics.
    pub(crate) fn distributions(&mut self, under: &str, rows: &[Row]) {
        for row in rows.iter().filter(|row| matches!(row.takes, Takes::Run(..))) {
            self.row(format!("{under}{}.STATISTIC", row.key), row, Statistics::Any);
        }
    }

    /// Lists a row's quantity under a key of its own.
    pub(crate) fn row(
        &mut self,
        key: impl Into<String>,
        row: &Row,
        statistics: Statistics,
    ) -> Option<&mut FigureMeaning> {
        let (Takes::Run(metric, meaning) | Takes::Spread(metric, meaning)) = row.takes else {
            return None;
        };
        Some(self.figure(key, (metric, row.unit, meaning), statistics))
    }

    /// Lists a figure; its unit is what one of it is in the unit of the metric.
    pub(crate) fn figure(
        &mut self,
        key: impl Into<String>,
        (metric, unit, definition): (Metric, f64, Definition),
        statistics: Statistics,
    ) -> &mut FigureMeaning {
        let unit = unit_name(metric, unit);
        self.figures.push(FigureMeaning {
            key: key.into(),
            only: "",
            metric,
            statistics,
            unit,
            definition,
        });
        let last = self.figures.len() - 1;
        &mut self.figures[last]
    }

    /// Lists a total.
    pub(crate) fn total(&mut self, key: impl Into<String>, total: Total) -> &mut TotalMeaning {
        self.totals.push(TotalMeaning { key: key.into(), only: "", total });
        let last = self.totals.len() - 1;
        &mut self.totals[last]
    }

    /// Lists totals that a reader takes by code of its own.
    pub(crate) fn totals(&mut self, totals: &[(&str, Total)]) {
        for (key, total) in totals {
            self.total(*key, *total);
        }
    }
}

impl ResultFormat {
    /// What its figures mean, in the order of its tables.
    ///
    /// # Examples
    /// ```
    /// use trueline_logs::RESULT_FORMATS;
    /// let vllm = RESULT_FORMATS.iter().find(|f| f.name == "vllm-bench-json").unwrap();
    /// let figures = vllm.figures();
    /// let ttft = figures.iter().find(|f| f.key == "STATISTIC_ttft_ms").unwrap();
    /// assert_eq!((ttft.name().as_str(), ttft.unit), ("ttft_s.STATISTIC", "ms"));
    /// assert_eq!(ttft.definition.stretch(), "sent to first token, client clock");
    /// ```
    pub fn figures(&self) -> Vec<FigureMeaning> {
        self.listed().figures
    }

    /// What its totals are, in the order of its tables.
    pub fn totals(&self) -> Vec<TotalMeaning> {
        self.listed().totals
    }

    fn listed(&self) -> Meanings {
        let mut meanings = Meanings::default();
        (self.lists)(&mut meanings);
        meanings
    }
}

/// The name of a unit by what one of it is in the metric's own.
fn unit_name(metric: Metric, factor: f64) -> &'static str {
    const SCALED: &[(&str, f64, &str)] = &[
        ("s", 1e-3, "ms"),
        ("s", 1e-6, "us"),
        ("s", 1e-9, "ns"),
        ("tok/s", 1.0 / 60.0, "tok/min"),
        ("requests/s", 1.0 / 60.0, "requests/min"),
        ("", 0.01, "%"),
    ];
    let own = metric.words().0;
    let is = |(of, by, _): &&(&str, f64, &str)| *of == own && (by / factor - 1.0).abs() < 1e-9;
    SCALED.iter().find(is).map_or(own, |(_, _, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::format::RESULT_FORMATS;

    #[test]
    fn units_are_named_by_what_they_are_in_ours() {
        for (metric, factor, name) in [
            (Metric::TtftS, 1e-3, "ms"),
            (Metric::TtftS, 1e-9, "ns"),
            (Metric::TtftS, 1.0, "s"),
            (Metric::RequestPerS, 1.0 / 60.0, "requests/min"),
            (Metric::CacheHitShare, 0.01, "%"),
            (Metric::PromptTokens, 1.0, "tokens"),
        ] {
            assert_eq!(unit_name(metric, factor), name);
        }
    }

    #[test]
    fn no_format_lists_a_meaning_twice() {
        for format in RESULT_FORMATS {
            let figures = format.figures();
            for (i, a) in figures.iter().enumerate() {
                let twice = figures.iter().skip(i + 1).any(|b| a == b);
                assert!(!twice, "{}: {}", format.name, a.key);
            }
            let totals = format.totals();
            for (i, a) in totals.iter().enumerate() {
                assert!(!totals[i + 1..].contains(a), "{}: {}", format.name, a.key);
            }
        }
    }
}
