//! An experiment as stages, and a stage as requests.

use trueline_core::Load;

use super::replay::Rows;
use super::rounds::Rounds;
use crate::{Asking, Ruler};

/// What a stage is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Purpose {
    /// To warm up server and client, and to learn how the server counts words.
    WarmUp,
    /// To put prefixes into the server's cache.
    Priming,
    /// To be measured.
    Measured,
}

/// What must hold between the end of the stage before and the beginning of this one.
///
/// A stage begins when every request of the one before has ended; that always holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Between {
    /// Nothing more: this stage wants what the one before left in the cache.
    Nothing,
    /// No prompt of this stage begins as one before it does. The texts see to it.
    #[default]
    Disjoint,
    /// The server's cache is emptied by whoever drives the stages; the texts are disjoint all the same.
    Flush,
}

/// Which of two endpoints a stage is sent to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Arm {
    /// The one that was named first.
    First,
    /// The other one.
    Second,
}

impl Arm {
    /// As a part is named: `first` or `second`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Second => "second",
        }
    }
}

/// A part of an experiment that is sent as one.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Stage {
    /// What it is called: `warm-up`, `cold`, `concurrency 8`.
    pub label: String,
    /// What it is for.
    pub purpose: Purpose,
    /// What must hold before it begins.
    pub before: Between,
    /// The load that it is sent under; `None` where the experiment does not say.
    pub load: Option<Load>,
    /// Which of two endpoints it is sent to; `None` where there is only one.
    pub arm: Option<Arm>,
    /// How many requests it takes at least to tell anything; `None` where that is not known.
    pub least: Option<u64>,
    pub(super) content: Content,
}

/// Where a stage's requests come from.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Content {
    Rounds(Rounds),
    Rows(Rows),
}

impl Stage {
    pub(super) fn new(label: impl Into<String>, purpose: Purpose, content: Content) -> Self {
        Self {
            label: label.into(),
            purpose,
            before: Between::default(),
            load: None,
            arm: None,
            least: None,
            content,
        }
    }

    /// How many requests it has; `None` for as many as are asked for.
    pub fn requests(&self) -> Option<u64> {
        match &self.content {
            Content::Rounds(rounds) => rounds.requests(),
            Content::Rows(rows) => Some(rows.count()),
        }
    }

    /// Whether its requests are of several parts, which share its number of requests and its load.
    pub fn has_parts(&self) -> bool {
        match &self.content {
            Content::Rounds(rounds) => rounds.has_parts(),
            Content::Rows(_) => false,
        }
    }

    /// Its requests, the first of which has this number in the run. Their texts are made one by one, when
    /// they are asked for.
    ///
    /// # Shape
    /// The same stage, ruler and number give the same requests. Stages that share prefixes share them only
    /// where the ruler is the same: it is learnt from the warm-up and stays from then on.
    pub fn askings(&self, ruler: &Ruler, first_number: u64) -> Askings {
        Askings { content: self.content.clone(), ruler: *ruler, first_number, at: 0 }
    }
}

/// The requests of a stage, made one by one.
#[derive(Debug, Clone)]
pub struct Askings {
    content: Content,
    ruler: Ruler,
    first_number: u64,
    at: u64,
}

impl Iterator for Askings {
    type Item = Asking;

    fn next(&mut self) -> Option<Asking> {
        let number = self.first_number.saturating_add(self.at);
        let asking = match &self.content {
            Content::Rounds(rounds) => rounds.asking(self.at, number, &self.ruler),
            Content::Rows(rows) => rows.asking(self.at, number, &self.ruler),
        }?;
        self.at += 1;
        Some(asking)
    }

    /// Skips without making the texts of those skipped.
    fn nth(&mut self, n: usize) -> Option<Asking> {
        self.at = self.at.saturating_add(n as u64);
        self.next()
    }
}

/// Stages in the order in which they are sent.
///
/// # Shape
/// At least one is measured. Only the last one, or all levels of a sweep, may be endless.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Experiment {
    /// What it is called.
    pub name: String,
    /// Its stages.
    pub stages: Vec<Stage>,
    /// Whether every measured prompt is meant to miss the prefix cache.
    pub cold: bool,
}

impl Experiment {
    pub(super) fn new(name: impl Into<String>, stages: Vec<Stage>, cold: bool) -> Self {
        Self { name: name.into(), stages, cold }
    }

    /// The stages that are measured, in order.
    pub fn measured(&self) -> impl Iterator<Item = &Stage> {
        self.stages.iter().filter(|stage| stage.purpose == Purpose::Measured)
    }
}
