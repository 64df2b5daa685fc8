//! What the first and the later requests of sessions hit.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use trueline_core::{Known, Outcome, Share, Tokens};

use super::rows::Clock;
use crate::Values;
use crate::hashed::hash;
use crate::production::ratio;
use crate::row::RowView;

/// How many sessions are told apart; requests of the next ones are counted.
const MOST: usize = 1 << 20;

/// Sums over each session of a log, in the order of their first rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct SessionSums {
    all: Vec<Session>,
    places: HashMap<u64, usize, BuildHasherDefault<AsItIs>>,
    /// Requests of sessions that were too many.
    beyond: u64,
}

/// Prompt and cached tokens of a request.
type Counts = Option<(u64, u64)>;

#[derive(Debug, Clone, Copy, PartialEq)]
struct Session {
    name: u64,
    first_at: Option<(Clock, i64)>,
    /// Of the first request in order of time.
    first: Counts,
    requests: u64,
    /// How many requests say how much was cached, and what they say in all.
    counted: u64,
    prompt: u64,
    cached: u64,
}

/// A hash of a hash is that hash.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

impl SessionSums {
    /// Takes an answered request of production, if it names its session.
    pub(crate) fn add(&mut self, row: &RowView<'_>) {
        let record = row.record;
        if matches!(record.outcome, Outcome::Failed | Outcome::Cancelled) {
            return;
        }
        let Some(session) = row.texts.session() else { return };
        let at = match (record.started, record.sent_after.value()) {
            (Known::Is { value, .. }, _) => Some((Clock::Wall, value.as_nanos())),
            (Known::Not(_), Some(after)) => {
                Some((Clock::Origin, i64::try_from(after.as_nanos()).unwrap_or(i64::MAX)))
            }
            _ => None,
        };
        let counts = match (record.tokens.prompt.value(), record.tokens.cached.value()) {
            (Some(prompt), Some(cached)) if cached <= prompt => Some((prompt.get(), cached.get())),
            _ => None,
        };
        let (prompt, cached) = counts.unwrap_or_default();
        self.join(&Session {
            name: hash(&session),
            first_at: at,
            first: counts,
            requests: 1,
            counted: u64::from(counts.is_some()),
            prompt,
            cached,
        });
    }

    fn join(&mut self, next: &Session) {
        let place = *self.places.entry(next.name).or_insert(self.all.len());
        match self.all.get_mut(place) {
            Some(session) => session.join(next),
            None => self.all.push(*next),
        }
    }

    /// Takes over what follows in the log.
    pub(crate) fn append(&mut self, next: &Self) {
        self.beyond += next.beyond;
        for session in &next.all {
            if self.all.len() < MOST || self.places.contains_key(&session.name) {
                self.join(session);
            } else {
                self.beyond += session.requests;
            }
        }
    }
}

impl Session {
    /// Takes over rows that follow in the log. They are the first ones only where they began before.
    fn join(&mut self, next: &Self) {
        if let (Some((mine, at)), Some((theirs, then))) = (self.first_at, next.first_at)
            && mine == theirs
            && then < at
        {
            (self.first_at, self.first) = (next.first_at, next.first);
        }
        self.requests += next.requests;
        self.counted += next.counted;
        self.prompt = self.prompt.saturating_add(next.prompt);
        self.cached = self.cached.saturating_add(next.cached);
    }
}

/// What the first and the later requests of sessions had of the cache, by what their rows state.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionHits {
    requests: Values,
    single: u64,
    first: (u64, u128, u128),
    later: (u64, u128, u128),
    beyond: u64,
}

impl SessionHits {
    /// Of the sessions of a log; `None` where no row names one.
    pub(crate) fn of(sessions: &SessionSums) -> Option<Self> {
        let mut report = Self {
            requests: Values::default(),
            single: 0,
            first: (0, 0, 0),
            later: (0, 0, 0),
            beyond: sessions.beyond,
        };
        for session in &sessions.all {
            report.requests.push(Tokens::new(session.requests).as_f64());
            report.single += u64::from(session.requests == 1);
            let (prompt, cached) = session.first.unwrap_or_default();
            let counted = u64::from(session.first.is_some());
            let add = |sums: &mut (u64, u128, u128), n: u64, prompt: u64, cached: u64| {
                sums.0 += n;
                sums.1 += u128::from(prompt);
                sums.2 += u128::from(cached);
            };
            add(&mut report.first, counted, prompt, cached);
            let later =
                [(session.counted, counted), (session.prompt, prompt), (session.cached, cached)];
            let [n, prompt, cached] = later.map(|(all, first)| all.saturating_sub(first));
            add(&mut report.later, n, prompt, cached);
        }
        (!sessions.all.is_empty()).then_some(report)
    }

    /// The answered requests of each session.
    pub fn requests(&self) -> &Values {
        &self.requests
    }

    /// How many sessions there are.
    pub fn sessions(&self) -> u64 {
        self.requests.len()
    }

    /// How many have one request only.
    pub fn single(&self) -> u64 {
        self.single
    }

    /// Cached over prompt tokens of the first requests, in order of time, that say how much was cached; with
    /// how many those are.
    pub fn first(&self) -> Option<(u64, Share)> {
        Some((self.first.0, ratio(self.first.2, self.first.1)?))
    }

    /// The same of all later requests.
    pub fn later(&self) -> Option<(u64, Share)> {
        Some((self.later.0, ratio(self.later.2, self.later.1)?))
    }

    /// Requests of sessions beyond the first 1,048,576, which are in none of these figures.
    pub fn beyond(&self) -> u64 {
        self.beyond
    }
}
