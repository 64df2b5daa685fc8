//! Whether one sample tends to lie above another of a different shape.

use super::pooled::{Pooled, mid_ranks};
use super::special::t_two_sided;
use super::{count, mean, squares_about};

/// What Brunner and Munzel's test says of two samples.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct BrunnerMunzel {
    /// The test's statistic, above zero where the second sample tends to lie higher.
    pub statistic: f64,
    /// Its degrees of freedom.
    pub df: f64,
    /// Its two-sided probability where neither sample tends to lie higher.
    pub p: f64,
    /// The share of pairs in which the second sample's value is larger; equal pairs count half.
    pub effect: f64,
}

/// Brunner and Munzel's test of two samples whose shapes may differ; `None` with fewer than two
/// values in either, with one that is not finite, or where ranks have no spread, as those of
/// samples that do not overlap.
///
/// # Formula
/// With `r` the ranks among all values and `w` those within the sample, of means `R1` and `R2`:
/// `S^2` is the variance of `r - w` in each sample, `W = n1 n2 (R2 - R1) / (N sqrt(n1 S1^2 +
/// n2 S2^2))`, held against Student's distribution with Welch and Satterthwaite's degrees of
/// freedom of `n S^2`. Assumes independent values; from about 10 an arm.
///
/// # Source
/// Brunner and Munzel, “The nonparametric Behrens-Fisher problem”, 2000; as scipy's
/// `brunnermunzel` and R's `lawstat::brunner.munzel.test`.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::brunner_munzel;
/// let x = [1.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 4.0, 1.0, 1.0];
/// let y = [3.0, 3.0, 4.0, 3.0, 1.0, 2.0, 3.0, 1.0, 1.0, 5.0, 4.0];
/// let test = brunner_munzel(&x, &y).unwrap();
/// assert!((test.statistic - 3.137_467_482_30).abs() < 1e-10);
/// assert!((test.p - 0.005_786_208_67).abs() < 1e-10);
/// ```
pub fn brunner_munzel(a: &[f64], b: &[f64]) -> Option<BrunnerMunzel> {
    if a.len() < 2 || b.len() < 2 {
        return None;
    }
    Pooled::of(a, b)?;
    let all: Vec<f64> = a.iter().chain(b).copied().collect();
    let ranks = mid_ranks(&all);
    let (of_a, of_b) = ranks.split_at(a.len());
    let (n1, n2) = (count(a.len()), count(b.len()));
    let (mean_a, mean_b) = (mean(of_a)?, mean(of_b)?);
    let spread = |among: &[f64], values: &[f64]| {
        let placed: Vec<f64> = among.iter().zip(mid_ranks(values)).map(|(r, w)| r - w).collect();
        Some(squares_about(mean(&placed)?, &placed) / (count(placed.len()) - 1.0))
    };
    let (s1, s2) = (n1 * spread(of_a, a)?, n2 * spread(of_b, b)?);
    if s1 + s2 <= 0.0 {
        return None;
    }
    let statistic = n1 * n2 * (mean_b - mean_a) / ((n1 + n2) * (s1 + s2).sqrt());
    let df = (s1 + s2).powi(2) / (s1 * s1 / (n1 - 1.0) + s2 * s2 / (n2 - 1.0));
    let effect = (mean_b - mean_a) / (n1 + n2) + 0.5;
    Some(BrunnerMunzel { statistic, df, p: t_two_sided(statistic, df)?, effect })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_without_spread_in_rank_are_refused() {
        assert_eq!(brunner_munzel(&[1.0, 2.0], &[3.0, 4.0]), None);
        assert_eq!(brunner_munzel(&[1.0, 1.0], &[1.0, 1.0]), None);
        assert_eq!(brunner_munzel(&[1.0], &[1.0, 2.0]), None);
        assert_eq!(brunner_munzel(&[1.0, f64::NAN], &[1.0, 2.0]), None);
    }
}
