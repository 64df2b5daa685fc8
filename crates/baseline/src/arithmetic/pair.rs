//! Two numbers that must agree: what a tool states and what follows from its other numbers.

use trueline_core::Metric;

/// A stated number beside the one that follows from others.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pair {
    /// The metric that is stated.
    pub(super) metric: Metric,
    /// What is stated, and beside what it stands, in words.
    pub(super) what: String,
    /// What is stated.
    pub(super) stated: f64,
    /// What follows from the rest, in the same unit.
    pub(super) derived: f64,
    /// The share by which rounding may set them apart.
    pub(super) slack: f64,
}

impl Pair {
    /// Stated over derived; none where nothing can follow.
    pub(super) fn ratio(&self) -> Option<f64> {
        let ratio = self.stated / self.derived;
        (ratio.is_finite() && ratio > 0.0).then_some(ratio)
    }

    /// How far apart they are beyond rounding, as a share of the derived one.
    pub(super) fn apart(&self) -> f64 {
        self.ratio().map_or(0.0, |ratio| ((ratio - 1.0).abs() - self.slack).max(0.0))
    }
}
