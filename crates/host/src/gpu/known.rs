//! Readings that may be missing.

use trueline_core::{By, Known, Why};

/// Whether nobody asked or nothing answered; such a field is not written down.
pub(super) fn is_absent<T>(known: &Known<T>) -> bool {
    matches!(known, Known::Not(Why::Absent))
}

/// A reading taken off the device.
pub(super) fn measured<T>(value: T) -> Known<T> {
    Known::is(value, By::Measured)
}

/// The text of a reading.
pub(super) fn text(known: &Known<String>) -> Option<&str> {
    match known {
        Known::Is { value, .. } => Some(value),
        Known::Not(_) => None,
    }
}

/// A value computed from a reading, under the same voice.
pub(super) fn map<T, U>(known: Known<T>, with: impl FnOnce(T) -> U) -> Known<U> {
    match known {
        Known::Is { value, by } => Known::Is { value: with(value), by },
        Known::Not(why) => Known::Not(why),
    }
}
