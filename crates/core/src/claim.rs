//! Something a person wants to say.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{CellScope, Change, Conditions, Link, Load, Metric, Scope, Selection, Statistic};

/// What sort of statement a claim makes. It decides which evidence the claim requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimKind {
    /// “This box does X.”
    Absolute,
    /// “A is 1.3x B.”
    Relative,
    /// “A, then B, then C.”
    Ranking,
    /// “It scales like this with load.”
    Trend,
    /// “It can do at most X.”
    Capacity,
    /// “The p99 is X.”
    Tail,
    /// “Prefill takes this, decode that.”
    Breakdown,
    /// “Users will see X.”
    Production,
}

impl ClaimKind {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Absolute,
        Self::Relative,
        Self::Ranking,
        Self::Trend,
        Self::Capacity,
        Self::Tail,
        Self::Breakdown,
        Self::Production,
    ];

    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Absolute => "absolute",
            Self::Relative => "relative",
            Self::Ranking => "ranking",
            Self::Trend => "trend",
            Self::Capacity => "capacity",
            Self::Tail => "tail",
            Self::Breakdown => "breakdown",
            Self::Production => "production",
        }
    }
}

impl fmt::Display for ClaimKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A cause that a loss is blamed on, with the most that it can explain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cause {
    /// What it is.
    pub what: String,
    /// The largest factor it can account for.
    pub at_most: f64,
}

/// A quantity with its number.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Quantity {
    /// Which.
    pub metric: Metric,
    /// What was done with the samples, if that is said.
    pub statistic: Option<Statistic>,
    /// The number, in the metric's unit.
    pub value: f64,
}

impl Quantity {
    /// A quantity with its number, in the metric's unit.
    pub const fn new(metric: Metric, statistic: Option<Statistic>, value: f64) -> Self {
        Self { metric, statistic, value }
    }
}

/// Something a person wants to say.
///
/// # Units
/// Values are in the unit of `metric` (a claim read in `_ms` or `_us` has been converted). For a
/// relative claim `value` is candidate over baseline.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Claim {
    /// Unique among the claims judged together.
    pub id: String,
    /// What sort of statement.
    pub kind: ClaimKind,
    /// The statement in words.
    pub text: String,
    /// The quantity, if it is about one.
    pub metric: Option<Metric>,
    /// What was done with the samples; `None` where the claim does not say.
    pub statistic: Option<Statistic>,
    /// The number.
    pub value: Option<f64>,
    /// The two quantities that it says agree, for a claim of that form.
    pub aligned: Option<(Quantity, Quantity)>,
    /// The samples behind it, where the claim states them itself.
    pub samples: Vec<f64>,
    /// The interval that the claim states.
    pub interval: Option<(f64, f64)>,
    /// The field of a log or result that the number is read from, if it is quoted, not derived.
    pub field: Option<String>,
    /// The run it is about; for a relative claim the candidate.
    pub of: Option<String>,
    /// What a ratio is over.
    pub baseline: Option<String>,
    /// What the reader runs.
    pub incumbent: Option<String>,
    /// Ratios that were multiplied to get the number.
    pub chain: Vec<Link>,
    /// What a loss is blamed on.
    pub explained_by: Vec<Cause>,
    /// What a change is said to have touched and removed.
    pub change: Change,
    /// How often the result was looked at, and out of how many it was picked.
    pub selection: Selection,
    /// Whether both arms are one thing, measured twice: a difference is the harness's.
    pub same: bool,
    /// The load level.
    pub load: Option<Load>,
    /// The part of the requests it speaks of; all of them where absent.
    pub cell: Option<CellScope>,
    /// Conditions that the claim itself records.
    pub conditions: Conditions,
    /// What a comparison varied on purpose: conditions or workload that need not be equal.
    pub varies: Vec<String>,
    /// Claims that it falls with: their ids.
    pub rests_on: Vec<String>,
    /// Keys that were read and that no check of this version judges.
    pub unjudged: Vec<String>,
}

impl Claim {
    /// The name under which findings and claims speak of the server's log as a whole.
    pub const THE_LOG: &str = "(the log)";

    /// What a claim is about that names no run: no finding about a run concerns it.
    pub const NO_RUN: &str = "(no run named)";

    /// A claim of a kind in words, with nothing else known.
    pub fn new(id: impl Into<String>, kind: ClaimKind, text: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            kind,
            text: text.into(),
            metric: None,
            statistic: None,
            value: None,
            aligned: None,
            samples: Vec::new(),
            interval: None,
            field: None,
            of: None,
            baseline: None,
            incumbent: None,
            chain: Vec::new(),
            explained_by: Vec::new(),
            change: Change::default(),
            selection: Selection::default(),
            same: false,
            load: None,
            cell: None,
            conditions: Conditions::default(),
            varies: Vec::new(),
            rests_on: Vec::new(),
            unjudged: Vec::new(),
        }
    }

    /// The parts of the data that the claim uses: one scope, one for each arm of a ratio, and the
    /// log for a claim about production. Empty for a conclusion that rests on other claims and
    /// names no data of its own.
    pub fn uses(&self) -> Vec<Scope> {
        if self.of.is_none() && self.baseline.is_none() && !self.rests_on.is_empty() {
            return Vec::new();
        }
        let base = Scope {
            run: Some(self.of.clone().unwrap_or_else(|| Self::NO_RUN.to_owned())),
            metric: self.metric,
            load: self.load,
            cell: self.cell,
            field: self.field.clone(),
            claim: Some(self.id.clone()),
        };
        let with_run = |run: &str| Scope { run: Some(run.to_owned()), ..base.clone() };
        let mut uses = vec![base.clone()];
        uses.extend(self.baseline.as_deref().map(with_run));
        if self.kind == ClaimKind::Production {
            uses.push(with_run(Self::THE_LOG));
        }
        uses
    }

    /// Whether something about a part of the data concerns this claim.
    pub fn is_concerned_by(&self, about: &Scope) -> bool {
        let itself = about.claim.as_deref() == Some(self.id.as_str());
        itself || self.uses().iter().any(|used| about.overlaps(used))
    }
}
