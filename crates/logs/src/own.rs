//! Which rows of a log are the benchmark's own.

use std::collections::{HashMap, HashSet};

use trueline_core::{Tokens, WallTime, Window};

use crate::row::RowView;

/// How far the start of a row may lie from that of the sample it is taken for.
const START_TOLERANCE_NANOS: u64 = 2_000_000_000;

/// Which rows of a log are the benchmark's own.
#[derive(Debug, Clone, PartialEq)]
pub enum Own {
    /// Those whose id begins so.
    IdPrefix(String),
    /// Those that started in this time.
    Window(Window),
    /// Those that are like one of these samples: the same id, else the same prompt length and a
    /// start within 2 s.
    Like(Vec<(Tokens, WallTime, Option<String>)>),
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
                for (prompt, at, _) in samples {
                    starts.entry(prompt.get()).or_default().push(at.as_nanos());
                }
                let ids = samples.iter().filter_map(|(_, _, id)| id.as_deref()).collect();
                Self::Like { ids, starts }
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
