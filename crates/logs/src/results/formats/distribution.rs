//! Objects of statistics, such as `{"mean": 3, "p50": 2, "count": 8}`, and zeros that stand for
//! nothing in them.

use std::time::Duration;

use trueline_core::{Known, Metric, Statistic, Why};

use crate::results::draft::Draft;
use crate::results::node::{Map, Node};
use crate::results::row::{Row, Takes};

/// Takes an object of statistics by the row of its key, a row of one figure. Null or another kind
/// of value is noted as a mean that is not known; where `count` is 0 nothing of it is known.
pub(super) fn take_distribution(
    draft: &mut Draft,
    source: &str,
    node: &Node,
    row: &Row,
    known: &[&str],
) {
    let Takes::Run(metric, meaning) = row.takes else { return };
    let Some(map) = node.map() else {
        let why = match node {
            Node::Null => Why::Null,
            _ => Why::Impossible,
        };
        draft.figure(metric, Some(Statistic::Mean), Known::Not(why), meaning, source);
        return;
    };
    let from = draft.run.reported.figures.len();
    draft.take_spread(source, map, (metric, row.unit, meaning), known);
    if rests_on_nothing(map) {
        forget(draft, from);
    }
}

/// Whether an object says that it rests on no sample.
pub(super) fn rests_on_nothing(map: &Map) -> bool {
    map.get("count").and_then(Node::count) == Some(0)
}

/// Figures from the given one on are not known: they rest on no sample.
pub(super) fn forget(draft: &mut Draft, from: usize) {
    for figure in draft.run.reported.figures.iter_mut().skip(from) {
        figure.value = Known::Not(Why::ZeroForNone);
    }
}

/// Zeros of some metrics are not known: the tool writes zero where it has nothing. A deviation of
/// zero stays. A duration of zero is none either.
pub(super) fn zeros_are_nothing(draft: &mut Draft, of: fn(Metric) -> bool) {
    for figure in &mut draft.run.reported.figures {
        let counts = of(figure.metric) && figure.statistic != Some(Statistic::Deviation);
        if counts && figure.value.value() == Some(0.0) {
            figure.value = Known::Not(Why::ZeroForNone);
        }
    }
    if draft.run.reported.duration.value() == Some(Duration::ZERO) {
        draft.run.reported.duration = Known::Not(Why::ZeroForNone);
    }
}

/// The times of an answered request that cannot be zero.
pub(super) fn takes_time(metric: Metric) -> bool {
    matches!(metric, Metric::TtftS | Metric::TpotS | Metric::E2eLatencyS | Metric::E2ePerTokenS)
}
