//! Where the level of a series changes.

use super::sample::all_finite;
use super::{count, mean, median_of};

/// The fewest values between two changes, and the most that are looked at one by one.
const LEAST: usize = 3;
const MOST: usize = 5_000;

/// The places at which the mean of a series changes: the value there is the first of a new level.
///
/// # Formula
/// The segments that make the sum of `C + penalty` smallest, `C` the sum of the squared distances of
/// a segment's values to their mean, found by trying the last change before every value and dropping
/// those that can no longer win. The usual penalty is `2 s^2 ln n` with `s` the median distance of
/// neighbours over `sqrt(2) * 0.6745`, which changes of level hardly move. A segment has at least
/// three values, so that one outlier is no change. Of more than 5,000 values the means of
/// neighbours are looked at instead. Assumes independent values around levels: neighbours that
/// resemble each other make changes of their own.
///
/// # Shape
/// `values` in order of time. Empty where nothing changes, with fewer than six values, without
/// spread between neighbours where no penalty is given, or with one that is not finite.
///
/// # Source
/// Killick, Fearnhead and Eckley, “Optimal detection of changepoints with a linear computational
/// cost”, 2012; as Python's `ruptures.Pelt(model="l2")`.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::change_points;
/// let wave = [0.0, 1.0, 0.0, -1.0, 0.0];
/// let series: Vec<f64> = [10.0, 15.0, 12.0]
///     .iter()
///     .flat_map(|level| wave.iter().chain(&wave).map(move |off| level + off))
///     .collect();
/// assert_eq!(change_points(&series, None), [10, 20]);
/// assert!(change_points(&series, Some(100.0)).is_empty());
/// ```
pub fn change_points(values: &[f64], penalty: Option<f64>) -> Vec<usize> {
    let batch = values.len().div_ceil(MOST).max(1);
    let means: Vec<f64> = values.chunks(batch).filter_map(mean).collect();
    let penalty = penalty.or_else(|| usual_penalty(&means));
    match penalty.filter(|penalty| *penalty > 0.0 && penalty.is_finite()) {
        Some(penalty) if means.len() >= 2 * LEAST && all_finite(&means) => {
            segmented(&means, penalty).into_iter().map(|at| at * batch).collect()
        }
        _ => Vec::new(),
    }
}

fn usual_penalty(values: &[f64]) -> Option<f64> {
    let apart = values.windows(2).filter_map(|pair| match pair {
        [a, b] => Some((a - b).abs()),
        _ => None,
    });
    // The median distance of a normal variable to its mean is 0.6745 standard deviations.
    let s = median_of(apart.collect())? / (2.0_f64.sqrt() * 0.674_489_750_196_08);
    Some(2.0 * s * s * count(values.len()).ln())
}

/// The sums of the first so many values and of their squares, about the mean of all.
struct Sums(Vec<(f64, f64)>);

impl Sums {
    fn of(values: &[f64]) -> Self {
        let centre = mean(values).unwrap_or(0.0);
        let (mut sum, mut squares) = (0.0, 0.0);
        let mut sums = vec![(0.0, 0.0)];
        for value in values {
            let off = value - centre;
            (sum, squares) = (sum + off, squares + off * off);
            sums.push((sum, squares));
        }
        Self(sums)
    }

    /// The sum of the squared distances to the mean of the values from one place to before another.
    fn cost(&self, from: usize, to: usize) -> f64 {
        let (Some(a), Some(b)) = (self.0.get(from), self.0.get(to)) else { return f64::INFINITY };
        let (sum, squares) = (b.0 - a.0, b.1 - a.1);
        squares - sum * sum / count(to - from)
    }
}

/// A place that may be the last change, and from where on it no longer can be.
struct Candidate {
    at: usize,
    best: f64,
    dropped: Option<usize>,
}

fn segmented(values: &[f64], penalty: f64) -> Vec<usize> {
    let sums = Sums::of(values);
    let n = values.len();
    let mut candidates = vec![Candidate { at: 0, best: -penalty, dropped: None }];
    // The best sum up to each place, and the last change before it.
    let mut best = vec![f64::INFINITY; n + 1];
    let mut before = vec![0; n + 1];
    for to in LEAST..=n {
        let fits = |candidate: &&Candidate| to - candidate.at >= LEAST;
        let total = |candidate: &Candidate| candidate.best + sums.cost(candidate.at, to) + penalty;
        let winner = candidates.iter().filter(fits).min_by(|a, b| total(a).total_cmp(&total(b)));
        let Some(winner) = winner else { continue };
        let (least, from) = (total(winner), winner.at);
        if let (Some(best), Some(before)) = (best.get_mut(to), before.get_mut(to)) {
            (*best, *before) = (least, from);
        }
        // A place that loses even without the penalty of the next change loses for good, once that
        // change may stand here.
        for candidate in &mut candidates {
            let lost = to - candidate.at >= LEAST && total(candidate) - penalty > least;
            if lost && candidate.dropped.is_none() {
                candidate.dropped = Some(to + LEAST);
            }
        }
        candidates.retain(|candidate| candidate.dropped.is_none_or(|from| to < from));
        candidates.push(Candidate { at: to, best: least, dropped: None });
    }
    let mut changes = Vec::new();
    let mut at = n;
    while let Some(last) = before.get(at).copied().filter(|last| *last > 0) {
        changes.push(last);
        at = last;
    }
    changes.reverse();
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Random;

    /// 30 values at three levels; ruptures: `Pelt(model="l2", min_size=2, jump=1)`.
    const LEVELS: [f64; 30] = [
        10.0, 11.0, 10.0, 9.0, 10.0, 11.0, 10.0, 9.0, 10.0, 10.0, 15.0, 16.0, 15.0, 14.0, 15.0,
        16.0, 15.0, 14.0, 15.0, 15.0, 12.0, 13.0, 12.0, 11.0, 12.0, 13.0, 12.0, 11.0, 12.0, 12.0,
    ];

    #[test]
    fn changes_agree_with_ruptures() {
        for penalty in [3.0, 10.0, 20.0] {
            assert_eq!(change_points(&LEVELS, Some(penalty)), [10, 20], "{penalty}");
        }
        assert!(change_points(&LEVELS, Some(100.0)).is_empty());
        assert!((Sums::of(&LEVELS).cost(0, 10) - 4.0).abs() < 1e-9);
    }

    /// Every segmentation of twelve values, one by one.
    #[test]
    fn dropping_candidates_loses_no_best_segmentation() {
        let mut random = Random::seeded(6);
        for _ in 0..200 {
            let values: Vec<f64> =
                (0..12).map(|i| random.normal() + if i < 5 { 0.0 } else { 1.5 }).collect();
            let sums = Sums::of(&values);
            let total = |changes: &[usize]| -> f64 {
                let ends: Vec<usize> = [0].iter().chain(changes).chain(&[12]).copied().collect();
                ends.windows(2).map(|ends| sums.cost(ends[0], ends[1]) + 2.0).sum()
            };
            let mut least = f64::INFINITY;
            for bits in 0_u32..1 << 11 {
                let changes: Vec<usize> = (1..12).filter(|at| bits >> (at - 1) & 1 == 1).collect();
                let ends: Vec<usize> = [0].iter().chain(&changes).chain(&[12]).copied().collect();
                if ends.windows(2).all(|ends| ends[1] - ends[0] >= LEAST) {
                    least = least.min(total(&changes));
                }
            }
            assert!((total(&change_points(&values, Some(2.0))) - least).abs() < 1e-9);
        }
    }

    #[test]
    fn a_steady_series_and_one_outlier_have_no_change() {
        let mut random = Random::seeded(7);
        let steady = |random: &mut Random| (0..300).map(|_| random.normal()).collect::<Vec<_>>();
        let changed = (0..50).filter(|_| !change_points(&steady(&mut random), None).is_empty());
        assert!(changed.count() <= 10);
        let mut one: Vec<f64> = (0..40).map(|i| f64::from(i % 2)).collect();
        one[20] = 3.0;
        assert!(change_points(&one, None).is_empty());
    }

    #[test]
    fn bad_or_few_values_have_none_and_many_come_to_an_end() {
        assert!(change_points(&[], None).is_empty());
        assert!(change_points(&[1.0; 100], None).is_empty());
        assert!(change_points(&[1.0, f64::NAN, 2.0, 3.0, 4.0, 5.0, 9.0], Some(1.0)).is_empty());
        assert!(change_points(&[1.0, 2.0, 9.0, 9.0, 9.0], Some(1.0)).is_empty());
        let step: Vec<f64> =
            (0..50_000).map(|i| f64::from(i % 7) + if i < 20_000 { 0.0 } else { 5.0 }).collect();
        assert_eq!(change_points(&step, None), [20_000]);
    }
}
