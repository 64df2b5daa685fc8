//! The clocks of the machine, read together.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};
use trueline_core::{By, Known, WallTime, Why};

use crate::root::Root;

/// Where a captured tree keeps them.
const CAPTURED: &str = "trueline/clocks.json";

/// The clocks of the machine, read one right after the other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Clocks {
    /// The wall clock.
    pub wall: Known<WallTime>,
    /// Since some start, without the time asleep; nobody sets it.
    pub monotonic: Known<Duration>,
    /// Since boot, with the time asleep.
    pub since_boot: Known<Duration>,
}

impl Clocks {
    /// Reads the clocks: those of the machine, or those that a captured tree was taken at.
    pub fn read(root: &Root) -> Self {
        if !root.is_live() {
            let captured = root.text(CAPTURED).ok();
            return captured.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        }
        let clocks = Self {
            wall: measured(since(ClockId::Realtime).and_then(wall)),
            monotonic: measured(since(ClockId::Monotonic)),
            since_boot: measured(since_boot()),
        };
        if root.is_copied()
            && let Ok(text) = serde_json::to_string(&clocks)
        {
            root.write_beside(CAPTURED, &text);
        }
        clocks
    }
}

impl Default for Clocks {
    fn default() -> Self {
        let none = Known::Not(Why::Absent);
        Self { wall: Known::Not(Why::Absent), monotonic: none, since_boot: none }
    }
}

fn measured<T>(value: Option<T>) -> Known<T> {
    value.map_or(Known::Not(Why::NotApplicable), |value| Known::is(value, By::Measured))
}

fn since(clock: ClockId) -> Option<Duration> {
    let read = clock_gettime(clock);
    let (seconds, nanos) = (u64::try_from(read.tv_sec).ok()?, u32::try_from(read.tv_nsec).ok()?);
    Some(Duration::new(seconds, nanos))
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn since_boot() -> Option<Duration> {
    since(ClockId::Boottime)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn since_boot() -> Option<Duration> {
    None
}

fn wall(since_epoch: Duration) -> Option<WallTime> {
    i64::try_from(since_epoch.as_nanos()).ok().map(WallTime::from_nanos)
}
