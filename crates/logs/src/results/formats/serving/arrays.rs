//! Requests that stand as arrays side by side: `input_lens`, `output_lens`, `ttfts`, `itls`.

use std::time::Duration;

use trueline_core::{By, Known, Outcome, RequestRecord, Stretch, Why};

use crate::results::draft::Draft;
use crate::results::node::{Map, Node, known_count};
use crate::results::quantity::{above_zero, duration_at, seconds, tokens};

/// The requests of a document with arrays in seconds. An array that is no list, or has another
/// length than `output_lens`, is noted and not used.
pub(in crate::results::formats) fn take_arrays(draft: &mut Draft, map: &Map) {
    let Some(lengths) = map.get("output_lens").and_then(Node::list) else { return };
    let n = lengths.len();
    let mut column = |key: &str| -> Option<&[Node]> {
        let node = map.get(key)?;
        match node.list() {
            Some(list) if list.len() == n => Some(list),
            Some([]) => None,
            _ => {
                draft.reject(key, format!("a list of {n}"), node.brief());
                None
            }
        }
    };
    let (prompts, ttfts) = (column("input_lens"), column("ttfts"));
    let (gaps, errors) = (column("itls"), column("errors"));
    let (starts, latencies) = (column("start_times"), column("latencies"));
    let at = |column: Option<&[Node]>, i: usize| column.and_then(|list| list.get(i)).cloned();
    for (i, length) in lengths.iter().enumerate() {
        let mut request = RequestRecord::default();
        let error = at(errors, i);
        let output = known_count(Some(length));
        let ttft = above_zero(duration_at(at(ttfts, i).as_ref(), 1.0));
        let failed = error.as_ref().and_then(Node::text).is_some_and(|e| !e.is_empty());
        let empty = output.value() == Some(0) && !ttft.is_known();
        request.outcome = if failed || empty { Outcome::Failed } else { Outcome::Ok };
        request.tokens.prompt = tokens(known_count(at(prompts, i).as_ref()));
        request.tokens.output = tokens(output);
        request.sent_after = duration_at(at(starts, i).as_ref(), 1.0);
        if request.outcome == Outcome::Ok {
            request.gaps = gaps_of(at(gaps, i).as_ref());
            let stated = above_zero(duration_at(at(latencies, i).as_ref(), 1.0));
            let streamed = ttft.value().filter(|_| !request.gaps.is_empty());
            let summed = streamed.map(|first| first + request.gaps.iter().sum::<Duration>());
            request.spans.set(Stretch::ClientTtft, ttft);
            let e2e = stated.or(Known::derived(summed, Why::NeedsMore));
            request.spans.set(Stretch::ClientE2e, e2e);
        }
        draft.used += 1;
        draft.run.requests.push(request);
    }
}

/// The gaps between chunks; none where one of them is no time.
fn gaps_of(node: Option<&Node>) -> Vec<Duration> {
    let list = node.and_then(Node::list).unwrap_or_default();
    let gaps: Option<Vec<Duration>> = list
        .iter()
        .map(|gap| {
            seconds(
                gap.number().map_or(Known::Not(Why::Impossible), |x| Known::is(x, By::Measured)),
            )
            .value()
        })
        .collect();
    gaps.unwrap_or_default()
}
