//! Many values of one quantity: exact up to a million, then in a histogram.

use std::fmt;
use std::sync::OnceLock;

use hdrhistogram::Histogram;
use trueline_core::Share;

/// How many values are kept exactly.
pub(crate) const EXACT: usize = 1_000_000;
/// Histogram units for 1: values are kept to six decimals before the histogram rounds.
const SCALE: f64 = 1e6;
/// The largest histogram entry.
const TOP: u64 = 1_000_000_000_000_000_000;

/// Many values of one quantity.
///
/// Up to a million they are kept exactly; beyond that in a histogram that is right to 0.1 %, and
/// [`Values::is_exact`] says so. Never rank on the histogram: it makes ties.
///
/// # Shape
/// A multiset: two of them are equal when they hold the same values, in whatever order they came.
#[derive(Clone, Default)]
pub struct Values {
    exact: Vec<f64>,
    coarse: Option<Box<Histogram<u64>>>,
    sorted: OnceLock<Vec<f64>>,
}

impl Values {
    /// How many there are.
    pub fn len(&self) -> u64 {
        self.coarse.as_ref().map_or(self.exact.len() as u64, |h| h.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether every value is kept as it came.
    pub fn is_exact(&self) -> bool {
        self.coarse.is_none()
    }

    /// All values, rising; `None` where only a histogram is left. Sorted when first asked for.
    pub fn sorted(&self) -> Option<&[f64]> {
        self.is_exact().then(|| self.ranked())
    }

    /// The middle value; the mean of the two middle ones of an even number.
    pub fn median(&self) -> Option<f64> {
        self.quantile(Share::new(0.5).ok()?)
    }

    /// A quantile, linear between neighbours; from the histogram within 0.1 %.
    ///
    /// # Formula
    /// At position `q (n - 1)` of the sorted values, counted from 0 (Hyndman and Fan's type 7).
    pub fn quantile(&self, q: Share) -> Option<f64> {
        if let Some(histogram) = &self.coarse {
            #[expect(clippy::cast_precision_loss, reason = "the histogram is coarser than that")]
            return Some(histogram.value_at_quantile(q.get()) as f64 / SCALE);
        }
        #[expect(clippy::cast_precision_loss, reason = "at most a million values")]
        let position = q.get() * self.exact.len().checked_sub(1)? as f64;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and a million"
        )]
        let at = position.floor() as usize;
        let (low, high) = self.neighbours(at)?;
        Some(low + (high - low) * position.fract())
    }

    /// The value at a place in rising order and the next one. Only that place is put in order
    /// where not all are yet.
    fn neighbours(&self, at: usize) -> Option<(f64, f64)> {
        if let Some(sorted) = self.sorted.get() {
            let low = *sorted.get(at)?;
            return Some((low, sorted.get(at + 1).copied().unwrap_or(low)));
        }
        let mut values = self.exact.clone();
        let (_, low, above) = values.select_nth_unstable_by(at, f64::total_cmp);
        let low = *low;
        Some((low, above.iter().copied().min_by(f64::total_cmp).unwrap_or(low)))
    }

    pub(crate) fn push(&mut self, value: f64) {
        if let Some(histogram) = &mut self.coarse {
            record(histogram, value);
        } else {
            self.exact.push(value);
            if self.exact.len() > EXACT || self.sorted.get().is_some() {
                self.settle();
            }
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        match (&mut self.coarse, &other.coarse) {
            (None, None) => {
                self.exact.extend_from_slice(&other.exact);
                self.settle();
            }
            (Some(mine), Some(theirs)) => add(mine, theirs),
            (Some(mine), None) => other.exact.iter().for_each(|v| record(mine, *v)),
            (None, Some(theirs)) => {
                let mut histogram = theirs.clone();
                self.exact.iter().for_each(|v| record(&mut histogram, *v));
                self.exact = Vec::new();
                self.coarse = Some(histogram);
            }
        }
        self.sorted = OnceLock::new();
    }

    /// Turns into a histogram above the limit: a matter of how many there are, not of their order.
    fn settle(&mut self) {
        self.sorted = OnceLock::new();
        if self.exact.len() > EXACT {
            let mut histogram = Histogram::new_with_bounds(1, TOP, 3)
                .expect("the bounds and digits are constants that the histogram accepts");
            self.exact.iter().for_each(|v| record(&mut histogram, *v));
            self.exact = Vec::new();
            self.coarse = Some(Box::new(histogram));
        }
    }

    fn ranked(&self) -> &[f64] {
        self.sorted.get_or_init(|| {
            let mut sorted = self.exact.clone();
            sorted.sort_unstable_by(f64::total_cmp);
            sorted
        })
    }
}

fn record(histogram: &mut Histogram<u64>, value: f64) {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast of a float saturates and values are not negative"
    )]
    let scaled = (value * SCALE + 0.5) as u64;
    histogram.saturating_record(scaled);
}

fn add(mine: &mut Histogram<u64>, theirs: &Histogram<u64>) {
    mine.add(theirs).expect("all histograms have the same bounds");
}

impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        self.coarse == other.coarse && self.ranked() == other.ranked()
    }
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Values")
            .field("n", &self.len())
            .field("exact", &self.is_exact())
            .field("median", &self.median())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: impl IntoIterator<Item = f64>) -> Values {
        let mut all = Values::default();
        values.into_iter().for_each(|v| all.push(v));
        all
    }

    #[test]
    fn quantiles_lie_between_neighbours() {
        // By hand: positions 1.5, 2.7 of [1, 2, 4, 8].
        let v = of([8.0, 1.0, 4.0, 2.0]);
        assert_eq!(v.median(), Some(3.0));
        assert!((v.quantile(Share::new(0.9).unwrap()).unwrap() - 6.8).abs() < 1e-12);
        assert_eq!(v.sorted(), Some(&[1.0, 2.0, 4.0, 8.0][..]));
        assert_eq!(of([]).median(), None);
    }

    #[test]
    fn beyond_a_million_values_it_says_that_it_is_not_exact() {
        let count = u32::try_from(EXACT).unwrap();
        let exact = of((0..count).map(f64::from));
        assert!(exact.is_exact());
        let mut coarse = exact.clone();
        coarse.push(1.0);
        assert!(!coarse.is_exact());
        assert_eq!((coarse.len(), coarse.sorted()), (u64::from(count) + 1, None));
        let median = coarse.median().unwrap();
        assert!((median / 500_000.0 - 1.0).abs() < 1e-3, "{median}");
        // Either order of merging gives the same.
        let (mut a, mut b) = (of([5.0, 7.0]), exact.clone());
        a.merge(&exact);
        b.merge(&of([7.0, 5.0]));
        assert_eq!(a, b);
        let mut c = coarse.clone();
        c.merge(&a);
        a.merge(&coarse);
        assert_eq!(a, c);
    }
}
