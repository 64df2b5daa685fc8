//! How the time that users wait divides into its parts.

use std::time::Duration;

use trueline_core::RequestRecord;

use super::spread::{EXACT, Spread};
use super::untold::Untold;
use super::waited::{Parts, Times, WHOLE, WaitPart, Waited};
use crate::production::duration;

/// Times of many requests that are too many to keep each.
#[derive(Debug, Clone, PartialEq, Default)]
struct Counted {
    nanos: u128,
    spread: Spread,
}

/// The requests whose rows state the same parts.
#[derive(Debug, Clone, Default)]
pub struct LatencySplit {
    parts: Parts,
    /// Each request, up to as many as a [`Spread`] keeps.
    rows: Vec<Times>,
    /// All of them beyond that.
    counted: Option<Box<[Counted; WHOLE + 1]>>,
}

impl LatencySplit {
    /// How many requests.
    pub fn requests(&self) -> u64 {
        self.counted
            .as_deref()
            .map_or(self.rows.len() as u64, |counted| counted[WHOLE].spread.len())
    }

    /// Their end-to-end latencies, in nanoseconds.
    pub fn e2e(&self) -> Spread {
        self.of(WHOLE).1
    }

    /// Their end-to-end latencies, summed.
    pub fn sum(&self) -> Duration {
        self.of(WHOLE).0
    }

    /// The parts that these rows have, in the order of time, each with its sum over the requests and its spread
    /// in nanoseconds. The sums add up to [`LatencySplit::sum`] within the rounding of the source; medians of parts
    /// do not add up to that of the whole.
    pub fn parts(&self) -> impl Iterator<Item = (WaitPart, Duration, Spread)> {
        WaitPart::ALL.into_iter().filter(|part| self.parts.has(*part)).map(|part| {
            let (sum, spread) = self.of(part as usize);
            (part, sum, spread)
        })
    }

    /// The share that a part has in all the time that these users waited: sum over sum.
    pub fn share(&self, part: WaitPart) -> Option<f64> {
        let (_, took, _) = self.parts().find(|(of, ..)| *of == part)?;
        let whole = self.sum().as_secs_f64();
        (whole > 0.0).then(|| took.as_secs_f64() / whole)
    }

    /// The sum and the spread of the times at a place.
    fn of(&self, place: usize) -> (Duration, Spread) {
        if let Some(counted) = self.counted.as_deref().and_then(|all| all.get(place)) {
            return (duration(counted.nanos), counted.spread.clone());
        }
        let mut all = Counted::default();
        self.rows.iter().filter_map(|row| row.get(place)).for_each(|took| all.add(*took));
        (duration(all.nanos), all.spread)
    }

    fn add(&mut self, times: Times) {
        if self.counted.is_some() {
            self.count(&[times]);
        } else {
            self.rows.push(times);
            if self.rows.len() > EXACT {
                self.settle();
            }
        }
    }

    fn merge(&mut self, other: &Self) {
        if self.counted.is_none()
            && other.counted.is_none()
            && self.rows.len() + other.rows.len() <= EXACT
        {
            self.rows.extend_from_slice(&other.rows);
            return;
        }
        self.settle();
        self.count(&other.rows);
        if let (Some(mine), Some(theirs)) = (&mut self.counted, &other.counted) {
            for (mine, theirs) in mine.iter_mut().zip(theirs.iter()) {
                mine.nanos += theirs.nanos;
                mine.spread.merge(&theirs.spread);
            }
        }
    }

    /// Counts all requests: a matter of how many there are, not of their order.
    fn settle(&mut self) {
        if self.counted.is_none() {
            self.counted = Some(Box::default());
            let rows = std::mem::take(&mut self.rows);
            self.count(&rows);
        }
    }

    fn count(&mut self, rows: &[Times]) {
        let parts = self.parts;
        let is_there = |place: usize| WaitPart::ALL.get(place).is_none_or(|part| parts.has(*part));
        let Some(counted) = &mut self.counted else { return };
        for (place, counted) in counted.iter_mut().enumerate().filter(|(i, _)| is_there(*i)) {
            rows.iter().filter_map(|row| row.get(place)).for_each(|took| counted.add(*took));
        }
    }
}

impl Counted {
    fn add(&mut self, took: u64) {
        self.nanos += u128::from(took);
        self.spread.push(took);
    }
}

impl PartialEq for LatencySplit {
    fn eq(&self, other: &Self) -> bool {
        let sorted = |split: &Self| {
            let mut rows = split.rows.clone();
            rows.sort_unstable();
            rows
        };
        self.parts == other.parts && self.counted == other.counted && sorted(self) == sorted(other)
    }
}

/// How the time that users wait divides into its parts, over answered requests.
///
/// Rows that state other parts stand apart: a sum over rows some of which lack a part would say that these waited
/// for nothing there.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Latencies {
    /// In the order of their parts.
    splits: Vec<LatencySplit>,
    without: u64,
    contradicting: u64,
}

impl Latencies {
    /// The requests by the parts that their rows state, most requests first.
    pub fn splits(&self) -> Vec<&LatencySplit> {
        let mut splits: Vec<&LatencySplit> = self.splits.iter().collect();
        // Stable: those of one size stay in the order of their parts.
        splits.sort_by_key(|split| std::cmp::Reverse(split.requests()));
        splits
    }

    /// How many answered requests state no end-to-end latency.
    pub fn without(&self) -> u64 {
        self.without
    }

    /// How many state times that contradict each other ([`Disorder`](trueline_core::Disorder)), or parts that
    /// exceed the whole by over 1 ms and 0.1 % of it: they enter no split.
    pub fn contradicting(&self) -> u64 {
        self.contradicting
    }

    /// The largest split.
    ///
    /// # Errors
    /// Why nothing is told.
    pub fn largest(&self) -> Result<&LatencySplit, Untold> {
        self.splits().first().copied().ok_or(Untold::NoLatencies)
    }

    /// Takes an answered request; `sound` says that its times do not contradict each other.
    pub(super) fn add(&mut self, record: &RequestRecord, sound: bool) {
        match Waited::of(record) {
            None => self.without += 1,
            Some(Ok(waited)) if sound => {
                self.split(waited.parts).add(waited.times);
            }
            Some(_) => self.contradicting += 1,
        }
    }

    /// The split of some parts.
    fn split(&mut self, parts: Parts) -> &mut LatencySplit {
        let at = match self.splits.binary_search_by_key(&parts, |split| split.parts) {
            Ok(at) => at,
            Err(at) => {
                self.splits.insert(at, LatencySplit { parts, ..LatencySplit::default() });
                at
            }
        };
        &mut self.splits[at]
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for split in &other.splits {
            self.split(split.parts).merge(split);
        }
        self.without += other.without;
        self.contradicting += other.contradicting;
    }
}

#[cfg(test)]
mod tests {
    use trueline_core::{By, Stretch};

    use super::*;

    fn of(spans: &[(Stretch, u64)]) -> RequestRecord {
        let mut record = RequestRecord::default();
        for (stretch, ms) in spans {
            let took = trueline_core::Known::is(Duration::from_millis(*ms), By::Measured);
            record.spans.set(*stretch, took);
        }
        record
    }

    fn shares(split: &LatencySplit) -> Vec<(WaitPart, u64, f64)> {
        let ms = |took: Duration| u64::try_from(took.as_millis()).unwrap();
        split.parts().map(|(part, sum, v)| (part, ms(sum), v.median().unwrap() / 1e9)).collect()
    }

    #[test]
    fn rows_that_lack_a_part_stand_apart() {
        use Stretch as S;
        let mut all = Latencies::default();
        for (queue, ttft, e2e) in [(100, 1_000, 3_000), (300, 1_000, 2_000), (0, 500, 5_000)] {
            all.add(&of(&[(S::Queue, queue), (S::ServerTtft, ttft), (S::ServerE2e, e2e)]), true);
        }
        all.add(&of(&[(S::ServerTtft, 400), (S::ServerE2e, 400)]), true);
        all.add(&of(&[(S::ServerTtft, 400)]), true);
        let splits = all.splits();
        let [with_queue, plain] = splits.as_slice() else { panic!("{splits:?}") };
        // By hand: queue 400 of 10,000 ms, TTFT less queue 2,100, decode 2,000 + 1,000 + 4,500.
        assert_eq!(
            shares(with_queue),
            [
                (WaitPart::Queue, 400, 0.1),
                (WaitPart::UpToFirstToken, 2_100, 0.7),
                (WaitPart::Decode, 7_500, 2.0)
            ]
        );
        assert_eq!((with_queue.requests(), with_queue.sum().as_secs()), (3, 10));
        assert_eq!(with_queue.share(WaitPart::Decode), Some(0.75));
        assert_eq!(with_queue.share(WaitPart::LockWait), None);
        assert_eq!(
            shares(plain),
            [(WaitPart::UpToFirstToken, 400, 0.4), (WaitPart::Decode, 0, 0.0)]
        );
        assert_eq!((all.without(), all.contradicting()), (1, 0));
    }

    #[test]
    fn a_server_without_ttft_leaves_a_rest() {
        use Stretch as S;
        let mut all = Latencies::default();
        let row = [(S::PrefillCompute, 600), (S::ServerDecode, 300), (S::ServerE2e, 1_000)];
        all.add(&of(&row), true);
        let split = all.largest().unwrap();
        let parts: Vec<(WaitPart, u64)> =
            shares(split).into_iter().map(|(part, ms, _)| (part, ms)).collect();
        assert_eq!(
            parts,
            [(WaitPart::PrefillCompute, 600), (WaitPart::Decode, 300), (WaitPart::Rest, 100)]
        );
    }

    #[test]
    fn parts_beyond_the_whole_are_told_and_enter_nothing() {
        use Stretch as S;
        let mut all = Latencies::default();
        all.add(&of(&[(S::Queue, 900), (S::ServerTtft, 800), (S::ServerE2e, 1_000)]), true);
        all.add(&of(&[(S::ServerTtft, 1_100), (S::ServerE2e, 1_000)]), true);
        all.add(&of(&[(S::ServerTtft, 10), (S::ServerE2e, 1_000)]), false);
        assert_eq!((all.contradicting(), all.largest()), (3, Err(Untold::NoLatencies)));
        // A millisecond is rounding.
        all.add(&of(&[(S::Queue, 801), (S::ServerTtft, 800), (S::ServerE2e, 1_000)]), true);
        assert_eq!(all.largest().unwrap().requests(), 1);
    }

    #[test]
    fn the_clock_of_one_observer_is_used_for_all_parts() {
        use Stretch as S;
        let mut all = Latencies::default();
        // The client's TTFT would exceed the server's end.
        all.add(&of(&[(S::ClientTtft, 1_200), (S::ServerTtft, 400), (S::ServerE2e, 1_000)]), true);
        let split = all.largest().unwrap();
        assert_eq!(split.share(WaitPart::UpToFirstToken), Some(0.4));
    }
}
