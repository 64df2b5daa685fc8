//! What may be said of two arms.

use super::design::Design;
use super::estimate::Estimate;
use super::planning::{Goal, rounds_needed, runs_an_arm};

/// The smallest difference that runs are planned for where nobody names one.
const LEAST_DIFFERENCE: f64 = 0.01;

/// Fewest runs an arm with an interval.
const FEWEST_RUNS: usize = 3;

/// What may be said of a candidate beside its baseline, in one metric at one load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The interval of the ratio leaves the better direction alone.
    Better,
    /// It leaves the worse one alone.
    Worse,
    /// The ratio is within the margin that was asked for.
    Equivalent,
    /// It may be either.
    Inconclusive {
        /// The runs an arm that would decide, if that can be said.
        runs_needed: Option<usize>,
    },
    /// The two numbers are no comparison: something about the arms forbids it.
    NotComparable,
}

impl Verdict {
    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Equivalent => "equivalent",
            Self::Inconclusive { .. } => "inconclusive",
            Self::NotComparable => "not_comparable",
        }
    }

    /// What it says, for people.
    pub const fn words(self) -> &'static str {
        match self {
            Self::NotComparable => "not comparable",
            other => other.name(),
        }
    }

    /// The runs an arm that would decide, where more of them would.
    pub const fn runs_needed(self) -> Option<usize> {
        match self {
            Self::Inconclusive { runs_needed } => runs_needed,
            _ => None,
        }
    }
}

/// What an estimate says of the first arm, the candidate.
///
/// # Formula
/// *Equivalent* with a margin `m` where the interval at twice the probability of error lies within
/// `[1 - m, 1 / (1 - m)]` (two one-sided tests); else *better* or *worse* where the interval does not
/// hold 1; else *inconclusive*. The runs needed are those that tell, four times in five, whether the arms
/// are alike within the margin; without one, those that find a difference as large as was seen and at
/// least 1 %.
///
/// # Shape
/// `higher_is_better` is `None` for metrics of which neither direction is the better one: two arms
/// can then be alike, or it stays open. Nothing here is ever *not comparable*: that is for the
/// checks on the arms.
///
/// # Source
/// Schuirmann, “A comparison of the two one-sided tests procedure”, 1987.
///
/// # Examples
/// ```
/// use trueline_baseline::comparison::{RunValue, Verdict, estimate_ratio, verdict};
/// let arm = |values: &[f64]| values.iter().map(|v| RunValue::untimed(*v)).collect::<Vec<_>>();
/// let (new, old) = (arm(&[0.130, 0.131, 0.129]), arm(&[0.100, 0.101, 0.099]));
/// let longer = estimate_ratio(&new, &old, 0.95).unwrap();
/// assert_eq!(verdict(&longer, Some(false), None), Verdict::Worse);
/// let single = estimate_ratio(&new[..1], &old[..1], 0.95).unwrap();
/// assert_eq!(verdict(&single, Some(false), None).runs_needed(), Some(3));
/// ```
pub fn verdict(
    estimate: &Estimate,
    higher_is_better: Option<bool>,
    margin: Option<f64>,
) -> Verdict {
    let open = || Verdict::Inconclusive { runs_needed: runs_needed(estimate, margin) };
    if let (Some(m), Some((low, high))) = (margin, estimate.alike_interval)
        && low >= 1.0 - m
        && high <= 1.0 / (1.0 - m)
    {
        return Verdict::Equivalent;
    }
    let Some((low, high)) = estimate.interval else { return open() };
    let (above, below) = (low > 1.0, high < 1.0);
    match higher_is_better {
        Some(up) if above || below => {
            if above == up {
                Verdict::Better
            } else {
                Verdict::Worse
            }
        }
        Some(_) => open(),
        None => Verdict::Inconclusive { runs_needed: None },
    }
}

impl Estimate {
    /// The relative difference that [`Verdict::runs_needed`] is planned to find: the margin, else the
    /// difference that was seen and at least 1 %.
    pub fn difference_sought(&self, margin: Option<f64>) -> f64 {
        margin.unwrap_or_else(|| self.ratio.ln().abs().exp_m1().max(LEAST_DIFFERENCE))
    }
}

fn runs_needed(estimate: &Estimate, margin: Option<f64>) -> Option<usize> {
    let there = estimate.n.0.min(estimate.n.1);
    let Some(sd) = estimate.spread_ln else {
        // Single runs do not say how far runs lie apart, and copies never will.
        return (there < FEWEST_RUNS).then_some(FEWEST_RUNS);
    };
    let goal = margin.map_or(Goal::Differ(estimate.difference_sought(None)), Goal::Alike);
    let runs = match estimate.design {
        Design::PairedRounds => rounds_needed(sd, goal, estimate.confidence)?,
        Design::UnpairedRuns | Design::DirectionOnly => {
            runs_an_arm(sd, goal, 1.0 - estimate.confidence)?
        }
    };
    // What is there did not decide.
    Some(runs.max(there + 1).max(FEWEST_RUNS))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::comparison::{RunValue, estimate_ratio};

    fn arm(values: &[f64]) -> Vec<RunValue> {
        values.iter().map(|v| RunValue::untimed(*v)).collect()
    }

    fn of(a: &[f64], b: &[f64], up: bool, margin: Option<f64>) -> Verdict {
        verdict(&estimate_ratio(&arm(a), &arm(b), 0.95).unwrap(), Some(up), margin)
    }

    const OLD: [f64; 6] = [10.1, 9.9, 10.0, 10.2, 9.8, 10.05];
    const SAME: [f64; 6] = [10.0, 10.1, 9.95, 10.15, 9.85, 10.0];

    #[test]
    fn an_interval_that_leaves_one_direction_is_a_verdict() {
        let faster: Vec<f64> = OLD.iter().map(|v| 1.3 * v).collect();
        assert_eq!(of(&faster, &OLD, true, None), Verdict::Better);
        assert_eq!(of(&OLD, &faster, true, None), Verdict::Worse);
        assert_eq!(of(&faster, &OLD, false, None), Verdict::Worse);
        let estimate = estimate_ratio(&arm(&faster), &arm(&OLD), 0.95).unwrap();
        assert_eq!(verdict(&estimate, None, None), Verdict::Inconclusive { runs_needed: None });
    }

    #[test]
    fn alike_needs_a_margin_that_holds_the_interval() {
        // The 90 % interval of the log difference is [-0.01335, 0.01328]: within 3 %, not 0.5 %
        // (statsmodels' ttost_ind: p 0.0011 and 0.256).
        assert_eq!(of(&OLD, &SAME, true, Some(0.03)), Verdict::Equivalent);
        assert!(matches!(of(&OLD, &SAME, true, Some(0.005)), Verdict::Inconclusive { .. }));
        assert!(matches!(of(&OLD, &SAME, true, None), Verdict::Inconclusive { .. }));
        // A true difference of 1 % that is shown is still within a margin of 3 %.
        let (a, b) = ([101.0, 101.01, 100.99], [100.0, 100.01, 99.99]);
        assert_eq!(of(&a, &b, true, Some(0.03)), Verdict::Equivalent);
        assert_eq!(of(&a, &b, true, None), Verdict::Better);
        // Reaching beyond the margin, it is a difference.
        let (a, b) = ([104.0, 104.5, 103.5], [100.0, 100.5, 99.5]);
        assert_eq!(of(&a, &b, true, Some(0.03)), Verdict::Better);
    }

    #[test]
    fn what_is_open_says_how_many_runs_would_decide() {
        assert_eq!(of(&[1.3], &[1.0], true, None).runs_needed(), Some(3));
        // Copies: more of them decide nothing.
        assert_eq!(of(&[1.3; 3], &[1.0; 3], true, None).runs_needed(), None);
        // By the formula: sd of logarithms 0.01264, margin 0.5 %: 2 (2.926 x 0.01264 / 0.00501)^2.
        let half = of(&OLD, &SAME, true, Some(0.005)).runs_needed().unwrap();
        assert!((105..=115).contains(&half), "{half}");
        assert_eq!(of(&[1.3, 1.29], &[1.0, 1.0], true, None).runs_needed(), Some(3));
    }

    proptest! {
        // Each verdict plans the runs that would decide.
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn verdicts_do_not_depend_on_order_or_unit_and_mirror_when_arms_swap(
            a in prop::collection::vec(0.5_f64..2.0, 1..9),
            b in prop::collection::vec(0.5_f64..2.0, 1..9),
            // A power of two changes no digit: other units are a matter of rounding.
            scale in -20_i32..20,
            turn in 0_usize..9,
            margin in prop::option::of(0.001_f64..0.5),
        ) {
            let plain = of(&a, &b, true, margin);
            let (mut turned, mut back) = (a.clone(), b.clone());
            turned.rotate_left(turn % a.len());
            back.reverse();
            prop_assert_eq!(of(&turned, &back, true, margin), plain);
            let scaled = |v: &[f64]| v.iter().map(|x| x * 2_f64.powi(scale)).collect::<Vec<_>>();
            prop_assert_eq!(of(&scaled(&a), &scaled(&b), true, margin).name(), plain.name());
            let swapped = of(&b, &a, true, margin);
            prop_assert_eq!(swapped.name(), match plain {
                Verdict::Better => "worse",
                Verdict::Worse => "better",
                other => other.name(),
            });
            prop_assert_eq!(of(&b, &a, false, margin).name(), plain.name());
        }

        #[test]
        fn any_values_give_a_verdict_or_a_refusal(
            a in prop::collection::vec(any::<f64>(), 0..5),
            b in prop::collection::vec(any::<f64>(), 0..5),
        ) {
            if let Some(estimate) = estimate_ratio(&arm(&a), &arm(&b), 0.95) {
                let _ = verdict(&estimate, Some(true), Some(0.02));
                prop_assert!(!estimate.above.is_nan());
            }
        }
    }
}
