//! The distributions that tests and intervals rest on, guarded where libraries go wrong far out.

use std::f64::consts::{PI, SQRT_2};

use statrs::function::beta::beta_reg;
use statrs::function::erf::erfc_inv;
use statrs::function::gamma::ln_gamma;

/// From so many degrees of freedom on, Student's distribution is reckoned from the normal one.
const NEARLY_NORMAL: f64 = 1e5;

/// The probability that a standard normal variable is at most `x`; NaN of NaN.
///
/// # Formula
/// Within 2.5 of zero `1/2 + phi(x) (x + x^3/3 + x^5/(3 5) + ...)`, beyond Laplace's continued
/// fraction `phi(x) / (x + 1/(x + 2/(x + ...)))` of the smaller tail, so that small tails keep their
/// digits. statrs 0.19's `erfc` is right to ten digits only.
///
/// # Source
/// Marsaglia, “Evaluating the normal distribution”, 2004; as scipy's `norm.cdf`.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::normal_cdf;
/// assert!((normal_cdf(-1.0) - 0.158_655_253_931_457_05).abs() < 1e-15);
/// ```
pub fn normal_cdf(x: f64) -> f64 {
    let size = x.abs();
    if size < 2.5 {
        let (mut term, mut sum, mut odd) = (x, x, 1.0);
        while term.abs() > 1e-17 * sum.abs() {
            odd += 2.0;
            term *= x * x / odd;
            sum += term;
        }
        return 0.5 + normal_density(x) * sum;
    }
    if size.is_nan() {
        return f64::NAN;
    }
    // Enough terms for double precision: at 2.5 about a hundred, far out a dozen.
    #[expect(clippy::cast_possible_truncation, reason = "between 12 and 124")]
    let terms = (12.0 + 700.0 / (size * size)) as i32;
    let fraction = (1..=terms).rev().fold(size, |below, i| size + f64::from(i) / below);
    let tail = normal_density(size) / fraction;
    if x > 0.0 { 1.0 - tail } else { tail }
}

/// The density of the standard normal distribution.
pub(crate) fn normal_density(x: f64) -> f64 {
    (-x * x / 2.0).exp() / (2.0 * PI).sqrt()
}

/// The value that a standard normal variable stays below with probability `p`; `None` unless `p`
/// lies between 0 and 1.
///
/// # Source
/// As scipy's `norm.ppf`.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::normal_quantile;
/// assert!((normal_quantile(0.975).unwrap() - 1.959_963_984_540).abs() < 1e-11);
/// assert_eq!(normal_quantile(1.0), None);
/// ```
pub fn normal_quantile(p: f64) -> Option<f64> {
    if !is_inside(p) {
        return None;
    }
    let x = -SQRT_2 * erfc_inv(2.0 * p);
    // One step of Newton's rule takes the inverse to the precision of the distribution.
    let better = x - (normal_cdf(x) - p) / normal_density(x);
    Some(if better.is_finite() { better } else { x })
}

/// The probability that Student's variable of `df` degrees of freedom is at most `t`; `None`
/// unless `df` is above zero and `t` is a number.
///
/// # Formula
/// `I(df / (df + t^2); df/2, 1/2) / 2` on the side of `t`, the regularised incomplete beta
/// function. Above 1e5 degrees of freedom Wallace's normal deviate
/// `(8 df + 1)/(8 df + 3) sqrt(df ln(1 + t^2/df))` stands in, which is within 1e-10.
///
/// # Source
/// Wallace, “Bounds on normal approximations to Student's and the chi-square distributions”, 1959;
/// as scipy's `t.cdf`.
pub fn t_cdf(t: f64, df: f64) -> Option<f64> {
    if df.is_nan() || df <= 0.0 || t.is_nan() {
        return None;
    }
    if df > NEARLY_NORMAL {
        let size = if df.is_infinite() { t.abs() } else { (df * (t * t / df).ln_1p()).sqrt() };
        let shrink = if df.is_infinite() { 1.0 } else { (8.0 * df + 1.0) / (8.0 * df + 3.0) };
        return Some(normal_cdf((shrink * size).copysign(t)));
    }
    let tail = beta_reg(df / 2.0, 0.5, (df / (df + t * t)).clamp(0.0, 1.0)) / 2.0;
    Some(if t > 0.0 { 1.0 - tail } else { tail })
}

/// The value that Student's variable of `df` degrees of freedom stays below with probability `p`;
/// `None` unless `p` lies between 0 and 1 and `df` is above zero.
///
/// # Formula
/// The root of [`t_cdf`], found by halving and by Newton's rule. Above 1e5 degrees of freedom the
/// normal quantile `z` with its first two corrections,
/// `z + (z^3 + z)/(4 df) + (5 z^5 + 16 z^3 + 3 z)/(96 df^2)`.
///
/// # Source
/// Fisher and Cornish, “The percentile points of distributions having known cumulants”, 1960; as
/// scipy's `t.ppf`.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::t_quantile;
/// assert!((t_quantile(0.975, 4.0).unwrap() - 2.776_445_105_198).abs() < 1e-11);
/// // So many degrees of freedom are a normal variable, and take no longer.
/// assert!((t_quantile(0.975, 1e8).unwrap() - 1.959_964_008).abs() < 1e-8);
/// ```
pub fn t_quantile(p: f64, df: f64) -> Option<f64> {
    if !(is_inside(p) && df > 0.0) {
        return None;
    }
    if p > 0.5 {
        return t_quantile(1.0 - p, df).map(|t| -t);
    }
    let z = normal_quantile(p)?;
    if df > NEARLY_NORMAL {
        let first = (z.powi(3) + z) / (4.0 * df);
        let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * df * df);
        return Some(z + first + second);
    }
    // Student's tails are the wider ones, so the root lies at or below the normal quantile.
    let (mut low, mut high) = (z - 1.0, 0.0);
    while t_cdf(low, df)? > p {
        low *= 2.0;
        if low < -1e200 {
            return None;
        }
    }
    let scale = ln_gamma(df.midpoint(1.0)) - ln_gamma(df / 2.0) - 0.5 * (df * PI).ln();
    let mut t = z;
    for _ in 0..200 {
        let off = t_cdf(t, df)? - p;
        if off > 0.0 {
            high = t;
        } else {
            low = t;
        }
        let density = (scale - df.midpoint(1.0) * (t * t / df).ln_1p()).exp();
        let newton = t - off / density;
        let next = if newton > low && newton < high { newton } else { f64::midpoint(low, high) };
        if (next - t).abs() <= 1e-15 * t.abs() {
            return Some(next);
        }
        t = next;
    }
    Some(t)
}

/// Whether a number lies between 0 and 1, neither included, as a probability or a confidence does.
pub(crate) const fn is_inside(p: f64) -> bool {
    p > 0.0 && p < 1.0
}

/// The probability that Student's variable lies as far from zero as `t` or further, on either
/// side.
pub(crate) fn t_two_sided(t: f64, df: f64) -> Option<f64> {
    Some((2.0 * t_cdf(-t.abs(), df)?).min(1.0))
}

/// The integral of a smooth function between two points, by Simpson's rule over so many pairs of
/// equal steps.
pub(crate) fn integral(from: f64, to: f64, pairs: u32, f: impl Fn(f64) -> f64) -> f64 {
    let step = (to - from) / (2.0 * f64::from(pairs));
    let inner: f64 = (1..2 * pairs)
        .map(|i| {
            let weight = if i % 2 == 1 { 4.0 } else { 2.0 };
            weight * f(from + step * f64::from(i))
        })
        .sum();
    (f(from) + inner + f(to)) * step / 3.0
}

/// The density of the root of a chi-square variable over its degrees of freedom: a sample's
/// standard deviation over the true one.
pub(crate) fn chi_density(s: f64, df: f64) -> f64 {
    if s <= 0.0 {
        return 0.0;
    }
    let half = df / 2.0;
    (2.0_f64.ln() + half * half.ln() - ln_gamma(half) + (df - 1.0) * s.ln() - half * s * s).exp()
}

/// The regularised incomplete beta function, 0 and 1 outside its range.
pub(crate) fn beta_share(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        0.0
    } else if x >= 1.0 {
        1.0
    } else {
        beta_reg(a, b, x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// scipy: `t.ppf(p, df)`. statrs 0.19.1 gives 1.826556 for the row of 1e7 and does not return
    /// for that of 1e8.
    #[test]
    fn quantiles_of_t_agree_with_scipy_however_many_degrees_of_freedom() {
        for (p, df, t) in [
            (0.975, 1.0, 12.706_204_736_174_7),
            (0.975, 4.0, 2.776_445_105_197_8),
            (0.975, 29.0, 2.045_229_642_132_7),
            (0.999_9, 3.0, 22.203_742_273_205),
            (0.3, 2.74, -0.590_483_208_316),
            (0.975, 1e6, 1.959_966_356_835),
            (0.975, 1e7, 1.959_964_221_768),
            (0.975, 1e8, 1.959_964_008_263),
        ] {
            let got = t_quantile(p, df).unwrap();
            assert!((got / t - 1.0).abs() < 1e-10, "{p} {df}: {got}");
        }
        assert_eq!(t_quantile(0.5, 7.0), Some(0.0));
    }

    #[test]
    fn the_two_roads_to_t_meet_where_they_change() {
        for t in [-6.0, -2.0, 0.3, 4.0] {
            let (a, b) = (t_cdf(t, 99_999.0).unwrap(), t_cdf(t, 100_001.0).unwrap());
            assert!((a / b - 1.0).abs() < 1e-7, "{t}: {a} {b}");
        }
        let near = t_quantile(0.975, 99_999.0).unwrap() - t_quantile(0.975, 100_001.0).unwrap();
        assert!(near.abs() < 1e-8, "{near}");
    }

    #[test]
    fn what_is_no_probability_and_no_distribution_is_refused() {
        for p in [0.0, 1.0, -0.1, f64::NAN] {
            assert_eq!((normal_quantile(p), t_quantile(p, 3.0)), (None, None));
        }
        assert_eq!((t_quantile(0.9, 0.0), t_cdf(1.0, f64::NAN)), (None, None));
        assert_eq!(t_cdf(f64::NEG_INFINITY, 5.0), Some(0.0));
        assert!(normal_quantile(1e-300).unwrap() < -37.0);
        // The tail at one half of a degree is wide, not endless.
        assert!(t_quantile(1e-6, 0.5).unwrap().is_finite());
    }

    #[test]
    fn far_tails_of_the_normal_distribution_keep_their_digits() {
        // scipy: norm.cdf(-10), norm.cdf(-30).
        assert!((normal_cdf(-10.0) / 7.619_853_024_160_5e-24 - 1.0).abs() < 1e-12);
        assert!((normal_cdf(-30.0) / 4.906_713_927_148_2e-198 - 1.0).abs() < 1e-11);
    }
}
