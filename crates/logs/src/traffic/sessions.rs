//! Sessions: how many requests each has, how long users think, how prompts grow.

use std::time::Duration;

use trueline_core::RequestRecord;

use super::clock::Stay;
use super::turns::{Turn, Turns};
use super::untold::Untold;
use crate::Values;

/// What rows say of sessions, mergeable.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct OfSessions {
    turns: Turns,
    named: u64,
    without: u64,
}

/// What the requests of one session have to do with each other.
///
/// A session is known by its name; all used requests count, failed ones too.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Sessions {
    /// How many requests name a session.
    pub requests: u64,
    /// How many do not.
    pub without: u64,
    /// One in how many sessions the rest rests on: 1 up to 131,072 requests, beyond that a sample of whole
    /// sessions, chosen by their names.
    pub one_in: u64,
    /// How many sessions were looked at; times `one_in` about as many there are.
    pub sessions: u64,
    /// Requests of each of them.
    pub per_session: Values,
    /// Pairs of neighbours in the order of their starts, within one session.
    pub turns: u64,
    /// Pairs that could not be put in order: a row has no stamp.
    pub unordered: u64,
    /// From the end of all requests so far to the start of the next one, in seconds: what the user or their tools
    /// took. Pairs of which both are known.
    pub think_s: Values,
    /// Pairs in which the next request came before the ones so far had ended.
    pub overlapping: u64,
    /// From start to start, in seconds.
    pub start_to_start_s: Values,
    /// By how many tokens the next prompt is longer.
    pub growth_tokens: Values,
    /// Pairs in which it is shorter; these are no growth and stand apart from it.
    pub shrinking: u64,
}

impl OfSessions {
    pub(super) fn add(&mut self, name: Option<&str>, stay: Option<Stay>, record: &RequestRecord) {
        match name.filter(|name| !name.is_empty()) {
            Some(name) => {
                self.named += 1;
                let prompt = record.tokens.prompt.value().map(trueline_core::Tokens::get);
                self.turns.add(name, stay, prompt);
            }
            None => self.without += 1,
        }
    }

    pub(super) fn shift(&mut self, file: usize) {
        self.turns.shift(file);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.turns.merge(&other.turns);
        self.named += other.named;
        self.without += other.without;
    }

    /// # Errors
    /// Why nothing is told.
    pub(super) fn told(&self) -> Result<Sessions, Untold> {
        if self.named == 0 {
            return Err(Untold::NoSessions);
        }
        let mut found = Sessions {
            requests: self.named,
            without: self.without,
            one_in: self.turns.one_in(),
            sessions: 0,
            per_session: Values::default(),
            turns: 0,
            unordered: 0,
            think_s: Values::default(),
            overlapping: 0,
            start_to_start_s: Values::default(),
            growth_tokens: Values::default(),
            shrinking: 0,
        };
        let sorted = self.turns.sorted();
        for session in sorted.chunk_by(|a, b| (a.session, a.clock) == (b.session, b.clock)) {
            found.add(session);
        }
        Ok(found)
    }
}

impl Sessions {
    /// Takes the requests of one session in the order of time; those without a stamp come first.
    fn add(&mut self, session: &[Turn]) {
        self.sessions += 1;
        #[expect(clippy::cast_precision_loss, reason = "at most a million")]
        self.per_session.push(session.len() as f64);
        // The latest end so far; not known once a request has none.
        let mut idle_from: Option<i64> = session.first().and_then(Turn::end);
        for two in session.windows(2) {
            let [before, next] = two else { continue };
            let (Some(from), Some(at)) = (before.at(), next.at()) else {
                self.unordered += 1;
                idle_from = next.end();
                continue;
            };
            self.turns += 1;
            self.start_to_start_s.push(seconds(at.abs_diff(from)));
            if let Some(idle) = idle_from {
                if at >= idle {
                    self.think_s.push(seconds(at.abs_diff(idle)));
                } else {
                    self.overlapping += 1;
                }
            }
            idle_from = match (idle_from, next.end()) {
                (Some(so_far), Some(end)) => Some(so_far.max(end)),
                // Behind a request without an end nothing is known until one starts behind it.
                (None, end) => end,
                (Some(_), None) => None,
            };
            if let (Some(short), Some(long)) = (before.prompt(), next.prompt()) {
                if long >= short {
                    self.growth_tokens.push(f64::from(long - short));
                } else {
                    self.shrinking += 1;
                }
            }
        }
    }
}

fn seconds(nanos: u64) -> f64 {
    Duration::from_nanos(nanos).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use trueline_core::{By, Known, Stretch, WallTime};

    use super::*;

    /// Session, start and end in seconds, prompt.
    type Row = (&'static str, Option<i64>, Option<i64>, u64);

    fn of(rows: &[Row]) -> OfSessions {
        let mut all = OfSessions::default();
        for (session, from, to, prompt) in rows {
            let mut record = RequestRecord::default();
            if let Some(from) = from {
                record.started =
                    Known::is(WallTime::from_nanos(from * 1_000_000_000), By::Measured);
            }
            if let (Some(from), Some(to)) = (from, to) {
                let took = Duration::from_secs(to.abs_diff(*from));
                record.spans.set(Stretch::ServerE2e, Known::is(took, By::Measured));
            }
            record.tokens.prompt = RequestRecord::counted(*prompt);
            let name = (*session != "-").then_some(*session);
            all.add(name, Stay::of(&record), &record);
        }
        all
    }

    fn sorted(values: &Values) -> &[f64] {
        values.sorted().unwrap()
    }

    #[test]
    fn turns_are_neighbours_in_time_within_a_session() {
        let mut rows = [
            ("a", Some(0), Some(10), 1_000),
            ("b", Some(5), Some(6), 500),
            ("a", Some(14), Some(20), 1_300),
            ("a", Some(18), Some(30), 1_250),
            ("a", Some(35), Some(36), 2_000),
            ("c", Some(50), Some(51), 10),
            ("-", Some(7), Some(8), 9),
        ];
        let told = of(&rows).told().unwrap();
        assert_eq!((told.requests, told.without, told.sessions, told.one_in), (6, 1, 3, 1));
        assert_eq!(sorted(&told.per_session), [1.0, 1.0, 4.0]);
        // By hand: a waits 4 s, then overlaps, then 5 s behind the end at 30.
        assert_eq!((told.turns, told.overlapping, sorted(&told.think_s)), (3, 1, &[4.0, 5.0][..]));
        assert_eq!(sorted(&told.start_to_start_s), [4.0, 14.0, 17.0]);
        assert_eq!((sorted(&told.growth_tokens), told.shrinking), (&[300.0, 750.0][..], 1));
        rows.reverse();
        assert_eq!(of(&rows).told().unwrap(), told);
    }

    #[test]
    fn a_request_without_an_end_tells_no_think_time_and_one_without_a_start_no_order() {
        let rows = [
            ("a", None, None, 10),
            ("a", Some(10), None, 20),
            ("a", Some(20), Some(21), 30),
            ("a", Some(30), Some(31), 40),
        ];
        let told = of(&rows).told().unwrap();
        // Of three pairs one has no order, one no end before it, and one waits from 21 to 30.
        assert_eq!((told.turns, told.unordered, sorted(&told.think_s)), (2, 1, &[9.0][..]));
        assert_eq!(of(&[("-", Some(1), None, 1)]).told(), Err(Untold::NoSessions));
        assert_eq!(of(&[("", Some(1), None, 1)]).told(), Err(Untold::NoSessions));
    }

    #[test]
    fn an_input_with_an_origin_of_its_own_has_sessions_of_its_own() {
        let mut record = RequestRecord::default();
        record.sent_after = Known::is(Duration::from_secs(3), By::Measured);
        let mut one = OfSessions::default();
        one.add(Some("a"), Stay::of(&record), &record);
        let mut other = one.clone();
        other.shift(1);
        one.merge(&other);
        assert_eq!(one.told().unwrap().sessions, 2);
    }
}
