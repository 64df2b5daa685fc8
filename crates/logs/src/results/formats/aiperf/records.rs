//! `profile_export.jsonl`: one line a request, times by the client's wall clock in nanoseconds.

use std::time::Duration;

use trueline_core::{
    By, Known, Outcome, ReportedRate, RequestRecord, Stretch, TokensPerSecond, Total, WallTime, Why,
};

use super::TOOL;
use super::fields::{FIELDS, is_of_family};
use super::stated::factor;
use crate::results::draft::Draft;
use crate::results::drafts::Drafts;
use crate::results::meaning::Meanings;
use crate::results::node::{Map, Node, counted, known_number};
use crate::results::quantity::{NS, scaled, seconds, tokens};

/// Where a run keeps which profiling phase it holds.
const PHASE: &str = "profiling_phase";

/// The tool's own counts, summed where the server counts the same: total, key, the server's key.
const OWN: [(Total, &str, &str); 2] = [
    (Total::OwnPromptTokens, "input_sequence_length", "usage_prompt_tokens"),
    (Total::OwnOutputTokens, "output_sequence_length", "usage_completion_tokens"),
];

pub(super) fn list(list: &mut Meanings) {
    for (total, key, _) in OWN {
        list.total(format!("metrics.{key}"), total);
    }
}

pub(super) fn is(map: &Map) -> Option<String> {
    let metadata = map.get("metadata")?.map()?;
    let is_record = map.get("metrics")?.map().is_some()
        && metadata.has_all(&["request_start_ns", "request_end_ns", "worker_id"]);
    is_record.then(|| "metadata.request_start_ns, worker_id, metrics".to_owned())
}

pub(super) fn read(map: &Map, drafts: &mut Drafts) {
    let (Some(metadata), Some(metrics)) =
        (map.get("metadata").and_then(Node::map), map.get("metrics").and_then(Node::map))
    else {
        return;
    };
    let request = request(map, metadata, metrics);
    let draft = run_of(drafts, metadata, request.warmup);
    draft.used += 1;
    for (tag, _) in metrics.iter() {
        if !FIELDS.iter().any(|field| field.tag == tag) && !is_of_family(tag) {
            draft.unknown.insert(format!("metrics.{tag}"));
        }
    }
    if !request.warmup && request.outcome == Outcome::Ok {
        for (total, own, server) in OWN {
            if count(metrics, server).is_known() {
                draft.add(total, count(metrics, own).value(), &format!("metrics.{own}"));
            }
        }
    }
    draft.run.requests.push(request);
}

/// The run that a record belongs to: one for each profiling phase, as each has a load of its own.
/// The warm-up goes to the run that is being read.
fn run_of<'d>(drafts: &'d mut Drafts, metadata: &Map, warmup: bool) -> &'d mut Draft {
    let phase = metadata.get("profiling_index").and_then(Node::count).map(|n| n.to_string());
    let Some(phase) = phase.filter(|_| !warmup) else { return drafts.current(TOOL) };
    // A run without a phase waits for the first that is named.
    let waiting = (drafts.places.is_empty() && !drafts.runs.is_empty()).then_some(0);
    let at = drafts.places.get(&phase).copied().or(waiting).unwrap_or_else(|| {
        drafts.begin(TOOL);
        drafts.runs.len() - 1
    });
    drafts.places.insert(phase.clone(), at);
    let draft = &mut drafts.runs[at];
    draft.run.conditions.set(PHASE, phase, By::Reported);
    draft
}

fn request(map: &Map, metadata: &Map, metrics: &Map) -> RequestRecord {
    let text = |key: &str| metadata.get(key).and_then(Node::text).map(str::to_owned);
    let flag = |key: &str| metadata.get(key) == Some(&Node::Bool(true));
    let mut request = RequestRecord::default();
    request.id = text("x_request_id");
    request.session = text("x_correlation_id").or_else(|| text("conversation_id"));
    // Versions without phases wrote no warm-up.
    request.warmup = text("benchmark_phase").is_some_and(|phase| phase == "warmup");
    request.started = wall(metadata.get("request_start_ns"));
    request.outcome = if flag("was_cancelled") {
        Outcome::Cancelled
    } else if map.get("error").is_some_and(|error| *error != Node::Null) {
        Outcome::Failed
    } else {
        Outcome::Ok
    };
    let of = |server, own| tokens(count(metrics, server).or(count(metrics, own)));
    request.tokens.prompt = of("usage_prompt_tokens", "input_sequence_length");
    request.tokens.output = of("usage_completion_tokens", "output_sequence_length");
    request.tokens.cached = tokens(count(metrics, "usage_prompt_cache_read_tokens"));
    if request.outcome == Outcome::Ok {
        request.spans.set(Stretch::ClientTtft, time(metrics, "time_to_first_token"));
        request.spans.set(Stretch::ClientE2e, time(metrics, "request_latency"));
        request.gaps = gaps(metrics).unwrap_or_default();
        if metrics.has("prefill_throughput_per_user") {
            let rate = match value(metrics, "prefill_throughput_per_user") {
                Known::Is { value, by } => TokensPerSecond::new(value)
                    .map_or(Known::Not(Why::Impossible), |rate| Known::is(rate, by)),
                Known::Not(why) => Known::Not(why),
            };
            let field = "prefill_throughput_per_user".into();
            request.reported.push(ReportedRate { field, rate });
        }
    }
    request
}

/// What a metric of a record says, in our unit.
fn value(metrics: &Map, tag: &str) -> Known<f64> {
    let Some(metric) = metrics.get(tag).and_then(Node::map) else {
        return Known::Not(Why::Absent);
    };
    match factor(metric.get("unit").and_then(Node::text).unwrap_or_default()) {
        Some(unit) => scaled(known_number(metric.get("value")), unit),
        None => Known::Not(Why::Impossible),
    }
}

fn count(metrics: &Map, tag: &str) -> Known<u64> {
    counted(value(metrics, tag))
}

fn time(metrics: &Map, tag: &str) -> Known<Duration> {
    seconds(value(metrics, tag))
}

/// The gaps between chunks with content; `None` where one of them is no time.
fn gaps(metrics: &Map) -> Option<Vec<Duration>> {
    let metric = metrics.get("inter_chunk_latency")?.map()?;
    let unit = factor(metric.get("unit")?.text()?)?;
    let gap = |node: &Node| seconds(scaled(known_number(Some(node)), unit)).value();
    metric.get("value")?.list()?.iter().map(gap).collect()
}

/// A wall time in nanoseconds, true to a quarter of a microsecond. Zero stands for none.
fn wall(node: Option<&Node>) -> Known<WallTime> {
    match known_number(node) {
        Known::Is { value, .. } if value <= 0.0 => Known::Not(Why::Absent),
        Known::Is { value, by } => WallTime::from_secs_f64(value * NS)
            .map_or(Known::Not(Why::Impossible), |at| Known::is(at, by)),
        Known::Not(why) => Known::Not(why),
    }
}
