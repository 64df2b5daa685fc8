//! What one field said over all its lines.

use std::time::Duration;

use trueline_core::{Tokens, TokensPerSecond};

use super::{IntervalField, Said};
use crate::Values;

/// How many times the usual gap a gap must be to count as silence: a line that an idle server leaves out makes
/// it two.
const SILENT_OVER: f64 = 1.5;

/// What one field said over all its lines.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IntervalStats {
    values: Values,
    zeros: u64,
    refused: u64,
    gaps: Values,
    gap_nanos: u128,
    hit_factors: Values,
    total: u128,
    step_nanos: u128,
}

impl IntervalStats {
    /// The numbers, in the unit of what the field states; zeros are among them.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// How many of them are zero.
    pub fn zeros(&self) -> u64 {
        self.zeros
    }

    /// How many times it stated what is no finite number or lies below zero.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// How often a line comes: the median time between two of them; `None` without stamps.
    pub fn every(&self) -> Option<Duration> {
        Duration::try_from_secs_f64(self.gaps.median()?).ok()
    }

    /// The time between its lines, summed over writers; zero without stamps.
    pub fn span(&self) -> Duration {
        duration(self.gap_nanos)
    }

    /// The part of that time in gaps longer than 1.5 times the usual: lines that an idle server left out. Such a
    /// gap is no zero. `None` without stamps or where there are too many to keep each.
    pub fn silent(&self) -> Option<Duration> {
        let usual = self.gaps.median()?;
        let silent = self.gaps.sorted()?.iter().filter(|gap| **gap > SILENT_OVER * usual).sum();
        Duration::try_from_secs_f64(silent).ok()
    }

    /// What a rate that counts cached tokens is too high by, at the prefix hit rate of the same line.
    ///
    /// # Formula
    /// `1 / (1 - hit rate)`, for lines with a rate above zero and a hit rate below 1. A server states its hit rate
    /// over a window of its own, so this is near the true factor, not equal to it.
    pub fn hit_factors(&self) -> &Values {
        &self.hit_factors
    }

    /// What was counted, summed: the tokens of steps, or the numbers of a field that counts something.
    pub fn total(&self) -> u128 {
        self.total
    }

    /// The time of the steps, summed.
    pub fn step_time(&self) -> Duration {
        duration(self.step_nanos)
    }

    /// The tokens of all steps over the time of all steps.
    pub fn sum_over_sum(&self) -> Option<TokensPerSecond> {
        Tokens::new(u64::try_from(self.total).ok()?).per(self.step_time())
    }

    pub(super) fn say(&mut self, field: &IntervalField, said: Said) {
        if !said.value.is_finite() || said.value < 0.0 {
            self.refused += 1;
            return;
        }
        self.values.push(said.value);
        self.zeros += u64::from(said.value == 0.0);
        if let Some(after) = said.after {
            self.gaps.push(after.as_secs_f64());
            self.gap_nanos += after.as_nanos();
        }
        if let Some(hit) = said.hit.map(trueline_core::Share::get)
            && field.may_count_cached()
            && said.value > 0.0
            && hit < 1.0
        {
            self.hit_factors.push(1.0 / (1.0 - hit));
        }
    }

    pub(super) fn step(&mut self, tokens: Tokens, took: Duration) {
        let Some(rate) = tokens.per(took) else {
            self.refused += 1;
            return;
        };
        self.values.push(rate.get());
        self.zeros += u64::from(tokens.get() == 0);
        self.total += u128::from(tokens.get());
        self.step_nanos += took.as_nanos();
    }

    pub(super) fn count(&mut self, number: u64) {
        self.values.push(Tokens::new(number).as_f64());
        self.zeros += u64::from(number == 0);
        self.total += u128::from(number);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.values.merge(&other.values);
        self.zeros += other.zeros;
        self.refused += other.refused;
        self.gaps.merge(&other.gaps);
        self.gap_nanos += other.gap_nanos;
        self.hit_factors.merge(&other.hit_factors);
        self.total += other.total;
        self.step_nanos += other.step_nanos;
    }
}

/// Nanoseconds as a duration, at most the longest one.
fn duration(nanos: u128) -> Duration {
    const SECOND: u128 = 1_000_000_000;
    let seconds = u64::try_from(nanos / SECOND).unwrap_or(u64::MAX);
    let rest = u32::try_from(nanos % SECOND).unwrap_or_default();
    Duration::new(seconds, rest)
}
