//! The requests of a GuideLLM benchmark, kept in three lists by how they ended.
//!
//! The lists may be empty or a sample of the run, and they hold requests of the warm-up and
//! cool-down, which the figures leave out.

use trueline_core::{By, Known, Outcome, RequestRecord, Stretch, WallTime, Why};

use crate::results::draft::Draft;
use crate::results::node::{Map, Node, known_count, number_at, text_at};
use crate::results::quantity::{MS, above_zero, seconds, tokens};

/// Takes the requests of a benchmark.
pub(super) fn take_requests(draft: &mut Draft, benchmark: &Map) {
    let window = ["measure_start_time", "measure_end_time"]
        .map(|key| number_at(benchmark, &["scheduler_metrics", key]));
    for (key, outcome) in [
        ("successful", Outcome::Ok),
        ("errored", Outcome::Failed),
        ("incomplete", Outcome::Cancelled),
    ] {
        let list = benchmark.at(&["requests", key]).and_then(Node::list).unwrap_or_default();
        for (i, node) in list.iter().enumerate() {
            let Some(map) = draft.object(format!("requests.{key}[{i}]"), node) else { continue };
            let mut request = record(map, outcome);
            request.warmup = is_outside(map, window);
            draft.used += 1;
            draft.run.requests.push(request);
        }
    }
}

/// Whether a request lies wholly before or behind the measured window.
fn is_outside(map: &Map, [from, to]: [Option<f64>; 2]) -> bool {
    let timing = |key| number_at(map, &["info", "timings", key]);
    let start = timing("request_start").or_else(|| number_at(map, &["request_start_time"]));
    let end = timing("request_end").or_else(|| number_at(map, &["request_end_time"]));
    let before = end.zip(from).is_some_and(|(end, from)| end < from);
    let behind = start.zip(to).is_some_and(|(start, to)| start > to);
    before || behind
}

fn record(map: &Map, outcome: Outcome) -> RequestRecord {
    let mut request = RequestRecord::default();
    let timing = |key| number_at(map, &["info", "timings", key]);
    let count = |key: &str, part: &[&str]| match map.get(key) {
        Some(Node::Null) | None => tokens(known_count(map.at(part))),
        node => tokens(known_count(node)),
    };
    request.id = text_at(map, &["request_id"]).map(str::to_owned);
    request.session = text_at(map, &["info", "conversation_id"]).map(str::to_owned);
    request.outcome = outcome;
    request.tokens.prompt = count("prompt_tokens", &["input_metrics", "total_tokens"]);
    request.tokens.cached = count("cached_tokens", &["input_metrics", "cached_tokens"]);
    request.tokens.output = count("output_tokens", &["output_metrics", "total_tokens"]);
    let start = timing("request_start");
    if let Some(at) = start.or_else(|| number_at(map, &["request_start_time"])) {
        request.started = match WallTime::from_secs_f64(at) {
            Some(at) => Known::is(at, By::Measured),
            None => Known::Not(Why::Impossible),
        };
    }
    if outcome == Outcome::Ok {
        let stated = |key: &str, unit: f64| number_at(map, &[key]).map(|x| x * unit);
        let since = |key| start.zip(timing(key)).map(|(from, to)| to - from);
        let took = |value: Option<f64>| match value {
            Some(x) => above_zero(seconds(Known::is(x, By::Measured))),
            None => Known::Not(Why::Absent),
        };
        let first = since("first_token_iteration").or(stated("time_to_first_token_ms", MS));
        let last = since("last_token_iteration").or(stated("request_latency", 1.0));
        request.spans.set(Stretch::ClientTtft, took(first));
        request.spans.set(Stretch::ClientE2e, took(last));
    }
    request
}
