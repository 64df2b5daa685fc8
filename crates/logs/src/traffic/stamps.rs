//! Moments of one clock as a multiset: exact up to a million, then rounded down to a step that is stated.

/// How many distinct moments are kept: a million, and few enough to go beyond in this crate's tests.
const KEPT: usize = if cfg!(test) { 1_000 } else { 1_000_000 };

/// Moments of one clock, in nanoseconds.
///
/// Up to a million distinct ones are kept as they came. Beyond that all are rounded down to a multiple of the
/// smallest power of two nanoseconds at which they are no more than a million. That step depends on the moments
/// and not on the order in which they came: rounding to a larger one never makes more of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stamps {
    /// As they came, not rounded yet.
    fresh: Vec<i64>,
    /// Rising, each with how often it came.
    counted: Vec<(i64, u64)>,
    /// The power of two to which the counted ones are rounded.
    power: u32,
}

/// Moments in their order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Sorted {
    /// Rising, each with how often it came.
    pub(crate) stamps: Vec<(i64, u64)>,
    /// The step to which they were rounded down, in nanoseconds; 1 where each is exact.
    pub(crate) step: u64,
}

impl Sorted {
    /// How many moments there are, each as often as it came.
    pub(crate) fn len(&self) -> u64 {
        self.stamps.iter().map(|(_, n)| n).sum()
    }

    /// The first and the last one.
    pub(crate) fn ends(&self) -> Option<(i64, i64)> {
        Some((self.stamps.first()?.0, self.stamps.last()?.0))
    }

    /// Whether each is as it came.
    pub(crate) fn is_exact(&self) -> bool {
        self.step == 1
    }
}

impl Stamps {
    pub(crate) fn push(&mut self, at: i64) {
        self.fresh.push(at);
        if self.fresh.len() > KEPT {
            self.settle();
        }
    }

    pub(crate) fn len(&self) -> u64 {
        self.fresh.len() as u64 + self.counted.iter().map(|(_, n)| n).sum::<u64>()
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.fresh.extend_from_slice(&other.fresh);
        if !other.counted.is_empty() {
            self.power = self.power.max(other.power);
            self.counted.extend_from_slice(&other.counted);
            self.settle();
        } else if self.fresh.len() > KEPT {
            self.settle();
        }
    }

    /// The moments in their order.
    pub(crate) fn sorted(&self) -> Sorted {
        let mut settled = self.clone();
        settled.settle();
        Sorted { stamps: settled.counted, step: 1 << settled.power }
    }

    /// Counts the fresh ones, and rounds until there are few enough.
    fn settle(&mut self) {
        let mut fresh = std::mem::take(&mut self.fresh);
        // Rows mostly come in the order of time: this sort only looks at runs that rise.
        fresh.sort();
        let mut all = std::mem::take(&mut self.counted);
        all.extend(fresh.into_iter().map(|at| (at, 1)));
        all.sort_by_key(|(at, _)| *at);
        loop {
            let power = self.power;
            all.iter_mut().for_each(|(at, _)| *at = (*at >> power) << power);
            all.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                kept.1 += if same { next.1 } else { 0 };
                same
            });
            if all.len() <= KEPT || self.power >= 62 {
                break;
            }
            self.power += 1;
        }
        self.counted = all;
    }
}

impl PartialEq for Stamps {
    fn eq(&self, other: &Self) -> bool {
        self.sorted() == other.sorted()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(moments: impl IntoIterator<Item = i64>) -> Stamps {
        let mut stamps = Stamps::default();
        moments.into_iter().for_each(|at| stamps.push(at));
        stamps
    }

    #[test]
    fn equal_moments_are_counted_and_all_stand_in_order() {
        let sorted = of([5, 1, 5, -3]).sorted();
        assert_eq!((sorted.stamps.as_slice(), sorted.step), (&[(-3, 1), (1, 1), (5, 2)][..], 1));
        assert_eq!((sorted.len(), sorted.ends()), (4, Some((-3, 5))));
        assert_eq!(Stamps::default().sorted().ends(), None);
    }

    #[test]
    fn beyond_so_many_they_are_rounded_to_a_step_whatever_their_order() {
        // By hand: 1,500 moments 3 ns apart reach 4,497 ns; in steps of 4 ns that is 1,125 of them, in steps of
        // 8 ns 563.
        let n = 1_500;
        let rising = of((0..n).map(|i| i * 3));
        let sorted = rising.sorted();
        assert_eq!((sorted.step, sorted.stamps.len(), sorted.len()), (8, 563, 1_500));
        assert_eq!(sorted.stamps.first(), Some(&(0, 3)));
        let falling = of((0..n).rev().map(|i| i * 3));
        assert_eq!(rising, falling);
        let (mut left, mut right) = (of((0..700).map(|i| i * 3)), of((700..n).map(|i| i * 3)));
        let first = left.clone();
        left.merge(&right);
        right.merge(&first);
        assert_eq!((&left, &right), (&rising, &rising));
        // The same thousand many times over stays exact.
        let mut twice = of((0..1_000).map(|i| i * 7));
        twice.merge(&twice.clone());
        assert!(twice.sorted().is_exact());
    }
}
