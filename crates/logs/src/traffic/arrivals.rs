//! When requests arrive: how many a second, how evenly, and whether the stamps can tell.

use std::time::Duration;

use super::clock::{ArrivalClock, Clocks};
use super::grid::Grid;
use super::stamps::Sorted;
use super::untold::Untold;
use super::windows::{ArrivalWindows, float};

/// The widths of windows that are looked at.
const WIDTHS_S: [u64; 5] = [1, 10, 60, 600, 3_600];
/// Requests a distinct stamp below which no grid is looked for: gaps between them are hardly ever zero then.
const SHARED: f64 = 1.1;
/// The share of the gaps between neighbouring stamps that must be multiples of a grid's step.
const FITTING: f64 = 0.95;
/// The coefficient of variation of gaps is the clock's where the mean gap is under so many steps of it.
const COARSE_BELOW: f64 = 2.0;

/// When requests arrived.
///
/// All used requests count, failed ones too; warm-up and own requests do not.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Arrivals {
    /// By which clock.
    pub clock: ArrivalClock,
    /// How many requests have a stamp of it.
    pub requests: u64,
    /// How many have none.
    pub without: u64,
    /// The first stamp, in nanoseconds since 1970 or since the origin of the input.
    pub first_nanos: i64,
    /// From the first to the last.
    pub span: Duration,
    /// How many different stamps there are.
    pub distinct: u64,
    /// The step to which stamps are rounded down here; `None` where each is as it came. It takes more than a
    /// million different ones.
    pub rounded_to: Option<Duration>,
    /// The grid on which they sit, if they do.
    pub grid: Option<Grid>,
    /// The mean gap between one arrival and the next: `span / (requests - 1)`; `None` of one request.
    pub mean_gap: Option<Duration>,
    /// The coefficient of variation of all gaps, those of equal stamps included, whatever the stamps are: their
    /// standard deviation (over n - 1) over their mean. 1 for a Poisson process; `None` under three requests or
    /// where all stamps are equal.
    ///
    /// Not to be quoted where [`Arrivals::gap_cv`] is `None`: there it measures the clock.
    pub naive_gap_cv: Option<f64>,
    /// Counts in windows, from narrow to wide: on a grid of one step first. Widths that do not fit into the span
    /// twice are left out.
    pub windows: Vec<ArrivalWindows>,
}

impl Arrivals {
    /// Requests a second.
    ///
    /// # Formula
    /// `(requests - 1) / span`, one over the mean gap; on a grid `requests / (steps x step)`. `None` where all
    /// have one stamp.
    pub fn per_second(&self) -> Option<f64> {
        let (n, took) = match &self.grid {
            Some(grid) => (self.requests, float(grid.steps) * grid.step.as_secs_f64()),
            None => (self.requests.checked_sub(1)?, self.span.as_secs_f64()),
        };
        (took > 0.0 && n > 0).then(|| float(n) / took)
    }

    /// The coefficient of variation of gaps where the stamps can tell it: the mean gap is at least two steps of
    /// the grid on which they sit, or of the step to which they are rounded here.
    pub fn gap_cv(&self) -> Option<f64> {
        let step = self.grid.map(|grid| grid.step).max(self.rounded_to);
        let fine = |step: Duration| {
            self.mean_gap.is_some_and(|gap| gap.as_secs_f64() >= COARSE_BELOW * step.as_secs_f64())
        };
        self.naive_gap_cv.filter(|_| step.is_none_or(fine))
    }

    /// The windows whose counts tell best how even arrivals are: of one step on a grid, else the narrowest with
    /// at least one request in the mean; the widest where all have less.
    pub fn telling(&self) -> Option<&ArrivalWindows> {
        if self.grid.is_some() {
            return self.windows.first();
        }
        self.windows.iter().find(|w| w.mean >= 1.0).or(self.windows.last())
    }

    /// # Errors
    /// Why nothing is told.
    pub(super) fn of(clocks: &Clocks) -> Result<Self, Untold> {
        let (clock, moments, without) = clocks.main();
        let stamped = Stamped::of(clocks, FITTING)?;
        let (sorted, grid) = (moments.starts(), stamped.grid);
        let Some((first, last)) = sorted.ends() else { return Err(Untold::NoStarts) };
        let requests = stamped.requests;
        let span = Duration::from_nanos(last.abs_diff(first));
        Ok(Self {
            clock,
            requests,
            without,
            first_nanos: first,
            span,
            distinct: stamped.distinct,
            rounded_to: (!sorted.is_exact()).then(|| Duration::from_nanos(sorted.step)),
            grid,
            mean_gap: requests.checked_sub(1).filter(|n| *n > 0).map(|n| span.div_f64(float(n))),
            naive_gap_cv: gap_cv(&sorted),
            windows: windows(&sorted, grid.as_ref()),
        })
    }
}

/// How many stamps of arrivals there are, and the grid on which they sit, if they do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stamped {
    pub(crate) requests: u64,
    pub(crate) distinct: u64,
    pub(crate) grid: Option<Grid>,
}

impl Stamped {
    /// The stamps, with a grid where that share of the gaps are multiples of its step.
    ///
    /// # Errors
    /// Why nothing is told.
    pub(super) fn of(clocks: &Clocks, fitting: f64) -> Result<Self, Untold> {
        let (clock, moments, _) = clocks.main();
        let requests = moments.requests();
        if requests == 0 {
            return Err(Untold::NoStarts);
        }
        if clock == ArrivalClock::OwnOrigin && clocks.differ() {
            return Err(Untold::OwnOrigins);
        }
        let distinct = moments.distinct();
        // Most logs have none, and are told so without putting their stamps in pairs.
        let may_share = float(requests) >= SHARED * float(distinct);
        let grid = if may_share { Grid::of(&moments.starts()) } else { None };
        Ok(Self { requests, distinct, grid: grid.filter(|grid| grid.fitting >= fitting) })
    }
}

/// The coefficient of variation of all gaps.
fn gap_cv(sorted: &Sorted) -> Option<f64> {
    let (first, last) = sorted.ends()?;
    let gaps = sorted.len().checked_sub(1).filter(|n| *n >= 2)?;
    let squares: u128 = sorted
        .stamps
        .windows(2)
        .filter_map(|two| match two {
            [(a, _), (b, _)] => Some(u128::from(b.abs_diff(*a)).pow(2)),
            _ => None,
        })
        .sum();
    let mean = float(last.abs_diff(first)) / float(gaps);
    #[expect(clippy::cast_precision_loss, reason = "a sum of squares, for a ratio")]
    let variance = (squares as f64 - float(gaps) * mean * mean) / (float(gaps) - 1.0);
    (mean > 0.0).then(|| variance.max(0.0).sqrt() / mean)
}

/// Counts in windows of each width that fits.
fn windows(sorted: &Sorted, grid: Option<&Grid>) -> Vec<ArrivalWindows> {
    let Some(grid) = grid else {
        let of = |width_s: &u64| {
            let width = width_s * 1_000_000_000;
            let fits = width >= 2 * sorted.step;
            ArrivalWindows::of(&sorted.stamps, width, Duration::from_nanos(1)).filter(|_| fits)
        };
        return WIDTHS_S.iter().filter_map(of).filter(|w| w.windows >= 2).collect();
    };
    let steps = grid.counts(sorted);
    // The last step is as whole as the others: an empty one behind it says so.
    let closed: Vec<(i64, u64)> =
        steps.iter().copied().chain(steps.last().map(|(last, _)| (last + 1, 0))).collect();
    let in_steps = WIDTHS_S.map(|width_s| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at most 3,600 s over a step of a nanosecond"
        )]
        let steps = (float(width_s) / grid.step.as_secs_f64()).round() as u64;
        steps
    });
    let mut widths: Vec<u64> =
        std::iter::once(1).chain(in_steps.into_iter().filter(|n| *n > 1)).collect();
    widths.dedup();
    let of = |width: u64| ArrivalWindows::of(&closed, width, grid.step);
    widths.into_iter().filter_map(of).filter(|w| w.windows >= 2).collect()
}

#[cfg(test)]
mod tests {
    use trueline_core::{By, Known, RequestRecord, WallTime};

    use super::super::clock::Stay;
    use super::super::windows::AgainstPoisson;
    use super::*;

    fn at(ms: impl IntoIterator<Item = i64>) -> Clocks {
        let mut clocks = Clocks::default();
        for ms in ms {
            let mut record = RequestRecord::default();
            record.started = Known::is(WallTime::from_nanos(ms * 1_000_000), By::Measured);
            clocks.add(Stay::of(&record));
        }
        clocks
    }

    #[test]
    fn gaps_are_those_between_neighbours_in_time_whatever_the_order_of_rows() {
        let found = Arrivals::of(&at([4_000, 0, 1_000, 1_000])).unwrap();
        // By hand: gaps of 1, 0 and 3 s: mean 4/3, squares 10 - 3 x 16/9 = 14/3, over 2 is 7/3: 1.5275 / 1.3333.
        assert_eq!((found.requests, found.distinct, found.span.as_secs()), (4, 3, 4));
        assert!((found.gap_cv().unwrap() - (7.0_f64 / 3.0).sqrt() * 0.75).abs() < 1e-12);
        assert_eq!(found.per_second(), Some(0.75));
        assert_eq!(found.windows.first().map(|w| (w.windows, w.busiest)), Some((4, 2)));
    }

    #[test]
    fn on_a_grid_gaps_say_nothing_and_counts_a_step_do() {
        // Forty steps of 3 s with five requests each: all steps alike, all gaps 0 or 3 s.
        let found = Arrivals::of(&at((0..200).map(|i| i / 5 * 3_000))).unwrap();
        let grid = found.grid.unwrap();
        assert_eq!((grid.step.as_secs(), grid.steps), (3, 40));
        assert_eq!((found.gap_cv(), found.naive_gap_cv.is_some()), (None, true));
        // 200 in 120 s.
        assert!((found.per_second().unwrap() - 200.0 / 120.0).abs() < 1e-12);
        let step = found.telling().unwrap();
        assert_eq!((step.windows, step.mean, step.dispersion), (40, 5.0, Some(0.0)));
        assert_eq!(step.against_poisson(), AgainstPoisson::MoreEven);
        // Of 10 s three steps are nearest, of 60 s twenty; ten minutes do not fit.
        let widths: Vec<u64> = found.windows.iter().map(|w| w.width.as_secs()).collect();
        assert_eq!(widths, [3, 9, 60]);
        assert_eq!(found.windows.get(2).map(|w| (w.windows, w.busiest)), Some((2, 100)));
    }

    #[test]
    fn a_fine_grid_does_not_spoil_long_gaps() {
        // Whole seconds, three requests at once every 20 s: the mean gap is over six steps of 1 s.
        let times = (0..60).flat_map(|i| [i * 20_000, i * 20_000, i * 20_000 + (i % 5) * 1_000]);
        let found = Arrivals::of(&at(times)).unwrap();
        assert!(found.grid.is_none_or(|grid| found.mean_gap.unwrap() >= grid.step * 2));
        assert_eq!(found.gap_cv(), found.naive_gap_cv);
    }

    #[test]
    fn one_request_has_a_place_and_no_rate() {
        let one = Arrivals::of(&at([5])).unwrap();
        assert_eq!((one.requests, one.per_second(), one.gap_cv()), (1, None, None));
        assert!(one.mean_gap.is_none() && one.windows.is_empty());
        let same = Arrivals::of(&at([5; 50])).unwrap();
        assert_eq!((same.requests, same.per_second(), same.naive_gap_cv), (50, None, None));
        assert_eq!(Arrivals::of(&Clocks::default()), Err(Untold::NoStarts));
    }

    #[test]
    fn inputs_with_origins_of_their_own_do_not_compare() {
        let mut record = RequestRecord::default();
        record.sent_after = Known::is(Duration::from_secs(7), By::Measured);
        let mut one = Clocks::default();
        one.add(Stay::of(&record));
        let mut other = one.clone();
        one.merge(&other.clone());
        assert_eq!(Arrivals::of(&one).unwrap().requests, 2);
        other.shift(1);
        one.merge(&other);
        assert_eq!(Arrivals::of(&one), Err(Untold::OwnOrigins));
    }
}
