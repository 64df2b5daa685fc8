//! Values for people, in the unit that suits their size.

use trueline_core::{Metric, number};

/// A value of a metric with its unit.
pub(super) fn worded(metric: Metric, value: f64) -> String {
    match metric.words().0 {
        "s" => seconds(value),
        "" => number::short(value, 3),
        unit => format!("{} {unit}", number::short(value, 4)),
    }
}

/// Seconds, as milliseconds or microseconds where there are few.
pub(super) fn seconds(value: f64) -> String {
    let (scale, unit) = match value.abs() {
        x if x >= 1.0 || x == 0.0 => (1.0, "s"),
        x if x >= 1e-4 => (1e3, "ms"),
        _ => (1e6, "us"),
    };
    format!("{} {unit}", number::short(value * scale, 3))
}
