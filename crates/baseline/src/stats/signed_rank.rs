//! Whether differences of pairs lie above zero as often and as far as below.

use super::normal_cdf;
use super::pooled::mid_ranks;

/// The most differences whose distribution is counted out.
const COUNTED: usize = 300;

/// What Wilcoxon's signed rank test says of differences.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SignedRank {
    /// The sum of the ranks, by size, of the differences above zero.
    pub v: f64,
    /// The probability of a sum so far from its middle or further, on either side.
    pub p: f64,
    /// The probability of so large a sum.
    pub p_greater: f64,
    /// The probability of so small a sum.
    pub p_less: f64,
    /// How many differences were not zero.
    pub n: usize,
}

/// Wilcoxon's signed rank test; `None` where no difference is other than zero or one is not finite.
///
/// # Formula
/// Differences of zero are left out; the rest are ranked by size, ties sharing the mean of theirs.
/// Up to 300 differences exact and conditional on the ties: each rank has either sign with the
/// same probability; two-sided is twice the smaller tail. Beyond, normal with variance
/// `sum(rank^2)/4` and a correction for continuity. Assumes independent differences, symmetric
/// about their middle: on skewed timings its intervals cover less than they say, so it stands
/// beside the sign test, not in its place.
///
/// # Source
/// Wilcoxon, “Individual comparisons by ranking methods”, 1945; as R's `wilcox.test(paired = TRUE)`
/// and scipy's `wilcoxon`.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::signed_rank;
/// // Hollander and Wolfe's depression scores, as in R's help page of wilcox.test.
/// let first = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
/// let second = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
/// let changes: Vec<f64> = first.iter().zip(&second).map(|(a, b)| a - b).collect();
/// let test = signed_rank(&changes).unwrap();
/// assert!((test.p_greater - 0.019_531_25).abs() < 1e-15);
/// assert!((test.p - 0.039_062_5).abs() < 1e-15);
/// ```
pub fn signed_rank(differences: &[f64]) -> Option<SignedRank> {
    if !differences.iter().all(|d| d.is_finite()) {
        return None;
    }
    let kept: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    let sizes: Vec<f64> = kept.iter().map(|d| d.abs()).collect();
    let ranks = mid_ranks(&sizes);
    let all: f64 = ranks.iter().sum();
    if ranks.is_empty() {
        return None;
    }
    let v: f64 = kept.iter().zip(&ranks).filter(|(d, _)| **d > 0.0).map(|(_, r)| r).sum();
    let (p_less, p_greater) = if ranks.len() <= COUNTED {
        let near = v.min(all - v);
        let (through, below) = lower_tail(&ranks, near);
        if v <= all - v { (through, 1.0 - below) } else { (1.0 - below, through) }
    } else {
        let sd = (ranks.iter().map(|r| r * r).sum::<f64>() / 4.0).sqrt();
        let off = v - all / 2.0;
        (normal_cdf((off + 0.5) / sd), normal_cdf(-(off - 0.5) / sd))
    };
    let p = (2.0 * p_less.min(p_greater)).min(1.0);
    Some(SignedRank { v, p, p_greater, p_less, n: ranks.len() })
}

/// The probability of a sum of at most `limit`, and of one below it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "twice a rank is a whole number from 1 on"
)]
fn lower_tail(ranks: &[f64], limit: f64) -> (f64, f64) {
    let limit = (2.0 * limit).round() as usize;
    let mut shares = vec![0.0; limit + 1];
    if let Some(first) = shares.first_mut() {
        *first = 1.0;
    }
    for rank in ranks {
        let by = (2.0 * rank).round() as usize;
        for s in (0..=limit).rev() {
            let with = s.checked_sub(by).and_then(|before| shares.get(before)).copied();
            if let Some(share) = shares.get_mut(s) {
                *share = f64::midpoint(*share, with.unwrap_or(0.0));
            }
        }
    }
    let through: f64 = shares.iter().sum();
    (through, through - shares.last().copied().unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::count;

    #[test]
    fn zeros_are_left_out_and_ties_share_ranks() {
        // By hand: of +1 +1 -1 the ranks are 2 2 2, V = 4; of 8 signs 4 give V >= 4.
        let test = signed_rank(&[1.0, 0.0, 1.0, -1.0]).unwrap();
        assert!((test.v - 4.0).abs() < 1e-12 && test.n == 3);
        assert!((test.p_greater - 0.5).abs() < 1e-12 && (test.p - 1.0).abs() < 1e-12);
        assert!((test.p_less - 0.875).abs() < 1e-12);
        assert_eq!(signed_rank(&[0.0, 0.0]), None);
        assert_eq!(signed_rank(&[f64::NAN, 1.0]), None);
    }

    #[test]
    fn the_exact_and_the_normal_road_meet() {
        let some = |n: usize| -> Vec<f64> {
            (0..n)
                .map(|i| count((i * 37) % 301) + 0.5 - if i % 5 < 2 { 280.0 } else { 0.0 })
                .collect()
        };
        let (exact, normal) = (signed_rank(&some(300)).unwrap(), signed_rank(&some(301)).unwrap());
        assert!((exact.p_greater / normal.p_greater - 1.0).abs() < 0.2, "{exact:?} {normal:?}");
    }
}
