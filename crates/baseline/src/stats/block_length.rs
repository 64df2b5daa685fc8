//! How long the blocks should be in which a series that remembers is resampled.

use super::autocorrelation::Centred;
use super::count;

/// The lengths of blocks that leave the variance of the mean most certain.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct BlockLength {
    /// For blocks of random length.
    pub stationary: f64,
    /// For blocks of one length, at the ends closed to a circle or not.
    pub circular: f64,
}

impl BlockLength {
    /// The length for blocks of one length as a whole number, at least 1.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 1 and the number of values"
    )]
    pub fn whole(&self) -> usize {
        self.circular.ceil().max(1.0) as usize
    }
}

/// The best length of blocks; `None` with fewer than nine values, without any spread, or with one
/// that is not finite.
///
/// # Formula
/// With `R(k)` the autocovariances and `l(x)` 1 up to one half and then falling straight to 0 at 1:
/// `G = 2 sum l(k / m) k R(k)`, `g = R(0) + 2 sum l(k / m) R(k)`, both up to `m`; the length is
/// `(2 G^2 / D)^(1/3) n^(1/3)` with `D = 2 g^2` for random and `4/3 g^2` for equal lengths, at most
/// `min(3 sqrt(n), n / 3)` rounded up. `m` is twice the first step from which on
/// `max(5, log10 n)` correlations in a row are below `2 sqrt(log10 n / n)`; a correlation is here of
/// the two overlapping parts.
///
/// # Shape
/// `values` in order of time.
///
/// # Source
/// Politis and White, “Automatic block-length selection for the dependent bootstrap”, 2004, as
/// corrected by Patton, Politis and White, 2009; conventions of Python's
/// `arch.bootstrap.optimal_block_length`.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::block_length;
/// let waves: Vec<f64> = (0..400).map(|i| f64::from(i % 40)).collect();
/// assert!(block_length(&waves).unwrap().whole() > 10);
/// ```
pub fn block_length(values: &[f64]) -> Option<BlockLength> {
    let series = Centred::of(values).filter(|series| series.n() >= 9)?;
    let n = count(series.n());
    let limit = (3.0 * n.sqrt()).min(n / 3.0).ceil();
    let m = bandwidth(&series);
    let (mut slope, mut level) = (0.0, series.covariance(0));
    for lag in 1..=m {
        let share = count(lag) / count(m);
        let weight = if share <= 0.5 { 1.0 } else { 2.0 * (1.0 - share) };
        let part = 2.0 * weight * series.covariance(lag);
        slope += count(lag) * part;
        level += part;
    }
    let length = |factor: f64| {
        let length = (2.0 * slope * slope / (factor * level * level) * n).cbrt();
        if length.is_finite() { length.min(limit) } else { limit }
    };
    Some(BlockLength { stationary: length(2.0), circular: length(4.0 / 3.0) })
}

/// Twice the first step from which on no correlation is left.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "logarithm and root of a count"
)]
fn bandwidth(series: &Centred) -> usize {
    let n = count(series.n());
    let in_a_row = 5.max(n.log10() as usize);
    let most = (n.sqrt().ceil() as usize + in_a_row).min(series.n() - 1);
    let small = 2.0 * (n.log10() / n).sqrt();
    let mut row = 0;
    // The squares of all values but the last, and but the first, `lag` of them and one more.
    let (mut early, mut late) = (series.products(0), series.products(0));
    let mut shorten = |steps: usize| {
        let (first, last) = series.outer_squares(steps).unwrap_or_default();
        (early, late) = (early - last, late - first);
        (early, late)
    };
    shorten(0);
    // The value itself stands at step 0 and is never small.
    for lag in 1..most {
        let (early, late) = shorten(lag);
        let r = series.products(lag).abs() / (early * late).sqrt();
        row = if r < small { row + 1 } else { 0 };
        if row == in_a_row {
            return (2 * (lag + 1 - in_a_row)).min(most);
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::super::autocorrelation::made::remembering;
    use super::*;

    #[test]
    fn lengths_agree_with_arch() {
        let (_, series) = remembering(1_000);
        let got = block_length(&series).unwrap();
        assert!((got.stationary - 13.214_461).abs() < 1e-6, "{got:?}");
        assert!((got.circular - 15.126_781).abs() < 1e-6, "{got:?}");
        assert_eq!(got.whole(), 16);
    }

    #[test]
    fn too_little_gives_none_and_a_trend_the_longest() {
        assert_eq!(block_length(&[1.0, 2.0, 1.0, 2.0]), None);
        assert_eq!(block_length(&[1.0; 50]), None);
        let rise: Vec<f64> = (0..100).map(f64::from).collect();
        assert!(block_length(&rise).unwrap().circular <= 30.0);
    }
}
