//! What a look at the clock costs.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use trueline_core::{By, Known, Why};

use super::samples::median;

/// Batches, and looks at the clock in each.
const BATCHES: usize = 100;
const LOOKS: u32 = 1_000;

/// What a look at the clock costs.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct TimerCost {
    /// One look, the median over batches of a thousand.
    pub call_ns: Known<f64>,
    /// The longest time between two looks that follow each other: something else ran.
    pub longest_gap_us: Known<f64>,
}

/// Measures it for a few milliseconds; a tenth of a second where the kernel has to be asked.
pub(super) fn measure() -> TimerCost {
    let mut longest = Duration::ZERO;
    let mut batches = Vec::with_capacity(BATCHES);
    let mut before = Instant::now();
    for _ in 0..BATCHES {
        let start = before;
        for _ in 0..LOOKS {
            let now = Instant::now();
            longest = longest.max(now.duration_since(before));
            before = now;
        }
        batches.push(before.duration_since(start).as_secs_f64() * 1e9 / f64::from(LOOKS));
    }
    let known = |value: Option<f64>| {
        value.map_or(Known::Not(Why::Impossible), |value| Known::is(value, By::Measured))
    };
    TimerCost {
        call_ns: known(median(&batches).filter(|ns| *ns > 0.0)),
        longest_gap_us: known(Some(longest.as_secs_f64() * 1e6)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_at_the_clock_takes_time_and_not_a_millisecond() {
        // 20 ns from the processor's counter, about 1 µs from HPET, unoptimised a few times that.
        let cost = measure();
        let call = cost.call_ns.value().unwrap();
        assert!((1.0..1e6).contains(&call), "{call} ns");
        assert!(cost.longest_gap_us.value().unwrap() * 1e3 >= call);
    }
}
