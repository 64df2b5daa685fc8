//! The ratio of two arms, by the design that their runs admit.

use super::design::{Design, RunValue, rounds};
use super::planning::{found_by_rounds, found_by_runs};
use crate::stats::{
    count, mann_whitney_normal, mean, median, paired_ratio, ratio_of_means, sorted, squares_about,
};

/// The ratio of two arms of runs.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// First arm over second.
    pub ratio: f64,
    /// Its interval at [`Estimate::confidence`]; `None` where the design is direction only.
    pub interval: Option<(f64, f64)>,
    /// The interval by which two arms are held for alike: at twice the probability of error, as two
    /// one-sided tests ask for.
    pub alike_interval: Option<(f64, f64)>,
    /// The confidence of the interval.
    pub confidence: f64,
    /// How the interval came about.
    pub design: Design,
    /// How many runs each arm has.
    pub n: (usize, usize),
    /// The usual value of each arm: the median of its runs.
    pub usual: (f64, f64),
    /// The probability that a run of the first arm lies above one of the second, ties half (A12).
    pub above: f64,
    /// The standard deviation of logarithms: of one arm's runs, or of the rounds' ratios. `None`
    /// with a single run an arm.
    pub spread_ln: Option<f64>,
}

/// The ratio of two arms of runs, one value a run, with an interval where the runs admit one.
///
/// # Formula
/// In this order, as the runs allow and whatever their values:
/// - **Paired rounds**, where the arms ran in turns and there are enough rounds for the confidence
///   (6 at 95 %): the exponential of the median log ratio, between the order statistics of the sign
///   test. It asks only that rounds are independent.
/// - **Unpaired runs**, from three runs an arm: the ratio of geometric means with Welch's interval on
///   logarithms. It asks for independent runs whose results are roughly log-normal.
/// - **Direction only** below that, and where the runs do not spread at all.
///
/// # Shape
/// One value a run, positive and finite; `None` if an arm is empty or holds another value. The order
/// of the runs does not matter; swapping the arms mirrors the result.
///
/// # Source
/// Conover, “Practical Nonparametric Statistics”, 3.4; Welch, “The generalization of Student's
/// problem”, 1947; Vargha and Delaney, “A critique and improvement of the CL”, 2000 (A12).
///
/// # Examples
/// ```
/// use trueline_baseline::comparison::{Design, RunValue, estimate_ratio};
/// let arm = |values: &[f64]| values.iter().map(|v| RunValue::untimed(*v)).collect::<Vec<_>>();
/// let (new, old) = (arm(&[130.0, 131.0, 129.0]), arm(&[100.0, 101.0, 99.0]));
/// let estimate = estimate_ratio(&new, &old, 0.95).unwrap();
/// assert_eq!(estimate.design, Design::UnpairedRuns);
/// assert!(estimate.interval.unwrap().0 > 1.25);
/// assert_eq!(estimate_ratio(&new[..1], &old[..1], 0.95).unwrap().interval, None);
/// ```
pub fn estimate_ratio(
    first: &[RunValue],
    second: &[RunValue],
    confidence: f64,
) -> Option<Estimate> {
    let values = |arm: &[RunValue]| sorted(arm.iter().map(|run| run.value).collect());
    let (a, b) = (values(first), values(second));
    let plain = ratio_of_means(&a, &b, confidence).filter(|plain| is_sound(plain.ratio))?;
    let mut estimate = Estimate {
        ratio: plain.ratio,
        interval: None,
        alike_interval: None,
        confidence,
        design: Design::DirectionOnly,
        n: plain.n,
        usual: (median(&a)?, median(&b)?),
        above: mann_whitney_normal(&a, &b)?.effect,
        spread_ln: pooled_ln(&a, &b),
    };
    let is_paired = rounds(first, second).is_some_and(|r| estimate.take_rounds(&r).is_some());
    if let (false, Some(interval)) = (is_paired, plain.interval) {
        estimate.take_runs(&a, &b, interval);
    }
    Some(estimate)
}

impl Estimate {
    /// The relative difference that these runs find four times in five, where it is there; `None` for a
    /// direction only.
    pub fn detectable(&self) -> Option<f64> {
        let spread = self.spread_ln?;
        match self.design {
            Design::PairedRounds => found_by_rounds(spread, self.n.0, self.confidence),
            Design::UnpairedRuns => found_by_runs(spread, self.n, 1.0 - self.confidence),
            Design::DirectionOnly => None,
        }
    }

    /// Takes the interval of paired rounds, where there are enough and they are no copies.
    fn take_rounds(&mut self, rounds: &[(f64, f64)]) -> Option<()> {
        let (a, b): (Vec<f64>, Vec<f64>) = rounds.iter().copied().unzip();
        let logs: Vec<f64> = rounds.iter().map(|(a, b)| a.ln() - b.ln()).collect();
        let n = count(logs.len());
        let squares = squares_about(mean(&logs)?, &logs);
        let paired = paired_ratio(&a, &b, self.confidence)?;
        let interval = paired.interval.filter(|_| squares > 0.0)?;
        if !(is_sound(interval.low) && is_sound(interval.high)) {
            return None;
        }
        let alike = paired_ratio(&a, &b, 2.0 * self.confidence - 1.0).and_then(|p| p.interval);
        self.ratio = paired.ratio;
        self.interval = Some((interval.low, interval.high));
        self.alike_interval = alike.map(|i| (i.low, i.high));
        self.design = Design::PairedRounds;
        let spread = (squares / (n - 1.0)).sqrt();
        self.spread_ln = Some(spread);
        Some(())
    }

    /// Takes Welch's interval of two sets of runs; one that no float holds is none.
    fn take_runs(&mut self, a: &[f64], b: &[f64], interval: (f64, f64)) {
        if !(is_sound(interval.0) && is_sound(interval.1)) {
            return;
        }
        let alike = ratio_of_means(a, b, 2.0 * self.confidence - 1.0);
        self.interval = Some(interval);
        self.alike_interval = alike.and_then(|alike| alike.interval);
        self.design = Design::UnpairedRuns;
    }
}

/// Whether a value can be a measurement or a ratio of two.
fn is_sound(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

/// The standard deviation of both arms' logarithms about their own means; `None` without any.
fn pooled_ln(a: &[f64], b: &[f64]) -> Option<f64> {
    let squares = |values: &[f64]| {
        let logs: Vec<f64> = values.iter().map(|v| v.ln()).collect();
        Some(squares_about(mean(&logs)?, &logs))
    };
    let freedom = count(a.len() + b.len()) - 2.0;
    let squares = squares(a)? + squares(b)?;
    (freedom > 0.0 && squares > 0.0).then(|| (squares / freedom).sqrt())
}

#[cfg(test)]
mod tests {
    use trueline_core::WallTime;

    use super::*;

    fn arm(values: &[f64]) -> Vec<RunValue> {
        values.iter().map(|v| RunValue::untimed(*v)).collect()
    }

    fn in_turns(values: &[f64], offset: i64) -> Vec<RunValue> {
        let at = |i: usize| WallTime::from_nanos(2 * i64::try_from(i).unwrap() + offset);
        let timed = |(i, v): (usize, &f64)| RunValue { value: *v, began: Some(at(i)) };
        values.iter().enumerate().map(timed).collect()
    }

    const A: [f64; 8] = [10.2, 10.5, 9.9, 10.1, 10.4, 10.0, 10.3, 10.2];
    const B: [f64; 8] = [9.8, 10.1, 9.7, 10.0, 9.9, 9.9, 9.8, 10.1];

    #[test]
    fn log_welch_agrees_with_r() {
        // R: t.test(log(y), log(x)), then exp.
        let y = arm(&[318.0, 325.0, 290.0, 340.0, 322.0, 310.0]);
        let x = arm(&[115.0, 117.0, 121.0, 119.0, 130.0]);
        let got = estimate_ratio(&y, &x, 0.95).unwrap();
        assert!((got.ratio - 2.636_345_244_63).abs() < 1e-9);
        let (low, high) = got.interval.unwrap();
        assert!((low - 2.461_159_377_55).abs() < 1e-6, "{low}");
        assert!((high - 2.824_000_880_35).abs() < 1e-6, "{high}");
        assert_eq!((got.above, got.design), (1.0, Design::UnpairedRuns));
    }

    #[test]
    fn eight_rounds_lie_between_their_outermost_ratios() {
        // exp(median) 1.03006751895; orders (1, 8) cover 0.9921875 (scipy's binom): from 10.2 / 10.1
        // to 10.3 / 9.8, by hand.
        let got = estimate_ratio(&in_turns(&A, 0), &in_turns(&B, 1), 0.95).unwrap();
        assert_eq!(got.design, Design::PairedRounds);
        assert!((got.ratio - 1.030_067_518_95).abs() < 1e-9, "{}", got.ratio);
        let (low, high) = got.interval.unwrap();
        assert!((low - 1.009_900_99).abs() < 1e-7 && (high - 1.051_020_41).abs() < 1e-7);
        // Eight rounds admit 99.2 % and no more: beyond that the runs are taken unpaired.
        let strict = estimate_ratio(&in_turns(&A, 0), &in_turns(&B, 1), 0.995).unwrap();
        assert_eq!(strict.design, Design::UnpairedRuns);
        let five = estimate_ratio(&in_turns(&A[..5], 0), &in_turns(&B[..5], 1), 0.95).unwrap();
        assert_eq!(five.design, Design::UnpairedRuns);
    }

    #[test]
    fn the_alike_interval_is_that_of_two_one_sided_tests() {
        // scipy and statsmodels: 90 % [-0.0133506980, 0.0132755956] of the log difference.
        let a = arm(&[10.1, 9.9, 10.0, 10.2, 9.8, 10.05]);
        let b = arm(&[10.0, 10.1, 9.95, 10.15, 9.85, 10.0]);
        let (low, high) = estimate_ratio(&a, &b, 0.95).unwrap().alike_interval.unwrap();
        assert!((low.ln() + 0.013_350_698).abs() < 1e-8, "{}", low.ln());
        assert!((high.ln() - 0.013_275_595_6).abs() < 1e-8, "{}", high.ln());
    }

    #[test]
    fn copies_few_runs_and_bad_values_give_no_interval() {
        let none = |a: &[f64], b: &[f64]| estimate_ratio(&arm(a), &arm(b), 0.95);
        for (a, b) in [(&[2.0; 3][..], &[1.0; 3][..]), (&[2.0], &[1.0, 1.1, 1.2]), (&[1.0], &[1.0])]
        {
            let got = none(a, b).unwrap();
            assert_eq!((got.interval, got.design), (None, Design::DirectionOnly));
            assert_eq!(got.detectable(), None);
        }
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(none(&[bad], &[1.0]), None);
            assert_eq!(none(&[1.0, 1.1, 1.2], &[1.0, 1.1, bad]), None);
        }
        assert_eq!(none(&[], &[1.0]), None);
        let same = estimate_ratio(&in_turns(&A, 0), &in_turns(&A, 1), 0.95).unwrap();
        // Each round is a tie: the pairs are copies, the runs are not.
        assert_eq!((same.design, same.ratio), (Design::UnpairedRuns, 1.0));
        assert!((same.above - 0.5).abs() < 1e-12);
    }
}
