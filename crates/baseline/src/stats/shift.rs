//! By how much, or by what factor, one sample lies above another.

use super::pair_order::{kth_difference, median_pair};
use super::rank_sum::untied;
use super::special::is_inside;
use super::{normal_quantile, real, sorted_finite};

/// A shift, or a ratio, between two samples.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Shift {
    /// The median of all pairwise differences, first sample minus second; of ratios, first over
    /// second.
    pub estimate: f64,
    /// Its interval; `None` where so few values admit none at the confidence asked for.
    pub interval: Option<ShiftInterval>,
}

/// An interval between two of all pairwise differences.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ShiftInterval {
    /// Its low end.
    pub low: f64,
    /// Its high end.
    pub high: f64,
    /// Which of the sorted differences its low end is, from 1; the high end is as far from the
    /// other end.
    pub order: u64,
    /// The probability with which such an interval holds the shift, at least the confidence asked
    /// for.
    pub coverage: f64,
}

/// Hodges and Lehmann's shift between two samples; `None` if one is empty or holds a value that is
/// not finite, or for a confidence outside 0 to 1.
///
/// # Formula
/// The median of all `x - y`. The interval runs from the `q`-th to the `(m n + 1 - q)`-th
/// difference, `q` being the smallest with `P(U <= q) >= (1 - confidence)/2` of Mann and Whitney's
/// `U` without ties; it covers with `1 - 2 P(U <= q - 1)`. That distribution is exact where it
/// costs at most 3e7 additions, else normal. Where `q` would be 0 there is no interval: 3 and 3
/// values cover at most 90 %. Assumes independent values whose distributions differ by a shift
/// alone; ties make the coverage approximate.
///
/// # Source
/// Hodges and Lehmann, “Estimates of location based on rank tests”, 1963; as R's
/// `wilcox.test(conf.int = TRUE)`, which does give an interval in the last case.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::hodges_lehmann;
/// let y = [318.0, 325.0, 290.0, 340.0, 322.0, 310.0];
/// let x = [115.0, 117.0, 121.0, 119.0, 130.0];
/// let shift = hodges_lehmann(&y, &x, 0.95).unwrap();
/// let interval = shift.interval.unwrap();
/// assert_eq!((shift.estimate, interval.low, interval.high), (200.0, 173.0, 219.0));
/// assert!((interval.coverage - 0.969_70).abs() < 1e-5);
/// ```
pub fn hodges_lehmann(a: &[f64], b: &[f64], confidence: f64) -> Option<Shift> {
    if !is_inside(confidence) {
        return None;
    }
    let (a, b) = (sorted_finite(a)?, sorted_finite(b)?);
    let (m, n) = (a.len() as u64, b.len() as u64);
    let estimate = median_pair(m * n, |k| kth_difference(&a, &b, k))?;
    let interval = low_order(m, n, (1.0 - confidence) / 2.0).and_then(|(order, coverage)| {
        let low = kth_difference(&a, &b, order)?;
        let high = kth_difference(&a, &b, m * n + 1 - order)?;
        Some(ShiftInterval { low, high, order, coverage })
    });
    Some(Shift { estimate, interval })
}

/// Hodges and Lehmann's ratio of two samples, first over second; `None` as of [`hodges_lehmann`]
/// and where a value is not above zero.
///
/// # Formula
/// `exp` of the shift of the logarithms. Assumes distributions that differ by a factor alone.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::hodges_lehmann_ratio;
/// let y = [318.0, 325.0, 290.0, 340.0, 322.0, 310.0];
/// let x = [115.0, 117.0, 121.0, 119.0, 130.0];
/// let ratio = hodges_lehmann_ratio(&y, &x, 0.95).unwrap();
/// assert!((ratio.estimate - 2.666_707_178_43).abs() < 1e-10);
/// ```
pub fn hodges_lehmann_ratio(a: &[f64], b: &[f64], confidence: f64) -> Option<Shift> {
    let logs = |values: &[f64]| -> Option<Vec<f64>> {
        values.iter().all(|x| *x > 0.0).then(|| values.iter().map(|x| x.ln()).collect())
    };
    let shift = hodges_lehmann(&logs(a)?, &logs(b)?, confidence)?;
    let interval =
        shift.interval.map(|i| ShiftInterval { low: i.low.exp(), high: i.high.exp(), ..i });
    Some(Shift { estimate: shift.estimate.exp(), interval })
}

/// Which difference begins the interval, and how often such an interval covers.
fn low_order(m: u64, n: u64, tail: f64) -> Option<(u64, f64)> {
    if let Some(shares) = untied(m, n, m * n / 2) {
        let mut below = 0.0;
        for (q, share) in (0..).zip(shares) {
            if below + share >= tail {
                return (q > 0).then_some((q, 1.0 - 2.0 * below));
            }
            below += share;
        }
        return None;
    }
    let pairs = real(m) * real(n);
    let sd = (pairs * (real(m) + real(n) + 1.0) / 12.0).sqrt();
    let order = (pairs / 2.0 + normal_quantile(tail)? * sd).floor();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at least 1")]
    (order >= 1.0).then_some((order as u64, 1.0 - 2.0 * tail))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R: `wilcox.test(a, b, conf.int = TRUE)`.
    #[test]
    fn shifts_and_ratios_agree_with_r() {
        let y = [318.0, 325.0, 290.0, 340.0, 322.0, 310.0];
        let x = [115.0, 117.0, 121.0, 119.0, 130.0];
        let ratio = hodges_lehmann_ratio(&y, &x, 0.95).unwrap().interval.unwrap();
        assert!((ratio.low - 2.436_974_789_92).abs() < 1e-10);
        assert!((ratio.high - 2.826_086_956_52).abs() < 1e-10 && ratio.order == 4);
        let few = hodges_lehmann(&[1.1, 2.2, 3.3, 4.4], &[0.5, 1.5, 2.5, 3.5, 9.0], 0.95).unwrap();
        let interval = few.interval.unwrap();
        assert!((few.estimate - 0.2).abs() < 1e-12 && (interval.low + 6.8).abs() < 1e-12);
        assert!((interval.high - 2.9).abs() < 1e-12 && interval.order == 2);
        assert!((interval.coverage - 0.968_25).abs() < 1e-5);
    }

    #[test]
    fn three_against_three_admit_no_interval_at_95_percent() {
        let three = hodges_lehmann(&[4.0, 5.0, 6.0], &[1.0, 2.0, 3.0], 0.95).unwrap();
        assert_eq!((three.estimate, three.interval), (3.0, None));
        let loose = hodges_lehmann(&[4.0, 5.0, 6.0], &[1.0, 2.0, 3.0], 0.89).unwrap();
        assert!((loose.interval.unwrap().coverage - 0.9).abs() < 1e-12);
        assert_eq!(hodges_lehmann(&[1.0], &[2.0], 0.95).unwrap().interval, None);
        assert_eq!(hodges_lehmann(&[], &[2.0], 0.95), None);
        assert_eq!(hodges_lehmann(&[f64::NAN], &[2.0], 0.95), None);
        assert_eq!(hodges_lehmann_ratio(&[0.0], &[2.0], 0.95), None);
    }

    #[test]
    fn many_values_give_the_shift_without_all_pairs() {
        // 5 values around 2.5 against 0..1e6 by steps of one: the median of all differences is
        // 2 - 499,999.5.
        let few = [0.0, 1.0, 2.0, 3.0, 4.0];
        let many: Vec<f64> = (0..100_000).map(f64::from).collect();
        let shift = hodges_lehmann(&few, &many, 0.95).unwrap();
        assert!((shift.estimate + 49_997.5).abs() < 1e-9, "{shift:?}");
        let large: Vec<f64> = (0..10_000).map(f64::from).collect();
        let moved: Vec<f64> = large.iter().map(|x| x + 7.0).collect();
        let shift = hodges_lehmann(&moved, &large, 0.95).unwrap();
        let interval = shift.interval.unwrap();
        assert!((shift.estimate - 7.0).abs() < 1e-9);
        assert!(interval.low < 7.0 && 7.0 < interval.high && interval.low > -100.0);
    }
}
