//! Quantiles of sorted values.

use super::count;

/// The quantile `q` of sorted values; `None` of none or for `q` outside 0 to 1.
///
/// # Formula
/// Hyndman and Fan's type 7, numpy's default: linear between the order statistics around
/// `(n - 1) q`.
///
/// # Shape
/// `sorted` rises and holds no NaN.
///
/// # Source
/// Hyndman and Fan, “Sample quantiles in statistical packages”, 1996.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::quantile;
/// let one_to_ten: Vec<f64> = (1..=10).map(f64::from).collect();
/// // numpy.quantile(range(1, 11), [0.25, 0.99]) is [3.25, 9.91].
/// assert_eq!(quantile(&one_to_ten, 0.25), Some(3.25));
/// assert!((quantile(&one_to_ten, 0.99).unwrap() - 9.91).abs() < 1e-12);
/// assert_eq!(quantile(&[], 0.5), None);
/// ```
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an index between 0 and n - 1"
)]
pub fn quantile(sorted: &[f64], q: f64) -> Option<f64> {
    if !(0.0..=1.0).contains(&q) {
        return None;
    }
    let at = count(sorted.len().checked_sub(1)?) * q;
    let low = *sorted.get(at.floor() as usize)?;
    let high = *sorted.get(at.ceil() as usize)?;
    Some(low + (high - low) * at.fract())
}

/// The median of sorted values; `None` of none.
pub fn median(sorted: &[f64]) -> Option<f64> {
    quantile(sorted, 0.5)
}

/// The median of values in any order; `None` of none.
pub(crate) fn median_of(values: Vec<f64>) -> Option<f64> {
    median(&sorted(values))
}

/// Values in rising order.
pub(crate) fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}
