//! How two distributions differ quantile by quantile.

use super::harrell_davis::beta_weights;
use super::special::is_inside;
use super::{count, holm, normal_cdf, normal_quantile, sorted_finite};

/// The ratio of two distributions at one quantile.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct QuantileRatio {
    /// The quantile.
    pub q: f64,
    /// First sample over second.
    pub ratio: f64,
    /// Its interval; those of all quantiles asked for hold together.
    pub interval: (f64, f64),
    /// The two-sided probability of such a ratio where the samples do not differ there, adjusted by
    /// Holm's steps for all quantiles asked for.
    pub p: f64,
}

/// The ratios of two samples quantile by quantile, also called a shift function; `None` where a
/// quantile has fewer than two values on either side in either sample, so with fewer than 20 values
/// for deciles, with more than 10,000 values, with a value not above zero or not finite, without
/// spread around a quantile, or for a number outside 0 to 1.
///
/// # Formula
/// With [`harrell_davis`] of the logarithms in either sample, `exp(ha - hb)`; the standard error of
/// each is Maritz and Jarrett's, `sqrt(sum w x^2 - (sum w x)^2)` with the weights `w` of the order
/// statistic nearest to the quantile, and the deviate is held against the normal distribution.
/// Intervals are at `1 - (1 - confidence)/k` of `k` quantiles. For deciles of 20 to 200 log-normal,
/// exponential or bimodal values any false alarm came in 2.4 to 4.5 % of 3,000 tries at 5 %.
/// Assumes independent values: those of one run's requests are not, so this describes a run and does
/// not compare arms.
///
/// # Shape
/// One element a quantile, in the order given.
///
/// # Source
/// Wilcox, “Comparing two independent groups via multiple quantiles”, 1995; Maritz and Jarrett, “A
/// note on estimating the variance of the sample median”, 1978.
///
/// [`harrell_davis`]: super::harrell_davis
///
/// # Examples
/// ```
/// use trueline_baseline::stats::quantile_ratios;
/// let b: Vec<f64> = (0..100).map(|i| 100.0 + f64::from(i)).collect();
/// // Only the slowest third became slower, by a half.
/// let a: Vec<f64> = b.iter().map(|x| if *x < 167.0 { *x } else { 1.5 * x }).collect();
/// let ratios = quantile_ratios(&a, &b, &[0.1, 0.5, 0.9], 0.95).unwrap();
/// assert!(ratios[0].p >= 1.0 && ratios[1].p > 0.9 && ratios[2].p < 1e-6);
/// assert!((ratios[2].ratio - 1.5).abs() < 0.01);
/// ```
pub fn quantile_ratios(
    a: &[f64],
    b: &[f64],
    quantiles: &[f64],
    confidence: f64,
) -> Option<Vec<QuantileRatio>> {
    let (a, b) = (logs(a)?, logs(b)?);
    if !is_inside(confidence) || quantiles.is_empty() {
        return None;
    }
    let z = normal_quantile(1.0 - (1.0 - confidence) / (2.0 * count(quantiles.len())))?;
    let mut ratios = Vec::with_capacity(quantiles.len());
    for q in quantiles {
        let ((at_a, error_a), (at_b, error_b)) = (estimate(&a, *q)?, estimate(&b, *q)?);
        let (difference, error) = (at_a - at_b, error_a.hypot(error_b));
        if error <= 0.0 {
            return None;
        }
        ratios.push(QuantileRatio {
            q: *q,
            ratio: difference.exp(),
            interval: ((difference - z * error).exp(), (difference + z * error).exp()),
            p: (2.0 * normal_cdf(-(difference / error).abs())).min(1.0),
        });
    }
    let adjusted = holm(&ratios.iter().map(|r| r.p).collect::<Vec<_>>())?;
    for (ratio, p) in ratios.iter_mut().zip(adjusted) {
        ratio.p = p;
    }
    Some(ratios)
}

fn logs(values: &[f64]) -> Option<Vec<f64>> {
    let sorted = sorted_finite(values)?;
    sorted
        .first()
        .is_some_and(|least| *least > 0.0)
        .then(|| sorted.iter().map(|x| x.ln()).collect())
}

/// The quantile of sorted values and its standard error.
fn estimate(sorted: &[f64], q: f64) -> Option<(f64, f64)> {
    let n = count(sorted.len());
    // A little below two, as 20 times 1 - 0.9 is.
    if !is_inside(q) || n * q.min(1.0 - q) < 2.0 - 1e-9 {
        return None;
    }
    let at: f64 = beta_weights(sorted.len(), (n + 1.0) * q, (n + 1.0) * (1.0 - q))?
        .zip(sorted)
        .map(|(w, x)| w * x)
        .sum();
    let order = (n * q + 0.5).floor();
    // About the estimate, so that nothing is lost to rounding.
    let (first, second) = beta_weights(sorted.len(), order, n - order + 1.0)?
        .zip(sorted)
        .fold((0.0, 0.0), |(c1, c2), (w, x)| (c1 + w * (x - at), c2 + w * (x - at).powi(2)));
    Some((at, (second - first * first).max(0.0).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECILES: [f64; 9] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

    fn sample(n: u32, factor: f64) -> Vec<f64> {
        (0..n).map(|i| factor * (1.0 + f64::from((i * 37) % 101))).collect()
    }

    #[test]
    fn a_factor_shows_at_every_decile_and_turns_over_with_the_samples() {
        let (a, b) = (sample(80, 3.0), sample(80, 1.0));
        let there = quantile_ratios(&a, &b, &DECILES, 0.95).unwrap();
        let back = quantile_ratios(&b, &a, &DECILES, 0.95).unwrap();
        for (there, back) in there.iter().zip(&back) {
            assert!(
                (there.ratio - 3.0).abs() < 1e-9 && (there.ratio * back.ratio - 1.0).abs() < 1e-9
            );
            assert!((there.interval.0 * back.interval.1 - 1.0).abs() < 1e-9);
            assert!((there.p - back.p).abs() < 1e-12);
        }
        let same = quantile_ratios(&a, &a, &DECILES, 0.95).unwrap();
        assert!(same.iter().all(|r| r.p >= 1.0 && r.interval.0 < 1.0 && r.interval.1 > 1.0));
    }

    #[test]
    fn few_values_copies_and_nothing_are_refused() {
        let enough = sample(20, 1.0);
        assert!(quantile_ratios(&enough, &enough, &DECILES, 0.95).is_some());
        assert_eq!(quantile_ratios(&enough[..19], &enough, &DECILES, 0.95), None);
        assert_eq!(quantile_ratios(&enough, &enough, &[0.99], 0.95), None);
        assert_eq!(quantile_ratios(&[1.0; 30], &[2.0; 30], &DECILES, 0.95), None);
        assert_eq!(quantile_ratios(&enough, &enough, &[], 0.95), None);
        assert_eq!(quantile_ratios(&enough, &enough, &[f64::NAN], 0.95), None);
        assert_eq!(quantile_ratios(&sample(30, -1.0), &enough, &DECILES, 0.95), None);
        assert_eq!(quantile_ratios(&[], &enough, &DECILES, 0.95), None);
    }
}
