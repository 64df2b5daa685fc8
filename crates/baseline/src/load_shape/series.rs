//! What is measured of each request, beside how much work it was.

use trueline_core::{Metric, RequestRecord, Share, Tokens};

use super::timeline::Sent;
use crate::samples::value_of;
use crate::stats::median_of;

/// One value of a request with the work behind it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    /// The value, in the metric's unit.
    pub(super) value: f64,
    /// Prompt tokens, cached ones included.
    pub(super) prompt: Option<f64>,
    /// Prompt tokens that had to be computed.
    pub(super) new: Option<f64>,
    /// Output tokens.
    pub(super) output: Option<f64>,
    /// Cached over prompt tokens.
    pub(super) hit: Option<f64>,
}

/// A number that a point may hold.
pub(super) type Field = fn(&Point) -> Option<f64>;

/// A request's value of a metric with its work; `None` where it has no such value.
pub(super) fn point(request: &RequestRecord, metric: Metric) -> Option<Point> {
    Some(Point {
        value: value_of(request, metric)?,
        prompt: request.tokens.prompt.value().map(Tokens::as_f64),
        new: request.new_tokens().value().map(Tokens::as_f64),
        output: request.tokens.output.value().map(Tokens::as_f64),
        hit: request.hit_share().value().map(Share::get),
    })
}

/// The values of a metric in the order of sending.
pub(super) fn in_send_order(measured: &[Sent<'_>], metric: Metric) -> Vec<Point> {
    measured.iter().filter_map(|sent| point(sent.request, metric)).collect()
}

/// A field of all points, or nothing where one lacks it.
pub(super) fn column(points: &[Point], of: Field) -> Option<Vec<f64>> {
    points.iter().map(of).collect()
}

/// The values alone.
pub(super) fn values(points: &[Point]) -> Vec<f64> {
    points.iter().map(|p| p.value).collect()
}

/// How much slower the first points are than the second beyond what more work explains.
///
/// # Formula
/// The quotient of the medians, over the quotient of the median prompt or output lengths where
/// either is above 1. TTFT has nothing to do with output.
pub(super) fn slower(first: &[Point], second: &[Point], metric: Metric) -> Option<f64> {
    let quotient = |of: Field| {
        let (a, b) = (median_of(column(first, of)?)?, median_of(column(second, of)?)?);
        (b > 0.0).then(|| a / b)
    };
    let took = quotient(|p| Some(p.value))?;
    let prompt = quotient(|p| p.prompt).unwrap_or(1.0);
    let output = quotient(|p| p.output).filter(|_| metric != Metric::TtftS).unwrap_or(1.0);
    Some(took / prompt.max(output).max(1.0))
}
