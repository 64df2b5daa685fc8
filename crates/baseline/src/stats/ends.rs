//! Where an interval ends, among the estimates of samples drawn anew.

use super::{count, normal_cdf, normal_quantile, quantile, t_quantile};

/// The ends at the normal deviates `-z` and `z`; see
/// [`bootstrap`](super::bootstrap).
pub(super) fn ends(rising: &[f64], point: f64, acceleration: f64, z: f64) -> Option<(f64, f64)> {
    let below = rising.partition_point(|x| *x < point);
    let through = rising.partition_point(|x| *x <= point);
    let share = (count(below) + count(through)) / (2.0 * count(rising.len()));
    let bias = normal_quantile(share)?;
    let end = |z: f64| {
        let stretch = 1.0 - acceleration * (bias + z);
        let at = normal_cdf(bias + (bias + z) / stretch);
        if stretch > 0.0 { quantile(rising, at) } else { None }
    };
    Some((end(-z)?, end(z)?))
}

/// What one sample contributes to how much an estimate varies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// The variance that drawing gives it.
    pub(super) variance: f64,
    /// How many independent units were drawn.
    pub(super) units: f64,
    /// The right variance over that one: drawing `n` units gives their variance over `n`, not over
    /// `n - 1`.
    pub(super) short: f64,
}

/// The deviate that makes an interval as wide as Student's.
///
/// # Formula
/// `t(1 - (1 - confidence)/2; df) sqrt(sum of right variances / sum of drawn ones)`: resampling
/// knows no degrees of freedom. Of `n` units they are `n - 1`, of two samples Welch and
/// Satterthwaite's.
///
/// # Source
/// Hesterberg, “What teachers should know about the bootstrap”, 2015: the expanded percentile
/// interval.
pub(super) fn deviate(confidence: f64, parts: &[Part]) -> Option<f64> {
    let p = 0.5 + confidence / 2.0;
    let drawn: f64 = parts.iter().map(|part| part.variance).sum();
    let right: f64 = parts.iter().map(|part| part.variance * part.short).sum();
    let free = |part: &Part| (part.variance * part.short).powi(2) / (part.units - 1.0);
    let squares: f64 = parts.iter().map(free).sum();
    if drawn > 0.0 && squares > 0.0 {
        return Some(t_quantile(p, right * right / squares)? * (right / drawn).sqrt());
    }
    // Leaving out any one value moves nothing, as among ties: the smallest sample counts.
    let fewest = parts.iter().map(|part| part.units).fold(f64::INFINITY, f64::min);
    Some(t_quantile(p, fewest - 1.0)? * (fewest / (fewest - 1.0)).sqrt())
}
