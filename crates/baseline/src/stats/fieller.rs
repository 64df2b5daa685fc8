//! The interval of a ratio of arithmetic means.

use super::special::is_inside;
use super::{count, mean, squares_about, t_quantile};

/// A ratio of arithmetic means.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct MeanRatio {
    /// Mean of the first arm over that of the second.
    pub ratio: f64,
    /// Its interval; `None` where the second arm's mean is not distinct from zero (`g` of 1 or
    /// more), so that any ratio is possible.
    pub interval: Option<(f64, f64)>,
    /// How uncertain the denominator is: the square of its half width over its mean. Near 0 the
    /// interval is that of the delta method.
    pub g: f64,
}

/// The ratio of arithmetic means of two arms with Fieller's interval; `None` with fewer than two
/// values in either, one that is not finite, a second mean of zero or a confidence outside 0 to 1.
///
/// # Formula
/// With `va`, `vb` the squared standard errors of the means, `t` of `n1 + n2 - 2` degrees of
/// freedom and `g = t^2 vb / mean(b)^2`:
/// `(r -/+ t/|mean b| sqrt(va + r^2 vb - g va)) / (1 - g)`. Assumes independent arms with roughly
/// normal means.
///
/// # Source
/// Fieller, “Some problems in interval estimation”, 1954.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::ratio_of_arithmetic_means;
/// let y = [318.0, 325.0, 290.0, 340.0, 322.0, 310.0];
/// let x = [115.0, 117.0, 121.0, 119.0, 130.0];
/// let got = ratio_of_arithmetic_means(&y, &x, 0.95).unwrap();
/// let (low, high) = got.interval.unwrap();
/// assert!((low - 2.461_321_849_82).abs() < 1e-10 && (high - 2.825_380_600_32).abs() < 1e-10);
/// assert!((got.g - 0.002_386).abs() < 1e-6);
/// ```
pub fn ratio_of_arithmetic_means(a: &[f64], b: &[f64], confidence: f64) -> Option<MeanRatio> {
    let finite = a.iter().chain(b).all(|x| x.is_finite());
    if a.len() < 2 || b.len() < 2 || !finite || !is_inside(confidence) {
        return None;
    }
    let (mean_a, mean_b) = (mean(a)?, mean(b)?);
    let error = |mean: f64, values: &[f64]| {
        let n = count(values.len());
        squares_about(mean, values) / (n - 1.0) / n
    };
    let (va, vb) = (error(mean_a, a), error(mean_b, b));
    let ratio = mean_a / mean_b;
    if !ratio.is_finite() {
        return None;
    }
    let t = t_quantile(0.5 + confidence / 2.0, count(a.len() + b.len() - 2))?;
    // As the numerator and the denominator are independent, the covariance term is zero.
    let g = t * t * vb / (mean_b * mean_b);
    let reach = t / mean_b.abs() * (va + ratio * ratio * vb - g * va).max(0.0).sqrt();
    let interval = (g < 1.0 && va + vb > 0.0)
        .then(|| ((ratio - reach) / (1.0 - g), (ratio + reach) / (1.0 - g)));
    Some(MeanRatio { ratio, interval, g })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_denominator_that_may_be_zero_gives_no_interval() {
        let got = ratio_of_arithmetic_means(&[1.0, 2.0], &[-1.0, 1.5], 0.95).unwrap();
        assert!(got.interval.is_none() && got.g > 1.0);
        assert_eq!(ratio_of_arithmetic_means(&[1.0, 2.0], &[-1.0, 1.0], 0.95), None);
        assert_eq!(ratio_of_arithmetic_means(&[1.0], &[1.0, 2.0], 0.95), None);
        assert_eq!(ratio_of_arithmetic_means(&[1.0, f64::NAN], &[1.0, 2.0], 0.95), None);
        let copies = ratio_of_arithmetic_means(&[2.0; 3], &[1.0; 3], 0.95).unwrap();
        assert_eq!((copies.ratio, copies.interval), (2.0, None));
    }
}
