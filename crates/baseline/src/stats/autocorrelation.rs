//! How much values resemble those some steps before, and whether that is chance.

use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::sample::all_finite;
use super::{count, mean};

/// A series about its mean.
#[derive(Debug)]
pub(super) struct Centred(Vec<f64>);

impl Centred {
    /// `None` with fewer than two values, with one that is not finite, or without any spread.
    pub(super) fn of(values: &[f64]) -> Option<Self> {
        if values.len() < 2 || !all_finite(values) {
            return None;
        }
        let centre = mean(values)?;
        let spread = values.iter().any(|value| Some(value) != values.first());
        spread.then(|| Self(values.iter().map(|value| value - centre).collect()))
    }

    pub(super) fn n(&self) -> usize {
        self.0.len()
    }

    /// The sum of the products of values so many steps apart.
    pub(super) fn products(&self, lag: usize) -> f64 {
        self.0.iter().zip(self.0.iter().skip(lag)).map(|(a, b)| a * b).sum()
    }

    /// The autocovariance: that sum over the number of all values.
    pub(super) fn covariance(&self, lag: usize) -> f64 {
        self.products(lag) / count(self.n())
    }

    /// The squares of the value so many steps after the first, and before the last.
    pub(super) fn outer_squares(&self, steps: usize) -> Option<(f64, f64)> {
        let last = self.n().checked_sub(steps + 1)?;
        Some((self.0.get(steps)?.powi(2), self.0.get(last)?.powi(2)))
    }

    /// The means of neighbouring pairs; an odd last value is left out.
    pub(super) fn halved(&self) -> Vec<f64> {
        self.0.chunks_exact(2).filter_map(mean).collect()
    }
}

/// Whether a series resembles itself some steps before more than chance lets it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct LjungBox {
    /// The statistic.
    pub q: f64,
    /// The probability of one as large in a series of independent values.
    pub p: f64,
    /// Over how many steps it looks.
    pub lags: usize,
}

/// The correlation of a series with itself so many steps before; `None` without any spread, with
/// fewer than two values, or where the series is not longer than the steps.
///
/// # Formula
/// `sum (x(t) - m) (x(t + lag) - m) / sum (x(t) - m)^2`, `m` the mean of all values.
///
/// # Shape
/// `values` in order of time, finite.
///
/// # Source
/// Box and Jenkins, “Time Series Analysis”, 1970; as statsmodels' `acf` and R's `acf`.
pub fn autocorrelation(values: &[f64], lag: usize) -> Option<f64> {
    let series = Centred::of(values).filter(|series| series.n() > lag)?;
    Some(series.products(lag) / series.products(0))
}

/// The test of Ljung and Box over the first so many steps; `None` without any spread, with no steps
/// or where the series is not longer than they are.
///
/// # Formula
/// `Q = n (n + 2) sum r(k)^2 / (n - k)` over `k` up to `lags`, chi-squared with `lags` degrees of
/// freedom where values are independent.
///
/// # Shape
/// `values` in order of time, finite.
///
/// # Source
/// Ljung and Box, “On a measure of lack of fit in time series models”, 1978; as statsmodels'
/// `acorr_ljungbox`.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::ljung_box;
/// let wave: Vec<f64> = (0..100).map(|i| f64::from(i % 10)).collect();
/// assert!(ljung_box(&wave, 10).unwrap().p < 1e-9);
/// ```
pub fn ljung_box(values: &[f64], lags: usize) -> Option<LjungBox> {
    let series = Centred::of(values).filter(|series| series.n() > lags && lags > 0)?;
    let (n, all) = (count(series.n()), series.products(0));
    let squares = (1..=lags).map(|lag| (series.products(lag) / all).powi(2) / (n - count(lag)));
    let q = n * (n + 2.0) * squares.sum::<f64>();
    let p = ChiSquared::new(count(lags)).ok()?.sf(q);
    Some(LjungBox { q, p, lags })
}

/// A series whose autocorrelations other programs agree on.
#[cfg(test)]
pub(crate) mod made {
    use crate::stats::normal_quantile;

    /// Innovations from Knuth's linear congruential generator from 42 on, by the normal quantile,
    /// and the series in which each value keeps 0.6 of the one before.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    pub(crate) fn remembering(n: usize) -> (Vec<f64>, Vec<f64>) {
        let mut state = 42_u64;
        let mut fresh = Vec::with_capacity(n);
        let mut series: Vec<f64> = Vec::with_capacity(n);
        for _ in 0..n {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let innovation = normal_quantile((state >> 11) as f64 / (1_u64 << 53) as f64).unwrap();
            series.push(0.6 * series.last().copied().unwrap_or(0.0) + innovation);
            fresh.push(innovation);
        }
        (fresh, series)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// statsmodels: `acf` and `acorr_ljungbox` on the same series.
    #[test]
    fn a_series_that_remembers_agrees_with_statsmodels() {
        let (_, series) = made::remembering(1_000);
        assert!((autocorrelation(&series, 1).unwrap() - 0.585_950_295).abs() < 1e-9);
        let test = ljung_box(&series, 10).unwrap();
        assert!((test.q - 581.365_101).abs() < 1e-6 && test.p < 1e-100, "{test:?}");
    }

    #[test]
    fn independent_values_are_not_suspected() {
        let (fresh, _) = made::remembering(1_000);
        assert!(ljung_box(&fresh, 10).unwrap().p > 0.01);
    }

    #[test]
    fn too_little_gives_none() {
        assert_eq!(autocorrelation(&[1.0, 2.0], 2), None);
        assert_eq!(autocorrelation(&[3.0; 9], 1), None);
        assert_eq!(ljung_box(&[1.0, f64::NAN, 2.0], 1), None);
        assert_eq!(ljung_box(&[1.0, 2.0, 3.0], 0), None);
        assert_eq!(ljung_box(&[], 1), None);
    }
}
