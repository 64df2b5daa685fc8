//! Intervals for a quantile from order statistics alone.

use super::{binomial, count};

/// An interval for a quantile, between two order statistics.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct OrderInterval {
    /// Its low end.
    pub low: f64,
    /// Its high end.
    pub high: f64,
    /// Which order statistics these are, counted from 1.
    pub orders: (usize, usize),
    /// The probability with which such an interval holds the quantile; at least the confidence
    /// asked for.
    pub coverage: f64,
}

/// An interval for the quantile `q` with at least the confidence asked for, or `None` where so few
/// values admit none.
///
/// # Formula
/// The largest `l` with `BinCDF(l - 1; n, q) <= a/2` and the smallest `u` with
/// `1 - BinCDF(u - 1; n, q) <= a/2`; the interval is `[x(l), x(u)]` and covers with
/// `BinCDF(u - 1) - BinCDF(l - 1)`. Assumes independent values and nothing else; ties make it
/// cover more.
///
/// # Shape
/// `sorted` rises and holds no NaN.
///
/// # Source
/// Conover, “Practical Nonparametric Statistics”, 3.2; as R's `EnvStats::eqnpar`.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::order_interval;
/// let three = [100.0, 110.0, 115.0];
/// assert_eq!(order_interval(&three, 0.5, 0.95), None);
/// ```
pub fn order_interval(sorted: &[f64], q: f64, confidence: f64) -> Option<OrderInterval> {
    let (low, high, coverage) = interval_orders(sorted.len(), q, confidence)?;
    Some(OrderInterval {
        low: *sorted.get(low - 1)?,
        high: *sorted.get(high - 1)?,
        orders: (low, high),
        coverage,
    })
}

/// The smallest number of values that admit a two-sided interval for the quantile `q`.
///
/// # Formula
/// The smallest `n` with `q^n <= a/2` and `(1 - q)^n <= a/2`: 6 for a median at 95 %, 368 for a
/// 99th percentile.
pub fn smallest_n(q: f64, confidence: f64) -> Option<usize> {
    let tail = (1.0 - confidence) / 2.0;
    if !(q > 0.0 && q < 1.0 && tail > 0.0 && tail < 0.5) {
        return None;
    }
    let needed = tail.ln() / q.max(1.0 - q).ln();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive")]
    Some(needed.ceil() as usize)
}

/// The two order statistics, counted from 1, between which the quantile `q` of `n` values lies with
/// at least the confidence asked for, and the coverage; see [`order_interval`].
pub fn interval_orders(n: usize, q: f64, confidence: f64) -> Option<(usize, usize, f64)> {
    if n < smallest_n(q, confidence)? {
        return None;
    }
    let tail = (1.0 - confidence) / 2.0;
    let (mean, sd) = (count(n) * q, (count(n) * q * (1.0 - q)).sqrt());
    // 40 standard deviations below the mean the sum is zero to double precision.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at least 0")]
    let start = (mean - 40.0 * sd - 40.0).max(0.0) as usize;
    let mut cdf = 0.0;
    let mut low = None;
    for k in start..n {
        let before = cdf;
        cdf += binomial(k as u64, n as u64, q);
        // Here `cdf` is P(B <= k): order k + 1 is low enough while that is within the tail.
        if cdf <= tail {
            low = Some((k + 1, cdf));
        }
        // `1 - before` is P(B >= k).
        if 1.0 - before <= tail && k > 0 {
            let (low, below) = low?;
            return Some((low, k, before - below));
        }
    }
    // P(B >= n) = q^n is within the tail, since n is at least the smallest n.
    let (low, below) = low?;
    Some((low, n, cdf - below))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed with R 4's `pbinom` and by hand from the formula; the rows for n = 5 to 1000 are
    /// those of the usual tables of order-statistic intervals.
    #[test]
    fn orders_and_coverage_agree_with_the_binomial_tables() {
        for (n, q, low, high, coverage) in [
            (6, 0.5, 1, 6, 0.968_75),
            (10, 0.5, 2, 9, 0.978_515_625),
            (20, 0.5, 6, 15, 0.958_610_535),
            (100, 0.5, 40, 61, 0.964_799_800),
            (541, 0.5, 248, 294, 0.952_137_039),
            (100, 0.9, 84, 96, 0.955_690_107),
            (541, 0.95, 504, 524, 0.952_125_155),
            (541, 0.99, 531, 541, 0.973_478_082),
            (1000, 0.99, 983, 997, 0.976_094_763),
        ] {
            let got = interval_orders(n, q, 0.95).unwrap();
            assert_eq!((got.0, got.1), (low, high), "n {n}, q {q}");
            assert!((got.2 - coverage).abs() < 1e-8, "n {n}, q {q}: {}", got.2);
        }
    }

    #[test]
    fn too_few_values_admit_no_interval() {
        for (q, n) in [(0.5, 6), (0.9, 36), (0.95, 72), (0.99, 368)] {
            assert_eq!(smallest_n(q, 0.95), Some(n));
            assert!(interval_orders(n, q, 0.95).is_some());
            assert!(interval_orders(n - 1, q, 0.95).is_none());
        }
    }

    #[test]
    fn a_million_values_are_no_trouble() {
        let (low, high, coverage) = interval_orders(1_000_000, 0.5, 0.95).unwrap();
        // Normal approximation: 500,000 -/+ 1.96 * 500 = 499,020 and 500,980.
        assert!(low.abs_diff(499_020) <= 2 && high.abs_diff(500_981) <= 2, "{low} {high}");
        assert!((0.95..0.951).contains(&coverage));
    }
}
