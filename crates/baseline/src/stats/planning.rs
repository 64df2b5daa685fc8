//! How many runs a precision or a difference needs, and which difference so many runs can show.

use super::special::{chi_density, integral, is_inside};
use super::{normal_cdf, normal_quantile, real, t_quantile};

/// The fewest runs of an arm that admit an interval of a ratio.
const FEWEST: u64 = 3;

/// The most runs that a plan names; beyond, none is possible.
const MOST: u64 = 1 << 40;

/// How many runs give a mean to within a relative half width; `None` unless all three numbers are
/// above zero, the confidence below 1 and the answer below 2^40.
///
/// # Formula
/// The smallest `n` from 2 with `t(1 - (1 - confidence)/2; n - 1) cv / sqrt(n) <= half_width`, `cv`
/// the standard deviation of one run over the mean. What it counts are runs, or independent values
/// of one run, not its requests.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::runs_for_precision;
/// // To 5 % where runs spread by 10 %.
/// assert_eq!(runs_for_precision(0.10, 0.05, 0.95), Some(18));
/// ```
pub fn runs_for_precision(cv: f64, half_width: f64, confidence: f64) -> Option<u64> {
    let finite = cv.is_finite() && half_width.is_finite();
    if !(finite && cv > 0.0 && half_width > 0.0 && is_inside(confidence)) {
        return None;
    }
    let suffices = |n: u64| {
        t_quantile(0.5 + confidence / 2.0, real(n - 1))
            .is_some_and(|t| t * cv / real(n).sqrt() <= half_width)
    };
    smallest(2, suffices)
}

/// How many runs an arm show a true difference; `None` for numbers without sense or beyond 2^40
/// runs.
///
/// # Formula
/// The smallest `n` from 3 at which the test of the difference of mean logarithms at `alpha`, two
/// sided, finds a ratio of `1 + difference` with probability `power`; see [`power_of_runs`]. A
/// `difference` below zero is one of a ratio below 1.
///
/// # Shape
/// `cv` is the standard deviation of one run over the mean, in either arm.
///
/// # Source
/// As statsmodels' `TTestIndPower` and R's `power.t.test` for the effect
/// `ln(1 + difference) / sqrt(ln(1 + cv^2))`.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::runs_to_show;
/// assert_eq!(runs_to_show(0.05, 0.05, 0.8, 0.05), Some(18));
/// // Two percent takes six times as many.
/// assert_eq!(runs_to_show(0.05, 0.02, 0.8, 0.05), Some(101));
/// ```
pub fn runs_to_show(cv: f64, difference: f64, power: f64, alpha: f64) -> Option<u64> {
    if difference == 0.0 || !is_inside(power) || power <= alpha {
        return None;
    }
    power_of_runs(cv, difference, (FEWEST, FEWEST), alpha)?;
    smallest(FEWEST, |n| power_of_runs(cv, difference, (n, n), alpha).is_some_and(|p| p >= power))
}

/// The probability that so many runs of two arms show a true difference; `None` with fewer than two
/// runs in either, a spread or `alpha` without sense, or a difference of -1 or below.
///
/// # Formula
/// With `s = sqrt(ln(1 + cv^2))` the spread of one run's logarithm and
/// `ncp = |ln(1 + difference)| / (s sqrt(1/n1 + 1/n2))`: the probability that a noncentral Student
/// variable of `n1 + n2 - 2` degrees of freedom lies beyond `t(1 - alpha/2)` on either side, by
/// integration over the sample's standard deviation. Assumes log-normal runs of one spread.
///
/// # Source
/// As statsmodels' `TTestIndPower.power`.
pub fn power_of_runs(cv: f64, difference: f64, n: (u64, u64), alpha: f64) -> Option<f64> {
    let spread = cv.powi(2).ln_1p().sqrt();
    let effect = difference.ln_1p().abs();
    let usable = spread.is_finite() && spread > 0.0 && effect.is_finite();
    if !usable || n.0 < 2 || n.1 < 2 {
        return None;
    }
    let error = spread * (1.0 / real(n.0) + 1.0 / real(n.1)).sqrt();
    power_of_t(effect / error, real(n.0 + n.1 - 2), alpha)
}

/// The smallest difference that so many runs of two arms show with the power asked for: 0.05 for
/// a ratio of 1.05; `None` as of [`power_of_runs`], or for a power not between `alpha` and 1.
///
/// # Formula
/// [`power_of_runs`] solved for the difference above zero. The same runs show a ratio of its
/// inverse.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::smallest_difference;
/// let shown = smallest_difference(0.05, (18, 18), 0.8, 0.05).unwrap();
/// assert!(shown > 0.049 && shown < 0.05);
/// ```
pub fn smallest_difference(cv: f64, n: (u64, u64), power: f64, alpha: f64) -> Option<f64> {
    if !is_inside(power) || power <= alpha {
        return None;
    }
    power_of_runs(cv, 1.0, n, alpha)?;
    let df = real(n.0 + n.1 - 2);
    let (mut low, mut high) = (0.0, 1.0);
    while power_of_t(high, df, alpha)? < power {
        high *= 2.0;
    }
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if power_of_t(middle, df, alpha)? < power {
            low = middle;
        } else {
            high = middle;
        }
    }
    let error = cv.powi(2).ln_1p().sqrt() * (1.0 / real(n.0) + 1.0 / real(n.1)).sqrt();
    Some((high * error).exp_m1())
}

/// The probability that a noncentral Student variable lies beyond the two-sided critical value.
fn power_of_t(ncp: f64, df: f64, alpha: f64) -> Option<f64> {
    if !is_inside(alpha) {
        return None;
    }
    if df > 1e5 {
        let z = normal_quantile(1.0 - alpha / 2.0)?;
        return Some(normal_cdf(ncp - z) + normal_cdf(-ncp - z));
    }
    let critical = t_quantile(1.0 - alpha / 2.0, df)?;
    let width = 12.0 / (2.0 * df).sqrt();
    Some(integral((1.0 - width).max(0.0), 1.0 + width, 500, |s| {
        let beyond = normal_cdf(ncp - critical * s) + normal_cdf(-ncp - critical * s);
        chi_density(s, df) * beyond
    }))
}

/// The smallest number from `from` on that suffices, where all above it do.
fn smallest(from: u64, suffices: impl Fn(u64) -> bool) -> Option<u64> {
    let (mut low, mut high) = (from, from);
    while !suffices(high) {
        low = high + 1;
        high *= 2;
        if high > MOST {
            return None;
        }
    }
    while low < high {
        let middle = u64::midpoint(low, high);
        if suffices(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// scipy: the formula with `t.ppf`, counted up.
    #[test]
    fn runs_for_a_precision_agree_with_scipy() {
        for (cv, half_width, n) in [
            (0.05, 0.05, 7),
            (0.05, 0.02, 27),
            (0.05, 0.01, 99),
            (0.10, 0.05, 18),
            (0.20, 0.05, 64),
            (0.5, 0.05, 387),
            (1.0, 0.05, 1_540),
        ] {
            assert_eq!(runs_for_precision(cv, half_width, 0.95), Some(n), "{cv} {half_width}");
        }
        assert_eq!(runs_for_precision(1e-9, 0.5, 0.95), Some(2));
    }

    /// statsmodels: `TTestIndPower().solve_power(log1p(d) / sqrt(log1p(cv * cv)), power=0.8,
    /// alpha=0.05)`, rounded up.
    #[test]
    fn runs_for_a_difference_agree_with_statsmodels() {
        for (cv, difference, n) in [
            (0.02, 0.01, 65),
            (0.05, 0.05, 18),
            (0.05, 0.02, 101),
            (0.05, 0.01, 397),
            (0.1, 0.05, 67),
            (0.2, 0.05, 260),
        ] {
            assert_eq!(runs_to_show(cv, difference, 0.8, 0.05), Some(n), "{cv} {difference}");
        }
        let shown = |n| smallest_difference(0.1, (n, n), 0.8, 0.05).unwrap();
        assert!(shown(67) <= 0.05 && shown(66) > 0.05, "{} {}", shown(67), shown(66));
        // A huge difference still takes the runs that an interval takes.
        assert_eq!(runs_to_show(0.01, 9.0, 0.8, 0.05), Some(3));
    }

    #[test]
    fn power_without_a_difference_is_alpha() {
        for n in [2, 3, 10, 500, 1_000_000] {
            let power = power_of_runs(0.05, 0.0, (n, n), 0.05).unwrap();
            assert!((power - 0.05).abs() < 1e-9, "{n}: {power}");
        }
    }

    #[test]
    fn plans_without_sense_are_refused() {
        assert_eq!(runs_for_precision(0.0, 0.05, 0.95), None);
        assert_eq!(runs_for_precision(0.05, f64::NAN, 0.95), None);
        assert_eq!(runs_for_precision(1.0, 1e-9, 0.95), None);
        assert_eq!(runs_to_show(0.05, 0.0, 0.8, 0.05), None);
        assert_eq!(runs_to_show(0.05, -1.0, 0.8, 0.05), None);
        assert_eq!(runs_to_show(0.0, 0.05, 0.8, 0.05), None);
        assert_eq!(runs_to_show(0.05, 0.05, 1.0, 0.05), None);
        assert_eq!(power_of_runs(0.05, 0.05, (1, 9), 0.05), None);
        assert_eq!(smallest_difference(f64::NAN, (3, 3), 0.8, 0.05), None);
        assert_eq!(runs_to_show(0.9, 1e-9, 0.8, 0.05), None);
    }
}
