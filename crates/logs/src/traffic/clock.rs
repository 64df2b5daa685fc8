//! When requests came and ended, by the two clocks that a log may have.

use std::time::Duration;

use trueline_core::{Known, RequestRecord, WallTime};

use super::stamps::{Sorted, Stamps};

/// A latency of a day or more is a host's uptime or a mix of two clocks, and no end.
const LONGEST: Duration = Duration::from_secs(86_400);

/// The clock by which arrivals are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ArrivalClock {
    /// Wall time.
    Wall,
    /// Time since an origin of the input's own.
    OwnOrigin,
}

impl ArrivalClock {
    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wall => "wall",
            Self::OwnOrigin => "own_origin",
        }
    }
}

/// The moments of the requests by one clock.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Moments {
    /// Starts of requests whose end is not known.
    open: Stamps,
    /// Starts of the others.
    started: Stamps,
    /// Ends of those.
    ended: Stamps,
    /// Their time from start to end, summed.
    busy_nanos: u128,
}

impl Moments {
    /// All starts.
    pub(crate) fn starts(&self) -> Sorted {
        self.started.sorted_with(&self.open)
    }

    /// How many starts there are.
    pub(crate) fn requests(&self) -> u64 {
        self.open.len() + self.started.len()
    }

    /// How many different starts there are.
    pub(crate) fn distinct(&self) -> u64 {
        self.started.distinct_with(&self.open)
    }

    /// Starts and ends of the requests that have both.
    pub(crate) fn closed(&self) -> (Sorted, Sorted) {
        (self.started.sorted(), self.ended.sorted())
    }

    /// How many requests have a start and no end.
    pub(crate) fn open(&self) -> u64 {
        self.open.len()
    }

    /// The time from start to end of the others, summed, in nanoseconds.
    pub(crate) fn busy_nanos(&self) -> u128 {
        self.busy_nanos
    }

    fn add(&mut self, stay: Stay) {
        match stay.end() {
            Some(end) => {
                self.started.push(stay.at);
                self.ended.push(end);
                self.busy_nanos += u128::from(end.abs_diff(stay.at));
            }
            None => self.open.push(stay.at),
        }
    }

    fn merge(&mut self, other: &Self) {
        self.open.merge(&other.open);
        self.started.merge(&other.started);
        self.ended.merge(&other.ended);
        self.busy_nanos += other.busy_nanos;
    }
}

/// The moments of the requests by both clocks.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Clocks {
    wall: Moments,
    own: Moments,
    /// The first and the last of the inputs, by their places, that count from an origin of their own.
    inputs: Option<(usize, usize)>,
    /// How many requests have neither.
    without: u64,
}

/// When a request came and, where that is known, how long it took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stay {
    pub(crate) clock: ArrivalClock,
    pub(crate) at: i64,
    pub(crate) took: Option<Duration>,
}

impl Stay {
    /// The stay of a request; `None` without a start. A request of one token ends with its first.
    pub(crate) fn of(record: &RequestRecord) -> Option<Self> {
        let one_token = || record.tokens.output.value().is_some_and(|n| n.get() <= 1);
        let took = record.any_e2e().or_else(|| record.any_ttft().filter(|_| one_token()));
        let took = took.map(|span| span.took).filter(|took| *took < LONGEST);
        let (clock, at) = match (record.started, record.sent_after.value()) {
            (Known::Is { value, .. }, _) => (ArrivalClock::Wall, WallTime::as_nanos(value)),
            (Known::Not(_), Some(after)) => {
                (ArrivalClock::OwnOrigin, i64::try_from(after.as_nanos()).unwrap_or(i64::MAX))
            }
            _ => return None,
        };
        Some(Self { clock, at, took })
    }

    /// When it ended, where that is known.
    pub(crate) fn end(&self) -> Option<i64> {
        self.at.checked_add(i64::try_from(self.took?.as_nanos()).ok()?)
    }
}

impl Clocks {
    pub(crate) fn add(&mut self, stay: Option<Stay>) {
        match stay {
            Some(stay) if stay.clock == ArrivalClock::Wall => self.wall.add(stay),
            Some(stay) => {
                self.own.add(stay);
                self.inputs.get_or_insert((0, 0));
            }
            None => self.without += 1,
        }
    }

    /// Moves the inputs to their places in a list.
    pub(crate) fn shift(&mut self, file: usize) {
        self.inputs = self.inputs.map(|(first, last)| (first + file, last + file));
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.wall.merge(&other.wall);
        self.own.merge(&other.own);
        self.without += other.without;
        self.inputs = match (self.inputs, other.inputs) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (mine, theirs) => mine.or(theirs),
        };
    }

    /// The moments by the clock that more requests have, with how many have none of that clock.
    pub(crate) fn main(&self) -> (ArrivalClock, &Moments, u64) {
        if self.own.requests() > self.wall.requests() {
            (ArrivalClock::OwnOrigin, &self.own, self.without + self.wall.requests())
        } else {
            (ArrivalClock::Wall, &self.wall, self.without + self.own.requests())
        }
    }

    /// Whether several inputs count from origins of their own, so that their moments do not compare.
    pub(crate) fn differ(&self) -> bool {
        self.inputs.is_some_and(|(first, last)| first != last)
    }
}
