//! When requests are to be sent, in words: the arrival schedule.

mod draws;
mod rate;
mod schedule;

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

pub use self::rate::{GammaShape, RequestRate};
pub use self::schedule::Schedule;
use crate::{LoadError, LoadErrorKind};

/// What a text that is no arrival schedule should have been.
const FORMS: &str = "closed=N, constant=RATE, poisson=RATE, gamma=RATE,SHAPE or trace";

/// When requests are to be sent.
///
/// Only a closed loop waits for answers. In the others a request is due at a moment that no answer moves, so
/// that a server that stalls does not quietly get less load.
///
/// # Units
/// Rates in requests per second; a shape has none.
///
/// # Examples
/// ```
/// use trueline_probe::Arrival;
/// let arrival: Arrival = "gamma=2,0.5".parse()?;
/// assert_eq!(arrival.to_string(), "gamma=2,0.5");
/// assert_eq!("closed=8".parse::<Arrival>()?.most_in_flight(), Some(8));
/// assert!("poisson=-1".parse::<Arrival>().is_err());
/// # Ok::<(), trueline_probe::LoadError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Arrival {
    /// So many in flight; when one ends, the next one is sent at once.
    Closed(NonZeroU32),
    /// One every 1/rate seconds.
    Constant(RequestRate),
    /// Gaps of the exponential distribution: independent users.
    Poisson(RequestRate),
    /// Gaps of the gamma distribution with a mean of 1/rate: burstier than Poisson with a shape under 1,
    /// more even with one above it.
    Gamma(RequestRate, GammaShape),
    /// Moments that somebody recorded; they are given to [`Schedule::of_trace`].
    Trace,
}

impl Arrival {
    /// A closed loop of one.
    pub const fn one_at_a_time() -> Self {
        Self::Closed(NonZeroU32::MIN)
    }

    /// The same at another rate; constant where it had none.
    #[must_use]
    pub const fn at_rate(self, rate: RequestRate) -> Self {
        match self {
            Self::Poisson(_) => Self::Poisson(rate),
            Self::Gamma(_, shape) => Self::Gamma(rate, shape),
            Self::Constant(_) | Self::Closed(_) | Self::Trace => Self::Constant(rate),
        }
    }

    /// The requests in flight of a closed loop; `None` for the others.
    pub const fn most_in_flight(self) -> Option<u32> {
        match self {
            Self::Closed(n) => Some(n.get()),
            _ => None,
        }
    }

    /// The rate of requests that is asked for; `None` for a closed loop and for a trace.
    pub const fn rate(self) -> Option<RequestRate> {
        match self {
            Self::Constant(rate) | Self::Poisson(rate) | Self::Gamma(rate, _) => Some(rate),
            Self::Closed(_) | Self::Trace => None,
        }
    }
}

impl fmt::Display for Arrival {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed(n) => write!(f, "closed={n}"),
            Self::Constant(rate) => write!(f, "constant={}", rate.per_second()),
            Self::Poisson(rate) => write!(f, "poisson={}", rate.per_second()),
            Self::Gamma(rate, shape) => write!(f, "gamma={},{}", rate.per_second(), shape.get()),
            Self::Trace => f.write_str("trace"),
        }
    }
}

impl FromStr for Arrival {
    type Err = LoadError;

    /// Reads the words of the command line.
    ///
    /// # Errors
    /// Anything else than `closed=N`, `constant=RATE`, `poisson=RATE`, `gamma=RATE,SHAPE` and `trace`; a
    /// rate outside [`RequestRate::arriving`]; a shape outside [`GammaShape::new`].
    fn from_str(text: &str) -> Result<Self, LoadError> {
        let bad =
            || LoadError::new(LoadErrorKind::Arrival, format!("expected {FORMS}, found {text:?}"));
        let (kind, value) = match text.trim().split_once('=') {
            Some((kind, value)) => (kind.trim(), Some(value.trim())),
            None => (text.trim(), None),
        };
        let number = |text: &str| text.trim().parse::<f64>().map_err(|_| bad());
        match (kind, value) {
            ("closed", Some(n)) => n.parse().map(Self::Closed).map_err(|_| bad()),
            ("constant", Some(rate)) => Ok(Self::Constant(RequestRate::arriving(number(rate)?)?)),
            ("poisson", Some(rate)) => Ok(Self::Poisson(RequestRate::arriving(number(rate)?)?)),
            ("gamma", Some(both)) => {
                let (rate, shape) = both.split_once(',').ok_or_else(bad)?;
                Ok(Self::Gamma(
                    RequestRate::arriving(number(rate)?)?,
                    GammaShape::new(number(shape)?)?,
                ))
            }
            ("trace", None) => Ok(Self::Trace),
            _ => Err(bad()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for text in ["closed=8", "constant=2", "poisson=0.25", "gamma=2,0.5", "trace"] {
            let arrival: Arrival = text.parse().unwrap();
            assert_eq!(arrival.to_string(), text);
        }
    }

    #[test]
    fn what_is_no_schedule_is_refused_with_the_forms_that_are() {
        for bad in [
            "",
            "closed",
            "closed=0",
            "closed=-1",
            "closed=1.5",
            "closed=99999999999",
            "open=3",
            "constant=",
            "constant=0",
            "constant=-2",
            "poisson=inf",
            "poisson=nan",
            "poisson=1e9",
            "poisson=1e-9",
            "gamma=2",
            "gamma=2,0",
            "gamma=2,-1",
            "gamma=2,0.5,3",
            "trace=1",
            "8",
        ] {
            assert!(bad.parse::<Arrival>().is_err(), "{bad}");
        }
        let said = "open=3".parse::<Arrival>().unwrap_err().to_string();
        assert_eq!(said, format!("expected {FORMS}, found \"open=3\""));
    }
}
