//! In which steps the clock moves.

use std::time::{Duration, Instant};

/// How often the clock is read.
const READINGS: usize = 1_000;

/// The smallest step in which the clock was seen to move between one reading and the next; `None` where it
/// stood still all the time.
pub(crate) fn clock_step() -> Option<Duration> {
    let mut last = Instant::now();
    (0..READINGS)
        .map(|_| {
            let now = Instant::now();
            now.saturating_duration_since(std::mem::replace(&mut last, now))
        })
        .filter(|step| !step.is_zero())
        .min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_moves_in_steps_far_below_a_millisecond() {
        assert!(clock_step().is_none_or(|step| step < Duration::from_millis(1)));
    }
}
