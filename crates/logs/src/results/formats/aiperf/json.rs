//! `profile_export_aiperf.json`: one object a run, one key a metric.

use std::collections::BTreeSet;

use jiff::civil::DateTime;
use trueline_core::{By, Known, TokensBy, Total, Why};

use super::TOOL;
use super::config::take_config;
use super::field::Field;
use super::fields::{FIELDS, is_of_family};
use super::stated::{Metrics, Stated, Value};
use crate::results::draft::Draft;
use crate::results::drafts::Drafts;
use crate::results::node::{Map, Node, known_number};
use crate::results::quantity::{duration_at, seconds};

/// Keys that hold no metric.
const OTHER_KEYS: &[&str] = &[
    "schema_version",
    "aiperf_version",
    "benchmark_id",
    "input_config",
    "run_info",
    "telemetry_data",
    "was_cancelled",
    "is_complete",
    "incomplete_reason",
    "error_summary",
    "start_time",
    "end_time",
    // Of the warm-up's requests alone: no measurement.
    "warmup_metrics",
    "metadata",
    "branch_stats",
    "pooled_spec_decode_acceptance_histogram",
];

/// What every run has that was answered; the streamed ones more.
pub(super) const EXPECTED: &[&str] = &["request_count", "request_latency", "request_throughput"];
const EXPECTED_STREAMED: &[&str] = &["time_to_first_token", "inter_token_latency"];

pub(super) fn is(map: &Map) -> Option<String> {
    let is_metric = |key: &str| map.at(&[key, "unit"]).is_some();
    let version = map.get("aiperf_version").and_then(Node::text);
    let summary = map.has_all(&["was_cancelled", "error_summary"]);
    match version {
        Some(version) if summary => Some(format!("aiperf_version {version}")),
        _ if summary && is_metric("request_latency") => {
            Some("was_cancelled, error_summary, request_latency".to_owned())
        }
        _ => None,
    }
}

pub(super) fn read(map: &Map, drafts: &mut Drafts) {
    let draft = drafts.begin(TOOL);
    draft.used += 1;
    draft.take_version(map, &["aiperf_version"]);
    if let Some(config) = map.get("input_config").and_then(Node::map) {
        take_config(draft, config);
    }
    let seed = map.at(&["run_info", "random_seed"]).and_then(Node::count);
    if let Some(seed) = seed {
        draft.run.conditions.set("seed", seed.to_string(), By::Reported);
    }
    let stated = stated(draft, map, FIELDS, OTHER_KEYS, is_of_family);
    let metrics = Metrics(&stated);
    metrics.take(draft);
    let errors = Errors::of(map);
    metrics.take_outcomes(draft, errors.all, errors.cancelled);
    if draft.run.reported.total(Total::CompletedRequests).is_none_or(|n| n > 0) {
        let streamed = draft.run.conditions.get("streaming") == Some("true");
        let more = if streamed { EXPECTED_STREAMED } else { &[] };
        let expected = FIELDS.iter().filter(|f| EXPECTED.contains(&f.tag) || more.contains(&f.tag));
        metrics.note_missing(draft, expected, |field| field.tag);
    }
    take_duration(draft, map, &metrics);
    take_refusals(draft, map, &metrics);
    if map.at(&["input_config", "endpoint", "use_server_token_count"]) == Some(&Node::Bool(true)) {
        count_by_server(draft);
    }
}

/// The metrics of a document; a key that is neither one of `fields` nor known otherwise is noted.
pub(in crate::results::formats) fn stated(
    draft: &mut Draft,
    map: &Map,
    fields: &'static [Field],
    other: &[&str],
    is_known: fn(&str) -> bool,
) -> Vec<Stated> {
    draft.doubled.extend(map.doubled().into_iter().map(str::to_owned));
    let mut found: Vec<Stated> = Vec::new();
    for (key, node) in map.iter() {
        let Some(field) = fields.iter().find(|field| field.tag == key) else {
            if !other.contains(&key) && !is_known(key) {
                draft.unknown.insert(key.to_owned());
            }
            continue;
        };
        if found.iter().any(|stated| stated.field.tag == key) {
            continue;
        }
        let twice = draft.doubled.contains(key);
        let mut one = metric(draft, field, node);
        if twice {
            one.values.iter_mut().for_each(|value| value.is = Known::Not(Why::Impossible));
        }
        found.push(one);
    }
    found
}

/// A metric's object; anything else is one value that is none.
fn metric(draft: &mut Draft, field: &'static Field, node: &Node) -> Stated {
    let source = field.tag.to_owned();
    let value = |name: &str, is| Value { name: name.to_owned(), is, step: 0.0 };
    let Some(map) = node.map() else {
        let is = match node {
            Node::Null => Known::Not(Why::Null),
            _ => Known::Not(Why::Impossible),
        };
        let values = vec![value("avg", is)];
        return Stated { field, source, unit: String::new(), values, count: None };
    };
    let doubled = map.doubled();
    draft.doubled.extend(doubled.iter().map(|key| format!("{source}.{key}")));
    let mut values: Vec<Value> = Vec::new();
    let mut seen = BTreeSet::new();
    for (key, node) in map.iter().filter(|(key, _)| *key != "unit") {
        if seen.insert(key) {
            let twice = doubled.contains(key);
            let is = if twice { Known::Not(Why::Impossible) } else { known_number(Some(node)) };
            values.push(value(key, is));
        }
    }
    let unit = map.get("unit").and_then(Node::text).unwrap_or_default().to_owned();
    Stated { field, source, unit, values, count: map.get("count").and_then(Node::count) }
}

/// The run's time. Of the two that the file states, the one that its rates are over: since the tool
/// knows phases, that is the phase from `start_time` to `end_time`, before it was the benchmark
/// duration, from the first request to the last reply.
fn take_duration(draft: &mut Draft, map: &Map, metrics: &Metrics<'_>) {
    let stated = duration_at(map.at(&["benchmark_duration", "avg"]), 1.0);
    let time = |key: &str| map.get(key).and_then(Node::text)?.parse::<DateTime>().ok();
    let phase = time("start_time")
        .zip(time("end_time"))
        .map(|(start, end)| {
            seconds(Known::is(end.duration_since(start).as_secs_f64(), By::Reported))
        })
        .filter(|took| took.value().is_some_and(|took| !took.is_zero()));
    let requests = metrics.avg("request_count").value();
    let over = requests.zip(metrics.avg("request_throughput").value()).map(|(n, rate)| n / rate);
    let off = |took: Known<std::time::Duration>| {
        took.value()
            .zip(over)
            .map_or(f64::INFINITY, |(took, over)| (took.as_secs_f64() - over).abs())
    };
    let reported = &mut draft.run.reported;
    match phase {
        Some(phase) if !stated.is_known() || off(phase) < off(stated) => {
            // Both times are written to the microsecond.
            (reported.duration, reported.duration_step_s) = (phase, 1e-6);
        }
        _ => reported.duration = stated,
    }
}

fn take_refusals(draft: &mut Draft, map: &Map, metrics: &Metrics<'_>) {
    if map.get("was_cancelled") == Some(&Node::Bool(true)) {
        draft.refused.push("was_cancelled".to_owned());
    }
    if map.get("is_complete") == Some(&Node::Bool(false)) {
        let reason = map.get("incomplete_reason").and_then(Node::text);
        let reason = reason.map_or_else(|| "is_complete: false".to_owned(), ToOwned::to_owned);
        draft.refused.push(reason);
    }
    if metrics.avg("replay_sched_degraded").value().is_some_and(|flag| flag > 0.0) {
        draft.refused.push("replay_sched_degraded".to_owned());
    }
}

/// With `--use-server-token-count` there is no count but the server's.
fn count_by_server(draft: &mut Draft) {
    let reported = &mut draft.run.reported;
    for figure in &mut reported.figures {
        if figure.definition.tokens_by == TokensBy::Tool {
            figure.definition = figure.definition.tokens_by(TokensBy::Server);
        }
    }
    let is_own = |total| matches!(total, Total::OwnPromptTokens | Total::OwnOutputTokens);
    reported.totals.retain(|total| !is_own(total.total));
}

/// The requests that ended in an error, by the list of errors.
struct Errors {
    /// All of them; `None` where there is no such list, or one that does not count.
    all: Option<u64>,
    /// Those that the tool cancelled itself.
    cancelled: u64,
}

impl Errors {
    fn of(map: &Map) -> Self {
        let list = map.get("error_summary").and_then(Node::list);
        let entries = list.unwrap_or_default();
        let count = |node: &Node| node.map()?.get("count").and_then(Node::count);
        let is_cancelled = |node: &&Node| {
            let kind = node.map().and_then(|entry| entry.at(&["error_details", "type"]));
            kind.and_then(Node::text) == Some("RequestCancellationError")
        };
        let sum =
            |counts: Option<Vec<u64>>| counts.map(|c| c.into_iter().fold(0, u64::saturating_add));
        let cancelled = sum(entries.iter().filter(is_cancelled).map(count).collect());
        let all = list.and_then(|_| sum(entries.iter().map(count).collect()));
        Self { all, cancelled: cancelled.unwrap_or(0) }
    }
}
