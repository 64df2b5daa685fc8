//! How many requests arrive in windows of one width, and whether they do as chance would have it.

use std::time::Duration;

/// Windows below which nothing is said of chance.
const FEWEST: u64 = 30;
/// How many standard deviations of a constant Poisson rate's are too far off: 1 of 1,000 by chance.
const DEVIATIONS: f64 = 3.3;

/// What the counts of windows say of arrivals that come one by one, by chance, at a constant rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AgainstPoisson {
    /// Too few windows to say.
    TooFew,
    /// Nothing against it.
    Nothing,
    /// The counts vary more: bursts, or a rate that changes.
    MoreVaried,
    /// The counts vary less: requests wait for each other, or a program sends them.
    MoreEven,
}

impl AgainstPoisson {
    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TooFew => "too_few_windows",
            Self::Nothing => "nothing",
            Self::MoreVaried => "more_varied",
            Self::MoreEven => "more_even",
        }
    }
}

/// How many requests arrive in windows of one width.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ArrivalWindows {
    /// The width; on a grid a whole number of its steps.
    pub width: Duration,
    /// How many whole windows follow each other from the first arrival on, empty ones included.
    pub windows: u64,
    /// Requests in each of them, in the mean.
    pub mean: f64,
    /// Variance over mean of those counts, the index of dispersion: 1 for a Poisson process of a constant rate,
    /// and `None` under two windows.
    ///
    /// # Formula
    /// `sum (c - mean)^2 / (n - 1) / mean`.
    pub dispersion: Option<f64>,
    /// The most requests in any stretch of that width, wherever it begins.
    pub busiest: u64,
    /// Where the first such stretch ends, from the first arrival on.
    pub busiest_after: Duration,
}

impl ArrivalWindows {
    /// Whether the counts contradict a Poisson process of a constant rate.
    ///
    /// # Formula
    /// Under it, `(n - 1) dispersion` is about chi-squared with n - 1 degrees of freedom, so that dispersion has a
    /// standard deviation of `sqrt(2 / (n - 1))`. 3.3 of them off 1 contradict it, which chance does to 1 of
    /// 1,000 logs; under 30 windows nothing is said.
    ///
    /// # Source
    /// Fisher's index of dispersion, Statistical Methods for Research Workers, 1925, §16.
    pub fn against_poisson(&self) -> AgainstPoisson {
        let Some(dispersion) = self.dispersion.filter(|_| self.windows >= FEWEST) else {
            return AgainstPoisson::TooFew;
        };
        let off = DEVIATIONS * self.chance();
        match dispersion - 1.0 {
            more if more > off => AgainstPoisson::MoreVaried,
            less if less < -off => AgainstPoisson::MoreEven,
            _ => AgainstPoisson::Nothing,
        }
    }

    /// The standard deviation that chance gives to the dispersion of so many windows.
    pub fn chance(&self) -> f64 {
        (2.0 / (float(self.windows) - 1.0).max(1.0)).sqrt()
    }

    /// The windows of a width over moments that rise, in any unit; `unit` is one of it.
    pub(super) fn of(moments: &[(i64, u64)], width: u64, unit: Duration) -> Option<Self> {
        let (first, last) = (moments.first()?.0, moments.last()?.0);
        // On a grid the last step is whole, while the clock ends with the last arrival.
        let windows = last.abs_diff(first).checked_div(width)?;
        let mut sums = (0_u64, 0_u128);
        let (mut now, mut here) = (0, 0_u64);
        let mut close = |here: u64| {
            sums.0 += here;
            sums.1 += u128::from(here) * u128::from(here);
        };
        for (at, n) in moments {
            let window = at.abs_diff(first) / width;
            if window >= windows {
                break;
            }
            if window != now {
                close(std::mem::take(&mut here));
                now = window;
            }
            here += n;
        }
        close(here);
        let (busiest, at) = busiest(moments, width);
        let n = float(windows);
        let mean = float(sums.0) / n.max(1.0);
        #[expect(clippy::cast_precision_loss, reason = "a sum of squares, for a ratio")]
        let squares = sums.1 as f64 - n * mean * mean;
        Some(Self {
            width: times(unit, width),
            windows,
            mean,
            dispersion: (windows >= 2 && mean > 0.0).then(|| squares.max(0.0) / (n - 1.0) / mean),
            busiest,
            busiest_after: times(unit, at.abs_diff(first)),
        })
    }
}

/// The most in any stretch of a width that ends with an arrival, and where the first such ends.
fn busiest(moments: &[(i64, u64)], width: u64) -> (u64, i64) {
    let (mut most, mut here, mut from) = ((0, 0), 0, moments.iter().peekable());
    for (at, n) in moments {
        here += n;
        while let Some((_, gone)) = from.next_if(|(start, _)| at.abs_diff(*start) >= width) {
            here -= gone;
        }
        if here > most.0 {
            most = (here, *at);
        }
    }
    most
}

fn times(unit: Duration, times: u64) -> Duration {
    let nanos = unit.as_nanos().saturating_mul(u128::from(times));
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

#[expect(clippy::cast_precision_loss, reason = "counts of at most a log's rows, for a mean")]
pub(super) fn float(n: u64) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: Duration = Duration::from_secs(1);

    #[test]
    fn whole_windows_are_counted_with_the_empty_ones() {
        // Seconds 0, 0, 1, 4, 5, 9, and the last at 10: five windows of 2 s hold 3, 0, 2, 0, 1.
        let moments = [(0, 2), (1, 1), (4, 1), (5, 1), (9, 1), (10, 1)];
        let found = ArrivalWindows::of(&moments, 2, S).unwrap();
        assert_eq!((found.windows, found.mean), (5, 1.2));
        // By hand: squares 9 + 4 + 1 = 14, less 5 x 1.44 = 7.2: 6.8 / 4 / 1.2.
        assert!((found.dispersion.unwrap() - 6.8 / 4.8).abs() < 1e-12);
        assert_eq!((found.busiest, found.busiest_after), (3, S));
        assert_eq!(found.against_poisson(), AgainstPoisson::TooFew);
    }

    #[test]
    fn chance_is_neither_bursts_nor_a_metronome() {
        // One a second is too even, sixty every minute too varied.
        let even: Vec<(i64, u64)> = (0..=600).map(|s| (s, 1)).collect();
        let even = ArrivalWindows::of(&even, 10, S).unwrap();
        assert_eq!((even.windows, even.dispersion), (60, Some(0.0)));
        assert_eq!(even.against_poisson(), AgainstPoisson::MoreEven);
        let bursts: Vec<(i64, u64)> = (0..=10).map(|m| (m * 60, 60)).collect();
        let bursts = ArrivalWindows::of(&bursts, 10, S).unwrap();
        // By hand: 60 windows, ten of 60 and fifty of 0: mean 10, (36,000 - 6,000) / 59 / 10.
        assert!((bursts.dispersion.unwrap() - 3_000.0 / 59.0).abs() < 1e-9);
        assert_eq!(bursts.against_poisson(), AgainstPoisson::MoreVaried);
        assert_eq!((bursts.busiest, bursts.busiest_after), (60, Duration::ZERO));
        // Three and one in turn: mean 2, variance 1.02, dispersion 0.51 of 60: 1 - 3.3 x 0.184 = 0.39.
        let mild: Vec<(i64, u64)> =
            (0..=60_u32).map(|s| (i64::from(s), u64::from(1 + 2 * (s % 2)))).collect();
        let mild = ArrivalWindows::of(&mild, 1, S).unwrap();
        assert_eq!(mild.against_poisson(), AgainstPoisson::Nothing);
    }

    #[test]
    fn one_moment_has_no_windows() {
        let one = ArrivalWindows::of(&[(7, 3)], 10, S).unwrap();
        assert_eq!((one.windows, one.dispersion, one.busiest), (0, None, 3));
        assert_eq!(ArrivalWindows::of(&[], 10, S), None);
    }
}
