//! Ratios over ratios: from a candidate over a library to the candidate over what is run.

use super::special::is_inside;
use super::{normal_cdf, normal_quantile};

/// A measured ratio and how uncertain it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuredRatio {
    /// The ratio, above zero.
    pub ratio: f64,
    /// The standard error of its logarithm, which is nearly that of the ratio over the ratio.
    pub standard_error_ln: f64,
}

impl MeasuredRatio {
    fn is_usable(&self) -> bool {
        let error = self.standard_error_ln;
        self.ratio.is_finite() && self.ratio > 0.0 && error.is_finite() && error >= 0.0
    }
}

/// The product of several measured ratios.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Chain {
    /// The product.
    pub ratio: f64,
    /// Its interval.
    pub interval: (f64, f64),
    /// The standard error of its logarithm.
    pub standard_error_ln: f64,
}

/// The product of measured ratios with its interval; `None` of none, of a ratio without sense or of
/// a confidence outside 0 to 1.
///
/// # Formula
/// Logarithms add, and so do their variances: `exp(sum ln r -/+ z sqrt(sum se^2))`. Assumes ratios
/// of different measurements; where two links share the very same samples of what is between them,
/// these cancel and the ratio of the ends is to be taken directly. That the middle was the same in
/// both links is an assumption too: see [`closes`].
///
/// # Source
/// Propagation of errors; Bucher et al., “The results of direct and indirect treatment
/// comparisons”, 1997.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::{MeasuredRatio, chain};
/// let links = [
///     MeasuredRatio { ratio: 1.30, standard_error_ln: 0.04 / 1.30 },
///     MeasuredRatio { ratio: 1.10, standard_error_ln: 0.03 / 1.10 },
/// ];
/// let got = chain(&links, 0.95).unwrap();
/// assert!((got.ratio - 1.43).abs() < 1e-12);
/// assert!((got.interval.0 - 1.319_28).abs() < 1e-5 && (got.interval.1 - 1.550_01).abs() < 1e-5);
/// ```
pub fn chain(links: &[MeasuredRatio], confidence: f64) -> Option<Chain> {
    if links.is_empty() || !links.iter().all(MeasuredRatio::is_usable) || !is_inside(confidence) {
        return None;
    }
    let ln: f64 = links.iter().map(|link| link.ratio.ln()).sum();
    let error = links.iter().map(|link| link.standard_error_ln.powi(2)).sum::<f64>().sqrt();
    let reach = normal_quantile(0.5 + confidence / 2.0)? * error;
    Some(Chain {
        ratio: ln.exp(),
        interval: ((ln - reach).exp(), (ln + reach).exp()),
        standard_error_ln: error,
    })
}

/// How two measurements of what should be the same stand to each other.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Closure {
    /// First over second.
    pub ratio: f64,
    /// How many standard errors its logarithm is off zero.
    pub z: f64,
    /// The two-sided probability of so much where both are the same.
    pub p: f64,
}

/// Whether the middle of a chain is the same on both sides; `None` for a value without sense or two
/// errors of zero.
///
/// # Formula
/// `z = ln(a / b) / sqrt(sa^2 + sb^2)`, of the middle as measured beside the one end and beside the
/// other. Beyond 1.96 the chain does not close: only its links may be quoted. A small `z` under
/// wide errors proves nothing.
///
/// # Shape
/// Measured values rather than ratios; [`MeasuredRatio`] holds either.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::{MeasuredRatio, closes};
/// let value = |ratio, standard_error_ln| MeasuredRatio { ratio, standard_error_ln };
/// // By hand: ln(110/100) / sqrt(2 * 0.03^2) = 0.09531 / 0.04243.
/// assert!((closes(value(110.0, 0.03), value(100.0, 0.03)).unwrap().z - 2.2465).abs() < 1e-4);
/// ```
pub fn closes(a: MeasuredRatio, b: MeasuredRatio) -> Option<Closure> {
    let error = a.standard_error_ln.hypot(b.standard_error_ln);
    if !a.is_usable() || !b.is_usable() || error <= 0.0 {
        return None;
    }
    let z = (a.ratio / b.ratio).ln() / error;
    Some(Closure { ratio: a.ratio / b.ratio, z, p: (2.0 * normal_cdf(-z.abs())).min(1.0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_without_sense_make_no_chain() {
        let link = |ratio, standard_error_ln| MeasuredRatio { ratio, standard_error_ln };
        assert_eq!(chain(&[], 0.95), None);
        for bad in [link(0.0, 0.1), link(f64::NAN, 0.1), link(1.0, -0.1), link(1.0, f64::NAN)] {
            assert_eq!((chain(&[bad], 0.95), closes(bad, link(1.0, 0.1))), (None, None));
        }
        assert_eq!(chain(&[link(1.0, 0.1)], 1.0), None);
        assert_eq!(closes(link(1.0, 0.0), link(2.0, 0.0)), None);
        let exact = chain(&[link(2.0, 0.0), link(3.0, 0.0)], 0.95).unwrap();
        assert!((exact.ratio - 6.0).abs() < 1e-12 && (exact.interval.0 - 6.0).abs() < 1e-12);
    }
}
