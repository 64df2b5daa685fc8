//! How late things happened, in memory that does not grow.

use std::time::Duration;

use hdrhistogram::Histogram;

/// How often the loop is looked at.
pub(crate) const LOOP_PERIOD: Duration = Duration::from_millis(10);
/// After a standstill, at most so many missed moments are counted: a machine that slept a night would
/// otherwise count millions.
const MOST_MISSED: u32 = 10_000;

/// How late things happened.
///
/// # Units
/// To three digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Spread {
    /// How many.
    pub n: u64,
    /// The median.
    pub p50: Duration,
    /// The 99th percentile; with fewer than 100 it is the largest.
    pub p99: Duration,
    /// The largest.
    pub max: Duration,
}

/// How late things happened so far.
#[derive(Debug)]
pub(crate) struct Lags(Histogram<u64>);

impl Lags {
    pub(crate) fn new() -> Self {
        // From a nanosecond to an hour, with three digits.
        let histogram = Histogram::new_with_bounds(1, 3_600_000_000_000, 3);
        Self(histogram.expect("the bounds are valid"))
    }

    pub(crate) fn note(&mut self, late: Duration) {
        self.0.saturating_record(u64::try_from(late.as_nanos()).unwrap_or(u64::MAX).max(1));
    }

    /// Notes a moment that was due each period, seen so late, and those that passed in the meantime.
    ///
    /// # Shape
    /// Returns how many periods later the next one is due.
    pub(crate) fn note_due(&mut self, late: Duration, period: Duration) -> u32 {
        let missed = late.as_nanos().checked_div(period.as_nanos()).unwrap_or(0);
        let missed = u32::try_from(missed).unwrap_or(u32::MAX);
        for earlier in 0..=missed.min(MOST_MISSED) {
            self.note(late.saturating_sub(period.saturating_mul(earlier)));
        }
        missed.saturating_add(1)
    }

    /// `None` where nothing happened.
    pub(crate) fn spread(&self) -> Option<Spread> {
        let at = |quantile| Duration::from_nanos(self.0.value_at_quantile(quantile));
        (!self.0.is_empty()).then(|| Spread {
            n: self.0.len(),
            p50: at(0.5),
            p99: at(0.99),
            max: Duration::from_nanos(self.0.max()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn nothing_has_no_spread() {
        assert_eq!(Lags::new().spread(), None);
    }

    #[test]
    fn quantiles_are_those_of_the_values_to_three_digits() {
        let mut lags = Lags::new();
        (1..=1_000).for_each(|ms| lags.note(MS * ms));
        let spread = lags.spread().unwrap();
        let near = |got: Duration, ms: u32| got.abs_diff(MS * ms) <= MS * ms / 500;
        assert_eq!(spread.n, 1_000);
        assert!(near(spread.p50, 500) && near(spread.p99, 990), "{spread:?}");
        assert!(near(spread.max, 1_000), "{spread:?}");
    }

    #[test]
    fn moments_that_passed_during_a_standstill_are_counted() {
        let mut lags = Lags::new();
        // Due each 10 ms and seen 95 ms late: those of 95, 85 … 5 ms, ten of them; the next is 10 periods on.
        assert_eq!(lags.note_due(MS * 95, LOOP_PERIOD), 10);
        let spread = lags.spread().unwrap();
        assert_eq!(spread.n, 10);
        assert!(spread.p50.abs_diff(MS * 45) < MS / 10, "{spread:?}");
        assert_eq!(lags.note_due(MS, LOOP_PERIOD), 1);
    }

    #[test]
    fn a_night_asleep_is_no_night_of_counting() {
        let mut lags = Lags::new();
        lags.note_due(Duration::from_secs(8 * 3_600), LOOP_PERIOD);
        assert_eq!(lags.spread().map(|s| s.n), Some(u64::from(MOST_MISSED) + 1));
    }
}
