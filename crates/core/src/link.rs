//! One factor of a chain of ratios.

use serde::{Deserialize, Serialize};

/// One factor of a chain of ratios.
///
/// # Units
/// `of_value` and `over_value` in the unit of the claim's metric. Intervals are at 95 %.
///
/// # Examples
/// ```
/// use trueline_core::Link;
/// let link = Link::new(1.1, "library", "engine").with_interval(1.04, 1.16);
/// assert_eq!(link.interval, Some((1.04, 1.16)));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Link {
    /// `of` over `over`.
    pub ratio: f64,
    /// What is above the line.
    pub of: String,
    /// What is below the line.
    pub over: String,
    /// The ratio's interval.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub interval: Option<(f64, f64)>,
    /// What was measured of `of` for this ratio.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub of_value: Option<f64>,
    /// That measurement's interval.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub of_interval: Option<(f64, f64)>,
    /// What was measured of `over` for this ratio.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub over_value: Option<f64>,
    /// That measurement's interval.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub over_interval: Option<(f64, f64)>,
}

impl Link {
    /// A ratio of which nothing but its value is known.
    pub fn new(ratio: f64, of: impl Into<String>, over: impl Into<String>) -> Self {
        Self {
            ratio,
            of: of.into(),
            over: over.into(),
            interval: None,
            of_value: None,
            of_interval: None,
            over_value: None,
            over_interval: None,
        }
    }

    /// The same with the ratio's interval.
    #[must_use]
    pub const fn with_interval(mut self, low: f64, high: f64) -> Self {
        self.interval = Some((low, high));
        self
    }
}
