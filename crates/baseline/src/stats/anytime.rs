//! An interval for a quantile that may be looked at after every value.

use super::special::is_inside;
use super::{binomial, count};

/// An interval for a quantile that holds at every number of values at once.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct AnytimeInterval {
    /// Its low end.
    pub low: f64,
    /// Its high end.
    pub high: f64,
    /// Which order statistics these are, counted from 1.
    pub orders: (usize, usize),
}

impl AnytimeInterval {
    /// Its whole width as a share of its middle; `None` where it does not lie above zero.
    pub fn relative_width(&self) -> Option<f64> {
        (self.low > 0.0).then(|| (self.high - self.low) / f64::midpoint(self.low, self.high))
    }
}

/// An interval for the quantile `q` that may be looked at after every value and be stopped at;
/// `None` where so few values admit none.
///
/// Whoever measures until an interval is narrow enough needs this one: a plain interval is looked at
/// until it happens to be narrow, and holds the true value less often than it says.
///
/// # Formula
/// Of `n` values `s` lie at or below the quantile. Those `s` are kept whose probability exceeds
/// `(1 - confidence) / (n + 1)`; with the smallest `l` and the largest `u` of them the interval is
/// `[x(l), x(u + 1)]`. The inverse of `(n + 1) Bin(s; n, q)` is the likelihood ratio of a coin whose
/// share is drawn evenly between 0 and 1 against one of share `q`: a martingale that starts at 1, and by
/// Ville's inequality it ever reaches `1 / (1 - confidence)` with at most probability
/// `1 - confidence`. Assumes independent values and nothing else; ties make it cover more.
///
/// # Shape
/// `sorted` rises and holds no NaN.
///
/// # Source
/// Robbins, “Statistical methods related to the law of the iterated logarithm”, 1970; Ville, 1939.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::anytime_interval;
/// let eight = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
/// assert_eq!(anytime_interval(&eight[..7], 0.5, 0.95), None);
/// assert_eq!(anytime_interval(&eight, 0.5, 0.95).unwrap().orders, (1, 8));
/// ```
pub fn anytime_interval(sorted: &[f64], q: f64, confidence: f64) -> Option<AnytimeInterval> {
    let (low, high) = anytime_orders(sorted.len(), q, confidence)?;
    Some(AnytimeInterval {
        low: *sorted.get(low - 1)?,
        high: *sorted.get(high - 1)?,
        orders: (low, high),
    })
}

/// The two order statistics of [`anytime_interval`], counted from 1.
pub fn anytime_orders(n: usize, q: f64, confidence: f64) -> Option<(usize, usize)> {
    if n == 0 || !is_inside(q) || !is_inside(confidence) {
        return None;
    }
    let least = (1.0 - confidence) / (count(n) + 1.0);
    let is_kept = |s: usize| binomial(s as u64, n as u64, q) > least;
    // The likeliest count; from there on both sides fall, and the ends are found by halving.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to n")]
    let likeliest = ((count(n) + 1.0) * q).floor().min(count(n)) as usize;
    if is_kept(0) || is_kept(n) || !is_kept(likeliest) {
        return None;
    }
    Some((end(0, likeliest, is_kept), end(n, likeliest, is_kept) + 1))
}

/// The kept count that is next to one that is not, between one that is not and one that is.
fn end(mut left_out: usize, mut kept: usize, is_kept: impl Fn(usize) -> bool) -> usize {
    while left_out.abs_diff(kept) > 1 {
        let middle = left_out.midpoint(kept);
        if is_kept(middle) {
            kept = middle;
        } else {
            left_out = middle;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::super::{Random, order_interval};
    use super::*;

    /// By the formula with exact binomial coefficients, every count tried (Python's `math.comb`).
    #[test]
    fn orders_are_those_of_the_formula() {
        for (n, q, orders) in [
            (8, 0.5, (1, 8)),
            (20, 0.5, (4, 17)),
            (100, 0.5, (35, 66)),
            (1_000, 0.5, (445, 556)),
            (69, 0.9, (53, 69)),
            (100, 0.9, (79, 99)),
            (984, 0.99, (960, 984)),
        ] {
            assert_eq!(anytime_orders(n, q, 0.95), Some(orders), "n {n}, q {q}");
        }
    }

    #[test]
    fn too_few_values_and_what_is_no_share_admit_no_interval() {
        for (n, q) in [(0, 0.5), (1, 0.5), (7, 0.5), (68, 0.9), (983, 0.99)] {
            assert_eq!(anytime_orders(n, q, 0.95), None, "n {n}, q {q}");
        }
        for (q, confidence) in [(0.0, 0.95), (1.0, 0.95), (0.5, 1.0), (0.5, f64::NAN)] {
            assert_eq!(anytime_orders(100, q, confidence), None, "{q} {confidence}");
        }
    }

    #[test]
    fn a_million_values_are_no_trouble() {
        let (low, high) = anytime_orders(1_000_000, 0.5, 0.95).unwrap();
        // By the normal density: exp(-x^2 / 2) / (500 sqrt(2 pi)) = 0.05 / 1,000,001 at x = 4.3995.
        assert!(low.abs_diff(497_800) <= 5 && high.abs_diff(502_201) <= 5, "{low} {high}");
    }

    #[test]
    fn the_width_is_a_share_of_the_middle_and_none_around_zero() {
        let interval = |low, high| AnytimeInterval { low, high, orders: (1, 2) };
        assert_eq!(interval(90.0, 110.0).relative_width(), Some(0.2));
        assert_eq!(interval(0.0, 1.0).relative_width(), None);
    }

    /// How many of so many series miss the true median at some number of values up to 400: the
    /// anytime interval, and the plain one.
    fn misses(series: u64) -> (usize, usize) {
        let (mut anytime, mut plain) = (0, 0);
        for seed in 0..series {
            let mut random = Random::seeded(seed);
            let mut sorted: Vec<f64> = Vec::new();
            let (mut missed, mut missed_plainly) = (false, false);
            for _ in 0..400 {
                let value = random.unit();
                sorted.insert(sorted.partition_point(|x| *x < value), value);
                let is_outside = |low: f64, high: f64| !(low..=high).contains(&0.5);
                missed |=
                    anytime_interval(&sorted, 0.5, 0.9).is_some_and(|i| is_outside(i.low, i.high));
                missed_plainly |=
                    order_interval(&sorted, 0.5, 0.9).is_some_and(|i| is_outside(i.low, i.high));
            }
            anytime += usize::from(missed);
            plain += usize::from(missed_plainly);
        }
        (anytime, plain)
    }

    #[test]
    fn looking_at_every_value_misses_no_more_than_was_said_and_a_plain_interval_far_more() {
        let (anytime, plain) = misses(300);
        // At 90 %: at most 30 of 300 are to be missed, at a standard error of 5.
        assert!(anytime <= 30, "{anytime} of 300");
        assert!(plain >= 90, "{plain} of 300: then there would be no need of it");
    }
}
