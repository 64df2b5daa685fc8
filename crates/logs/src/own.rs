//! Which rows of a log are the benchmark's own.

use std::collections::{HashMap, HashSet};

use trueline_core::{RequestRecord, Tokens, WallTime, Window};

use crate::row::RowView;

/// How far the start of a row may lie from that of the sample it is taken for.
const START_TOLERANCE_NANOS: u64 = 2_000_000_000;

/// A request of the benchmark, as its own results tell it.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct OwnSample {
    /// Its id.
    pub id: Option<String>,
    /// Its prompt length.
    pub prompt: Option<Tokens>,
    /// When it was sent.
    pub started: Option<WallTime>,
}

impl OwnSample {
    /// The sample of a request record.
    pub fn of(request: &RequestRecord) -> Self {
        Self {
            id: request.id.clone(),
            prompt: request.tokens.prompt.value(),
            started: request.started.value(),
        }
    }
}

/// Which rows of a log are the benchmark's own.
#[derive(Debug, Clone, PartialEq)]
pub enum Own {
    /// Those whose id begins so.
    IdPrefix(String),
    /// Those that started in this time.
    Window(Window),
    /// Those that are like one of these samples: the same id, else the same prompt length and a
    /// start within 2 s.
    Like(Vec<OwnSample>),
    /// Those with one of these ids.
    Ids(Vec<String>),
}

/// The question whether a row is the benchmark's own, ready to be asked of many.
#[derive(Debug)]
pub(crate) enum OwnRows<'o> {
    Nobody,
    IdPrefix(&'o str),
    Window(Window),
    Like { ids: HashSet<&'o str>, starts: HashMap<u64, Vec<i64>> },
}

impl<'o> OwnRows<'o> {
    pub(crate) fn new(own: Option<&'o Own>) -> Self {
        match own {
            None => Self::Nobody,
            Some(Own::IdPrefix(prefix)) => Self::IdPrefix(prefix),
            Some(Own::Window(window)) => Self::Window(*window),
            Some(Own::Like(samples)) => {
                let mut starts: HashMap<u64, Vec<i64>> = HashMap::new();
                for sample in samples {
                    if let (Some(prompt), Some(at)) = (sample.prompt, sample.started) {
                        starts.entry(prompt.get()).or_default().push(at.as_nanos());
                    }
                }
                let ids = samples.iter().filter_map(|s| s.id.as_deref()).collect();
                Self::Like { ids, starts }
            }
            Some(Own::Ids(ids)) => {
                Self::Like { ids: ids.iter().map(String::as_str).collect(), starts: HashMap::new() }
            }
        }
    }

    pub(crate) fn hold(&self, row: &RowView<'_>) -> bool {
        let started = row.record.started.value();
        match self {
            Self::Nobody => false,
            Self::IdPrefix(prefix) => row.texts.id().is_some_and(|id| id.starts_with(prefix)),
            Self::Window(window) => started.is_some_and(|at| at >= window.from && at <= window.to),
            Self::Like { ids, starts } => {
                if !ids.is_empty() && row.texts.id().is_some_and(|id| ids.contains(&*id)) {
                    return true;
                }
                let (Some(prompt), Some(at)) = (row.record.tokens.prompt.value(), started) else {
                    return false;
                };
                starts.get(&prompt.get()).is_some_and(|all| {
                    all.iter().any(|s| s.abs_diff(at.as_nanos()) <= START_TOLERANCE_NANOS)
                })
            }
        }
    }
}
