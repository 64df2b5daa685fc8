//! How a log is written, its faults included.

use std::time::Duration;

use trueline_core::{Tokens, WallTime};

use crate::{LedgerEntry, SimTime};

/// What the rate field of a log is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum RateField {
    /// New tokens over TTFT.
    #[default]
    Honest,
    /// All prompt tokens, cached ones too, over TTFT.
    CachedTokensIn,
    /// New tokens over their computation alone: queue and fixed cost are left out.
    TimeLeftOut,
}

/// How much llama.cpp's text log says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Verbosity {
    /// Its default, level 3: nothing of the whole prompt, so nothing of what was cached.
    #[default]
    Default,
    /// Level 4: the whole prompt too.
    Verbose,
}

/// The wall clock is set while the server runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClockStep {
    /// When.
    pub at: SimTime,
    /// By how many nanoseconds, backwards where negative.
    pub by_nanos: i64,
}

impl ClockStep {
    /// A step of the clock.
    pub const fn new(at: SimTime, by_nanos: i64) -> Self {
        Self { at, by_nanos }
    }
}

/// How a log is written.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LogStyle {
    /// The wall time of the simulation's start.
    pub start: WallTime,
    /// The model's name.
    pub model: String,
    /// What the rate field is made of.
    pub rate: RateField,
    /// Steps of the wall clock. They move stamps, not durations.
    pub clock_steps: Vec<ClockStep>,
    /// How much llama.cpp's text log says.
    pub verbosity: Verbosity,
    /// The context of a slot that llama.cpp's text log names; it limits nothing.
    pub context: Tokens,
}

impl LogStyle {
    /// A log of a model that begins at a wall time, honest and with a clock that runs evenly.
    pub fn new(start: WallTime, model: impl Into<String>) -> Self {
        Self {
            start,
            model: model.into(),
            rate: RateField::default(),
            clock_steps: Vec::new(),
            verbosity: Verbosity::default(),
            context: Tokens::new(131_072),
        }
    }

    /// What the wall clock shows at a moment.
    ///
    /// # Formula
    /// `start + at + sum of the steps up to at`.
    pub fn wall(&self, at: SimTime) -> WallTime {
        let steps = self.clock_steps.iter().filter(|step| step.at <= at);
        let moved = steps.fold(0_i64, |sum, step| sum.saturating_add(step.by_nanos));
        let since = i64::try_from(at.as_nanos()).unwrap_or(i64::MAX);
        WallTime::from_nanos(self.start.as_nanos().saturating_add(since).saturating_add(moved))
    }

    /// The rate field of a request; `None` before its first token and where it would divide by zero.
    pub(super) fn rate_of(&self, entry: &LedgerEntry) -> Option<f64> {
        let ttft = entry.ttft()?;
        match self.rate {
            RateField::Honest => per_second(entry.computed, ttft),
            RateField::CachedTokensIn => per_second(entry.prompt, ttft),
            RateField::TimeLeftOut => per_second(entry.computed, entry.compute),
        }
    }
}

/// Tokens a second; `None` for no time.
pub(super) fn per_second(tokens: Tokens, took: Duration) -> Option<f64> {
    tokens.per(took).map(trueline_core::TokensPerSecond::get)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_set_moves_what_comes_after() {
        let mut style = LogStyle::new(WallTime::from_nanos(1_000), "m");
        style.clock_steps = vec![ClockStep::new(SimTime::from_nanos(50), -30)];
        let shown = |at| style.wall(SimTime::from_nanos(at)).as_nanos();
        assert_eq!([shown(0), shown(49), shown(50), shown(60)], [1_000, 1_049, 1_020, 1_030]);
    }
}
