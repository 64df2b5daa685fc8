//! Counts as floats to reckon with.

/// A number of things in memory as a float.
#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
pub(crate) const fn count(n: usize) -> f64 {
    n as f64
}

/// A count that somebody states as a float.
#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
pub(crate) const fn real(n: u64) -> f64 {
    n as f64
}
