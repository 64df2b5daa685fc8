//! Counts of successes: their probabilities, and the interval of a share.

use std::f64::consts::PI;

use super::real;
use super::special::is_inside;

/// The interval of a share with at least the confidence asked for, `events` of `n`; `None` of no
/// trials, of more events than trials or of a confidence outside 0 to 1.
///
/// # Formula
/// Clopper and Pearson's exact interval: the shares at which so many events or more, or so many or
/// fewer, have probability `(1 - confidence)/2`. At 0 events the low end is 0, at `n` the high end
/// is 1. Assumes independent trials of one share.
///
/// # Source
/// Clopper and Pearson, “The use of confidence or fiducial limits”, 1934; as R's `binom.test`.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::share_interval;
/// // No failure in 100 requests does not exclude 3.6 % of failures.
/// let (low, high) = share_interval(0, 100, 0.95).unwrap();
/// assert!(low == 0.0 && (high - 0.036_217).abs() < 1e-6);
/// ```
pub fn share_interval(events: u64, n: u64, confidence: f64) -> Option<(f64, f64)> {
    if n == 0 || events > n || !is_inside(confidence) {
        return None;
    }
    let tail = (1.0 - confidence) / 2.0;
    let low = match events {
        0 => 0.0,
        _ => turning_point(|q| binomial_at_least(events, n, q) > tail),
    };
    let high = match events {
        all if all == n => 1.0,
        _ => turning_point(|q| binomial_at_most(events, n, q) < tail),
    };
    Some((low, high))
}

/// Where between 0 and 1 a condition that is false below and true above turns.
fn turning_point(is_above: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return middle;
        }
        if is_above(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
}

/// The probability of at most `k` events in `n` independent trials of probability `q`.
///
/// # Formula
/// The sum of [`binomial`]'s probabilities on the shorter side of the mean, from `k` outwards, so
/// that a small tail keeps its digits at any `n`.
///
/// # Source
/// As scipy's `binom.cdf(k, n, q)`.
pub fn binomial_at_most(k: u64, n: u64, q: f64) -> f64 {
    if k >= n {
        1.0
    } else if real(k) > real(n) * q {
        1.0 - sum_up(k + 1, n, q)
    } else {
        sum_down(k, n, q)
    }
}

/// The probability of at least `k` events in `n` independent trials of probability `q`.
///
/// # Source
/// As scipy's `binom.sf(k - 1, n, q)`.
pub fn binomial_at_least(k: u64, n: u64, q: f64) -> f64 {
    if k == 0 {
        1.0
    } else if k > n {
        0.0
    } else if real(k) < real(n) * q {
        1.0 - sum_down(k - 1, n, q)
    } else {
        sum_up(k, n, q)
    }
}

/// The probabilities of `k` events, one fewer and so on, for a `k` at or below the mean.
fn sum_down(k: u64, n: u64, q: f64) -> f64 {
    let first = binomial(k, n, q);
    let (mut term, mut sum) = (first, first);
    for i in (1..=k).rev() {
        term *= real(i) * (1.0 - q) / (real(n - i + 1) * q);
        sum += term;
        if term <= sum * 1e-18 {
            break;
        }
    }
    sum.min(1.0)
}

/// The probabilities of `k` events, one more and so on, for a `k` at or above the mean.
fn sum_up(k: u64, n: u64, q: f64) -> f64 {
    let first = binomial(k, n, q);
    let (mut term, mut sum) = (first, first);
    for i in k..n {
        term *= real(n - i) * q / (real(i + 1) * (1.0 - q));
        sum += term;
        if term <= sum * 1e-18 {
            break;
        }
    }
    sum.min(1.0)
}

/// The probability of exactly `k` events in `n` independent trials of probability `q`.
///
/// # Formula
/// `C(n, k) q^k (1 - q)^(n - k)` by its distance from the mean rather than by factorials, which
/// lose digits as `n` grows. `q` is kept within 0 to 1.
///
/// # Source
/// Loader, “Fast and accurate computation of binomial probabilities”, 2000; as scipy's
/// `binom.pmf`.
pub fn binomial(k: u64, n: u64, q: f64) -> f64 {
    let q = q.clamp(0.0, 1.0);
    if k > n {
        return 0.0;
    }
    let (k, n) = (real(k), real(n));
    let rest = n - k;
    if k <= 0.0 {
        return (n * (-q).ln_1p()).exp().min(1.0);
    }
    if rest <= 0.0 {
        return q.powf(n);
    }
    if q <= 0.0 || q >= 1.0 {
        return 0.0;
    }
    let ln = stirling_rest(n)
        - stirling_rest(k)
        - stirling_rest(rest)
        - deviance(k, n * q)
        - deviance(rest, n * (1.0 - q));
    ln.exp() * (n / (2.0 * PI * k * rest)).sqrt()
}

/// What Stirling's formula leaves of `ln n!`; `n` is a whole number above zero.
fn stirling_rest(n: f64) -> f64 {
    if n < 16.0 {
        let factorial = (2..16).map(f64::from).take_while(|i| *i <= n).product::<f64>();
        return factorial.ln() - (n + 0.5) * n.ln() + n - 0.5 * (2.0 * PI).ln();
    }
    let s = n * n;
    (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - (1.0 / 1680.0 - 1.0 / (1188.0 * s)) / s) / s) / s)
        / n
}

/// `x ln(x / mean) + mean - x` without cancellation where the two are near.
fn deviance(x: f64, mean: f64) -> f64 {
    let v = (x - mean) / (x + mean);
    if v.abs() >= 0.1 {
        return x * (x / mean).ln() + mean - x;
    }
    let mut sum = (x - mean) * v;
    let mut power = 2.0 * x * v;
    let mut odd = 3.0;
    loop {
        power *= v * v;
        let next = sum + power / odd;
        if next.total_cmp(&sum).is_eq() || odd > 1_000.0 {
            return next;
        }
        (sum, odd) = (next, odd + 2.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// statsmodels: `proportion_confint(k, n, 0.05, method="beta")`.
    #[test]
    fn intervals_of_a_share_agree_with_statsmodels() {
        for (k, n, low, high) in [
            (0, 100, 0.0, 0.036_217),
            (3, 541, 0.001_145, 0.016_120),
            (0, 541, 0.0, 0.006_795),
            (100, 100, 0.963_783, 1.0),
        ] {
            let got = share_interval(k, n, 0.95).unwrap();
            assert!((got.0 - low).abs() < 1e-6 && (got.1 - high).abs() < 1e-6, "{got:?}");
        }
        assert_eq!(share_interval(0, 0, 0.95), None);
        assert_eq!(share_interval(2, 1, 0.95), None);
        assert_eq!(share_interval(1, 2, f64::NAN), None);
    }

    #[test]
    fn tails_keep_their_digits() {
        // scipy: binom.cdf(985, 1000, .99); binom.sf(510_000, 1_000_000, .5).
        assert!((binomial_at_most(985, 1_000, 0.99) - 0.082_412_319_516_1).abs() < 1e-12);
        assert!((binomial_at_least(510_001, 1_000_000, 0.5) / 2.663_203_62e-89 - 1.0).abs() < 1e-8);
        assert!((binomial_at_least(20, 20, 0.5) - 0.5_f64.powi(20)).abs() < 1e-20);
        assert!((binomial_at_most(0, 10, 0.0) - 1.0).abs() < f64::EPSILON);
        assert!(binomial_at_least(1, 10, 0.0).abs() < f64::EPSILON);
    }
}
