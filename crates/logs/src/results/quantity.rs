//! Numbers of a file as times, tokens and values in our units, known or not.

use std::time::Duration;

use trueline_core::{Known, Tokens, Why};

use super::node::{Node, known_number};

/// What a millisecond is in seconds.
pub(crate) const MS: f64 = 1e-3;

/// What a nanosecond is in seconds.
pub(crate) const NS: f64 = 1e-9;

/// What one a minute is a second.
pub(crate) const PER_MINUTE: f64 = 1.0 / 60.0;

/// A value in another unit.
pub(crate) fn scaled(value: Known<f64>, unit: f64) -> Known<f64> {
    match value {
        Known::Is { value, by } => Known::is(value * unit, by),
        Known::Not(why) => Known::Not(why),
    }
}

/// A number of seconds as a duration; impossible where it is negative or beyond any run.
pub(crate) fn seconds(value: Known<f64>) -> Known<Duration> {
    match value {
        Known::Is { value, by } => match Duration::try_from_secs_f64(value) {
            Ok(duration) if value < 1e8 => Known::is(duration, by),
            _ => Known::Not(Why::Impossible),
        },
        Known::Not(why) => Known::Not(why),
    }
}

/// The number at a key as a duration.
pub(crate) fn duration_at(node: Option<&Node>, unit: f64) -> Known<Duration> {
    seconds(scaled(known_number(node), unit))
}

/// A time of zero stands for none.
pub(crate) fn above_zero(value: Known<Duration>) -> Known<Duration> {
    match value.value() {
        Some(Duration::ZERO) => Known::Not(Why::Absent),
        _ => value,
    }
}

/// A count as tokens.
pub(crate) fn tokens(count: Known<u64>) -> Known<Tokens> {
    match count {
        Known::Is { value, by } => Known::is(Tokens::new(value), by),
        Known::Not(why) => Known::Not(why),
    }
}
