//! How many requests are in flight at a time.

use std::time::Duration;

use super::clock::{ArrivalClock, Clocks};
use super::untold::Untold;
use crate::production::duration;

/// A band of how many requests are in flight, and for how long so many are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct InFlightLevel {
    /// The fewest.
    pub low: u64,
    /// The most, itself inside.
    pub high: u64,
    /// For how long.
    pub took: Duration,
}

/// How many requests are in flight over time, from the start of each to its last token.
///
/// It rests on the requests that state both; where others are without an end, all numbers but the idle share are
/// lower bounds, and that one an upper bound. Failed requests count where they state both.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct InFlight {
    /// By which clock.
    pub clock: ArrivalClock,
    /// How many requests it rests on.
    pub requests: u64,
    /// How many requests have no start of that clock, or no end.
    pub without: u64,
    /// From the first start to the last end.
    pub span: Duration,
    /// The most at a time. One that ends when another starts is not in flight with it.
    pub peak: u64,
    /// The time from start to end of all requests, summed.
    pub busy: Duration,
    /// For how long how many were in flight: none, 1, 2–3, 4–7, 8–15 and so on up to the peak.
    pub levels: Vec<InFlightLevel>,
}

impl InFlight {
    /// How many are in flight in the mean over time.
    ///
    /// # Formula
    /// `busy / span`: by Little's law arrivals a second times the mean end-to-end latency. `None` without a span.
    ///
    /// # Source
    /// J. D. C. Little, A Proof for the Queuing Formula L = λW, Operations Research 9 (1961).
    pub fn mean(&self) -> Option<f64> {
        let span = self.span.as_secs_f64();
        (span > 0.0).then(|| self.busy.as_secs_f64() / span)
    }

    /// The share of the time in which a level held.
    pub fn share(&self, level: &InFlightLevel) -> Option<f64> {
        let span = self.span.as_secs_f64();
        (span > 0.0).then(|| level.took.as_secs_f64() / span)
    }

    /// The share of the time in which none was in flight.
    pub fn idle(&self) -> Option<f64> {
        self.levels.first().and_then(|level| self.share(level))
    }

    /// # Errors
    /// Why nothing is told.
    pub(super) fn of(clocks: &Clocks) -> Result<Self, Untold> {
        let (clock, moments, without) = clocks.main();
        let (starts, ends) = moments.closed();
        let (Some((first, _)), Some((_, last))) = (starts.ends(), ends.ends()) else {
            return Err(Untold::NoEnds);
        };
        if clock == ArrivalClock::OwnOrigin && clocks.differ() {
            return Err(Untold::OwnOrigins);
        }
        let mut sweep = Sweep { at: first, now: 0, peak: 0, took: Vec::new() };
        let (mut starts_left, mut ends_left) =
            (starts.stamps.iter().peekable(), ends.stamps.iter().peekable());
        while let Some(at) = [starts_left.peek(), ends_left.peek()]
            .into_iter()
            .filter_map(|next| next.map(|(at, _)| *at))
            .min()
        {
            let gone = ends_left.next_if(|(end, _)| *end == at).map_or(0, |(_, n)| *n);
            let come = starts_left.next_if(|(start, _)| *start == at).map_or(0, |(_, n)| *n);
            sweep.to(at, come, gone);
        }
        Ok(Self {
            clock,
            requests: starts.len(),
            without: without + moments.open(),
            span: Duration::from_nanos(last.abs_diff(first)),
            peak: sweep.peak,
            busy: duration(moments.busy_nanos()),
            levels: sweep.levels(),
        })
    }
}

/// A walk through the moments in their order.
struct Sweep {
    at: i64,
    now: u64,
    peak: u64,
    /// Nanoseconds at each band of levels.
    took: Vec<u128>,
}

impl Sweep {
    /// Goes to the next moment, at which some requests come and some are gone.
    fn to(&mut self, at: i64, come: u64, gone: u64) {
        let band = band(self.now);
        if self.took.len() <= band {
            self.took.resize(band + 1, 0);
        }
        if let Some(took) = self.took.get_mut(band) {
            *took += u128::from(at.abs_diff(self.at));
        }
        // What came and went at once was never in flight; none goes that has not come.
        self.now = (self.now + come).saturating_sub(gone);
        self.peak = self.peak.max(self.now);
        self.at = at;
    }

    fn levels(&self) -> Vec<InFlightLevel> {
        let level = |(band, took): (u32, &u128)| InFlightLevel {
            low: if band == 0 { 0 } else { 1 << (band - 1).min(63) },
            high: if band == 0 { 0 } else { u64::MAX >> (64 - band.min(64)) },
            took: duration(*took),
        };
        (0..).zip(&self.took).map(level).collect()
    }
}

/// 0, 1, 2–3, 4–7 and so on.
fn band(level: u64) -> usize {
    level.checked_ilog2().map_or(0, |log| log as usize + 1)
}

#[cfg(test)]
mod tests {
    use trueline_core::{By, Known, Outcome, RequestRecord, Stretch, WallTime};

    use super::super::clock::Stay;
    use super::*;

    /// Requests from one second to another; without the second the end is not known.
    fn of(requests: &[(i64, Option<i64>)]) -> Result<InFlight, Untold> {
        let mut clocks = Clocks::default();
        for (from, to) in requests {
            let mut record = RequestRecord::default();
            record.outcome = Outcome::Ok;
            record.started = Known::is(WallTime::from_nanos(from * 1_000_000_000), By::Measured);
            if let Some(to) = to {
                let took = Duration::from_secs(to.abs_diff(*from));
                record.spans.set(Stretch::ServerE2e, Known::is(took, By::Measured));
            }
            clocks.add(Stay::of(&record));
        }
        InFlight::of(&clocks)
    }

    fn seconds(found: &InFlight) -> Vec<(u64, u64, u64)> {
        found.levels.iter().map(|l| (l.low, l.high, l.took.as_secs())).collect()
    }

    #[test]
    fn the_time_at_each_level_is_that_between_starts_and_ends() {
        // 0 to 4 and 1 to 3 and 2 to 3, nothing from 4 to 8, one from 8 to 10.
        let found = of(&[(8, Some(10)), (1, Some(3)), (0, Some(4)), (2, Some(3))]).unwrap();
        // By hand: one from 0 to 1, 3 to 4 and 8 to 10; two from 1 to 2; three from 2 to 3.
        assert_eq!(seconds(&found), [(0, 0, 4), (1, 1, 4), (2, 3, 2)]);
        assert_eq!((found.peak, found.span.as_secs(), found.busy.as_secs()), (3, 10, 9));
        assert_eq!((found.mean(), found.idle()), (Some(0.9), Some(0.4)));
        // By Little's law: four requests in 10 s, of (4 + 2 + 1 + 2) / 4 s each.
        let by_littles_law = 4.0 / 10.0 * 2.25;
        assert!((found.mean().unwrap() - by_littles_law).abs() < 1e-12);
    }

    #[test]
    fn one_that_ends_as_the_next_starts_is_not_in_flight_with_it() {
        let found = of(&[(0, Some(5)), (5, Some(9)), (9, Some(9))]).unwrap();
        assert_eq!((found.peak, found.requests), (1, 3));
        assert_eq!(seconds(&found), [(0, 0, 0), (1, 1, 9)]);
        let none = of(&[(7, Some(7))]).unwrap();
        assert_eq!((none.peak, none.mean(), none.idle()), (0, None, None));
    }

    #[test]
    fn a_request_without_an_end_is_told_and_not_counted_as_gone() {
        let found = of(&[(0, Some(5)), (1, None), (2, Some(2 + 90_000))]).unwrap();
        // The third took more than a day: the host's uptime, and no end.
        assert_eq!((found.requests, found.without), (1, 2));
        assert_eq!(of(&[(0, None)]), Err(Untold::NoEnds));
        assert_eq!(of(&[]), Err(Untold::NoEnds));
    }
}
