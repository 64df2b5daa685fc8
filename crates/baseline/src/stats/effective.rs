//! How many independent values say as much as a series whose neighbours resemble each other.

use super::autocorrelation::Centred;
use super::count;

/// How much a series says of its mean.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct EffectiveSize {
    /// How many values it has.
    pub n: usize,
    /// How many steps say as much as one independent value; below 1 where neighbours balance each
    /// other.
    pub tau: f64,
    /// How many independent values say as much, at most `n`.
    pub effective: f64,
}

/// How many products are formed of a series before its neighbours are taken together.
const PRODUCTS: usize = 20_000_000;

/// How many independent values a series is worth; `None` with fewer than four, without any spread,
/// or with one that is not finite.
///
/// # Formula
/// `n / tau` with `tau = 1 + 2 sum r(k)`; the sum runs over pairs `r(2j) + r(2j + 1)` until the
/// first that is not positive, each taken as at most the one before, and `tau` is taken as 1 where
/// it is smaller. Where the pairs stay positive over more steps than 20 million products allow (over
/// 100 at a million values), neighbours are averaged two by two instead: the variance of the mean
/// stays what it is.
/// Assumes a series without trend.
///
/// # Shape
/// `values` in order of time.
///
/// # Source
/// Geyer, “Practical Markov chain Monte Carlo”, 1992: the initial monotone sequence.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::effective_size;
/// let rise: Vec<f64> = (1..=10).map(f64::from).collect();
/// assert!((effective_size(&rise).unwrap().effective - 2.839_931).abs() < 1e-6);
/// // Neighbours that alternate are worth no more than independent ones.
/// let alternating: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
/// assert_eq!(effective_size(&alternating).unwrap().effective, 100.0);
/// ```
pub fn effective_size(values: &[f64]) -> Option<EffectiveSize> {
    let n = values.len();
    if n < 4 {
        return None;
    }
    let series = Centred::of(values)?;
    let variance = series.covariance(0);
    let tau = match sum_of_pairs(&series) {
        Some(sum) => 2.0 * sum - 1.0,
        None => long_run_variance(&series)? / variance,
    };
    let n_real = count(n);
    Some(EffectiveSize { n, tau, effective: n_real / tau.clamp(1.0, n_real) })
}

/// The sum of the pairs, the value itself counted as one; `None` where a long series does not come
/// to their end.
fn sum_of_pairs(series: &Centred) -> Option<f64> {
    let all = series.products(0);
    let steps = (PRODUCTS / series.n()).max(100);
    let (mut sum, mut before) = (0.0, f64::INFINITY);
    let mut lag = 0;
    while lag + 1 < series.n() {
        if lag >= steps {
            return None;
        }
        let pair = (series.products(lag) + series.products(lag + 1)) / all;
        if pair <= 0.0 {
            break;
        }
        before = pair.min(before);
        sum += before;
        lag += 2;
    }
    Some(sum)
}

/// The variance of the mean times the number of values, of a series so long that its neighbours are
/// taken together.
fn long_run_variance(series: &Centred) -> Option<f64> {
    let mut times = 1.0;
    let mut halved = Centred::of(&series.halved())?;
    loop {
        times *= 2.0;
        if let Some(sum) = sum_of_pairs(&halved) {
            return Some(times * halved.covariance(0) * (2.0 * sum - 1.0));
        }
        halved = Centred::of(&halved.halved())?;
    }
}

#[cfg(test)]
mod tests {
    use super::super::autocorrelation::made::remembering;
    use super::*;

    /// The formula written out in numpy on the same series; theory: `n (1 - 0.6) / (1 + 0.6)`.
    #[test]
    fn a_series_that_remembers_is_worth_a_quarter() {
        let (fresh, series) = remembering(1_000);
        let got = effective_size(&series).unwrap();
        assert!((got.tau - 3.876_368_746).abs() < 1e-8, "{}", got.tau);
        assert!((got.effective - 257.973_394).abs() < 1e-5, "{}", got.effective);
        let got = effective_size(&fresh).unwrap();
        assert!((got.effective - 958.252_764).abs() < 1e-5, "{}", got.effective);
    }

    #[test]
    fn ten_rising_values_agree_with_numpy() {
        let rise: Vec<f64> = (1..=10).map(f64::from).collect();
        let got = effective_size(&rise).unwrap();
        // 10 / 3.521212121 = 2.839931.
        assert!((got.tau - 3.521_212_121).abs() < 1e-8 && (got.effective - 2.839_931).abs() < 1e-6);
    }

    #[test]
    fn a_million_values_that_never_forget_come_to_an_end() {
        let rise: Vec<f64> = (0..1_000_000).map(f64::from).collect();
        let got = effective_size(&rise).unwrap();
        // A straight line is worth 2.8 values whatever its length, as the ten above.
        assert!((2.0..4.0).contains(&got.effective), "{got:?}");
    }

    #[test]
    fn too_little_gives_none() {
        assert_eq!(effective_size(&[1.0, 2.0, 3.0]), None);
        assert_eq!(effective_size(&[5.0; 100]), None);
        assert_eq!(effective_size(&[1.0, 2.0, f64::NAN, 4.0]), None);
    }
}
