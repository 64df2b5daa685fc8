//! Rounds that hold one unit of each arm: the ratio within the rounds.

use super::pair_order::{kth_walsh, median_pair};
use super::special::{is_inside, t_two_sided};
use super::{
    OrderInterval, SignedRank, binomial_at_most, count, mean, median, order_interval, signed_rank,
    sorted, squares_about, t_quantile,
};

/// The ratio of two arms that were measured in rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct PairedRatio {
    /// First arm over second: the median of the rounds' ratios.
    pub ratio: f64,
    /// The interval of that median from the rounds' order; `None` where so few rounds admit none.
    pub interval: Option<OrderInterval>,
    /// The sign test's two-sided probability; `None` where all rounds are ties.
    pub sign_p: Option<f64>,
    /// How many rounds have exactly equal values.
    pub ties: usize,
    /// How many rounds there are.
    pub rounds: usize,
    /// The median over all means of two rounds' logarithms, as a ratio.
    pub walsh_ratio: f64,
    /// Wilcoxon's signed rank test of the logarithms; `None` where all rounds are ties.
    pub signed_rank: Option<SignedRank>,
    /// Student's test of the mean logarithm; `None` with fewer than three rounds or without spread.
    pub student: Option<PairedMean>,
}

/// The mean of the rounds' ratios, by Student.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct PairedMean {
    /// First arm over second: the geometric mean of the rounds' ratios.
    pub ratio: f64,
    /// Its interval.
    pub interval: (f64, f64),
    /// Its two-sided probability where the arms do not differ.
    pub p: f64,
}

/// The ratio of two arms measured in rounds, first over second; `None` of no rounds, of arms of
/// different length, of values not above zero, or of a confidence outside 0 to 1.
///
/// # Formula
/// With `d = ln a - ln b` of each round: `exp(median d)`; the interval is that of
/// [`order_interval`] for the median, which the sign test implies and which needs 6 rounds at 95 %;
/// the sign test leaves ties out. Beside it: the median of all means of two `d` (Hodges and
/// Lehmann), the signed rank test, and `exp(mean d -/+ t(n - 1) s / sqrt n)`. The first interval
/// assumes rounds that are independent of each other and nothing else; the signed rank test
/// symmetry, the last roughly normal `d`.
///
/// # Shape
/// Value `i` of either arm is of round `i`.
///
/// # Source
/// Sign-based intervals: Conover, “Practical Nonparametric Statistics”, 3.4; as R's
/// `BSDA::SIGN.test`.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::paired_ratio;
/// let a = [10.2, 10.5, 9.9, 10.1, 10.4, 10.0, 10.3, 10.2];
/// let b = [9.8, 10.1, 9.7, 10.0, 9.9, 9.9, 9.8, 10.1];
/// let paired = paired_ratio(&a, &b, 0.95).unwrap();
/// let interval = paired.interval.unwrap();
/// assert!((paired.ratio - 1.030_067_518_95).abs() < 1e-11);
/// assert!((interval.low - 1.009_900_99).abs() < 1e-8 && interval.orders == (1, 8));
/// assert!((paired.sign_p.unwrap() - 0.007_812_5).abs() < 1e-12);
/// ```
pub fn paired_ratio(a: &[f64], b: &[f64], confidence: f64) -> Option<PairedRatio> {
    let usable = |values: &[f64]| values.iter().all(|x| x.is_finite() && *x > 0.0);
    if a.len() != b.len() || !(usable(a) && usable(b) && is_inside(confidence)) {
        return None;
    }
    let logs = sorted(a.iter().zip(b).map(|(a, b)| a.ln() - b.ln()).collect());
    let rounds = logs.len();
    let pairs = rounds as u64 * (rounds as u64 + 1) / 2;
    let interval = order_interval(&logs, 0.5, confidence).map(|i| OrderInterval {
        low: i.low.exp(),
        high: i.high.exp(),
        ..i
    });
    Some(PairedRatio {
        ratio: median(&logs)?.exp(),
        interval,
        sign_p: sign_test(&logs),
        ties: logs.iter().filter(|d| **d == 0.0).count(),
        rounds,
        walsh_ratio: median_pair(pairs, |k| kth_walsh(&logs, k))?.exp(),
        signed_rank: signed_rank(&logs),
        student: student(&logs, confidence),
    })
}

/// The sign test: the two-sided probability that as few differences or fewer lie on one side of
/// zero; `None` where none lies on either.
///
/// # Formula
/// `2 P(B <= k)`, at most 1, with `k` the smaller of the two counts and `B` binomial with share
/// one half. Differences of zero are left out.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::sign_test;
/// // 33 of 37 changes are below zero.
/// let changes: Vec<f64> = (0..37).map(|i| if i < 33 { -1.0 } else { 1.0 }).collect();
/// assert!((sign_test(&changes).unwrap() - 1.08e-6).abs() < 1e-8);
/// ```
pub fn sign_test(differences: &[f64]) -> Option<f64> {
    let above = differences.iter().filter(|d| **d > 0.0).count() as u64;
    let below = differences.iter().filter(|d| **d < 0.0).count() as u64;
    let n = above + below;
    (n > 0).then(|| (2.0 * binomial_at_most(above.min(below), n, 0.5)).min(1.0))
}

fn student(logs: &[f64], confidence: f64) -> Option<PairedMean> {
    let n = count(logs.len());
    let mean = mean(logs)?;
    let error = (squares_about(mean, logs) / (n - 1.0) / n).sqrt();
    if n < 3.0 || error <= 0.0 {
        return None;
    }
    let reach = t_quantile(0.5 + confidence / 2.0, n - 1.0)? * error;
    Some(PairedMean {
        ratio: mean.exp(),
        interval: ((mean - reach).exp(), (mean + reach).exp()),
        p: t_two_sided(mean / error, n - 1.0)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: [f64; 8] = [10.2, 10.5, 9.9, 10.1, 10.4, 10.0, 10.3, 10.2];
    const B: [f64; 8] = [9.8, 10.1, 9.7, 10.0, 9.9, 9.9, 9.8, 10.1];

    /// scipy: `ttest_rel(log a, log b)`, `binomtest`; the Walsh median by numpy.
    #[test]
    fn rounds_agree_with_scipy() {
        let got = paired_ratio(&A, &B, 0.95).unwrap();
        let interval = got.interval.unwrap();
        assert!((interval.high - 1.051_020_41).abs() < 1e-8, "{interval:?}");
        assert!((interval.coverage - 0.992_187_5).abs() < 1e-12);
        assert!((got.walsh_ratio - 1.030_060_482_3).abs() < 1e-10);
        let student = got.student.unwrap();
        assert!((student.p - 0.002_703_562_3).abs() < 1e-11, "{student:?}");
        assert!((student.interval.0 - 1.013_720_92).abs() < 1e-8);
        assert!((student.interval.1 - 1.044_363_13).abs() < 1e-8);
        let looser = paired_ratio(&A, &B, 0.92).unwrap().interval.unwrap();
        assert!(looser.orders == (2, 7) && (looser.coverage - 0.929_687_5).abs() < 1e-12);
    }

    #[test]
    fn swapping_the_arms_inverts_the_ratio() {
        let (there, back) =
            (paired_ratio(&A, &B, 0.95).unwrap(), paired_ratio(&B, &A, 0.95).unwrap());
        assert!((there.ratio * back.ratio - 1.0).abs() < 1e-12);
        assert!((there.interval.unwrap().low * back.interval.unwrap().high - 1.0).abs() < 1e-12);
        assert_eq!(there.sign_p, back.sign_p);
    }

    #[test]
    fn few_rounds_and_ties_say_nothing() {
        assert_eq!(paired_ratio(&A[..5], &B[..5], 0.95).unwrap().interval, None);
        let same = paired_ratio(&A, &A, 0.95).unwrap();
        assert_eq!((same.ties, same.sign_p, same.student), (8, None, None));
        assert_eq!(same.signed_rank, None);
        assert_eq!(paired_ratio(&[], &[], 0.95), None);
        assert_eq!(paired_ratio(&[1.0], &[1.0, 2.0], 0.95), None);
        assert_eq!(paired_ratio(&[f64::NAN], &[1.0], 0.95), None);
        assert_eq!(paired_ratio(&[0.0], &[1.0], 0.95), None);
        assert_eq!(paired_ratio(&[2.0], &[1.0], 0.95).unwrap().student, None);
    }
}
