//! inference-perf, `per_request_lifecycle_metrics.json`: a list of requests, a file a run.
//!
//! Times are readings of a clock without a date. Text of prompts and replies is not kept.

use std::time::Duration;

use trueline_core::{By, Known, Outcome, RequestRecord, Stretch, Total, Why};

use super::TOOL;
use crate::results::draft::Draft;
use crate::results::drafts::Drafts;
use crate::results::format::{Evidence, Reader, ResultFormat};
use crate::results::node::{Map, Node, count_at, known_count};
use crate::results::quantity::{above_zero, duration_at, seconds, tokens};
use crate::results::row::Row;

pub(crate) static INFERENCE_PERF_REQUESTS: ResultFormat = ResultFormat {
    name: "inference-perf-requests",
    tool: TOOL,
    versions: "0.7.0",
    shape: "JSON, a list of requests",
    evidence: Evidence::Captured,
    source: "inference_perf/reportgen/base.py",
    reader: Reader::Documents { is, read },
    lists: |list| list.totals(&[OWN_OUTPUT]),
};

const REQUEST: &[Row] = &[
    Row::elsewhere("start_time"),
    Row::elsewhere("end_time"),
    Row::elsewhere("info"),
    Row::elsewhere("error"),
    Row::unused("request"),
    Row::unused("response"),
    Row::unused("computed_metrics"),
];

/// The tool's own count where the server counts too, summed over the answered requests.
const OWN_OUTPUT: (&str, Total) = ("info.response_metrics.output_tokens", Total::OwnOutputTokens);

fn is(map: &Map) -> Option<String> {
    let info = map.get("info").and_then(Node::map)?;
    let keys = map.has_all(&["start_time", "end_time", "error"]);
    (keys && (info.has("response_metrics") || info.has("output_token_times")))
        .then(|| "start_time, end_time, info.response_metrics".to_owned())
}

fn read(map: &Map, drafts: &mut Drafts) {
    let draft = drafts.current(TOOL);
    draft.take(map, REQUEST);
    let Some(info) = map.get("info").and_then(Node::map) else { return };
    let response = info.get("response_metrics").and_then(Node::map);
    // Older reports keep counts and times in `info` itself.
    let response = response.unwrap_or(info);
    let mut request = RequestRecord::default();
    let failed = !matches!(map.get("error"), Some(Node::Null));
    request.outcome = if failed { Outcome::Failed } else { Outcome::Ok };
    request.sent_after = duration_at(map.get("start_time"), 1.0);
    take_tokens(draft, &mut request, info, response);
    if !failed {
        take_times(&mut request, map, response);
    }
    draft.used += 1;
    draft.run.requests.push(request);
}

/// The server's counts, else the tool's own.
fn take_tokens(draft: &mut Draft, request: &mut RequestRecord, info: &Map, response: &Map) {
    let usage = response.get("server_usage").and_then(Node::map);
    let stated = |keys: [&str; 2]| {
        let of = |key: &&str| usage.and_then(|usage| usage.get(key));
        known_count(keys.iter().find_map(of))
    };
    let own_prompt = info.at(&["request_metrics", "text", "input_tokens"]);
    let own_prompt = known_count(own_prompt.or_else(|| info.get("input_tokens")));
    let own_output = known_count(response.get("output_tokens"));
    let prompt = stated(["prompt_tokens", "input_tokens"]);
    let output = stated(["completion_tokens", "output_tokens"]);
    request.tokens.prompt = tokens(prompt.or(own_prompt));
    request.tokens.output = tokens(output.or(own_output));
    let cached = ["prompt_tokens_details", "cached_tokens"];
    request.tokens.cached = tokens(known_count(usage.and_then(|usage| usage.at(&cached))));
    if request.outcome == Outcome::Ok && output.is_known() {
        let (source, total) = OWN_OUTPUT;
        draft.add(total, count_at(response, &["output_tokens"]), source);
    }
}

/// Times from the stamps of chunks that carry text. Tokens of one chunk may share its stamp.
fn take_times(request: &mut RequestRecord, map: &Map, response: &Map) {
    let number = |key| map.get(key).and_then(Node::number);
    let Some(start) = number("start_time") else { return };
    let stamps = response.get("output_token_times").or_else(|| response.get("chunk_times"));
    let list = stamps.and_then(Node::list).unwrap_or_default();
    let stamps: Option<Vec<f64>> = list.iter().map(Node::number).collect();
    let mut stamps = stamps.unwrap_or_default();
    stamps.dedup();
    let since = |at: Option<f64>| match at {
        Some(at) => above_zero(seconds(Known::is(at - start, By::Measured))),
        None => Known::Not(Why::Absent),
    };
    request.spans.set(Stretch::ClientTtft, since(stamps.first().copied()));
    let end = stamps.last().copied().or_else(|| number("end_time"));
    request.spans.set(Stretch::ClientE2e, since(end));
    let gaps: Option<Vec<Duration>> = stamps
        .iter()
        .zip(stamps.iter().skip(1))
        .map(|(a, b)| seconds(Known::is(b - a, By::Measured)).value())
        .collect();
    request.gaps = gaps.unwrap_or_default();
}
