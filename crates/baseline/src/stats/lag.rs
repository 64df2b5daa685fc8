//! How much less neighbours that depend on each other say than independent ones.

use super::{count, mean, normal_cdf, normal_quantile, squares_about};

/// The share of independent witnesses among values that depend on their neighbours, at most 1.
///
/// # Formula
/// With `r` the correlation of each value with the next, `(1 - r) / (1 + r)`: the share of `n` that
/// is left of the effective number in a first-order autoregressive series. `r` is taken about the
/// mean, corrected for its bias in short series, `(n r + 1) / (n - 4)`, and kept within 0 to 0.95.
/// Take a trend away before: it correlates neighbours too. 1 with fewer than 8 values or without
/// spread.
///
/// # Shape
/// `values` in order of time, finite.
///
/// # Source
/// Bayley and Hammersley, “The effective number of independent observations in an autocorrelated
/// time series”, 1946; bias as of Kendall, “Note on bias in the estimation of autocorrelation”,
/// 1954.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::independent_share;
/// // By hand: mean 0, r = -7/8, below 0: neighbours that alternate are no fewer witnesses.
/// let alternating = [1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0];
/// assert_eq!(independent_share(&alternating), 1.0);
/// ```
pub fn independent_share(values: &[f64]) -> f64 {
    let n = count(values.len());
    let Some(mean) = mean(values).filter(|_| n >= 8.0) else { return 1.0 };
    let all = squares_about(mean, values);
    let pairs = values.iter().zip(values.iter().skip(1));
    let next: f64 = pairs.map(|(a, b)| (a - mean) * (b - mean)).sum();
    if all <= 0.0 {
        return 1.0;
    }
    let r = ((n * next / all + 1.0) / (n - 4.0)).clamp(0.0, 0.95);
    (1.0 - r) / (1.0 + r)
}

/// A two-sided p as it is where only a share of the witnesses is independent.
///
/// # Formula
/// The normal deviate of `p`, times the root of the share, and back: a mean of so many fewer
/// witnesses lies as much nearer to chance.
///
/// # Shape
/// `p` between 0 and 1; `share` between 0 and 1 as of [`independent_share`], kept within them.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::weakened_p;
/// // z = 2.576 at p = 0.01; half of it is p = 0.198.
/// assert!((weakened_p(0.01, 0.25) - 0.198).abs() < 1e-3);
/// ```
pub fn weakened_p(p: f64, share: f64) -> f64 {
    // Below that the quantile is no longer finite in every case.
    let Some(z) = normal_quantile(p.clamp(1e-300, 1.0) / 2.0) else { return 1.0 };
    (2.0 * normal_cdf(z * share.clamp(0.0, 1.0).sqrt())).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_agrees_with_numpy() {
        // numpy: x = arange(20) % 10; r1 = sum(d[:-1] d[1:]) / sum(d d) with d = x - mean.
        let saw: Vec<f64> = (0..20).map(|i| f64::from(i % 10)).collect();
        assert!((independent_share(&saw) - 0.121_019_108_280).abs() < 1e-9);
        let rise: Vec<f64> = (0..1_000).map(f64::from).collect();
        assert!((independent_share(&rise) - 0.05 / 1.95).abs() < 1e-12);
        assert!((independent_share(&[1.0; 20]) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_quarter_of_the_witnesses_halves_the_deviate() {
        // z = 2.575829 at p = 0.01; 1.2879145 is p = 0.197775 (scipy: 2 * norm.sf(1.2879146)).
        assert!((weakened_p(0.01, 0.25) - 0.197_775).abs() < 1e-5);
        assert!((weakened_p(0.01, 1.0) - 0.01).abs() < 1e-9);
        assert!(weakened_p(0.0, 0.5).is_finite() && weakened_p(1.0, 0.5) > 0.999);
    }
}
