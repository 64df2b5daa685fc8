//! What a claim uses and what a finding is about.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{BenchRun, Bucket, Cell, HitBand, Metric};

/// A load level.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "LoadText", into = "String")]
pub enum Load {
    /// Requests kept in flight.
    Concurrency(u32),
    /// Requests started per second.
    Rate(f64),
}

/// A load as written: a whole number is a concurrency.
#[derive(Deserialize)]
#[serde(untagged)]
enum LoadText {
    Whole(u32),
    Text(String),
}

/// A load that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a load such as \"concurrency 8\" or \"rate 4\", found {0:?}")]
pub struct LoadError(String);

impl TryFrom<LoadText> for Load {
    type Error = LoadError;

    fn try_from(text: LoadText) -> Result<Self, LoadError> {
        match text {
            LoadText::Whole(n) => Ok(Self::Concurrency(n)),
            LoadText::Text(text) => text.parse(),
        }
    }
}

impl FromStr for Load {
    type Err = LoadError;

    fn from_str(text: &str) -> Result<Self, LoadError> {
        let bad = || LoadError(text.to_owned());
        let mut words = text.split_whitespace();
        let load = match (words.next(), words.next()) {
            (Some("concurrency"), Some(n)) => n.parse().map(Self::Concurrency).map_err(|_| bad()),
            (Some("rate"), Some(r)) => r
                .parse()
                .ok()
                .filter(|r: &f64| r.is_finite() && *r > 0.0)
                .map(Self::Rate)
                .ok_or_else(bad),
            _ => Err(bad()),
        };
        if words.next().is_some() { Err(bad()) } else { load }
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Concurrency(n) => write!(f, "concurrency {n}"),
            Self::Rate(r) => write!(f, "rate {r}"),
        }
    }
}

impl From<Load> for String {
    fn from(load: Load) -> Self {
        load.to_string()
    }
}

/// A part of the requests by prompt length and, where it matters, hit share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CellScope {
    /// Prompt lengths.
    pub bucket: Bucket,
    /// Hit shares; all of them where absent.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub hit: Option<HitBand>,
}

impl CellScope {
    fn overlaps(&self, other: &Self) -> bool {
        self.bucket.overlaps(&other.bucket)
            && match (self.hit, other.hit) {
                (Some(a), Some(b)) => a.low < b.high && b.low < a.high,
                _ => true,
            }
    }
}

impl From<Cell> for CellScope {
    fn from(cell: Cell) -> Self {
        Self { bucket: cell.bucket, hit: Some(cell.hit) }
    }
}

impl From<Bucket> for CellScope {
    fn from(bucket: Bucket) -> Self {
        Self { bucket, hit: None }
    }
}

impl fmt::Display for CellScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.hit {
            Some(hit) => write!(f, "{}, {hit}", self.bucket),
            None => write!(f, "{}", self.bucket),
        }
    }
}

/// Which part of the data something concerns. An absent part means all of it.
///
/// # Examples
/// ```
/// use trueline_core::{Load, Metric, Scope};
/// let bad_level = Scope::default().with_load(Load::Concurrency(64));
/// let claim = Scope::default().with_load(Load::Concurrency(1)).with_metric(Metric::TpotS);
/// assert!(!bad_level.overlaps(&claim));
/// assert!(Scope::default().overlaps(&claim));
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Scope {
    /// A run, by label.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub run: Option<String>,
    /// A metric.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub metric: Option<Metric>,
    /// A load level.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub load: Option<Load>,
    /// A part of the requests.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cell: Option<CellScope>,
    /// A field of the source that states the value; a value derived here is never in its scope.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub field: Option<String>,
    /// One claim by its id, for a finding about the claim itself.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub claim: Option<String>,
}

impl Scope {
    /// The same with a run.
    #[must_use]
    pub fn with_run(mut self, run: impl Into<String>) -> Self {
        self.run = Some(run.into());
        self
    }

    /// The same with a metric.
    #[must_use]
    pub fn with_metric(mut self, metric: Metric) -> Self {
        self.metric = Some(metric);
        self
    }

    /// The same with a load level.
    #[must_use]
    pub fn with_load(mut self, load: Load) -> Self {
        self.load = Some(load);
        self
    }

    /// The same with a part of the requests.
    #[must_use]
    pub fn with_cell(mut self, cell: impl Into<CellScope>) -> Self {
        self.cell = Some(cell.into());
        self
    }

    /// The same with a stated field.
    #[must_use]
    pub fn with_field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// What a run is about: its arm, at the load that it was asked for.
    pub fn of_run(run: &BenchRun) -> Self {
        Self { run: Some(run.arm().to_owned()), load: run.plan.load, ..Self::default() }
    }

    /// The scope of one claim.
    pub fn of_claim(id: impl Into<String>) -> Self {
        Self { claim: Some(id.into()), ..Self::default() }
    }

    /// Whether a finding about `self` can concern what `used` names.
    ///
    /// Run, metric, load and cell overlap where either side leaves them open. A stated field and a
    /// claim are stricter: a finding about one concerns only what names the same one.
    pub fn overlaps(&self, used: &Self) -> bool {
        fn open<T>(a: Option<&T>, b: Option<&T>, same: impl Fn(&T, &T) -> bool) -> bool {
            a.zip(b).is_none_or(|(a, b)| same(a, b))
        }
        open(self.run.as_ref(), used.run.as_ref(), |a, b| a == b)
            && open(self.metric.as_ref(), used.metric.as_ref(), |a, b| a == b)
            && open(self.load.as_ref(), used.load.as_ref(), |a, b| a == b)
            && open(self.cell.as_ref(), used.cell.as_ref(), CellScope::overlaps)
            && (self.field.is_none() || self.field == used.field)
            && (self.claim.is_none() || self.claim == used.claim)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_on_a_stated_field_leaves_derived_values_alone() {
        let finding = Scope::default().with_field("prefill_tok_s");
        assert!(!finding.overlaps(&Scope::default().with_metric(Metric::PrefillTokPerS)));
        assert!(finding.overlaps(&Scope::default().with_field("prefill_tok_s")));
        assert!(!Scope::of_claim("a").overlaps(&Scope::of_claim("b")));
        assert!(!Scope::of_claim("a").overlaps(&Scope::default()));
    }

    #[test]
    fn a_bad_level_or_cell_does_not_condemn_the_others() {
        let bucket = |low, high| CellScope::from(Bucket { low, high });
        let a = Scope::default().with_cell(bucket(0, Some(1_000)));
        assert!(!a.overlaps(&Scope::default().with_cell(bucket(1_000, None))));
        assert!(a.overlaps(&Scope::default().with_cell(bucket(500, None))));
        let metric = Scope::default().with_metric(Metric::TtftS);
        assert!(!metric.overlaps(&Scope::default().with_metric(Metric::ItlS)));
    }

    #[test]
    fn loads_are_read_as_written() {
        assert_eq!("concurrency 8".parse(), Ok(Load::Concurrency(8)));
        assert_eq!(serde_json::from_str::<Load>("8").unwrap(), Load::Concurrency(8));
        assert_eq!("rate 0.5".parse(), Ok(Load::Rate(0.5)));
        for bad in ["8", "rate -1", "rate inf", "concurrency 8 9", "users 3"] {
            assert!(bad.parse::<Load>().is_err(), "{bad}");
        }
    }
}
