//! A quantile that uses all order statistics.

use super::special::{beta_share, is_inside};
use super::{count, sorted_finite};

/// The most values for which the weights are certain.
const MOST: usize = 10_000;

/// Harrell and Davis's estimate of the quantile `q`; `None` of no values or more than 10,000, of one
/// that is not finite or for `q` outside 0 to 1.
///
/// # Formula
/// The mean of the sorted values with weights `I(i/n; a, b) - I((i - 1)/n; a, b)`, the regularised
/// incomplete beta function with `a = (n + 1) q` and `b = (n + 1)(1 - q)`. It varies less than one
/// order statistic does, and one far value moves it: not for tails of few values. Beyond 10,000
/// values one order statistic serves as well.
///
/// # Source
/// Harrell and Davis, “A new distribution-free quantile estimator”, 1982; as scipy's
/// `mstats.hdquantiles`.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::harrell_davis;
/// let one_to_ten: Vec<f64> = (1..=10).map(f64::from).collect();
/// assert!((harrell_davis(&one_to_ten, 0.9).unwrap() - 9.435_115_18).abs() < 1e-8);
/// ```
pub fn harrell_davis(values: &[f64], q: f64) -> Option<f64> {
    let sorted = sorted_finite(values)?;
    if !is_inside(q) {
        return None;
    }
    let n = count(sorted.len());
    let weights = beta_weights(sorted.len(), (n + 1.0) * q, (n + 1.0) * (1.0 - q))?;
    Some(weights.zip(&sorted).map(|(weight, x)| weight * x).sum())
}

/// What of a beta distribution lies in each of `n` equal parts of 0 to 1; `None` for more parts
/// than 10,000.
pub(super) fn beta_weights(n: usize, a: f64, b: f64) -> Option<impl Iterator<Item = f64>> {
    let mut below = 0.0;
    let weights = (1..=n).map(move |i| {
        let through = beta_share(count(i) / count(n), a, b);
        through - std::mem::replace(&mut below, through)
    });
    (n <= MOST).then_some(weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// scipy: `mstats.hdquantiles(range(1, 11), [.5, .9, .99])`.
    #[test]
    fn quantiles_agree_with_scipy() {
        let values = [3.0, 1.0, 2.0, 10.0, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0];
        for (q, wanted) in [(0.5, 5.5), (0.9, 9.435_115_18), (0.99, 9.972_251_54)] {
            assert!((harrell_davis(&values, q).unwrap() - wanted).abs() < 1e-7, "{q}");
        }
        assert!((harrell_davis(&[4.0], 0.3).unwrap() - 4.0).abs() < 1e-12);
    }

    #[test]
    fn nothing_nan_and_too_many_are_refused() {
        assert_eq!(harrell_davis(&[], 0.5), None);
        assert_eq!(harrell_davis(&[1.0, f64::NAN], 0.5), None);
        assert_eq!(harrell_davis(&[1.0], 1.0), None);
        assert_eq!(harrell_davis(&vec![1.0; MOST + 1], 0.5), None);
    }
}
