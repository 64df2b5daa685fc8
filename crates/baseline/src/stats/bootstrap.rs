//! Intervals from the sample itself, by drawing from it with replacement.

use super::bca::bca;
use super::resampling::facing_up;
use super::studentized::studentized;
use super::{Estimand, Resampled, Resampling, sorted};

/// An interval for an estimate of one sample.
///
/// # Formula
/// Of the estimates of `B` samples of the same size, drawn with replacement.
///
/// A quantile: bias-corrected and accelerated. `z0` is the normal deviate of the share of estimates
/// below the sample's own, ties half; `a = sum u^3 / (6 (sum u^2)^1.5)` with `u` the mean of the
/// estimates that leave one value out less each of them. The ends are the quantiles
/// `Phi(z0 + (z0 + z) / (1 - a (z0 + z)))` of the estimates, type 7, at
/// `z = -/+ t(1 - (1 - confidence)/2; n - 1) sqrt(n / (n - 1))`: Student's deviate and the variance
/// over `n - 1`, without which few values give too short intervals.
///
/// A mean or a ratio `R` of sums: studentized. Each sample drawn gives `(R* - R) / se*` with
/// `se = sqrt(sum (y - R x)^2 / (n (n - 1))) / mean x`; the ends are `R - q se` at the upper and the
/// lower quantile `q` of those. Of a few heavy values the bias-corrected interval is too short.
///
/// Assumes independent values; how often such intervals hold the true value stands in
/// `docs/method.md`.
///
/// # Shape
/// Finite values in any order. `None` where [`Estimand::is_carried`] says no, without spread, or
/// where all samples fall on one side of the estimate.
///
/// # Source
/// Efron, “Better bootstrap confidence intervals”, 1987; Efron and Tibshirani, “An Introduction to
/// the Bootstrap”, 1993, 12.5; Hesterberg, “What teachers should know about the bootstrap”, 2015.
/// With the normal deviate in place of Student's as scipy's `bootstrap(method="BCa")` and R's
/// `boot.ci(type="bca")`.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::{Estimand, Resampling, bootstrap};
/// let seconds: Vec<f64> = (0..60).map(|i| 1.0 + f64::from(i % 7) / 10.0).collect();
/// let got = bootstrap(Estimand::Mean(&seconds), &Resampling::default()).unwrap();
/// assert!(got.interval.0 < got.point && got.point < got.interval.1);
/// // The 99th percentile of 60 values rests on the largest one alone.
/// assert_eq!(bootstrap(Estimand::Quantile(&seconds, 0.99), &Resampling::default()), None);
/// ```
pub fn bootstrap(of: Estimand<'_>, how: &Resampling) -> Option<Resampled> {
    judged(&[of], how)
}

/// An interval for the ratio of the same estimate of two samples, the first over the second.
///
/// # Formula
/// As [`bootstrap`], each sample drawn for itself. Of quantiles `a` is of both samples' deviates,
/// each divided by its size, and the degrees of freedom are Welch and Satterthwaite's; means and
/// ratios of sums are studentized on the logarithm.
///
/// # Shape
/// Finite values whose estimates are positive; `None` as [`bootstrap`], where the estimates are of
/// different kinds, and where one can be zero or negative.
///
/// # Source
/// As [`bootstrap`].
///
/// # Examples
/// ```
/// use trueline_baseline::stats::{Estimand, Resampling, bootstrap_ratio};
/// let slow: Vec<f64> = (0..40).map(|i| 2.0 + f64::from(i % 5) / 10.0).collect();
/// let fast: Vec<f64> = slow.iter().map(|x| x / 2.0).collect();
/// let over = Estimand::Quantile(&slow, 0.5);
/// let under = Estimand::Quantile(&fast, 0.5);
/// let got = bootstrap_ratio(over, under, &Resampling::default()).unwrap();
/// assert_eq!((got.point, got.seed), (2.0, 1));
/// ```
pub fn bootstrap_ratio(
    over: Estimand<'_>,
    under: Estimand<'_>,
    how: &Resampling,
) -> Option<Resampled> {
    facing_up(over, under, |one| *one, |over, under| judged(&[over, under], how))
}

fn judged(of: &[Estimand<'_>], how: &Resampling) -> Option<Resampled> {
    if !of.iter().all(Estimand::is_carried) {
        return None;
    }
    let how = &how.affordable(of.iter().map(Estimand::n).sum());
    // In one order, so that the same values give the same interval however they came.
    let kept: Vec<Kept> = of.iter().map(|one| Kept::of(*one)).collect();
    let of: Vec<Estimand<'_>> = kept.iter().map(Kept::estimand).collect();
    match of.as_slice() {
        [Estimand::Quantile(..)] | [Estimand::Quantile(..), Estimand::Quantile(..)] => {
            bca(&of, how)
        }
        [Estimand::Mean(_) | Estimand::RatioOfSums(_)]
        | [Estimand::Mean(_), Estimand::Mean(_)]
        | [Estimand::RatioOfSums(_), Estimand::RatioOfSums(_)] => studentized(&of, how),
        _ => None,
    }
}

/// Values in rising order, with what is to be estimated of them.
enum Kept {
    Mean(Vec<f64>),
    Quantile(Vec<f64>, f64),
    Ratio(Vec<(f64, f64)>),
}

impl Kept {
    fn of(estimand: Estimand<'_>) -> Self {
        match estimand {
            Estimand::Mean(values) => Self::Mean(sorted(values.to_vec())),
            Estimand::Quantile(values, q) => Self::Quantile(sorted(values.to_vec()), q),
            Estimand::RatioOfSums(pairs) => {
                let mut pairs = pairs.to_vec();
                pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
                Self::Ratio(pairs)
            }
        }
    }

    fn estimand(&self) -> Estimand<'_> {
        match self {
            Self::Mean(values) => Estimand::Mean(values),
            Self::Quantile(values, q) => Estimand::Quantile(values, *q),
            Self::Ratio(pairs) => Estimand::RatioOfSums(pairs),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_interval() {
        let values: Vec<f64> = (0..90).map(|i| f64::from(i * i % 37)).collect();
        let how = Resampling::default().with_replicates(999).with_seed(9);
        let got = bootstrap(Estimand::Mean(&values), &how).unwrap();
        assert_eq!(bootstrap(Estimand::Mean(&values), &how), Some(got));
        assert_eq!((got.seed, got.replicates), (9, 999));
        let other = bootstrap(Estimand::Mean(&values), &how.with_seed(10)).unwrap();
        assert_ne!(other.interval, got.interval);
    }

    #[test]
    fn copies_bad_values_and_extreme_quantiles_give_none() {
        let how = Resampling::default().with_replicates(199);
        let none = |of: Estimand<'_>| assert_eq!(bootstrap(of, &how), None, "{of:?}");
        none(Estimand::Mean(&[3.0; 100]));
        none(Estimand::Mean(&[]));
        none(Estimand::Mean(&[1.0]));
        let mut values: Vec<f64> = (0..200).map(f64::from).collect();
        none(Estimand::Quantile(&values, 0.99));
        none(Estimand::Quantile(&values, 1.5));
        none(Estimand::RatioOfSums(&[(1.0, 0.0); 100]));
        if let Some(value) = values.get_mut(7) {
            *value = f64::NAN;
        }
        none(Estimand::Mean(&values));
        none(Estimand::Quantile(&values, 0.5));
        let over: Vec<f64> = (1..100).map(f64::from).collect();
        let negative: Vec<f64> = over.iter().map(|x| -x).collect();
        assert_eq!(bootstrap_ratio(Estimand::Mean(&over), Estimand::Mean(&negative), &how), None);
    }
}
