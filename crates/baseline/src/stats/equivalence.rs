//! Whether two arms differ by less than a margin that matters.

use super::special::is_inside;
use super::t_cdf;
use super::welch::LogWelch;

/// What two one-sided tests say of a ratio.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Equivalence {
    /// First arm over second: the ratio of geometric means.
    pub ratio: f64,
    /// The larger of the two one-sided probabilities: below `alpha` the arms are equivalent.
    pub p: f64,
    /// The interval of the ratio at `1 - 2 alpha`; it lies within the margin just where `p` is
    /// below `alpha`.
    pub interval: (f64, f64),
    /// The margin on the ratio, `1 - margin` to its inverse.
    pub bounds: (f64, f64),
    /// Welch and Satterthwaite's degrees of freedom.
    pub df: f64,
}

/// Two one-sided tests of the ratio of two arms against a margin; `None` with fewer than three
/// values in either arm, without spread, with a value not above zero or not finite, or with a
/// margin or `alpha` outside 0 to 1 (`alpha` to one half).
///
/// # Formula
/// With `d = mean ln a - mean ln b` and Welch's standard error `se` and degrees of freedom: the
/// larger of `P(T >= (d + m)/se)` and `P(T <= (d - m)/se)`, `m = -ln(1 - margin)`. Symmetric under
/// swapping the arms. Assumes independent runs with roughly log-normal results. That a difference is
/// not shown does not make arms equivalent; this does.
///
/// # Source
/// Schuirmann, “A comparison of the two one-sided tests procedure and the power approach”, 1987; as
/// statsmodels' `ttost_ind(usevar="unequal")` on logarithms.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::equivalence;
/// let a = [10.1, 9.9, 10.0, 10.2, 9.8, 10.05];
/// let b = [10.0, 10.1, 9.95, 10.15, 9.85, 10.0];
/// assert!((equivalence(&a, &b, 0.03, 0.05).unwrap().p - 0.001_124_480_30).abs() < 1e-11);
/// // Six runs of 1.4 % spread cannot show that arms lie within 0.5 % of each other.
/// assert!((equivalence(&a, &b, 0.005, 0.05).unwrap().p - 0.255_710_713).abs() < 1e-9);
/// ```
pub fn equivalence(a: &[f64], b: &[f64], margin: f64, alpha: f64) -> Option<Equivalence> {
    if a.len() < 3 || b.len() < 3 || !is_inside(margin) || !is_inside(2.0 * alpha) {
        return None;
    }
    let logs = LogWelch::of(a, b)?;
    if logs.error <= 0.0 {
        return None;
    }
    let reach = -(-margin).ln_1p();
    let above = t_cdf(-(logs.difference + reach) / logs.error, logs.df)?;
    let below = t_cdf((logs.difference - reach) / logs.error, logs.df)?;
    Some(Equivalence {
        ratio: logs.difference.exp(),
        p: above.max(below),
        interval: logs.interval(1.0 - 2.0 * alpha)?,
        bounds: (1.0 - margin, 1.0 / (1.0 - margin)),
        df: logs.df,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: [f64; 6] = [10.1, 9.9, 10.0, 10.2, 9.8, 10.05];
    const B: [f64; 6] = [10.0, 10.1, 9.95, 10.15, 9.85, 10.0];

    #[test]
    fn the_interval_and_degrees_agree_with_statsmodels() {
        let got = equivalence(&A, &B, 0.03, 0.05).unwrap();
        assert!((got.df - 9.256_458_942).abs() < 1e-9);
        assert!((got.interval.0.ln() + 0.013_350_698_0).abs() < 1e-10, "{got:?}");
        assert!((got.interval.1.ln() - 0.013_275_595_6).abs() < 1e-10, "{got:?}");
    }

    #[test]
    fn p_and_the_interval_decide_alike_and_swapping_changes_nothing() {
        for thousandths in 1..60 {
            let margin = f64::from(thousandths) / 1_000.0;
            let got = equivalence(&A, &B, margin, 0.05).unwrap();
            let inside = got.interval.0 > got.bounds.0 && got.interval.1 < got.bounds.1;
            assert_eq!(inside, got.p < 0.05, "{got:?}");
            assert!((equivalence(&B, &A, margin, 0.05).unwrap().p - got.p).abs() < 1e-12);
        }
    }

    #[test]
    fn few_runs_copies_and_senseless_margins_are_refused() {
        assert_eq!(equivalence(&A[..2], &B, 0.03, 0.05), None);
        assert_eq!(equivalence(&[1.0; 3], &[1.0; 3], 0.03, 0.05), None);
        for (margin, alpha) in [(0.0, 0.05), (1.0, 0.05), (0.03, 0.5), (f64::NAN, 0.05)] {
            assert_eq!(equivalence(&A, &B, margin, alpha), None);
        }
        assert_eq!(equivalence(&[1.0, 2.0, f64::NAN], &B, 0.03, 0.05), None);
    }
}
