//! Means, and how far values lie from theirs.

use super::count;

/// The arithmetic mean; `None` of none.
pub(crate) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / count(values.len()))
}

/// The sum of the squared distances of values to a point: over `n` the variance of a population
/// about its mean, over `n - 1` that of a sample.
pub(crate) fn squares_about(point: f64, values: &[f64]) -> f64 {
    values.iter().map(|x| (x - point).powi(2)).sum()
}
