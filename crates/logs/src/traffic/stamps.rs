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
        self.sorted_with(&Self::default())
    }

    /// These moments and others in their order.
    pub(crate) fn sorted_with(&self, other: &Self) -> Sorted {
        let mut all = self.clone();
        all.merge(other);
        all.settle();
        Sorted { stamps: all.counted, step: 1 << all.power }
    }

    /// How many different moments these and others are, after rounding.
    pub(crate) fn distinct_with(&self, other: &Self) -> u64 {
        if !(self.counted.is_empty() && other.counted.is_empty())
            || self.fresh.len() + other.fresh.len() > KEPT
        {
            return self.sorted_with(other).stamps.len() as u64;
        }
        let mut all = [self.fresh.as_slice(), other.fresh.as_slice()].concat();
        sort(&mut all);
        all.chunk_by(|a, b| a == b).count() as u64
    }

    /// Counts the fresh ones, and rounds until there are few enough.
    fn settle(&mut self) {
        let mut fresh = std::mem::take(&mut self.fresh);
        sort(&mut fresh);
        let mut all = std::mem::take(&mut self.counted);
        let counted = all.len();
        all.extend(
            fresh
                .chunk_by(|a, b| a == b)
                .filter_map(|same| same.first().map(|at| (*at, same.len() as u64))),
        );
        if counted > 0 {
            all.sort_by_key(|(at, _)| *at);
        }
        self.power = power_for(&all, self.power);
        join_equal(&mut all, self.power);
        self.counted = all;
    }
}

/// Rows mostly come in the order of time: this sort looks for runs that rise already.
#[expect(clippy::stable_sort_primitive, reason = "an unstable sort looks for no runs")]
fn sort(moments: &mut [i64]) {
    moments.sort();
}

/// The smallest power of two, from one on, at which moments that rise are few enough.
///
/// # Formula
/// Two neighbours become one at powers from the highest bit on in which they differ, counted from 1.
fn power_for(all: &[(i64, u64)], from: u32) -> u32 {
    let mut by_bit = [0_usize; 65];
    for two in all.windows(2) {
        if let [(a, _), (b, _)] = two
            && let Some(n) = by_bit.get_mut((u64::BITS - (a ^ b).leading_zeros()) as usize)
        {
            *n += 1;
        }
    }
    let distinct = |power: u32| 1 + by_bit.iter().skip(power as usize + 1).sum::<usize>();
    (from..62).find(|power| distinct(*power) <= KEPT).unwrap_or(62)
}

/// Rounds moments that rise down to a power of two, and counts those that become one.
fn join_equal(all: &mut Vec<(i64, u64)>, power: u32) {
    let round = |at: i64| (at >> power) << power;
    all.dedup_by(|next, kept| {
        let same = round(next.0) == round(kept.0);
        kept.1 += if same { next.1 } else { 0 };
        same
    });
    if power > 0 {
        for (at, _) in all {
            *at = round(*at);
        }
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
