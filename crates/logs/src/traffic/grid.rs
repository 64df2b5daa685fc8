//! Do arrivals sit on a grid of time stamps?

use std::time::Duration;

use super::stamps::Sorted;

/// Distinct stamps below which a grid is a coincidence.
const FEWEST: usize = 10;
/// Where stamps are rounded when kept, a grid shows only if its step is this many times theirs.
const ABOVE_KEPT: f64 = 8.0;

/// A grid on which the stamps of arrivals may sit.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Grid {
    /// Its step.
    ///
    /// # Formula
    /// The middle one of the gaps between neighbouring distinct stamps that are within a tenth of the gap that a
    /// tenth of them are below.
    pub step: Duration,
    /// The share of the gaps between neighbouring distinct stamps that are multiples of the step, within 2 % of
    /// it and a thousandth of themselves.
    pub fitting: f64,
    /// How many steps lie between the first and the last stamp, both included, whether they have requests or not.
    pub steps: u64,
}

impl Grid {
    /// The grid on which stamps would sit; `None` with fewer than ten distinct ones, and where a step could be
    /// that to which they are rounded here.
    pub(crate) fn of(sorted: &Sorted) -> Option<Self> {
        let mut gaps: Vec<f64> = gaps(sorted).collect();
        if gaps.len() + 1 < FEWEST {
            return None;
        }
        let tenth = gaps.len() / 10;
        let low = *gaps.select_nth_unstable_by(tenth, f64::total_cmp).1;
        let mut single: Vec<f64> =
            gaps.iter().copied().filter(|gap| (gap / low - 1.0).abs() < 0.1).collect();
        let middle = single.len() / 2;
        let step = *single.select_nth_unstable_by(middle, f64::total_cmp).1;
        #[expect(clippy::cast_precision_loss, reason = "at most 2^62, for a comparison")]
        if !sorted.is_exact() && step < ABOVE_KEPT * sorted.step as f64 {
            return None;
        }
        let fits = |gap: &&f64| {
            let times = **gap / step;
            times.round() >= 1.0 && (times - times.round()).abs() <= 0.02 + 0.001 * times
        };
        #[expect(clippy::cast_precision_loss, reason = "at most a million gaps")]
        let fitting = gaps.iter().filter(fits).count() as f64 / gaps.len() as f64;
        let steps = gaps.iter().map(|gap| times(*gap, step)).sum::<u64>() + 1;
        Some(Self { step: Duration::from_secs_f64(step / 1e9), fitting, steps })
    }

    /// The requests of each step that has any, with the number of the step from 0.
    ///
    /// # Formula
    /// A step's number grows by the gap over the step, rounded: a grid that drifts stays one.
    pub(crate) fn counts(&self, sorted: &Sorted) -> Vec<(i64, u64)> {
        let step = self.step.as_secs_f64() * 1e9;
        let mut at = 0_i64;
        let numbers = std::iter::once(0).chain(gaps(sorted).map(|gap| {
            at = at.saturating_add_unsigned(times(gap, step));
            at
        }));
        let mut counts: Vec<(i64, u64)> = Vec::new();
        for (number, (_, n)) in numbers.collect::<Vec<_>>().into_iter().zip(&sorted.stamps) {
            match counts.last_mut() {
                Some((last, count)) if *last == number => *count += n,
                _ => counts.push((number, *n)),
            }
        }
        counts
    }
}

/// The gaps between neighbouring distinct stamps, in nanoseconds.
fn gaps(sorted: &Sorted) -> impl Iterator<Item = f64> {
    sorted.stamps.windows(2).filter_map(|two| match two {
        #[expect(clippy::cast_precision_loss, reason = "gaps of years to a microsecond")]
        [(a, _), (b, _)] => Some(b.abs_diff(*a) as f64),
        _ => None,
    })
}

/// How many steps a gap is long, rounded.
fn times(gap: f64, step: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative, and a cast of a float saturates"
    )]
    let times = (gap / step).round() as u64;
    times
}

#[cfg(test)]
mod tests {
    use super::super::stamps::Stamps;
    use super::*;

    fn sorted(stamps_ms: impl IntoIterator<Item = i64>) -> Sorted {
        let mut stamps = Stamps::default();
        stamps_ms.into_iter().for_each(|ms| stamps.push(ms * 1_000_000));
        stamps.sorted()
    }

    #[test]
    fn a_grid_shows_in_the_gaps_between_stamps() {
        // Ten requests every three seconds, a step without any in the middle, 3 ms of jitter.
        let at = [0, 3_000, 5_997, 9_000, 15_002, 18_000, 21_000, 24_000, 27_000, 30_001];
        let stamps = sorted(at.into_iter().flat_map(|at| std::iter::repeat_n(at, 10)));
        let grid = Grid::of(&stamps).unwrap();
        // By hand: eight gaps of 2.997 to 3.003 s and one of 6.002 s, eleven steps from 0 to 30 s.
        assert_eq!((grid.step.as_millis(), grid.fitting, grid.steps), (3_000, 1.0, 11));
        let counts = grid.counts(&stamps);
        assert_eq!((counts.len(), counts.get(4)), (10, Some(&(5, 10))));
        // Stamps without a common step.
        let wild = sorted([0, 11, 28, 57, 157, 201, 333, 350, 390, 512, 600]);
        assert!(Grid::of(&wild).unwrap().fitting < 0.5);
        assert_eq!(Grid::of(&sorted([5, 5, 9])), None);
    }

    #[test]
    fn a_step_of_our_own_rounding_is_no_grid() {
        let own = Sorted { stamps: (0..100).map(|i| (i * 1_024, 3)).collect(), step: 1_024 };
        assert_eq!(Grid::of(&own), None);
        let theirs = Sorted { stamps: (0..100).map(|i| (i * 10_240, 3)).collect(), step: 1_024 };
        assert!(Grid::of(&theirs).unwrap().fitting > 0.99);
    }
}
