//! Whether two arms differ, by all ways in which their runs could have been labelled.

use super::sample::all_finite;
use super::{Random, count, real};

/// How likely a difference is where the labels of the runs mean nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct LabelTest {
    /// The two-sided probability of a difference of means as large as this one.
    pub p: f64,
    /// The smallest `p` that so many runs can reach.
    pub least_p: f64,
    /// How many ways of labelling were looked at.
    pub ways: u64,
    /// The seed where ways were drawn; `None` where all were looked at.
    pub seed: Option<u64>,
}

/// The most ways of labelling that are looked at one by one.
const COUNTED: u64 = 200_000;

/// How many are drawn where there are more, and at least of many runs.
const DRAWN: usize = 9_999;
const LEAST: usize = 999;

/// How many runs are drawn in all, where there are many.
const RUNS: usize = 100_000_000;

/// The permutation test of two arms' means; `None` where an arm is empty or a value not finite.
///
/// # Formula
/// The share of all ways to choose the first arm's runs out of both arms' whose means lie at least
/// as far apart as the arms' own, that one included. With more than 200,000 ways 9,999 are drawn
/// (of more than 10,000 runs fewer, at least 999) and `p = (1 + as far) / (1 + drawn)`. It assumes that without a difference runs may change
/// places, and nothing of their distribution. Three runs against three cannot come below 0.1.
///
/// # Shape
/// One value a run; logarithms for a ratio.
///
/// # Source
/// Fisher, “The Design of Experiments”, 1935; the drawn form: Phipson and Smyth, “Permutation
/// p-values should never be zero”, 2010. As scipy's `permutation_test` of the difference of means,
/// there with doubled smaller tail.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::label_test;
/// let got = label_test(&[1.0, 1.1, 1.2], &[2.0, 2.1, 2.3], 1).unwrap();
/// // Two of C(6, 3) = 20 ways keep the arms wholly apart.
/// assert_eq!((got.p, got.ways, got.seed), (0.1, 20, None));
/// ```
pub fn label_test(a: &[f64], b: &[f64], seed: u64) -> Option<LabelTest> {
    if a.is_empty() || b.is_empty() || !all_finite(a) || !all_finite(b) {
        return None;
    }
    // Choosing the larger arm is leaving out the smaller one.
    let (a, b) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let mut all: Vec<f64> = a.iter().chain(b).copied().collect();
    let centre = all.iter().sum::<f64>() / count(all.len());
    for value in &mut all {
        *value -= centre;
    }
    // With the sum of all at zero, the means lie as far apart as one arm's sum lies from zero.
    let chosen = a.len();
    let own: f64 = all.iter().take(chosen).sum();
    let scale: f64 = all.iter().map(|value| value.abs()).sum();
    let far = own.abs() - 1e-12 * scale;
    let possible = ways(all.len(), chosen);
    let least = if a.len() == b.len() { 2.0 } else { 1.0 };
    if let Some(possible) = possible {
        let as_far = exhausted(&all, chosen, 0.0, far);
        return Some(LabelTest {
            p: real(as_far) / real(possible),
            least_p: (least / real(possible)).min(1.0),
            ways: possible,
            seed: None,
        });
    }
    let mut random = Random::seeded(seed);
    let drawn = (RUNS / all.len()).clamp(LEAST, DRAWN);
    let mut as_far = 1;
    for _ in 0..drawn {
        let mut sum = 0.0;
        for place in 0..chosen {
            let other = place + random.below(all.len() - place);
            all.swap(place, other);
            sum += all.get(place)?;
        }
        as_far += usize::from(sum.abs() >= far);
    }
    let least_p = 1.0 / count(drawn + 1);
    let p = count(as_far) * least_p;
    Some(LabelTest { p, least_p, ways: drawn as u64, seed: Some(seed) })
}

/// In how many ways some of so many can be chosen; `None` above what is counted.
fn ways(of: usize, chosen: usize) -> Option<u64> {
    let mut ways = 1_u64;
    for i in 0..chosen.min(of - chosen) as u64 {
        ways = ways * (of as u64 - i) / (i + 1);
        if ways > COUNTED {
            return None;
        }
    }
    Some(ways)
}

/// How many choices have a sum at least that far from zero, given what was chosen before them.
fn exhausted(values: &[f64], left: usize, sum: f64, far: f64) -> u64 {
    let mut as_far = 0;
    let mut rest = values;
    while let [first, after @ ..] = rest {
        let sum = sum + first;
        as_far += match left {
            1 => u64::from(sum.abs() >= far),
            _ => exhausted(after, left - 1, sum, far),
        };
        rest = after;
    }
    as_far
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(a: &[f64], b: &[f64]) -> f64 {
        label_test(a, b, 1).unwrap().p
    }

    #[test]
    fn probabilities_agree_with_counts_by_hand() {
        // 1..3 v. 6..10: of C(8, 3) = 56 ways only the own one lies as far.
        assert!((p(&[1.0, 2.0, 3.0], &[6.0, 7.0, 8.0, 9.0, 10.0]) - 1.0 / 56.0).abs() < 1e-12);
        // 1, 4 v. 2, 3: sums of two of 1..4 are 3, 4, 5, 5, 6, 7 about 5: all lie as far as 5.
        assert!((p(&[1.0, 4.0], &[2.0, 3.0]) - 1.0).abs() < 1e-12);
        // 1, 3 v. 2, 4: 3, 4, 6 and 7 lie at least 1 from 5: 4 of 6.
        assert!((p(&[1.0, 3.0], &[2.0, 4.0]) - 4.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn swapping_the_arms_changes_nothing_and_ties_are_no_difference() {
        let (a, b) = ([1.0, 2.5, 3.0, 2.0], [2.0, 4.0, 5.0]);
        assert!((p(&a, &b) - p(&b, &a)).abs() < 1e-12);
        assert!((p(&[2.0; 4], &[2.0; 4]) - 1.0).abs() < 1e-12);
        assert!((p(&[1.0], &[2.0]) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn many_runs_are_drawn_from_a_seed() {
        let a: Vec<f64> = (0..40).map(f64::from).collect();
        let b: Vec<f64> = (0..40).map(|i| f64::from(i) + 8.0).collect();
        let got = label_test(&a, &b, 5).unwrap();
        // Welch's test on the same values: t = -3.0605, p = 0.0030; three standard errors of 9,999
        // draws are 0.0016.
        assert!(got.seed == Some(5) && (got.p - 0.003).abs() < 0.002, "{got:?}");
        assert_eq!(label_test(&a, &b, 5), Some(got));
    }

    #[test]
    fn bad_values_give_none() {
        assert_eq!(label_test(&[], &[1.0], 1), None);
        assert_eq!(label_test(&[f64::NAN], &[1.0], 1), None);
        assert_eq!(label_test(&[1.0], &[f64::INFINITY], 1), None);
    }
}
