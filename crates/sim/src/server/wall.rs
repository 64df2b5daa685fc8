//! The wall clock of the server, which faults step.

use std::collections::HashMap;
use std::time::{SystemTime, UNIX_EPOCH};

use trueline_core::WallTime;

use super::faults::Fault;
use crate::{ClockStep, Event, Happening, RequestId, SimTime};

/// In nanoseconds.
const SECOND: i64 = 1_000_000_000;

/// The wall clock: where it began, and by how much it was stepped since.
#[derive(Debug)]
pub(super) struct WallClock {
    start: WallTime,
    /// By how many seconds it is stepped with which request's first token.
    to_come: HashMap<RequestId, i32>,
    steps: Vec<ClockStep>,
}

impl WallClock {
    /// A clock that begins now.
    pub(super) fn new() -> Self {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let nanos = i64::try_from(since_epoch.as_nanos()).unwrap_or(i64::MAX);
        Self { start: WallTime::from_nanos(nanos), to_come: HashMap::new(), steps: Vec::new() }
    }

    pub(super) const fn start(&self) -> WallTime {
        self.start
    }

    /// What it was stepped by so far.
    pub(super) fn steps(&self) -> &[ClockStep] {
        &self.steps
    }

    /// What it says at a moment, in whole seconds since 1970.
    pub(super) fn unix_seconds(&self, now: SimTime) -> i64 {
        let stepped: i64 = self.steps.iter().map(|step| step.by_nanos).sum();
        let wall = self.start.plus(now.since_start());
        wall.map_or(0, |wall| wall.as_nanos().saturating_add(stepped).div_euclid(SECOND))
    }

    /// Has faults step it with the first token of a request. Gives by how many seconds; `None` where
    /// they do not, or where it was stepped by so much already.
    pub(super) fn step_with(&mut self, id: RequestId, faults: &[Fault]) -> Option<i32> {
        let asked = faults.iter().find_map(|fault| match fault {
            Fault::ClockStep(seconds) => Some(*seconds),
            _ => None,
        })?;
        let step = (!self.stepped_by(asked)).then_some(asked)?;
        self.to_come.insert(id, step);
        Some(step)
    }

    /// Takes in what happened.
    pub(super) fn take(&mut self, event: &Event) {
        if self.to_come.is_empty() {
            return;
        }
        let first = matches!(event.what, Happening::Tokens { .. });
        let over = matches!(event.what, Happening::Finished { .. });
        if (first || over)
            && let Some(seconds) = self.to_come.remove(&event.request)
            && first
            && !self.stepped_by(seconds)
        {
            self.steps.push(ClockStep::new(event.at, nanos(seconds)));
        }
    }

    fn stepped_by(&self, seconds: i32) -> bool {
        self.steps.iter().any(|step| step.by_nanos == nanos(seconds))
    }
}

fn nanos(seconds: i32) -> i64 {
    i64::from(seconds) * SECOND
}

#[cfg(test)]
mod tests {
    use trueline_core::Tokens;

    use super::*;
    use crate::Finish;

    fn happens(clock: &mut WallClock, request: u64, what: Happening) {
        clock.take(&Event { at: SimTime::ZERO, request: RequestId(request), what });
    }

    const ONE: Happening = Happening::Tokens { n: Tokens::new(1) };

    #[test]
    fn the_clock_is_stepped_once_by_each_amount_and_with_a_token_alone() {
        let mut clock = WallClock::new();
        let before = clock.unix_seconds(SimTime::ZERO);
        let hour = [Fault::ClockStep(3_600)];
        assert_eq!(clock.step_with(RequestId(0), &[Fault::Buffered]), None);
        assert_eq!(clock.step_with(RequestId(1), &hour), Some(3_600));
        assert_eq!(clock.step_with(RequestId(2), &hour), Some(3_600));
        happens(&mut clock, 1, Happening::Finished { reason: Finish::Cancelled });
        assert_eq!(clock.unix_seconds(SimTime::ZERO), before);
        happens(&mut clock, 2, ONE);
        happens(&mut clock, 2, ONE);
        assert_eq!(clock.unix_seconds(SimTime::ZERO), before + 3_600);
        assert_eq!(clock.step_with(RequestId(3), &hour), None);
        assert_eq!(clock.step_with(RequestId(4), &[Fault::ClockStep(-60)]), Some(-60));
        happens(&mut clock, 4, ONE);
        assert_eq!(clock.unix_seconds(SimTime::ZERO), before + 3_540);
    }
}
