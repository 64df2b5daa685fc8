//! The order of a log's time stamps: where do they go back?

use trueline_core::{RequestRecord, WallTime};

/// The least by which stamps go back that is looked at: writers of one log pass each other by less.
const LEAST_NANOS: i64 = 1_000_000_000;
/// How many places are kept; all of them are counted.
const KEPT: usize = 8;

/// A place at which time stamps go back and stay back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StepBack {
    /// The input, by its place in the list of inputs.
    pub(crate) file: usize,
    /// The line behind the step, from 1.
    pub(crate) line: u64,
    /// By how much.
    pub(crate) nanos: i64,
}

/// The stamps of some rows in their order, mergeable with those of the rows that follow.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Stamps {
    n: u64,
    first: Vec<Stamp>,
    last: Vec<Stamp>,
    /// How often one stamp lies before the one above it, by more than the least.
    backs: u64,
    /// How often the next one lies there too, and goes on from it.
    steps: u64,
    kept: Vec<StepBack>,
}

/// A stamp and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    nanos: i64,
    file: usize,
    line: u64,
}

/// Rows by their starts and by their ends: a log is in the order of one of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Order {
    starts: Stamps,
    ends: Stamps,
    first: Option<WallTime>,
}

impl Order {
    /// Takes the next row.
    pub(crate) fn add(&mut self, record: &RequestRecord, line: u64) {
        let Some(started) = record.started.value() else { return };
        self.first = self.first.or(Some(started));
        let stamp = |at: WallTime| Stamp { nanos: at.as_nanos(), file: 0, line };
        self.starts.add(stamp(started));
        if let Some(ran) = record.window() {
            self.ends.add(stamp(ran.to));
        }
    }

    /// Moves the places, which were counted from the start of a block.
    pub(crate) fn shift(&mut self, file: usize, lines: u64) {
        self.starts.shift(file, lines);
        self.ends.shift(file, lines);
    }

    /// Appends the rows of the next block of the same input.
    pub(crate) fn append(&mut self, next: &Self) {
        self.starts.append(&next.starts);
        self.ends.append(&next.ends);
        self.first = self.first.or(next.first);
    }

    /// Takes over another input: from one to the next nothing is told of a clock.
    pub(crate) fn absorb(&mut self, other: &Self) {
        self.starts.absorb(&other.starts);
        self.ends.absorb(&other.ends);
        self.first = self.first.or(other.first);
    }

    /// The first start in the order of the rows.
    pub(crate) fn first(&self) -> Option<WallTime> {
        self.first
    }

    /// The steps back of the stamps by which the rows are in order, and how many there are; `None` where
    /// the rows are in the order of neither, or none has a stamp.
    ///
    /// Starts alone tell a step from a long request only where it is longer than most of those.
    pub(crate) fn steps(&self, least_of_starts_s: f64) -> Option<(u64, Vec<StepBack>)> {
        let by_ends = self.ends.n * 2 > self.starts.n;
        let in_order = |stamps: &Stamps| {
            // A two-hundredth of the rows may stand before the one above them.
            stamps.n > 0 && (stamps.backs - stamps.steps) * 200 <= stamps.n
        };
        if by_ends && in_order(&self.ends) {
            return Some((self.ends.steps, self.ends.kept.clone()));
        }
        if !in_order(&self.starts) {
            return None;
        }
        let mut kept = self.starts.kept.clone();
        if !by_ends {
            #[expect(clippy::cast_precision_loss, reason = "compared with seconds")]
            kept.retain(|step| step.nanos as f64 / 1e9 >= least_of_starts_s);
        }
        let n =
            if kept.len() < self.starts.kept.len() { kept.len() as u64 } else { self.starts.steps };
        Some((n, kept))
    }
}

impl Stamps {
    fn add(&mut self, stamp: Stamp) {
        if let [.., a, b] = self.last[..] {
            self.look(a, b, Some(stamp));
        }
        if let Some(before) = self.last.last() {
            self.backs += u64::from(before.nanos - LEAST_NANOS > stamp.nanos);
        }
        self.n += 1;
        if self.first.len() < 2 {
            self.first.push(stamp);
        }
        if self.last.len() == 2 {
            self.last.remove(0);
        }
        self.last.push(stamp);
    }

    /// Whether the stamps go back at the second of three and go on from there.
    fn look(&mut self, a: Stamp, b: Stamp, c: Option<Stamp>) {
        let Some(c) = c else { return };
        let back = a.nanos.saturating_sub(b.nanos);
        let goes_on = c.nanos < a.nanos && c.nanos >= b.nanos.saturating_sub(LEAST_NANOS);
        if back > LEAST_NANOS && goes_on {
            self.steps += 1;
            self.keep(StepBack { file: b.file, line: b.line, nanos: back });
        }
    }

    fn keep(&mut self, step: StepBack) {
        self.kept.push(step);
        self.kept.sort_by_key(|step| (step.file, step.line, step.nanos));
        self.kept.truncate(KEPT);
    }

    fn shift(&mut self, file: usize, lines: u64) {
        let stamps = self.first.iter_mut().chain(&mut self.last);
        stamps.for_each(|stamp| {
            stamp.file += file;
            stamp.line += lines;
        });
        for step in &mut self.kept {
            step.file += file;
            step.line += lines;
        }
    }

    fn append(&mut self, next: &Self) {
        // The stamps around the seam: those of both sides have been looked at within each.
        let seam: Vec<Stamp> = self.last.iter().chain(&next.first).copied().collect();
        let ours = self.last.len();
        for (at, three) in seam.windows(3).enumerate() {
            if let [a, b, c] = *three
                && at < ours
                && at + 2 >= ours
            {
                self.look(a, b, Some(c));
            }
        }
        if let (Some(before), Some(after)) = (self.last.last(), next.first.first()) {
            self.backs += u64::from(before.nanos - LEAST_NANOS > after.nanos);
        }
        self.absorb_counts(next);
        self.first = self.first.iter().chain(&next.first).copied().take(2).collect();
        let both: Vec<Stamp> = self.last.iter().chain(&next.last).copied().collect();
        self.last = both.get(both.len().saturating_sub(2)..).unwrap_or_default().to_vec();
    }

    fn absorb(&mut self, other: &Self) {
        self.absorb_counts(other);
        if self.first.is_empty() {
            self.first.clone_from(&other.first);
        }
        if !other.last.is_empty() {
            self.last.clone_from(&other.last);
        }
    }

    fn absorb_counts(&mut self, other: &Self) {
        self.n += other.n;
        self.backs += other.backs;
        self.steps += other.steps;
        for step in &other.kept {
            self.keep(*step);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamps(seconds: &[i64]) -> Stamps {
        let mut stamps = Stamps::default();
        for (line, s) in (1..).zip(seconds) {
            stamps.add(Stamp { nanos: s * 1_000_000_000, file: 0, line });
        }
        stamps
    }

    #[test]
    fn a_step_back_stays_back_and_one_late_row_does_not() {
        for (seconds, steps, backs) in [
            (&[10, 11, 12, 13][..], 0, 0),
            // An hour back, and on from there.
            (&[7_000, 7_001, 3_402, 3_403, 3_404], 1, 1),
            // One row that was written late; two that pass each other.
            (&[10, 20, 12, 21, 22], 0, 1),
            (&[10, 12, 11, 13], 0, 0),
            // Nothing tells what comes behind the last row.
            (&[10, 20, 5], 0, 1),
        ] {
            let found = stamps(seconds);
            assert_eq!((found.steps, found.backs), (steps, backs), "{seconds:?}");
        }
        let [step] = stamps(&[7_000, 7_001, 3_402, 3_403]).kept[..] else { panic!("one step") };
        assert_eq!((step.line, step.nanos), (3, 3_599_000_000_000));
    }

    #[test]
    fn parts_that_follow_each_other_are_as_one_however_short_they_are() {
        let seconds = [5, 100, 50, 51, 120, 20, 21, 22, 90, 10, 95];
        let whole = stamps(&seconds);
        for a in 0..seconds.len() {
            for b in a..seconds.len() {
                let (first, rest) = seconds.split_at(a);
                let (second, third) = rest.split_at(b - a);
                let part = |seconds: &[i64], lines: usize| {
                    let mut part = stamps(seconds);
                    part.shift(0, lines as u64);
                    part
                };
                let mut one = part(first, 0);
                one.append(&part(second, a));
                one.append(&part(third, b));
                let mut other = part(second, a);
                other.append(&part(third, b));
                let mut left = part(first, 0);
                left.append(&other);
                assert_eq!((&one, &left), (&whole, &whole), "{a} {b}");
            }
        }
    }
}
