//! Figures that somebody states and nobody measured here.

use serde::Deserialize;
use trueline_core::Metric;

/// What a stated figure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GivenWhat {
    /// The most that the machine can do.
    Ceiling,
    /// A figure of an arm, measured elsewhere or at another time.
    Figure,
}

/// A figure that somebody states: by [`trueline_core::By::Assumed`].
///
/// It never supports a claim. A ceiling turns a value into a share; a figure shows what a chain
/// of ratios would come to.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// What it is.
    pub what: GivenWhat,
    /// Of which metric.
    pub metric: Metric,
    /// The figure, in the metric's unit.
    pub value: f64,
    /// Of which arm.
    pub of: Option<String>,
    /// Who says so.
    pub source: String,
}
