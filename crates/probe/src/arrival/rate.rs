//! Rates of requests, and how even their gaps are.

use std::fmt;
use std::time::Duration;

use crate::{LoadError, LoadErrorKind};

/// A rate of requests.
///
/// # Units
/// Requests per second; finite and not negative.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct RequestRate(f64);

impl RequestRate {
    /// The lowest rate of a schedule: one request in some 11 days.
    const LOWEST: f64 = 1e-6;
    /// The highest rate of a schedule: gaps of a microsecond, which no timer keeps.
    const HIGHEST: f64 = 1e6;

    /// The rate of an arrival schedule, in requests per second.
    ///
    /// # Errors
    /// NaN, and what lies outside 0.000001 to 1,000,000, is refused: a rate of zero or below, or an
    /// infinite one, is no schedule.
    pub fn arriving(per_second: f64) -> Result<Self, LoadError> {
        if (Self::LOWEST..=Self::HIGHEST).contains(&per_second) {
            return Ok(Self(per_second));
        }
        Err(LoadError::new(
            LoadErrorKind::Arrival,
            format!(
                "expected a rate from {} to {} requests per second, found {per_second}",
                Self::LOWEST,
                Self::HIGHEST
            ),
        ))
    }

    /// What a count is per second; `None` over no time.
    #[expect(clippy::cast_precision_loss, reason = "counts of requests stay far below 2^53")]
    pub fn of(count: u64, over: Duration) -> Option<Self> {
        let rate = count as f64 / over.as_secs_f64();
        rate.is_finite().then_some(Self(rate))
    }

    /// The bare number, in requests per second.
    pub const fn per_second(self) -> f64 {
        self.0
    }

    /// The mean gap; `None` for a rate of zero, and where it is beyond what a duration holds.
    ///
    /// # Formula
    /// `1 / rate`.
    pub fn mean_gap(self) -> Option<Duration> {
        Duration::try_from_secs_f64(self.0.recip()).ok()
    }
}

impl fmt::Display for RequestRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} requests/s", self.0)
    }
}

/// The shape of the gamma distribution of gaps: 1 is Poisson, less is burstier.
///
/// # Formula
/// The squared coefficient of variation of the gaps is 1/shape.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct GammaShape(f64);

impl GammaShape {
    /// Below it nearly all gaps are zero, and a run of thousands of requests shows no rate.
    const LOWEST: f64 = 0.01;
    /// Above it gaps vary by less than a thousandth: a constant rate.
    const HIGHEST: f64 = 1e6;

    /// Wraps a shape.
    ///
    /// # Errors
    /// NaN, and what lies outside 0.01 to 1,000,000, is refused.
    pub fn new(shape: f64) -> Result<Self, LoadError> {
        if (Self::LOWEST..=Self::HIGHEST).contains(&shape) {
            return Ok(Self(shape));
        }
        Err(LoadError::new(
            LoadErrorKind::Arrival,
            format!("expected a shape from {} to {}, found {shape}", Self::LOWEST, Self::HIGHEST),
        ))
    }

    /// The bare number.
    pub const fn get(self) -> f64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_over_no_time_is_no_rate_and_none_at_all_is_zero() {
        assert_eq!(RequestRate::of(3, Duration::ZERO), None);
        assert_eq!(RequestRate::of(0, Duration::ZERO), None);
        assert_eq!(
            RequestRate::of(0, Duration::from_secs(2)).map(RequestRate::per_second),
            Some(0.0)
        );
        assert_eq!(RequestRate(0.0).mean_gap(), None);
        assert_eq!(RequestRate(4.0).mean_gap(), Some(Duration::from_millis(250)));
    }
}
