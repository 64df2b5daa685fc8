//! How whole numbers spread: exact up to 65,536 of them, then in narrow buckets.

use std::time::Duration;

use trueline_core::Share;

/// How many numbers are kept exactly; few enough to go beyond in this crate's tests.
pub(super) const EXACT: usize = if cfg!(test) { 1_000 } else { 1 << 16 };
/// Below this each number has a bucket of its own, above it each doubling has half as many.
const OWN_BUCKET: u64 = 256;
/// The logarithm of [`OWN_BUCKET`].
const OWN_BITS: u32 = 8;

/// How many whole numbers spread: nanoseconds, or tokens.
///
/// Up to 65,536 they are kept exactly; beyond that in buckets whose middle is right to 0.4 %, and
/// [`Spread::is_exact`] says so. Every request of a log enters several of these, so they must cost little.
///
/// # Shape
/// A multiset: two of them are equal when they hold the same numbers, in whatever order they came.
#[derive(Debug, Clone, Default)]
pub struct Spread {
    exact: Vec<u64>,
    buckets: Vec<u64>,
    beyond: u64,
}

impl Spread {
    /// How many numbers there are.
    pub fn len(&self) -> u64 {
        self.exact.len() as u64 + self.beyond
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether every number is kept as it came.
    pub fn is_exact(&self) -> bool {
        self.buckets.is_empty()
    }

    /// The middle number; the mean of the two middle ones of an even number.
    pub fn median(&self) -> Option<f64> {
        self.quantile(Share::new(0.5).ok()?)
    }

    /// A quantile, linear between neighbours; from buckets the middle of one, within 0.4 %.
    ///
    /// # Formula
    /// At position `q (n - 1)` of the sorted numbers, counted from 0 (Hyndman and Fan's type 7).
    pub fn quantile(&self, q: Share) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "counts of at most a log's rows")]
        let position = q.get() * self.len().checked_sub(1)? as f64;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a place among the numbers"
        )]
        let at = position.floor() as u64;
        if !self.is_exact() {
            let mut left = at;
            let bucket = self.buckets.iter().position(|n| {
                let here = left < *n;
                left = left.saturating_sub(*n);
                here
            })?;
            return Some(middle(bucket));
        }
        let mut numbers = self.exact.clone();
        let (_, low, above) = numbers.select_nth_unstable(usize::try_from(at).ok()?);
        let (low, high) = (float(*low), above.iter().min().copied().map(float));
        Some(low + (high.unwrap_or(low) - low) * position.fract())
    }

    /// The median, where the numbers are nanoseconds.
    pub fn median_time(&self) -> Option<Duration> {
        Duration::try_from_secs_f64(self.median()? / 1e9).ok()
    }

    #[inline]
    pub(super) fn push(&mut self, number: u64) {
        if self.is_exact() {
            self.exact.push(number);
            if self.exact.len() > EXACT {
                self.settle();
            }
        } else {
            self.count(number);
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        if self.is_exact() && other.is_exact() && self.exact.len() + other.exact.len() <= EXACT {
            self.exact.extend_from_slice(&other.exact);
            return;
        }
        if self.is_exact() {
            self.settle();
        }
        other.exact.iter().for_each(|number| self.count(*number));
        self.buckets.iter_mut().zip(&other.buckets).for_each(|(mine, theirs)| *mine += theirs);
        self.beyond += other.beyond;
    }

    /// Puts all numbers into buckets: a matter of how many there are, not of their order.
    fn settle(&mut self) {
        self.buckets = vec![0; bucket(u64::MAX) + 1];
        for number in std::mem::take(&mut self.exact) {
            self.count(number);
        }
    }

    fn count(&mut self, number: u64) {
        if let Some(count) = self.buckets.get_mut(bucket(number)) {
            *count += 1;
            self.beyond += 1;
        }
    }
}

impl PartialEq for Spread {
    fn eq(&self, other: &Self) -> bool {
        let sorted = |spread: &Self| {
            let mut numbers = spread.exact.clone();
            numbers.sort_unstable();
            numbers
        };
        self.buckets == other.buckets && sorted(self) == sorted(other)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "at most 256 + 56 x 128")]
fn bucket(number: u64) -> usize {
    if number < OWN_BUCKET {
        return number as usize;
    }
    let log = number.ilog2();
    let within = (number >> (log + 1 - OWN_BITS)) - OWN_BUCKET / 2;
    (OWN_BUCKET + u64::from(log - OWN_BITS) * (OWN_BUCKET / 2) + within) as usize
}

/// The middle of a bucket.
fn middle(bucket: usize) -> f64 {
    let Some(beyond) = (bucket as u64).checked_sub(OWN_BUCKET) else { return float(bucket as u64) };
    let (doublings, within) = (beyond / (OWN_BUCKET / 2), beyond % (OWN_BUCKET / 2));
    let width = 2.0 * float(1 << doublings.min(62));
    (float(within + OWN_BUCKET / 2) + 0.5) * width
}

#[expect(clippy::cast_precision_loss, reason = "times and counts, for a quantile")]
fn float(n: u64) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(numbers: impl IntoIterator<Item = u64>) -> Spread {
        let mut all = Spread::default();
        numbers.into_iter().for_each(|n| all.push(n));
        all
    }

    #[test]
    fn quantiles_lie_between_neighbours() {
        // By hand: positions 1.5 and 2.7 of 1, 2, 4, 8.
        let spread = of([8, 1, 4, 2]);
        assert_eq!((spread.len(), spread.median()), (4, Some(3.0)));
        assert!((spread.quantile(Share::new(0.9).unwrap()).unwrap() - 6.8).abs() < 1e-12);
        assert_eq!((of([]).median(), of([7]).median()), (None, Some(7.0)));
    }

    #[test]
    fn each_bucket_holds_numbers_within_half_a_percent() {
        let numbers = (0..64).flat_map(|log| [1_u64 << log, (1_u64 << log) + (1_u64 << log) / 3]);
        for number in numbers.chain([255, 256, 257, 511, 512, 1_000_003, u64::MAX]) {
            let off = (middle(bucket(number)) - float(number)).abs() / float(number);
            assert!(off <= 1.0 / 256.0, "{number}: {}", middle(bucket(number)));
        }
        let rising = (0..100_000).map(bucket).collect::<Vec<_>>();
        assert!(rising.windows(2).all(|two| two[0] <= two[1] && two[1] - two[0] <= 1));
    }

    #[test]
    fn beyond_so_many_it_says_that_it_is_not_exact_whatever_the_order() {
        let all = of((0..5_000).map(|i| i * 1_000_000));
        assert!(!all.is_exact());
        assert_eq!(all.len(), 5_000);
        assert!((all.median().unwrap() / 2_499_500_000.0 - 1.0).abs() < 0.005);
        let part = |from: u64, to: u64| of((from..to).map(|i| i * 1_000_000));
        // Many, few, and few enough to stay exact until they are joined.
        let parts = [part(0, 900), part(900, 1_000), part(1_000, 5_000)];
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [2, 0, 1]] {
            let mut joined = Spread::default();
            for i in order {
                joined.merge(&parts[i]);
            }
            assert_eq!(joined, all);
        }
    }
}
