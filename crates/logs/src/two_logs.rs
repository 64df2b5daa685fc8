//! Requests that two inputs hold under one id, each with what its own writer counted.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use trueline_core::{Finding, Outcome, Outcomes, Scope, Tokens, WallTime};

use crate::LogSummary;
use crate::checks::REQUESTS_IN_TWO_LOGS;
use crate::row::RowView;

/// How many requests of earlier inputs are known by their ids.
const KNOWN: usize = 1 << 19;
/// How many characters an id has at least that names one request in the world: servers number their own from 0.
const LEAST_ID: usize = 8;
/// How far apart two clocks may put the start of one request: a gateway's queue and a clock's error lie between.
const SAME_START_NANOS: u64 = 300_000_000_000;

/// What a writer counted of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counted {
    started: Option<WallTime>,
    prompt: Option<Tokens>,
    output: Option<Tokens>,
}

impl Counted {
    /// What a row counts, under its id; `None` for a row whose id may be another request's too, or that was
    /// not answered.
    pub(crate) fn of(row: &RowView<'_>) -> Option<(u64, Self)> {
        let id = row.texts.id().filter(|id| id.len() >= LEAST_ID)?;
        if matches!(row.record.outcome, Outcome::Failed | Outcome::Cancelled) {
            return None;
        }
        let mut hasher = DefaultHasher::new();
        id.hash(&mut hasher);
        let tokens = &row.record.tokens;
        let counted = Self {
            started: row.record.started.value(),
            prompt: tokens.prompt.value(),
            output: tokens.output.value(),
        };
        Some((hasher.finish(), counted))
    }

    /// Whether two rows of one id are of one request: they begin together or, where a start is not known, have
    /// the same prompt.
    fn is_of(&self, other: &Self) -> bool {
        match (self.started, other.started) {
            (Some(a), Some(b)) => a.as_nanos().abs_diff(b.as_nanos()) <= SAME_START_NANOS,
            _ => self.prompt.is_some() && self.prompt == other.prompt,
        }
    }
}

/// What earlier inputs counted, by id.
#[derive(Debug, Default)]
pub(crate) struct Earlier(HashMap<u64, Counted>);

impl Earlier {
    /// Adds the requests of an input.
    pub(crate) fn add(&mut self, counted: Vec<(u64, Counted)>) {
        for (id, counted) in counted {
            if self.0.len() < KNOWN {
                self.0.entry(id).or_insert(counted);
            }
        }
    }

    /// Compares a row with what an earlier input holds of the same request.
    pub(crate) fn compare(&self, id: u64, counted: &Counted, into: &mut TwoLogs) {
        let Some(held) = self.0.get(&id).filter(|held| held.is_of(counted)) else { return };
        into.requests += 1;
        into.prompt.add(held.prompt, counted.prompt);
        into.output.add(held.output, counted.output);
    }
}

/// Keeps what an input counted within the bound: the first requests, in the order of its rows.
pub(crate) fn bound(counted: &mut Vec<(u64, Counted)>) {
    counted.truncate(KNOWN);
}

/// Requests that two inputs hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct TwoLogs {
    requests: u64,
    prompt: Apart,
    output: Apart,
}

/// By how much two counts of the same requests differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Apart {
    /// How many differ.
    requests: u64,
    /// The least and the most, of those that differ.
    range: Option<(u64, u64)>,
}

impl Apart {
    fn add(&mut self, held: Option<Tokens>, counted: Option<Tokens>) {
        let (Some(held), Some(counted)) = (held, counted) else { return };
        let apart = held.get().abs_diff(counted.get());
        if apart > 0 {
            self.merge(&Self { requests: 1, range: Some((apart, apart)) });
        }
    }

    fn merge(&mut self, other: &Self) {
        self.requests += other.requests;
        self.range = match (self.range, other.range) {
            (Some((low, high)), Some((l, h))) => Some((low.min(l), high.max(h))),
            (mine, theirs) => mine.or(theirs),
        };
    }

    fn words(&self, of: &str) -> Option<String> {
        let (low, high) = self.range?;
        let by = if low == high { low.to_string() } else { format!("{low} to {high}") };
        Some(format!("{} of them have other {of} tokens there, by {by}", self.requests))
    }
}

impl TwoLogs {
    pub(crate) fn merge(&mut self, other: &Self) {
        self.requests += other.requests;
        self.prompt.merge(&other.prompt);
        self.output.merge(&other.output);
    }
}

/// Checks whether two inputs hold the same requests, and whether they count them alike.
pub(crate) fn check_two_logs(log: &LogSummary, outcomes: &mut Outcomes) {
    let about = Scope::default();
    let two = &log.tally.two_logs;
    if two.requests == 0 {
        outcomes.clear(&REQUESTS_IN_TWO_LOGS, about);
        return;
    }
    let mut message = format!(
        "{} of {} records stand in another of {} inputs too, under the same id and with values of their own: every \
         figure counts those requests twice",
        two.requests,
        log.counts().read(),
        log.files().len()
    );
    for words in [two.output.words("output"), two.prompt.words("prompt")].into_iter().flatten() {
        message += "; ";
        message += &words;
    }
    outcomes.found(
        Finding::new(&REQUESTS_IN_TWO_LOGS, about, message)
            .with("requests", two.requests)
            .with("other_output_tokens", two.output.requests)
            .with("other_prompt_tokens", two.prompt.requests)
            .with("most_output_tokens_apart", two.output.range.map_or(0, |(_, high)| high))
            .with("most_prompt_tokens_apart", two.prompt.range.map_or(0, |(_, high)| high)),
    );
}
