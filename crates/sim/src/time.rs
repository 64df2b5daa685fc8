//! Simulated time.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A moment of a simulation.
///
/// # Units
/// Nanoseconds since its start; 2^64 of them are 584 years.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct SimTime(u64);

impl SimTime {
    /// The start.
    pub const ZERO: Self = Self(0);

    /// So many nanoseconds after the start.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Nanoseconds since the start.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// How long after the start.
    pub const fn since_start(self) -> Duration {
        Duration::from_nanos(self.0)
    }

    /// `self + took`; the last moment there is where that would be beyond it.
    #[must_use]
    pub fn plus(self, took: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX)))
    }

    /// How long after `earlier`; zero where it is not after it.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

impl fmt::Display for SimTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6} s", self.since_start().as_secs_f64())
    }
}

/// Durations as nanoseconds in files.
pub(crate) mod nanos {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(took: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_nanos)
    }
}
