//! What a benchmark's rates come to on the mix of production.

/// One bucket of production's mix and what the benchmark measured in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MixBucket {
    /// The share of production's requests in the bucket; shares need not add up to 1.
    pub request_share: f64,
    /// The tokens of one of production's requests in the bucket, on average.
    pub tokens: f64,
    /// The benchmark's rate in the bucket, tokens over time; `None` where it measured none.
    pub rate: Option<f64>,
    /// The standard error of the rate over the rate; `None` where unknown.
    pub relative_error: Option<f64>,
}

/// A benchmark's rate on production's mix.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Reweighted {
    /// The rate; `None` where a bucket that has tokens has no rate.
    pub rate: Option<f64>,
    /// The standard error of its logarithm; `None` where a rate's error is unknown.
    pub standard_error_ln: Option<f64>,
    /// The lowest and the highest rate that the buckets without one allow; `None` where there are
    /// such and no bounds were given.
    pub bounds: Option<(f64, f64)>,
    /// The share of production's tokens in buckets without a rate.
    pub uncovered: f64,
}

/// The rate that production's mix would see, from rates bucket by bucket; `None` where no tokens
/// are, or for a share, token count, rate or bound that is not finite or below zero (a rate or a
/// bound of zero likewise).
///
/// # Formula
/// With `w` the bucket's share of tokens, `request_share tokens / sum(request_share tokens)`:
/// `R = 1 / sum(w / rate)`. Weighing rates by requests, or by tokens arithmetically, is wrong: time
/// adds up, rates do not. Without rates for the share `M` of tokens, `R` lies between
/// `1 / (sum + M/slowest)` and `1 / (sum + M/fastest)` for the slowest and fastest rate possible
/// there. `SE(ln R) = R sqrt(sum (w / rate * relative_error)^2)`, the shares taken as exact.
///
/// # Source
/// Holt and Smith, “Post stratification”, 1979, for the ratio of sums.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::{MixBucket, reweighted_rate};
/// let bucket = |request_share, tokens, rate| MixBucket {
///     request_share, tokens, rate: Some(rate), relative_error: None,
/// };
/// let mix = [
///     bucket(0.5, 1_000.0, 2_000.0),
///     bucket(0.3, 8_000.0, 1_500.0),
///     bucket(0.2, 26_000.0, 320.0),
/// ];
/// let rate = reweighted_rate(&mix, None).unwrap().rate.unwrap();
/// assert!((rate - 447.513_812).abs() < 1e-6);
/// ```
pub fn reweighted_rate(
    buckets: &[MixBucket],
    slowest_and_fastest: Option<(f64, f64)>,
) -> Option<Reweighted> {
    let usable = |x: f64| x.is_finite() && x >= 0.0;
    let above_zero = |x: f64| x.is_finite() && x > 0.0;
    let sensible = buckets.iter().all(|b| {
        usable(b.request_share)
            && usable(b.tokens)
            && b.rate.is_none_or(above_zero)
            && b.relative_error.is_none_or(usable)
    });
    let bounded = slowest_and_fastest.is_none_or(|(s, f)| above_zero(s) && above_zero(f) && s <= f);
    let all: f64 = buckets.iter().map(|b| b.request_share * b.tokens).sum();
    if !(sensible && bounded && above_zero(all)) {
        return None;
    }
    let (mut time, mut uncovered, mut variance) = (0.0, 0.0, Some(0.0));
    for bucket in buckets {
        let weight = bucket.request_share * bucket.tokens / all;
        let Some(rate) = bucket.rate else {
            uncovered += weight;
            continue;
        };
        time += weight / rate;
        if weight > 0.0 {
            let error = bucket.relative_error;
            variance = variance.zip(error).map(|(v, e)| v + (weight / rate * e).powi(2));
        }
    }
    let rate = (uncovered <= 0.0).then_some(1.0 / time);
    let bounds = match (rate, slowest_and_fastest) {
        (Some(rate), _) => Some((rate, rate)),
        (None, Some((slowest, fastest))) => {
            Some((1.0 / (time + uncovered / slowest), 1.0 / (time + uncovered / fastest)))
        }
        (None, None) => None,
    };
    let standard_error_ln = rate.zip(variance).map(|(rate, v)| rate * v.sqrt());
    Some(Reweighted { rate, standard_error_ln, bounds, uncovered })
}

/// How many equal values weighted ones are worth; `None` without weight, or of a weight that is
/// not finite or below zero.
///
/// # Formula
/// `(sum w)^2 / sum w^2`. A mix reweighted far from its own is worth few of its values: below half
/// of them, say so.
///
/// # Source
/// Kish, “Survey Sampling”, 1965.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::effective_weights;
/// // 20, 30 and 50 values weighed to shares of 0.5, 0.3 and 0.2.
/// let mut weights = vec![0.5 / 20.0; 20];
/// weights.extend([0.3 / 30.0; 30]);
/// weights.extend([0.2 / 50.0; 50]);
/// assert!((effective_weights(&weights).unwrap() - 61.349_693).abs() < 1e-6);
/// ```
pub fn effective_weights(weights: &[f64]) -> Option<f64> {
    let usable = weights.iter().all(|w| w.is_finite() && *w >= 0.0);
    let sum: f64 = weights.iter().sum();
    let squares: f64 = weights.iter().map(|w| w * w).sum();
    (usable && squares > 0.0).then(|| sum * sum / squares)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bucket(request_share: f64, tokens: f64, rate: Option<f64>) -> MixBucket {
        MixBucket { request_share, tokens, rate, relative_error: Some(0.1) }
    }

    #[test]
    fn the_rate_is_neither_of_the_usual_wrong_ones() {
        let mix = [
            bucket(0.5, 1_000.0, Some(2_000.0)),
            bucket(0.3, 8_000.0, Some(1_500.0)),
            bucket(0.2, 26_000.0, Some(320.0)),
        ];
        let got = reweighted_rate(&mix, None).unwrap();
        let rate = got.rate.unwrap();
        // 1514 by requests, 773.3 by tokens arithmetically, 401.9 with equal shares of requests.
        for wrong in [1_514.0, 773.333, 401.914] {
            assert!((rate - wrong).abs() > 40.0);
        }
        // By hand: tokens 500, 2400, 5200; seconds 0.25, 1.6, 16.25; errors of a tenth of those.
        assert!((rate - 8_100.0 / 18.1).abs() < 1e-9);
        let error = 0.1 * (0.25_f64.powi(2) + 1.6_f64.powi(2) + 16.25_f64.powi(2)).sqrt() / 18.1;
        assert!((got.standard_error_ln.unwrap() - error).abs() < 1e-12);
        assert_eq!((got.uncovered, got.bounds), (0.0, Some((rate, rate))));
    }

    #[test]
    fn what_was_not_measured_widens_the_rate_to_bounds() {
        let mix = [bucket(0.5, 1_000.0, Some(1_000.0)), bucket(0.5, 1_000.0, None)];
        let got = reweighted_rate(&mix, Some((100.0, 2_000.0))).unwrap();
        // By hand: 1 / (0.5/1000 + 0.5/100) and 1 / (0.5/1000 + 0.5/2000).
        let (low, high) = got.bounds.unwrap();
        assert!((low - 1.0 / 0.005_5).abs() < 1e-9 && (high - 1.0 / 0.000_75).abs() < 1e-9);
        assert_eq!((got.rate, got.uncovered), (None, 0.5));
        assert_eq!(reweighted_rate(&mix, None).unwrap().bounds, None);
        // A bucket without tokens needs no rate.
        let idle = [mix[0], bucket(0.0, 9.0, None)];
        assert!(reweighted_rate(&idle, None).unwrap().rate.is_some());
    }

    #[test]
    fn numbers_without_sense_are_refused() {
        assert_eq!(reweighted_rate(&[], None), None);
        assert_eq!(reweighted_rate(&[bucket(0.0, 1.0, Some(1.0))], None), None);
        assert_eq!(reweighted_rate(&[bucket(1.0, 1.0, Some(0.0))], None), None);
        assert_eq!(reweighted_rate(&[bucket(f64::NAN, 1.0, Some(1.0))], None), None);
        assert_eq!(reweighted_rate(&[bucket(1.0, 1.0, None)], Some((2.0, 1.0))), None);
        assert_eq!((effective_weights(&[]), effective_weights(&[0.0])), (None, None));
        assert_eq!(effective_weights(&[1.0, -1.0]), None);
    }
}
