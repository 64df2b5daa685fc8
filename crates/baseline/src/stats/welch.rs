//! The ratio of two arms with an interval, where repetitions of whole runs exist.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::{count, mean, squares_about};

/// A ratio of two arms.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct RatioEstimate {
    /// First arm over second: the ratio of geometric means.
    pub ratio: f64,
    /// Its interval; `None` with fewer than three values in either arm, or without any spread.
    pub interval: Option<(f64, f64)>,
    /// How many values each arm has.
    pub n: (usize, usize),
}

/// The ratio of geometric means of two arms, with Welch's interval on the logarithms.
///
/// # Formula
/// `exp(mean ln a - mean ln b)`; interval `exp(d -/+ t(1 - (1 - confidence)/2; df) se)` with
/// `se^2 = va/na + vb/nb` and Welch and Satterthwaite's degrees of freedom. Assumes independent
/// runs with roughly log-normal results.
///
/// # Shape
/// One value a run, positive and finite; `None` if an arm is empty or holds another value.
///
/// # Source
/// Welch, “The generalization of Student's problem”, 1947.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::ratio_of_means;
/// let estimate = ratio_of_means(&[1.57], &[1.87], 0.95).unwrap();
/// assert_eq!(estimate.interval, None); // one run each: direction only
/// ```
pub fn ratio_of_means(a: &[f64], b: &[f64], confidence: f64) -> Option<RatioEstimate> {
    let (a_mean, a_var) = ln_moments(a)?;
    let (b_mean, b_var) = ln_moments(b)?;
    let difference = a_mean - b_mean;
    let mut estimate =
        RatioEstimate { ratio: difference.exp(), interval: None, n: (a.len(), b.len()) };
    if a.len() < 3 || b.len() < 3 {
        return Some(estimate);
    }
    let (na, nb) = (count(a.len()), count(b.len()));
    let (ra, rb) = (a_var / na, b_var / nb);
    let se = (ra + rb).sqrt();
    // No spread at all is a copy, not a measurement: no interval can rest on it.
    if se > 0.0 {
        let df = (ra + rb).powi(2) / (ra * ra / (na - 1.0) + rb * rb / (nb - 1.0));
        let t = t_quantile(0.5 + confidence / 2.0, df)?;
        estimate.interval = Some(((difference - t * se).exp(), (difference + t * se).exp()));
    }
    Some(estimate)
}

fn ln_moments(values: &[f64]) -> Option<(f64, f64)> {
    if !values.iter().all(|v| v.is_finite() && *v > 0.0) {
        return None;
    }
    let logs: Vec<f64> = values.iter().map(|v| v.ln()).collect();
    let mean = mean(&logs)?;
    Some((mean, squares_about(mean, &logs) / (count(logs.len()) - 1.0).max(1.0)))
}

/// Student's quantile. statrs 0.19 is wrong from about 1e6 degrees of freedom and hangs at 1e8, so
/// above 1e5 the normal quantile stands in, which is within 3e-5 there.
pub(crate) fn t_quantile(p: f64, df: f64) -> Option<f64> {
    if df > 1e5 {
        return statrs::distribution::Normal::new(0.0, 1.0).ok().map(|n| n.inverse_cdf(p));
    }
    StudentsT::new(0.0, 1.0, df).ok().map(|t| t.inverse_cdf(p))
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
        assert!((got.ratio - 2.636_345_244_63).abs() < 1e-9);
        let (low, high) = got.interval.unwrap();
        assert!((low - 2.461_159_377_55).abs() < 1e-6, "{low}");
        assert!((high - 2.824_000_880_35).abs() < 1e-6, "{high}");
    }

    #[test]
    fn copies_and_bad_values_give_no_interval() {
        let copies = ratio_of_means(&[2.0; 3], &[1.0; 3], 0.95).unwrap();
        assert_eq!(copies.interval, None);
        assert_eq!(ratio_of_means(&[], &[1.0], 0.95), None);
        assert_eq!(ratio_of_means(&[f64::NAN], &[1.0], 0.95), None);
        assert_eq!(ratio_of_means(&[0.0], &[1.0], 0.95), None);
    }

    #[test]
    fn many_degrees_of_freedom_neither_hang_nor_lie() {
        assert!((t_quantile(0.975, 1e8).unwrap() - 1.959_964).abs() < 1e-5);
        assert!((t_quantile(0.975, 4.0).unwrap() - 2.776_445_105_198).abs() < 1e-8);
    }
}
