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

/// The quantile `q` of sorted values by the rule that is median-unbiased whatever the
/// distribution; `None` of none or for `q` outside 0 to 1.
///
/// # Formula
/// Hyndman and Fan's type 8: linear between the order statistics around `(n + 1/3) q + 1/3`, the
/// ends beyond them. statrs and R's `quantile(type = 8)` take it; most tools take type 7,
/// [`quantile`], and at a 99th percentile of few values the two differ.
///
/// # Shape
/// `sorted` rises and holds no NaN.
///
/// # Source
/// Hyndman and Fan, “Sample quantiles in statistical packages”, 1996; numpy's
/// `quantile(method="median_unbiased")`.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::quantile_type8;
/// let one_to_ten: Vec<f64> = (1..=10).map(f64::from).collect();
/// assert!((quantile_type8(&one_to_ten, 0.25).unwrap() - 2.916_666_667).abs() < 1e-9);
/// assert_eq!(quantile_type8(&one_to_ten, 0.99), Some(10.0));
/// ```
pub fn quantile_type8(sorted: &[f64], q: f64) -> Option<f64> {
    let n = count(sorted.len());
    let at = ((n + 1.0 / 3.0) * q + 1.0 / 3.0 - 1.0) / (n - 1.0);
    match sorted {
        _ if !(0.0..=1.0).contains(&q) => None,
        [only] => Some(*only),
        _ => quantile(sorted, at.clamp(0.0, 1.0)),
    }
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

/// Values in rising order; `None` of none or where one is not finite.
pub(crate) fn sorted_finite(values: &[f64]) -> Option<Vec<f64>> {
    (!values.is_empty() && values.iter().all(|x| x.is_finite())).then(|| sorted(values.to_vec()))
}
