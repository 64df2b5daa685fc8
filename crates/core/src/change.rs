//! What a change is said to have touched and to have removed.

/// What a change is said to have touched and to have removed, and the times before and after it.
///
/// # Units
/// Shares of the baseline's time, 0 to 1. `removed`, `before` and `after` in the unit of the
/// claim's metric.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct Change {
    /// The share of the baseline's time that the change touches.
    pub changed_share: Option<f64>,
    /// The share of the baseline's time that it is said to remove.
    pub saved: Option<f64>,
    /// The time that it is said to remove.
    pub removed: Option<f64>,
    /// What was measured before it.
    pub before: Option<f64>,
    /// What was measured after it.
    pub after: Option<f64>,
}
