//! GuideLLM, `benchmarks.json` of version 2 and the same in YAML.
//!
//! One object a report; each benchmark in it, one load level of a sweep, is a run. Every metric
//! stands four times, by how its requests ended; a group without requests is written as zeros with
//! a count of 0.

use trueline_core::{Known, Metric, Statistic, Total, Why};

use super::meaning::{
    CONCURRENCY, E2E, E2E_PER_TOKEN, LENGTH, RATE, SEND_DELAY, TOKEN_RATE, TPOT, TTFT,
};
use super::{TOOL, meaning, plan, requests};
use crate::results::draft::Draft;
use crate::results::drafts::Drafts;
use crate::results::format::{Evidence, Reader, ResultFormat};
use crate::results::formats::distribution::{
    forget, rests_on_nothing, take_distribution, takes_time, zeros_are_nothing,
};
use crate::results::meaning::{Meanings, Statistics};
use crate::results::node::{Map, Node, known_count, known_number, text_at};
use crate::results::quantity::{MS, scaled};
use crate::results::row::{Row, Takes};

pub(crate) static GUIDELLM_JSON: ResultFormat = ResultFormat {
    name: "guidellm-json",
    tool: TOOL,
    versions: "0.8.0, 0.8.1; report version 2",
    shape: "JSON or YAML, one or several benchmarks",
    evidence: Evidence::Captured,
    source: "guidellm/benchmark/schemas/metrics.py",
    reader: Reader::Documents { is, read },
    lists: list,
};

/// The keys of a report.
const REPORT: &[Row] = &[
    Row::elsewhere("metadata"),
    Row::elsewhere("config"),
    Row::elsewhere("args"),
    Row::elsewhere("benchmarks"),
    Row::unused("conclusions"),
];

/// The keys of one benchmark.
const BENCHMARK: &[Row] = &[
    Row::elsewhere("type_"),
    Row::elsewhere("config"),
    Row::unused("scheduler_state"),
    Row::elsewhere("scheduler_metrics"),
    Row::elsewhere("metrics").expected(),
    Row::elsewhere("requests"),
    Row::elsewhere("warnings"),
    Row::unused("start_time"),
    Row::unused("end_time"),
    Row::duration("duration", 1.0).expected(),
    Row::unused("warmup_duration"),
    Row::unused("cooldown_duration"),
];

/// The counts of requests.
const TOTALS: &[Row] = &[
    Row::total("successful", Total::CompletedRequests).expected(),
    Row::total("errored", Total::FailedRequests).expected(),
    Row::total("incomplete", Total::CancelledRequests).expected(),
    Row::unused("total"),
];

/// The metrics of a benchmark. Those that are rates are read by [`RATES`].
const METRICS: &[Row] = &[
    Row::elsewhere("request_totals").expected(),
    Row::run("request_latency", Metric::E2eLatencyS, 1.0, E2E).expected(),
    Row::run("request_dispatch_delay", Metric::SendDelayS, 1.0, SEND_DELAY),
    Row::run("time_to_first_token_ms", Metric::TtftS, MS, TTFT).expected(),
    Row::run("time_per_output_token_ms", Metric::E2ePerTokenS, MS, E2E_PER_TOKEN).expected(),
    Row::run("inter_token_latency_ms", Metric::TpotS, MS, TPOT).expected(),
    Row::run("prompt_token_count", Metric::PromptTokens, 1.0, LENGTH).expected(),
    Row::run("output_token_count", Metric::OutputTokens, 1.0, LENGTH).expected(),
    Row::elsewhere("requests_per_second").expected(),
    Row::elsewhere("request_concurrency"),
    Row::elsewhere("prompt_tokens_per_second").expected(),
    Row::elsewhere("output_tokens_per_second").expected(),
    Row::elsewhere("tokens_per_second").expected(),
    Row::elsewhere("request_goodput"),
    Row::unused("request_scheduled_latency"),
    Row::unused("turn_predecessor_delay"),
    Row::unused("turn_scheduling_delay"),
    Row::unused("root_dispatch_delay"),
    Row::unused("request_streaming_iterations_count"),
    Row::unused("total_token_count"),
    Row::unused("time_to_first_output_token_ms"),
    Row::unused("time_to_last_round_trip_ms"),
    Row::unused("avg_round_trip_time_ms"),
    Row::unused("output_tokens_per_iteration"),
    Row::unused("iter_tokens_per_iteration"),
    Row::unused("text"),
    Row::unused("image"),
    Row::unused("video"),
    Row::unused("audio"),
    Row::unused("tool_call"),
    Row::unused("turns"),
    Row::unused("slo_attainment"),
    Row::unused("slo_determined_requests"),
];

/// Rates over the measured window: their mean is the rate of the run, the rest is about the time
/// between two events.
const RATES: &[Row] = &[
    Row::run("requests_per_second", Metric::RequestPerS, 1.0, RATE),
    Row::run("request_concurrency", Metric::Concurrency, 1.0, CONCURRENCY),
    Row::run("prompt_tokens_per_second", Metric::InputTokPerS, 1.0, TOKEN_RATE),
    Row::run("output_tokens_per_second", Metric::OutputTokPerS, 1.0, TOKEN_RATE),
    Row::run("tokens_per_second", Metric::TotalTokPerS, 1.0, TOKEN_RATE),
    Row::run("request_goodput", Metric::GoodputRequestPerS, 1.0, RATE),
];

/// The most requests in flight, which stand beside their mean.
const PEAK: Row = Row::run("request_concurrency", Metric::PeakConcurrency, 1.0, CONCURRENCY);

/// The lengths whose sum is a total.
const SUMS: &[(&str, Total)] =
    &[("prompt_token_count", Total::PromptTokens), ("output_token_count", Total::OutputTokens)];

fn list(list: &mut Meanings) {
    list.rows("metrics.request_totals", TOTALS);
    for row in METRICS {
        let key = format!("metrics.{}.successful.STATISTIC", row.key);
        list.row(key, row, Statistics::Any);
    }
    for row in RATES {
        list.row(format!("metrics.{}.successful.mean", row.key), row, Statistics::None);
    }
    list.row(format!("metrics.{}.successful.max", PEAK.key), &PEAK, Statistics::None);
    for (key, total) in SUMS {
        list.total(format!("metrics.{key}.successful.total_sum"), *total);
    }
    list.totals(&[plan::PLANNED]);
}

/// The keys of a distribution that are no statistics of ours.
const BESIDES: &[&str] =
    &["mode", "variance", "count", "total_sum", "percentiles", "pdf", "mean_ci", "percentile_cis"];

fn is(map: &Map) -> Option<String> {
    let benchmarks = map.get("benchmarks")?.list()?;
    if text_at(map, &["metadata", "guidellm_version"]).is_some() {
        return Some("metadata.guidellm_version, benchmarks".to_owned());
    }
    let first = benchmarks.first()?.map()?;
    (text_at(first, &["type_"]) == Some("generative_benchmark") && first.has("metrics"))
        .then(|| "benchmarks of type generative_benchmark".to_owned())
}

fn read(map: &Map, drafts: &mut Drafts) {
    let benchmarks = map.get("benchmarks").and_then(Node::list).unwrap_or_default();
    if benchmarks.is_empty() {
        drafts.begin(TOOL).refused.push("the report holds no benchmark".to_owned());
    }
    for (i, node) in benchmarks.iter().enumerate() {
        let draft = drafts.begin(TOOL);
        draft.take(map, REPORT);
        draft.take_version(map, &["metadata", "guidellm_version"]);
        if let Some(benchmark) = draft.object(format!("benchmarks[{i}]"), node) {
            take_benchmark(draft, benchmark, map);
        }
    }
}

fn take_benchmark(draft: &mut Draft, benchmark: &Map, report: &Map) {
    draft.take(benchmark, BENCHMARK);
    let config = benchmark.get("config").and_then(Node::map);
    let spec = report.at(&["config", "spec"]).or_else(|| report.get("args")).and_then(Node::map);
    plan::take_config(draft, config, spec);
    if let Some(metrics) = benchmark.get("metrics").and_then(Node::map) {
        take_metrics(draft, metrics);
    }
    zeros_are_nothing(draft, takes_time);
    requests::take_requests(draft, benchmark);
    for warning in benchmark.get("warnings").and_then(Node::list).unwrap_or_default() {
        let of = |key| warning.map().and_then(|map| text_at(map, &[key]));
        let (code, message) = (of("code").unwrap_or("warning"), of("message").unwrap_or_default());
        draft.refused.push(format!("{code}: {message}").trim_end_matches([':', ' ']).to_owned());
    }
}

fn take_metrics(draft: &mut Draft, metrics: &Map) {
    for (key, node) in metrics.iter() {
        let Some(row) = METRICS.iter().find(|row| row.key == key) else {
            draft.unknown.insert(format!("metrics.{key}"));
            continue;
        };
        let source = format!("metrics.{key}.successful");
        let group = node.map().and_then(|map| map.get("successful"));
        if key == "request_totals" {
            if let Some(totals) = node.map() {
                draft.take_under("metrics.request_totals", totals, TOTALS);
            }
        } else if let Some(rate) = RATES.iter().find(|rate| rate.key == key) {
            take_rate(draft, &source, group, rate);
        } else if let Takes::Run(..) = row.takes {
            take_group(draft, &source, group, row);
        }
    }
    let there: Vec<&str> = metrics.iter().map(|(key, _)| key).collect();
    draft.note_missing(METRICS, &there);
}

/// A distribution with its percentiles and, for token counts, its sum.
fn take_group(draft: &mut Draft, source: &str, group: Option<&Node>, row: &Row) {
    let from = draft.run.reported.figures.len();
    let node = group.unwrap_or(&Node::Null);
    take_distribution(draft, source, node, row, BESIDES);
    let (Takes::Run(metric, meaning), Some(map)) = (row.takes, node.map()) else { return };
    let percentiles = map.get("percentiles").and_then(Node::map);
    for (key, value) in percentiles.into_iter().flat_map(Map::iter) {
        let source = format!("{source}.percentiles.{key}");
        let Some(quantile) = meaning::quantile(key) else {
            draft.unknown.insert(source);
            continue;
        };
        let value = scaled(known_number(Some(value)), row.unit);
        draft.figure(metric, Some(quantile), value, meaning, &source);
    }
    let nothing = rests_on_nothing(map);
    if nothing {
        forget(draft, from);
    }
    let Some((_, total)) = SUMS.iter().find(|(key, _)| *key == row.key) else { return };
    let sum = known_count(map.get("total_sum"));
    let sum = if nothing { Known::Not(Why::Absent) } else { sum };
    draft.total(*total, sum, &format!("{source}.total_sum"));
}

/// The mean of a rate; for the requests in flight the largest too.
fn take_rate(draft: &mut Draft, source: &str, group: Option<&Node>, row: &Row) {
    let Takes::Run(metric, meaning) = row.takes else { return };
    let from = draft.run.reported.figures.len();
    let map = group.and_then(Node::map);
    let of = |key: &str| known_number(map.and_then(|map| map.get(key)));
    draft.figure(metric, None::<Statistic>, of("mean"), meaning, &format!("{source}.mean"));
    if let (true, Takes::Run(peak, meaning)) = (row.key == PEAK.key, PEAK.takes) {
        draft.figure(peak, None, of("max"), meaning, &format!("{source}.max"));
    }
    if map.is_some_and(rests_on_nothing) {
        forget(draft, from);
    }
}
