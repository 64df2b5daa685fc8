//! A percentile that is never too good for the number of values: `LoadGen`'s estimate.

use super::special::is_inside;
use super::{binomial_at_most, real};

/// A percentile as `LoadGen` estimates it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct TailEstimate {
    /// The value that the quantile lies at or below with the confidence asked for.
    pub value: f64,
    /// How many values from the top it stands, from 1.
    pub from_top: u64,
}

/// The percentile `q` of sorted values as an upper bound, or `None` where there are too few values
/// for one (see [`tail_floor`]) or a number is outside 0 to 1.
///
/// # Formula
/// `sorted[n - t]` with the largest `t` of at least 1 for which `BinCDF(t; n, 1 - q) <= 1 -
/// confidence`: were the quantile higher, `t` or fewer values above it would be that unlikely.
/// `LoadGen` takes 0.99. Assumes independent values.
///
/// # Shape
/// `sorted` rises and holds no NaN.
///
/// # Source
/// `MLPerf` `LoadGen`, early stopping: the largest `t` with `n >= h_min(t) + t`, which is the same.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::tail_estimate;
/// let sorted: Vec<f64> = (1..=10_000).map(f64::from).collect();
/// let p99 = tail_estimate(&sorted, 0.99, 0.99).unwrap();
/// assert_eq!((p99.from_top, p99.value), (77, 9_924.0));
/// // 661 values are one too few.
/// assert_eq!(tail_estimate(&sorted[..661], 0.99, 0.99), None);
/// ```
pub fn tail_estimate(sorted: &[f64], q: f64, confidence: f64) -> Option<TailEstimate> {
    let n = sorted.len() as u64;
    if !is_inside(q) || !is_inside(confidence) || n == 0 {
        return None;
    }
    let passes = |t: u64| binomial_at_most(t, n, 1.0 - q) <= 1.0 - confidence;
    if !passes(1) {
        return None;
    }
    let (mut low, mut high) = (1, n);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if passes(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    let value = *sorted.get(usize::try_from(n - low).ok()?)?;
    Some(TailEstimate { value, from_top: low })
}

/// The fewest values that admit a [`tail_estimate`]: 662 for a 99th percentile at 0.99; `None` for
/// a number outside 0 to 1.
///
/// # Source
/// The floors that the documentation of `mlcommons/endpoints` lists.
pub fn tail_floor(q: f64, confidence: f64) -> Option<u64> {
    if !is_inside(q) || !is_inside(confidence) {
        return None;
    }
    let suffices = |n: u64| binomial_at_most(1, n, 1.0 - q) <= 1.0 - confidence;
    let mut high = 2;
    while !suffices(high) {
        high *= 2;
        if real(high) > 1e15 {
            return None;
        }
    }
    let mut low = high / 2;
    while low < high {
        let middle = u64::midpoint(low, high);
        if suffices(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Some(high)
}

/// The fewest values whose largest is an upper bound of the quantile `q`: 299 for a 99th percentile
/// at 0.95; `None` for a number outside 0 to 1.
///
/// # Formula
/// The smallest `n` with `q^n <= 1 - confidence`, `ln(1 - confidence) / ln q` rounded up.
pub fn maximum_floor(q: f64, confidence: f64) -> Option<u64> {
    if !is_inside(q) || !is_inside(confidence) {
        return None;
    }
    let needed = ((1.0 - confidence).ln() / q.ln()).ceil();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to 1e15")]
    (needed <= 1e15).then_some(needed as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floors_are_those_that_the_endpoints_list() {
        for (q, n) in [
            (0.5, 11),
            (0.75, 24),
            (0.8, 31),
            (0.9, 64),
            (0.95, 130),
            (0.97, 219),
            (0.99, 662),
            (0.999, 6_636),
        ] {
            assert_eq!(tail_floor(q, 0.99), Some(n), "{q}");
            let some: Vec<f64> = (0..n).map(real).collect();
            let fewer = some.len() - 1;
            assert_eq!(tail_estimate(&some, q, 0.99).unwrap().from_top, 1);
            assert_eq!(tail_estimate(&some[..fewer], q, 0.99), None);
        }
    }

    #[test]
    fn the_largest_of_enough_values_bounds_a_quantile() {
        // By hand: 0.95^59 = 0.0485, 0.95^58 = 0.0510; 0.99^459 = 0.00992 at 0.99.
        for (q, confidence, n) in [
            (0.5, 0.95, 5),
            (0.9, 0.95, 29),
            (0.95, 0.95, 59),
            (0.99, 0.95, 299),
            (0.999, 0.95, 2_995),
            (0.99, 0.99, 459),
        ] {
            assert_eq!(maximum_floor(q, confidence), Some(n), "{q}");
        }
        assert_eq!((maximum_floor(0.0, 0.95), maximum_floor(0.9, 1.0)), (None, None));
    }

    #[test]
    fn nothing_and_no_probability_are_refused() {
        assert_eq!(tail_estimate(&[], 0.9, 0.99), None);
        assert_eq!((tail_floor(1.0, 0.99), tail_floor(0.9, f64::NAN)), (None, None));
        assert_eq!(tail_floor(1.0 - 1e-16, 0.99), None);
    }
}
