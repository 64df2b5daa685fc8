//! The requests of sessions as they are kept: all of them, or those of a sample of sessions.

use super::clock::{ArrivalClock, Stay};
use crate::hashed::hash;

/// How many requests of sessions are kept; few enough to go beyond in this crate's tests.
const KEPT: usize = if cfg!(test) { 1_000 } else { 1 << 17 };
/// Stands for a time that is not known.
const NO_TIME: i64 = i64::MIN;
/// Stands for a prompt whose length is not known, or that is longer than this.
const NO_PROMPT: u32 = u32::MAX;

/// One request of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Turn {
    /// Which session: a hash of its name.
    pub(super) session: u64,
    /// 0 by wall time; by an origin of its own the place of its input from 1.
    pub(super) clock: u32,
    /// When it came and when it ended, in nanoseconds.
    at: i64,
    end: i64,
    prompt: u32,
}

impl Turn {
    /// When it came, in nanoseconds; `None` without a stamp.
    pub(super) fn at(&self) -> Option<i64> {
        (self.at != NO_TIME).then_some(self.at)
    }

    /// When it ended, in nanoseconds; `None` where that is not known.
    pub(super) fn end(&self) -> Option<i64> {
        (self.end != NO_TIME).then_some(self.end)
    }

    /// How long its prompt is.
    pub(super) fn prompt(&self) -> Option<u32> {
        (self.prompt != NO_PROMPT).then_some(self.prompt)
    }
}

/// The turns of all sessions, or of one in every 2^k of them.
///
/// Up to 131,072 are kept. Beyond that only the sessions whose hash ends in k zero bits stay, each whole, with
/// the smallest k that leaves no more than that: which these are depends on the rows and not on the
/// order in which they came.
#[derive(Debug, Clone, Default)]
pub(super) struct Turns {
    kept: Vec<Turn>,
    zero_bits: u32,
}

impl Turns {
    pub(super) fn add(&mut self, name: &str, stay: Option<Stay>, prompt: Option<u64>) {
        let session = hash(name);
        if !self.is_kept(session) {
            return;
        }
        self.kept.push(Turn {
            session,
            clock: stay.map_or(0, |stay| u32::from(stay.clock == ArrivalClock::OwnOrigin)),
            at: stay.map_or(NO_TIME, |stay| stay.at),
            end: stay.and_then(|stay| stay.end()).unwrap_or(NO_TIME),
            prompt: prompt.and_then(|n| u32::try_from(n).ok()).unwrap_or(NO_PROMPT),
        });
        self.bound();
    }

    /// Moves turns by origins of their own to the place of their input.
    pub(super) fn shift(&mut self, file: usize) {
        let by = u32::try_from(file).unwrap_or(u32::MAX);
        if by == 0 {
            return;
        }
        for turn in self.kept.iter_mut().filter(|turn| turn.clock > 0) {
            turn.clock = turn.clock.saturating_add(by);
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        if other.zero_bits > self.zero_bits {
            self.zero_bits = other.zero_bits;
            self.thin();
        }
        let zero_bits = self.zero_bits;
        if zero_bits == other.zero_bits {
            self.kept.extend_from_slice(&other.kept);
        } else {
            let kept = other.kept.iter().filter(|turn| ends_in(turn.session, zero_bits));
            self.kept.extend(kept.copied());
        }
        self.bound();
    }

    /// By session, clock, and time.
    pub(super) fn sorted(&self) -> Vec<Turn> {
        let mut sorted = self.kept.clone();
        sorted.sort_unstable();
        sorted
    }

    /// One in how many sessions is kept.
    pub(super) fn one_in(&self) -> u64 {
        1_u64.checked_shl(self.zero_bits).unwrap_or(u64::MAX)
    }

    fn is_kept(&self, session: u64) -> bool {
        ends_in(session, self.zero_bits)
    }

    fn bound(&mut self) {
        while self.kept.len() > KEPT && self.zero_bits < 63 {
            self.zero_bits += 1;
            self.thin();
        }
    }

    fn thin(&mut self) {
        let zero_bits = self.zero_bits;
        self.kept.retain(|turn| ends_in(turn.session, zero_bits));
    }
}

impl PartialEq for Turns {
    fn eq(&self, other: &Self) -> bool {
        self.zero_bits == other.zero_bits
            && self.kept.len() == other.kept.len()
            && self.sorted() == other.sorted()
    }
}

fn ends_in(hash: u64, zero_bits: u32) -> bool {
    hash.trailing_zeros() >= zero_bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beyond_so_many_a_sample_of_whole_sessions_is_kept_whatever_the_order() {
        // 1,200 turns of 300 sessions: one in two has about 600.
        let names: Vec<String> = (0..300).map(|i| format!("s{i}")).collect();
        let of = |order: &mut dyn Iterator<Item = usize>| {
            let mut turns = Turns::default();
            order.for_each(|i| turns.add(&names[i % names.len()], None, Some(i as u64)));
            turns
        };
        let rising = of(&mut (0..1_200));
        assert_eq!(rising.one_in(), 2);
        assert!(rising.kept.len().abs_diff(600) < 140, "{}", rising.kept.len());
        let sorted = rising.sorted();
        let whole = sorted.chunk_by(|a, b| a.session == b.session).all(|turns| turns.len() == 4);
        assert!(whole, "a session is kept whole");
        assert_eq!(rising, of(&mut (0..1_200).rev()));
        let (mut left, right) = (of(&mut (0..1_100)), of(&mut (1_100..1_200)));
        left.merge(&right);
        assert_eq!(left, rising);
        let mut other = right;
        other.merge(&of(&mut (0..1_100)));
        assert_eq!(other, rising);
    }

    #[test]
    fn like_names_have_hashes_of_their_own() {
        let mut hashes: Vec<u64> =
            ["", "\0", "a", "b", "ab", "ba", "session-1", "session-2", "session-10"]
                .into_iter()
                .map(hash)
                .collect();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), 9);
        // Half of many names end in each bit.
        let odd = (0..10_000).filter(|i| hash(&format!("sess-{i:08x}")) & 1 == 1).count();
        assert!(odd.abs_diff(5_000) < 250, "{odd}");
    }
}
