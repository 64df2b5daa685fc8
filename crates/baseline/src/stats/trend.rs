//! Whether a series rises or falls, and by how much a step.

use super::{count, normal_cdf, real};

/// The trend of a series over its order.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Trend {
    /// Kendall's tau-b of value and order: 1 where it only rises, -1 where it only falls.
    pub tau: f64,
    /// The two-sided probability of such a tau without any trend.
    pub p: f64,
    /// Theil and Sen's slope: the median of the slopes of all pairs, per step of the order.
    pub slope: f64,
    /// How many values it rests on.
    pub n: usize,
}

impl Trend {
    /// The change over the whole series.
    ///
    /// # Formula
    /// `slope * (n - 1)`.
    pub fn span(&self) -> f64 {
        self.slope * count(self.n - 1)
    }
}

/// The most values that all pairs are formed of; a longer series is thinned for the slope.
const PAIRED: usize = 2_000;

/// The most values without ties for which the distribution of tau is counted out.
const COUNTED: usize = 60;

/// The trend of a series; `None` with fewer than 4 values or where all are equal.
///
/// # Formula
/// With `S` the rising minus the falling pairs: `tau = S / sqrt(pairs * (pairs - tied pairs))`. `p`
/// is exact up to 60 values without ties, else normal with the variance corrected for ties and no
/// continuity correction. The slope is the median of `(x(j) - x(i)) / (j - i)` over all pairs; of a
/// series of more than 2,000 values over pairs of evenly spaced ones. Assumes independent values:
/// neighbours that depend on each other make `p` too small, so average over them first.
///
/// # Shape
/// `values` in order of time, finite.
///
/// # Source
/// Kendall, “A new measure of rank correlation”, 1938; Sen, “Estimates of the regression
/// coefficient based on Kendall's tau”, 1968. As scipy's `kendalltau` and `theilslopes`.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::trend;
/// let trend = trend(&[1.0, 2.0, 3.0, 2.0, 4.0, 5.0, 6.0, 5.0, 7.0, 8.0]).unwrap();
/// assert!((trend.tau - 0.886_592_641).abs() < 1e-9);
/// assert!((trend.p - 4.372_57e-4).abs() < 1e-9);
/// assert_eq!(trend.slope, 0.75);
/// ```
pub fn trend(values: &[f64]) -> Option<Trend> {
    let n = values.len();
    let mut sorted = values.to_vec();
    let falling = inversions(&mut sorted);
    let ties = tie_sizes(&sorted);
    let pairs = count(n) * (count(n) - 1.0) / 2.0;
    let in_ties: f64 = ties.iter().map(|t| t * (t - 1.0) / 2.0).sum();
    if n < 4 || in_ties >= pairs {
        return None;
    }
    let s = pairs - in_ties - 2.0 * real(falling);
    let p = if ties.is_empty() && n <= COUNTED {
        exact_p(n, usize::try_from(falling).ok()?)
    } else {
        let m = count(n);
        let spread = |t: f64| t * (t - 1.0) * (2.0 * t + 5.0);
        let variance = (spread(m) - ties.iter().copied().map(spread).sum::<f64>()) / 18.0;
        let z = s.abs() / variance.sqrt();
        2.0 * normal_cdf(-z)
    };
    let tau = s / (pairs * (pairs - in_ties)).sqrt();
    Some(Trend { tau, p: p.min(1.0), slope: slope(values)?, n })
}

/// How many pairs fall, found while sorting by merging.
fn inversions(values: &mut [f64]) -> u64 {
    if values.len() < 2 {
        return 0;
    }
    let (left, right) = values.split_at_mut(values.len() / 2);
    let mut falling = inversions(left) + inversions(right);
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut l, mut r) = (left.iter().peekable(), right.iter().peekable());
    loop {
        match (l.peek(), r.peek()) {
            (Some(&&a), Some(&&b)) if b < a => {
                falling += l.len() as u64;
                merged.push(b);
                r.next();
            }
            (Some(&&a), _) => {
                merged.push(a);
                l.next();
            }
            (None, Some(&&b)) => {
                merged.push(b);
                r.next();
            }
            (None, None) => break,
        }
    }
    values.copy_from_slice(&merged);
    falling
}

/// The sizes of the groups of equal values.
fn tie_sizes(sorted: &[f64]) -> Vec<f64> {
    let groups = sorted.chunk_by(|a, b| a.total_cmp(b).is_eq());
    groups.map(|group| count(group.len())).filter(|t| *t > 1.0).collect()
}

/// The exact two-sided p of so many falling pairs among `n` values without ties.
///
/// # Formula
/// The counts of orders by falling pairs are the coefficients of the product of
/// `1 + x + ... + x^(i - 1)` over `i` up to `n`; here as shares.
fn exact_p(n: usize, falling: usize) -> f64 {
    let most = n * (n - 1) / 2;
    let few = falling.min(most - falling);
    let mut shares = vec![0.0; few + 1];
    if let Some(first) = shares.first_mut() {
        *first = 1.0;
    }
    for i in 2..=n {
        let mut window = 0.0;
        let before = shares.clone();
        for (at, share) in shares.iter_mut().enumerate() {
            window += before.get(at).copied().unwrap_or(0.0);
            if at >= i {
                window -= before.get(at - i).copied().unwrap_or(0.0);
            }
            *share = window / count(i);
        }
    }
    // The middle stands in both tails.
    (2.0 * shares.iter().sum::<f64>()).min(1.0)
}

fn slope(values: &[f64]) -> Option<f64> {
    let step = values.len().div_ceil(PAIRED).max(1);
    let points: Vec<(f64, f64)> =
        values.iter().enumerate().step_by(step).map(|(i, y)| (count(i), *y)).collect();
    let mut slopes = Vec::with_capacity(points.len() * points.len() / 2);
    for (at, (x, y)) in points.iter().enumerate() {
        slopes.extend(points.iter().skip(at + 1).map(|(later, z)| (z - y) / (later - x)));
    }
    let middle = slopes.len() / 2;
    let (below, upper, _) = slopes.select_nth_unstable_by(middle, f64::total_cmp);
    let upper = *upper;
    if (points.len() * (points.len() - 1) / 2).is_multiple_of(2) {
        let lower = below.iter().copied().max_by(f64::total_cmp)?;
        return Some(f64::midpoint(lower, upper));
    }
    Some(upper)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(got: f64, wanted: f64) -> bool {
        (got - wanted).abs() <= 1e-9 * wanted.abs().max(1e-9)
    }

    /// scipy: `kendalltau(range(n), v)` (exact up to 60 values without ties, else
    /// asymptotic) and `theilslopes(v, range(n))`.
    #[test]
    fn trends_agree_with_scipy() {
        let mixed = |n: i32, rise: f64| -> Vec<f64> {
            (0..n).map(|i| f64::from((i * 37) % 101) + rise * f64::from(i)).collect()
        };
        let fall: Vec<f64> = (0..20).map(|i| -f64::from(i * i)).collect();
        let tied: Vec<f64> = (0..30).map(|i| f64::from((i * 7) % 5)).collect();
        for (values, tau, p, slope) in [
            (
                vec![3.0, 1.0, 4.0, 1.5, 5.0, 9.0, 2.0, 6.0],
                3.0 / 7.0,
                0.178_869_047_619,
                13.0 / 28.0,
            ),
            (fall, -1.0, 8.220_635_246_6e-19, -19.0),
            (mixed(40, 0.0), 0.105_128_205_128, 0.347_607_080_127, 3.0 / 11.0),
            (mixed(80, 0.1), 0.084_177_215_190, 0.269_098_842_715, 0.196_153_846_154),
            (tied, 0.060_647_843_486_3, 0.661_257_221_854, 0.0),
        ] {
            let got = trend(&values).unwrap();
            assert!(close(got.tau, tau) && close(got.p, p), "{got:?} for {tau} {p}");
            assert!((got.slope - slope).abs() < 1e-9, "{got:?} for {slope}");
        }
    }

    #[test]
    fn a_long_series_is_thinned_and_keeps_its_slope() {
        let values: Vec<f64> = (0..100_000).map(|i| 0.5 * f64::from(i)).collect();
        let got = trend(&values).unwrap();
        assert!(close(got.slope, 0.5) && got.p < 1e-9 && close(got.tau, 1.0));
        assert!(close(got.span(), 49_999.5));
    }

    #[test]
    fn equal_or_few_values_have_no_trend() {
        assert_eq!(trend(&[2.0; 50]), None);
        assert_eq!(trend(&[1.0, 2.0, 3.0]), None);
        assert_eq!(trend(&[]), None);
    }
}
