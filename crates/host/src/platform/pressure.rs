//! Pressure stall information: time in which threads waited for a resource.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use trueline_core::Known;

use super::reading::parsed;
use crate::root::Root;

/// Time in which threads waited for a resource, since boot or since their group began.
///
/// # Source
/// Kernel documentation, `accounting/psi`. For processors, `full` of the whole system says nothing
/// and is zero; `full` of a group is the time in which none of it ran while one of it could have:
/// somebody outside the group had the processors, or a quota held it. `some` also counts threads
/// that wait for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Pressure {
    /// At least one thread waited.
    pub some: Duration,
    /// All threads with work to do waited; `None` where the kernel does not say.
    pub full: Option<Duration>,
}

impl Pressure {
    pub(super) fn read(root: &Root, path: &str) -> Known<Self> {
        parsed(root.text(path), Self::parse)
    }

    fn parse(text: &str) -> Option<Self> {
        let total = |kind: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(kind))?;
            let micros = line.split_ascii_whitespace().find_map(|f| f.strip_prefix("total="))?;
            micros.parse().ok().map(Duration::from_micros)
        };
        Some(Self { some: total("some ")?, full: total("full ") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_microseconds() {
        // Captured from a guest with two processors.
        let text = "some avg10=2.21 avg60=5.01 avg300=5.91 total=2521419245\n\
                    full avg10=0.00 avg60=0.00 avg300=0.00 total=0";
        let pressure = Pressure::parse(text).unwrap();
        assert_eq!(pressure.some, Duration::from_micros(2_521_419_245));
        assert_eq!(pressure.full, Some(Duration::ZERO));
        // Kernels before 5.13 write no second line for processors.
        assert_eq!(Pressure::parse("some avg10=0.00 total=5").unwrap().full, None);
        assert_eq!(Pressure::parse(""), None);
    }
}
