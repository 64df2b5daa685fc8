//! The ratio of two arms with an interval, where repetitions of whole runs exist.

use super::special::t_two_sided;
use super::{count, mean, squares_about, t_quantile};

/// A ratio of two arms.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct RatioEstimate {
    /// First arm over second, of geometric means or of rates as the function says.
    pub ratio: f64,
    /// Its interval; `None` with fewer than three values in either arm, or without any spread.
    pub interval: Option<(f64, f64)>,
    /// The two-sided probability of such a ratio where the arms do not differ; `None` where there
    /// is no interval.
    pub p: Option<f64>,
    /// Welch and Satterthwaite's degrees of freedom; `None` where there is no interval.
    pub df: Option<f64>,
    /// The standard error of the ratio's logarithm; `None` where there is no interval.
    pub standard_error_ln: Option<f64>,
    /// How many values each arm has.
    pub n: (usize, usize),
}

impl RatioEstimate {
    pub(super) const fn without_interval(ratio: f64, n: (usize, usize)) -> Self {
        Self { ratio, interval: None, p: None, df: None, standard_error_ln: None, n }
    }
}

/// The ratio of geometric means of two arms, with Welch's interval on the logarithms.
///
/// # Formula
/// `exp(mean ln a - mean ln b)`; interval `exp(d -/+ t(1 - (1 - confidence)/2; df) se)` with
/// `se^2 = va/na + vb/nb` and Welch and Satterthwaite's degrees of freedom. Assumes independent
/// runs with roughly log-normal results.
///
/// # Shape
/// One value a run, positive and finite; `None` if an arm is empty or holds another value, and for
/// a confidence outside 0 to 1.
///
/// # Source
/// Welch, “The generalization of Student's problem”, 1947; `p` as scipy's
/// `ttest_ind(log a, log b, equal_var=False)`.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::ratio_of_means;
/// let estimate = ratio_of_means(&[1.57], &[1.87], 0.95).unwrap();
/// assert_eq!(estimate.interval, None); // one run each: direction only
/// ```
pub fn ratio_of_means(a: &[f64], b: &[f64], confidence: f64) -> Option<RatioEstimate> {
    let logs = LogWelch::of(a, b)?;
    let mut estimate = RatioEstimate::without_interval(logs.difference.exp(), (a.len(), b.len()));
    if a.len() < 3 || b.len() < 3 {
        return Some(estimate);
    }
    // No spread at all is a copy, not a measurement: no interval can rest on it.
    if logs.error > 0.0 {
        estimate.interval = Some(logs.interval(confidence)?);
        estimate.p = t_two_sided(logs.difference / logs.error, logs.df);
        estimate.df = Some(logs.df);
        estimate.standard_error_ln = Some(logs.error);
    }
    Some(estimate)
}

/// The difference of two arms' mean logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LogWelch {
    /// First arm less second.
    pub(super) difference: f64,
    /// Its standard error; zero without spread or with one value an arm.
    pub(super) error: f64,
    /// Welch and Satterthwaite's degrees of freedom; NaN where the error is zero.
    pub(super) df: f64,
}

impl LogWelch {
    /// `None` if an arm is empty or holds a value that is not above zero and finite.
    pub(super) fn of(a: &[f64], b: &[f64]) -> Option<Self> {
        let (a_mean, a_var) = ln_moments(a)?;
        let (b_mean, b_var) = ln_moments(b)?;
        let (na, nb) = (count(a.len()), count(b.len()));
        let (ra, rb) = (a_var / na, b_var / nb);
        let df = (ra + rb).powi(2) / (ra * ra / (na - 1.0) + rb * rb / (nb - 1.0));
        Some(Self { difference: a_mean - b_mean, error: (ra + rb).sqrt(), df })
    }

    /// The interval of the ratio.
    pub(super) fn interval(&self, confidence: f64) -> Option<(f64, f64)> {
        let reach = t_quantile(0.5 + confidence / 2.0, self.df)? * self.error;
        Some(((self.difference - reach).exp(), (self.difference + reach).exp()))
    }
}

fn ln_moments(values: &[f64]) -> Option<(f64, f64)> {
    if !values.iter().all(|v| v.is_finite() && *v > 0.0) {
        return None;
    }
    let logs: Vec<f64> = values.iter().map(|v| v.ln()).collect();
    let mean = mean(&logs)?;
    Some((mean, squares_about(mean, &logs) / (count(logs.len()) - 1.0).max(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_welch_agrees_with_r() {
        // R: t.test(log(y), log(x)), then exp.
        let y = [318.0, 325.0, 290.0, 340.0, 322.0, 310.0];
        let x = [115.0, 117.0, 121.0, 119.0, 130.0];
        let got = ratio_of_means(&y, &x, 0.95).unwrap();
        assert!((got.ratio - 2.636_345_244_63).abs() < 1e-11);
        let (low, high) = got.interval.unwrap();
        assert!((low - 2.461_159_377_55).abs() < 1e-10, "{low}");
        assert!((high - 2.824_000_880_35).abs() < 1e-10, "{high}");
    }

    #[test]
    fn p_is_below_five_percent_just_where_the_interval_excludes_one() {
        let b = [10.0, 10.1, 9.9, 10.2];
        for step in 0..60 {
            let a: Vec<f64> = b.iter().map(|x| x * (0.97 + 0.001 * f64::from(step))).collect();
            let got = ratio_of_means(&a, &b, 0.95).unwrap();
            let (low, high) = got.interval.unwrap();
            assert_eq!(low > 1.0 || high < 1.0, got.p.unwrap() < 0.05, "{got:?}");
        }
    }

    #[test]
    fn copies_and_bad_values_give_no_interval() {
        let copies = ratio_of_means(&[2.0; 3], &[1.0; 3], 0.95).unwrap();
        assert_eq!((copies.interval, copies.p, copies.df), (None, None, None));
        assert_eq!(ratio_of_means(&[], &[1.0], 0.95), None);
        assert_eq!(ratio_of_means(&[f64::NAN], &[1.0], 0.95), None);
        assert_eq!(ratio_of_means(&[0.0], &[1.0], 0.95), None);
    }
}
