//! Whether a harness calls a difference where there is none, and sees one where there is.

mod arms;
mod check;
mod plan;
mod result;

use trueline_core::{Checked, Thresholds};

use self::arms::{Arms, called, found, over_tries, spread};
use self::check::{A_VS_A_DIFFERS, judged};
pub use self::check::{SELF_TEST_CHECKS, check_a_vs_a};
pub use self::plan::{Asked, Place, RunOrder, SelfTestPlan};
pub use self::result::{Called, SelfTest};
use crate::stats::{Random, ratio_of_means, runs_to_show};

/// Lets a harness compare an arm with itself, and with itself made slower or faster.
///
/// # Formula
/// Each try asks for a baseline and a candidate, both with factor 1, and compares them as
/// [`ratio_of_means`] does; then, for an effect, once more with the candidate's factor. The ratio of
/// an arm to itself is the mean of the tries' logarithms with Student's interval over tries; of
/// fewer than three tries that of all their runs. The check fires where that interval excludes 1,
/// or where more than twice `1 - confidence` of 20 comparisons or more are called different and
/// that many are no chance.
///
/// # Shape
/// The harness returns one positive value a run, as many as it would take in a real comparison.
/// A harness that returns requests in place of runs is found out by this test.
///
/// # Source
/// A/A tests: Kohavi, Tang and Xu, “Trustworthy Online Controlled Experiments”, 2020, chapter 19.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::Random;
/// use trueline_baseline::{Place, SelfTestPlan, self_test};
/// use trueline_core::Thresholds;
///
/// let mut random = Random::seeded(7);
/// let mut sound = |factor: f64| -> Vec<f64> {
///     (0..8).map(|_| factor * (0.02 * random.normal()).exp()).collect()
/// };
/// let plan = SelfTestPlan::default();
/// let result = self_test(&plan, &Thresholds::default(), |asked| sound(asked.factor));
/// assert!(!result.outcomes.has("a-vs-a-differs"));
/// assert!(result.value.found.unwrap().times >= 18);
///
/// // Whatever is measured second finds the cache warm.
/// let result = self_test(&plan, &Thresholds::default(), |asked| {
///     let warm = if asked.place == Place::Candidate { 1.06 } else { 1.0 };
///     sound(warm * asked.factor)
/// });
/// assert!(result.outcomes.has("a-vs-a-differs"));
/// ```
pub fn self_test(
    plan: &SelfTestPlan,
    thresholds: &Thresholds,
    mut harness: impl FnMut(Asked) -> Vec<f64>,
) -> Checked<SelfTest> {
    let mut ask = |candidate: f64| {
        let baseline = harness(Asked { place: Place::Baseline, factor: 1.0 });
        (baseline, harness(Asked { place: Place::Candidate, factor: candidate }))
    };
    let alike: Vec<Arms> = (0..plan.tries).map(|_| ask(1.0)).collect();
    let apart = plan.effect.map(|effect| {
        let arms: Vec<Arms> = (0..plan.tries).map(|_| ask(effect)).collect();
        found(&arms, effect, plan.confidence)
    });
    let confidence = thresholds.get(&A_VS_A_DIFFERS, "confidence");
    let called = called(&alike, plan.confidence);
    let a_over_a = over_tries(&alike, confidence);
    let spread_ln = spread(alike.iter().flat_map(|(a, b)| [a.as_slice(), b.as_slice()]));
    let found = apart.map(Called::independent);
    judged(
        plan,
        thresholds,
        SelfTest {
            alike: called.independent(),
            a_over_a,
            found,
            spread_ln,
            runs_needed: needed(spread_ln, plan),
            seed: None,
        },
    )
}

/// What repeated runs of one unchanged thing say of comparisons that are made of such runs.
///
/// # Formula
/// The runs are split at random into two arms of equal size, as often as planned, each split
/// compared as [`ratio_of_means`] does, and once more with the second arm multiplied by the effect.
/// The ratio of an arm to itself is of the runs that the order gives to the candidate over those of
/// the baseline: a session that drifts favours whatever is measured later. The check fires where
/// its interval excludes 1. The share called different is given and not judged: random splits of
/// one set of runs are called different about as often as the confidence says, whatever they are.
///
/// # Shape
/// One positive value a run, in the order in which they ran. Not observed with fewer than six.
///
/// # Examples
/// ```
/// use trueline_baseline::{RunOrder, SelfTestPlan, self_test_of_runs};
/// use trueline_core::Thresholds;
///
/// // The machine warms up: each run is a percent slower than the one before.
/// let runs: Vec<f64> = (0..12).map(|i| 100.0 - f64::from(i)).collect();
/// let (plan, usual) = (SelfTestPlan::default(), Thresholds::default());
/// let after = self_test_of_runs(&plan, RunOrder::OneAfterTheOther, &usual, &runs);
/// assert!(after.outcomes.has("a-vs-a-differs"));
/// // Interleaved, both arms drift alike.
/// let balanced = self_test_of_runs(&plan, RunOrder::Interleaved, &usual, &runs);
/// assert!(!balanced.outcomes.has("a-vs-a-differs"));
/// ```
pub fn self_test_of_runs(
    plan: &SelfTestPlan,
    order: RunOrder,
    thresholds: &Thresholds,
    runs: &[f64],
) -> Checked<SelfTest> {
    let half = runs.len() / 2;
    let mut random = Random::seeded(plan.seed);
    let mut mixed = runs.to_vec();
    let splits: Vec<Arms> = (0..plan.tries)
        .map(|_| {
            random.shuffle(&mut mixed);
            let (a, b) = mixed.split_at(half);
            (a.to_vec(), b.iter().take(half).copied().collect())
        })
        .collect();
    let found = plan.effect.map(|effect| {
        let apart = |(a, b): &Arms| (a.clone(), b.iter().map(|value| value * effect).collect());
        found(&splits.iter().map(apart).collect::<Vec<_>>(), effect, plan.confidence)
    });
    let (baseline, candidate) = order.arms(runs);
    let confidence = thresholds.get(&A_VS_A_DIFFERS, "confidence");
    let spread_ln = spread([runs].into_iter());
    let value = SelfTest {
        alike: called(&splits, plan.confidence),
        a_over_a: ratio_of_means(&candidate, &baseline, confidence),
        found,
        spread_ln,
        runs_needed: needed(spread_ln, plan),
        seed: Some(plan.seed),
    };
    judged(plan, thresholds, value)
}

/// How many runs an arm the effect needs at that spread.
fn needed(spread_ln: Option<f64>, plan: &SelfTestPlan) -> Option<u64> {
    let cv = (spread_ln?.powi(2).exp() - 1.0).sqrt();
    let effect = plan.effect?;
    runs_to_show(cv, effect.max(1.0 / effect) - 1.0, 0.8, 1.0 - plan.confidence)
}

#[cfg(test)]
mod tests {
    use trueline_core::{CheckOutcome, Need, Scope};

    use super::*;
    use crate::stats::count;

    const CODE: &str = "a-vs-a-differs";

    fn run(plan: &SelfTestPlan, harness: impl FnMut(Asked) -> Vec<f64>) -> Checked<SelfTest> {
        self_test(plan, &Thresholds::default(), harness)
    }

    /// `n` values of one run-to-run spread.
    fn arm(random: &mut Random, n: u32, centre: f64, spread: f64) -> Vec<f64> {
        (0..n).map(|_| centre * (spread * random.normal()).exp()).collect()
    }

    #[test]
    fn a_sound_harness_is_left_alone_at_nearly_every_seed() {
        let plan = SelfTestPlan { effect: None, ..SelfTestPlan::default() };
        let fires = (0..200).filter(|seed| {
            let mut random = Random::seeded(*seed);
            run(&plan, |asked| arm(&mut random, 5, asked.factor, 0.05)).outcomes.has(CODE)
        });
        // 1 % by the ratio and 0.26 % by the share of 200: 2.5 expected, 9 are beyond chance.
        assert!(fires.count() < 9);
    }

    #[test]
    fn what_runs_second_and_gains_by_it_is_found() {
        let mut random = Random::seeded(1);
        let got = run(&SelfTestPlan::default(), |asked| {
            let gain = if asked.place == Place::Candidate { 1.03 } else { 1.0 };
            arm(&mut random, 5, gain * asked.factor, 0.03)
        });
        assert!(got.outcomes.has(CODE), "{:?}", got.value);
        let (low, high) = got.value.a_over_a.unwrap().interval.unwrap();
        assert!(low < 1.03 && 1.03 < high);
    }

    #[test]
    fn a_harness_that_compares_requests_is_found() {
        let mut random = Random::seeded(2);
        let plan = SelfTestPlan { tries: 40, effect: None, ..SelfTestPlan::default() };
        let got = run(&plan, |_| {
            let runs = (0..5).flat_map(|_| {
                let luck = (0.03 * random.normal()).exp();
                arm(&mut random, 200, luck, 0.3)
            });
            runs.collect()
        });
        // At 200 requests a run about a quarter is called different.
        assert!(got.outcomes.has(CODE) && got.value.alike.times >= 6, "{:?}", got.value);
    }

    #[test]
    fn an_effect_is_found_as_often_as_planning_says() {
        let mut random = Random::seeded(3);
        let plan = SelfTestPlan { tries: 400, ..SelfTestPlan::default() };
        let got = run(&plan, |asked| arm(&mut random, 18, asked.factor, 0.05)).value;
        // 18 runs an arm find 5 % at a spread of 5 % in four of five comparisons: four standard
        // errors of 400 are 8 points.
        let share = got.found.unwrap().share().unwrap();
        assert!((share - 0.81).abs() < 0.08, "{share}");
        assert!(got.runs_needed.unwrap().abs_diff(18) <= 2, "{got:?}");
        let slower = SelfTestPlan { effect: Some(0.8), ..SelfTestPlan::default() };
        let got = run(&slower, |asked| arm(&mut random, 8, asked.factor, 0.02)).value;
        assert_eq!(got.found.unwrap().share(), Some(1.0));
    }

    #[test]
    fn too_few_runs_or_copies_are_not_judged() {
        for harness in [vec![], vec![1.0, 1.1], vec![2.0; 5], vec![f64::NAN; 5], vec![-1.0; 5]] {
            let got = run(&SelfTestPlan::default(), |_| harness.clone());
            let outcome = got.outcomes.iter().next().unwrap();
            let wanted = CheckOutcome::NotObserved {
                code: CODE,
                need: Need::Repetitions,
                about: Scope::default(),
            };
            assert_eq!(outcome, &wanted, "{harness:?}");
            assert_eq!(got.value.alike.of, 0);
        }
        let none = SelfTestPlan { tries: 0, ..SelfTestPlan::default() };
        assert_eq!(run(&none, |_| vec![1.0, 2.0, 3.0]).value.alike.share(), None);
    }

    #[test]
    fn runs_that_drift_differ_from_themselves_and_steady_ones_do_not() {
        let mut random = Random::seeded(4);
        let steady = arm(&mut random, 12, 100.0, 0.02);
        let drifting: Vec<f64> =
            steady.iter().enumerate().map(|(i, value)| value * (1.0 + 0.02 * count(i))).collect();
        let of = |runs: &[f64]| {
            let plan = SelfTestPlan::default();
            self_test_of_runs(&plan, RunOrder::OneAfterTheOther, &Thresholds::default(), runs)
        };
        assert!(!of(&steady).outcomes.has(CODE));
        assert!(of(&drifting).outcomes.has(CODE));
        assert_eq!(of(&steady), of(&steady));
        for few in [&[][..], &[1.0], &[1.0, 1.1, 0.9, 1.2, 1.0]] {
            let got = of(few);
            assert!(got.value.a_over_a.is_none_or(|ratio| ratio.interval.is_none()), "{few:?}");
            assert!(!got.outcomes.has(CODE));
        }
    }
}
