//! How far apart two distributions are at most: Kolmogorov and Smirnov.

use std::f64::consts::PI;

use super::pooled::Pooled;
use super::real;

/// The most pairs of sizes for which paths are counted; about a tenth of a second.
const MOST_PAIRS: f64 = 5e7;

/// What Kolmogorov and Smirnov's test says of two samples.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct KolmogorovSmirnov {
    /// The largest distance between the two empirical distributions, 0 to 1.
    pub d: f64,
    /// The probability of such a distance or a larger one in samples of one distribution.
    pub p: f64,
    /// Whether `p` was counted out over all arrangements.
    pub is_exact: bool,
    /// The sizes of the two samples.
    pub n: (u64, u64),
}

/// Kolmogorov and Smirnov's test of two samples; `None` if one is empty or holds a value that is
/// not finite.
///
/// # Formula
/// `D = sup |F1 - F2|`. `p` is the share of lattice paths from `(0, 0)` to `(m, n)` that somewhere
/// lie `D` or more off the diagonal, found by walking the lattice, up to `m n = 5e7`; beyond as of
/// [`kolmogorov`] at `D sqrt(m n / (m + n))`. Assumes independent values of continuous
/// distributions; ties make `p` too large. At a million values any difference is significant: read
/// `D`.
///
/// # Source
/// Hodges, “The significance probability of the Smirnov two-sample test”, 1958; as scipy's
/// `ks_2samp(method="exact")`.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::kolmogorov_smirnov;
/// let x: Vec<f64> = (1..=10).map(f64::from).collect();
/// let y: Vec<f64> = (1..=8).map(|i| 1.7 * f64::from(i)).collect();
/// let test = kolmogorov_smirnov(&x, &y).unwrap();
/// assert!((test.d - 0.375).abs() < 1e-15 && (test.p - 0.485_305_544_129).abs() < 1e-12);
/// // The same sample twice.
/// assert_eq!(kolmogorov_smirnov(&x, &x).unwrap().p, 1.0);
/// ```
pub fn kolmogorov_smirnov(a: &[f64], b: &[f64]) -> Option<KolmogorovSmirnov> {
    let pooled = Pooled::of(a, b)?;
    let sizes = pooled.sizes;
    // In units of 1 / (m n).
    let (mut at, mut largest) = ((0, 0), 0);
    for group in &pooled.groups {
        at = (at.0 + group.of_first, at.1 + group.size - group.of_first);
        largest = largest.max(u64::abs_diff(at.0 * sizes.1, at.1 * sizes.0));
    }
    let pairs = real(sizes.0) * real(sizes.1);
    let d = real(largest) / pairs;
    let is_exact = pairs <= MOST_PAIRS;
    let p = if largest == 0 {
        1.0
    } else if is_exact {
        share_of_paths_beyond(sizes, largest)
    } else {
        kolmogorov(d * (pairs / real(sizes.0 + sizes.1)).sqrt())
    };
    Some(KolmogorovSmirnov { d, p, is_exact, n: sizes })
}

/// The probability that Kolmogorov's limiting variable is at least `x`; 1 at or below zero.
///
/// # Formula
/// `2 sum (-1)^(k-1) exp(-2 k^2 x^2)` over `k` from 1; below 1 the same by
/// `1 - sqrt(2 pi)/x sum exp(-(2k-1)^2 pi^2 / (8 x^2))`, which converges there. At 0 the first
/// series never ends.
///
/// # Source
/// Kolmogorov, “Sulla determinazione empirica di una legge di distribuzione”, 1933; as scipy's
/// `kstwobign.sf`.
pub fn kolmogorov(x: f64) -> f64 {
    if x <= 0.0 || x.is_nan() {
        return 1.0;
    }
    if x < 1.0 {
        let sum: f64 = (1..=6)
            .map(|k| (-(2.0 * f64::from(k) - 1.0).powi(2) * PI * PI / (8.0 * x * x)).exp())
            .sum();
        return 1.0 - (2.0 * PI).sqrt() / x * sum;
    }
    let sum: f64 = (1..=6)
        .map(|k| {
            let term = (-2.0 * f64::from(k * k) * x * x).exp();
            if k % 2 == 1 { term } else { -term }
        })
        .sum();
    (2.0 * sum).clamp(0.0, 1.0)
}

/// The share of paths from the origin to `(m, n)` that reach a point `limit / (m n)` or more off
/// the diagonal: at each point that of the two points before it, weighted by how many of its paths
/// come from there.
fn share_of_paths_beyond((m, n): (u64, u64), limit: u64) -> f64 {
    let (m, n) = (m.max(n), m.min(n));
    let mut column = vec![0.0; usize::try_from(n).unwrap_or(0) + 1];
    for i in 0..=m {
        let mut below = 0.0;
        for (j, share) in (0..=n).zip(column.iter_mut()) {
            *share = if u64::abs_diff(i * n, j * m) >= limit {
                1.0
            } else if i + j == 0 {
                0.0
            } else {
                (*share * real(i) + below * real(j)) / real(i + j)
            };
            below = *share;
        }
    }
    column.last().copied().unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_samples_agree_with_those_by_hand() {
        // Of the 6 orders of 2 and 2 values 2 separate them: D = 1.
        let apart = kolmogorov_smirnov(&[1.0, 2.0], &[3.0, 4.0]).unwrap();
        assert!((apart.d - 1.0).abs() < 1e-15 && (apart.p - 2.0 / 6.0).abs() < 1e-15);
        let one = kolmogorov_smirnov(&[1.0], &[2.0]).unwrap();
        assert!((one.p - 1.0).abs() < 1e-15);
    }

    #[test]
    fn the_limit_agrees_with_scipy_and_r() {
        // scipy: kstwobign.sf; the last is R's asymptotic p of the example.
        for (x, p) in [
            (0.3, 0.999_990_694_198_665),
            (0.999, 0.271_073_164_115_064),
            (1.0, 0.269_999_671_677_351),
            (2.0, 6.709_252_557_796_953e-4),
            (0.375 * (80.0_f64 / 18.0).sqrt(), 0.559_559_710),
        ] {
            assert!((kolmogorov(x) - p).abs() < 1e-9, "{x}: {}", kolmogorov(x));
        }
    }

    #[test]
    fn identical_samples_return_at_once() {
        // statrs 0.19.1 sums a series of ones for ever.
        let many: Vec<f64> = (0..100_000).map(f64::from).collect();
        let same = kolmogorov_smirnov(&many, &many).unwrap();
        assert_eq!((same.d, same.p, same.is_exact), (0.0, 1.0, false));
        assert!(kolmogorov(0.0) >= 1.0 && kolmogorov(1e-9) >= 1.0);
        assert_eq!(kolmogorov_smirnov(&[], &many), None);
        assert_eq!(kolmogorov_smirnov(&[f64::NAN], &many), None);
    }

    #[test]
    fn small_probabilities_keep_their_digits() {
        // 2 / C(60, 30): D = 1 of 30 and 30 values.
        let low: Vec<f64> = (0..30).map(f64::from).collect();
        let high: Vec<f64> = (100..130).map(f64::from).collect();
        let got = kolmogorov_smirnov(&low, &high).unwrap().p;
        assert!((got / (2.0 / 118_264_581_564_861_424.0) - 1.0).abs() < 1e-12, "{got}");
    }
}
