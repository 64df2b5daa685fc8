//! Rates that are ratios of sums, and which mean of rates says what.

use super::special::{is_inside, t_two_sided};
use super::{RatioEstimate, count, median_of, t_quantile};

/// A ratio of sums, such as tokens over seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct RatioOfSums {
    /// The sum of the first parts over that of the second.
    pub ratio: f64,
    /// Its standard error; `None` of one pair or without spread.
    pub standard_error: Option<f64>,
    /// Its interval; `None` where there is no standard error.
    pub interval: Option<(f64, f64)>,
    /// How many pairs it rests on.
    pub n: usize,
}

/// The ratio of two sums over independent pairs, with the delta method's interval; `None` of no
/// pairs, of one not finite or below zero, of sums that are zero, or for a confidence outside 0
/// to 1.
///
/// # Formula
/// `R = sum y / sum x`, the mean of the `y/x` weighted by `x` and the harmonic mean weighted by
/// `y`; with `z = y - R x`, `SE = sqrt(sum z^2 / (n (n - 1))) / mean x`; interval
/// `R exp(-/+ t(n - 1) SE / R)`, so that the inverse ratio has the inverse interval. Assumes
/// independent pairs and enough of them that the mean of `x` is certain, some thirty: below, and
/// where requests of one run hang together, take one pair a run and more runs.
///
/// # Shape
/// Pairs of (numerator, denominator): (tokens, seconds).
///
/// # Source
/// Cochran, “Sampling Techniques”, 1977, 2.11; as R's `survey::svyratio`.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::{rate_means, ratio_of_sums};
/// let requests = [(1_000.0, 1.0), (30_000.0, 100.0), (500.0, 0.25)];
/// let rate = ratio_of_sums(&requests, 0.95).unwrap();
/// assert!((rate.ratio - 311.1111).abs() < 1e-4);
/// assert!((rate.standard_error.unwrap() - 16.618_18).abs() < 1e-5);
/// // Their mean rate is 3.5 times that, and means nothing.
/// assert_eq!(rate_means(&requests).unwrap().mean, 1_100.0);
/// ```
pub fn ratio_of_sums(pairs: &[(f64, f64)], confidence: f64) -> Option<RatioOfSums> {
    let (ratio, error) = sums(pairs)?;
    if !is_inside(confidence) {
        return None;
    }
    let standard_error = error.filter(|error| *error > 0.0);
    let interval = standard_error.and_then(|error| {
        let reach = t_quantile(0.5 + confidence / 2.0, count(pairs.len() - 1))? * error / ratio;
        Some((ratio * (-reach).exp(), ratio * reach.exp()))
    });
    Some(RatioOfSums { ratio, standard_error, interval, n: pairs.len() })
}

/// The ratio of two arms' ratios of sums, first over second; `None` as of [`ratio_of_sums`].
///
/// # Formula
/// The difference of the logarithms with the delta method's standard errors and Welch and
/// Satterthwaite's degrees of freedom. No interval with fewer than three pairs in either arm or
/// without spread.
///
/// # Shape
/// One pair a run, such as (tokens, seconds); pairs of requests of one run hang together.
pub fn ratio_of_rates(
    a: &[(f64, f64)],
    b: &[(f64, f64)],
    confidence: f64,
) -> Option<RatioEstimate> {
    let ((rate_a, error_a), (rate_b, error_b)) = (sums(a)?, sums(b)?);
    if !is_inside(confidence) {
        return None;
    }
    let mut estimate = RatioEstimate::without_interval(rate_a / rate_b, (a.len(), b.len()));
    let (Some(error_a), Some(error_b)) = (error_a, error_b) else { return Some(estimate) };
    let (va, vb) = ((error_a / rate_a).powi(2), (error_b / rate_b).powi(2));
    let error = (va + vb).sqrt();
    if a.len() < 3 || b.len() < 3 || error <= 0.0 {
        return Some(estimate);
    }
    let (na, nb) = (count(a.len()), count(b.len()));
    let df = (va + vb).powi(2) / (va * va / (na - 1.0) + vb * vb / (nb - 1.0));
    let reach = t_quantile(0.5 + confidence / 2.0, df)? * error;
    let difference = estimate.ratio.ln();
    estimate.interval = Some(((difference - reach).exp(), (difference + reach).exp()));
    estimate.p = t_two_sided(difference / error, df);
    estimate.df = Some(df);
    estimate.standard_error_ln = Some(error);
    Some(estimate)
}

/// Means of rates beside each other.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct RateMeans {
    /// The sum of amounts over the sum of times: what work takes, and what to multiply with time.
    pub of_sums: f64,
    /// The arithmetic mean of the rates: nothing takes so long. With equal amounts and log-normal
    /// times of log spread `s` it is `exp(s^2)` times too high; a fixed overhead can make it too
    /// low.
    pub mean: f64,
    /// The median rate: what the middle request sees, not what work takes.
    pub median: f64,
}

/// The means of rates of requests; `None` of no pairs or of a value not above zero and finite.
///
/// # Shape
/// Pairs of (amount, time): (tokens, seconds).
pub fn rate_means(pairs: &[(f64, f64)]) -> Option<RateMeans> {
    let usable = |x: f64| x.is_finite() && x > 0.0;
    if pairs.is_empty() || !pairs.iter().all(|(y, x)| usable(*y) && usable(*x)) {
        return None;
    }
    let rates: Vec<f64> = pairs.iter().map(|(y, x)| y / x).collect();
    Some(RateMeans {
        of_sums: sums(pairs)?.0,
        mean: rates.iter().sum::<f64>() / count(rates.len()),
        median: median_of(rates)?,
    })
}

/// The geometric mean of values above zero, as of ratios of the same requests; `None` of none or of
/// others.
///
/// # Formula
/// `exp(mean ln x)`: the mean of inverse ratios is its inverse, which the arithmetic mean's is not.
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    let usable = values.iter().all(|x| x.is_finite() && *x > 0.0);
    let logs: f64 = values.iter().map(|x| x.ln()).sum();
    (usable && !values.is_empty()).then(|| (logs / count(values.len())).exp())
}

/// The ratio of sums and its standard error, which one pair has not.
fn sums(pairs: &[(f64, f64)]) -> Option<(f64, Option<f64>)> {
    let usable = |x: f64| x.is_finite() && x >= 0.0;
    if !pairs.iter().all(|(y, x)| usable(*y) && usable(*x)) {
        return None;
    }
    let (above, below) = pairs.iter().fold((0.0, 0.0), |(a, b), (y, x)| (a + y, b + x));
    let ratio = above / below;
    if !(ratio.is_finite() && ratio > 0.0) {
        return None;
    }
    let n = count(pairs.len());
    let squares: f64 = pairs.iter().map(|(y, x)| (y - ratio * x).powi(2)).sum();
    let error = (squares / (n * (n - 1.0))).sqrt() / (below / n);
    Some((ratio, (pairs.len() > 1).then_some(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIRS: [(f64, f64); 3] = [(1_000.0, 1.0), (30_000.0, 100.0), (500.0, 0.25)];

    #[test]
    fn means_of_rates_differ_as_by_hand() {
        // 31,500 tokens in 101.25 s; rates 1000, 300, 2000.
        let got = rate_means(&PAIRS).unwrap();
        assert!((got.of_sums - 31_500.0 / 101.25).abs() < 1e-12);
        assert!((got.mean - 1_100.0).abs() < 1e-12 && (got.median - 1_000.0).abs() < 1e-12);
        assert!((geometric_mean(&[0.5, 2.0]).unwrap() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn turning_the_ratio_over_turns_the_interval_over() {
        let turned: Vec<(f64, f64)> = PAIRS.iter().map(|(y, x)| (*x, *y)).collect();
        let (there, back) =
            (ratio_of_sums(&PAIRS, 0.95).unwrap(), ratio_of_sums(&turned, 0.95).unwrap());
        let ((low, _), (_, high)) = (there.interval.unwrap(), back.interval.unwrap());
        assert!((low * high - 1.0).abs() < 1e-12);
        assert!((there.ratio * back.ratio - 1.0).abs() < 1e-12);
    }

    #[test]
    fn equal_amounts_make_the_ratio_of_rates_that_of_mean_times() {
        // By hand: of amounts all 1 the rates are 1 / mean time, 1 / 2 and 1 / 4.
        let arm = |times: [f64; 3]| times.map(|x| (1.0, x));
        let got = ratio_of_rates(&arm([1.0, 2.0, 3.0]), &arm([3.0, 4.0, 5.0]), 0.95).unwrap();
        assert!((got.ratio - 2.0).abs() < 1e-12);
        // Variances of the mean over its square: 1/3 / 4 and 1/3 / 16.
        let error = got.standard_error_ln.unwrap();
        assert!((error - (1.0_f64 / 12.0 + 1.0 / 48.0).sqrt()).abs() < 1e-12, "{error}");
        let (low, high) = got.interval.unwrap();
        assert!((low * high - 4.0).abs() < 1e-9 && low < 1.0);
    }

    #[test]
    fn one_pair_copies_and_nothing_have_no_interval() {
        let one = ratio_of_sums(&PAIRS[..1], 0.95).unwrap();
        assert_eq!((one.ratio, one.standard_error, one.interval), (1_000.0, None, None));
        let copies = ratio_of_sums(&[(2.0, 1.0); 5], 0.95).unwrap();
        assert_eq!((copies.ratio, copies.interval), (2.0, None));
        for bad in [&[][..], &[(1.0, 0.0)], &[(f64::NAN, 1.0)], &[(0.0, 1.0)], &[(-1.0, 1.0)]] {
            assert_eq!(ratio_of_sums(bad, 0.95), None);
            assert_eq!(rate_means(bad), None);
        }
        assert_eq!(ratio_of_rates(&PAIRS[..2], &PAIRS, 0.95).unwrap().interval, None);
        assert_eq!((geometric_mean(&[]), geometric_mean(&[0.0])), (None, None));
    }
}
