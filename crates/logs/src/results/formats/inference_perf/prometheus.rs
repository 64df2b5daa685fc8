//! inference-perf, `*_prometheus_metrics.json`: what the server's metrics said of the same time.
//!
//! Everything on the server is in it, also requests of others. Every query without an answer is
//! written as 0, so a zero is not known.

use trueline_core::{
    Definition, Deviation, Each, FirstToken, Known, Mark, Metric, Percentiles, Side, TokensBy,
    Total, Why,
};

use super::TOOL;
use crate::results::draft::Draft;
use crate::results::drafts::Drafts;
use crate::results::format::{Evidence, Reader, ResultFormat};
use crate::results::formats::distribution::{take_distribution, zeros_are_nothing};
use crate::results::meaning::{Meanings, Statistics};
use crate::results::node::{Map, Node, known_count, known_number};
use crate::results::quantity::scaled;
use crate::results::row::{Row, Takes};

pub(crate) static INFERENCE_PERF_PROMETHEUS: ResultFormat = ResultFormat {
    name: "inference-perf-prometheus",
    tool: TOOL,
    versions: "not stated; fields of 0.7.0 known",
    shape: "JSON, the server's metrics over a run",
    evidence: Evidence::Published,
    source: "inference_perf/reportgen/base.py",
    reader: Reader::Documents { is, read },
    lists: list,
};

const TIME: Definition = Definition::new(Mark::Arrived, Mark::LastToken, Side::Server)
    .spread(Percentiles::Unknown, Deviation::NotApplicable)
    .note("percentiles between the bounds of histogram buckets; requests of others included");

const TTFT: Definition = TIME.between(Mark::Arrived, Mark::FirstToken);

/// Servers and releases export a gap or a request's mean under this name.
const TPOT: Definition = TIME
    .between(Mark::FirstToken, Mark::LastToken)
    .each(Each::Unknown)
    .first_token(FirstToken::Out)
    .tokens_by(TokensBy::Server);

const ITL: Definition = TPOT.each(Each::Token);

const QUEUE: Definition = TIME.between(Mark::Arrived, Mark::Scheduled);

const RATE: Definition = Definition::new(Mark::Arrived, Mark::LastToken, Side::Server)
    .each(Each::Run)
    .tokens_by(TokensBy::Server)
    .note("requests of others included");

const LENGTH: Definition = TIME.tokens_by(TokensBy::Server);

const SUCCESSES: &[Row] = &[
    Row::elsewhere("count").expected(),
    Row::elsewhere("rate").expected(),
    Row::elsewhere("prompt_len"),
    Row::elsewhere("output_len"),
    Row::elsewhere("num_requests_running"),
    Row::elsewhere("num_preemptions_total"),
    Row::elsewhere("prefix_cache_hit_percent"),
    Row::elsewhere("prompt_tokens_cached"),
    Row::run("request_latency", Metric::E2eLatencyS, 1.0, TIME),
    Row::run("time_to_first_token", Metric::TtftS, 1.0, TTFT),
    Row::run("time_per_output_token", Metric::TpotS, 1.0, TPOT),
    Row::run("inter_token_latency", Metric::ItlS, 1.0, ITL),
    Row::run("request_queue_time", Metric::QueueS, 1.0, QUEUE),
    Row::unused("queue_len"),
    Row::unused("kv_cache_usage_percentage"),
    Row::unused("num_requests_swapped"),
    Row::unused("request_inference_time"),
    Row::unused("request_prefill_time"),
    Row::unused("request_decode_time"),
    Row::unused("request_prompt_tokens"),
    Row::unused("request_generation_tokens"),
    Row::unused("request_max_num_generation_tokens"),
    Row::unused("request_params_n"),
    Row::unused("request_params_max_tokens"),
    Row::unused("request_success_count"),
    Row::unused("iteration_tokens"),
    Row::unused("external_prefix_cache_hit_percent"),
    Row::unused("mm_cache_hit_percent"),
    Row::unused("corrupted_requests"),
    Row::unused("request_prefill_kv_computed_tokens"),
    Row::unused("kv_block_idle_before_evict"),
    Row::unused("kv_block_lifetime"),
    Row::unused("kv_block_reuse_gap"),
];

/// Single values, by the path to them.
const VALUES: &[(&[&str], Row)] = &[
    (&["rate"], Row::run("", Metric::RequestPerS, 1.0, RATE)),
    (&["prompt_len", "rate"], Row::run("", Metric::InputTokPerS, 1.0, RATE)),
    (&["output_len", "rate"], Row::run("", Metric::OutputTokPerS, 1.0, RATE)),
    (&["num_requests_running", "mean"], Row::run("", Metric::Concurrency, 1.0, RATE)),
    (&["prefix_cache_hit_percent", "mean"], Row::run("", Metric::CacheHitShare, 0.01, RATE)),
];

/// Lengths, with the rate of their sum in the same object.
const LENGTHS: &[Row] = &[
    Row::run("prompt_len", Metric::PromptTokens, 1.0, LENGTH),
    Row::run("output_len", Metric::OutputTokens, 1.0, LENGTH),
];

/// Counts, by the path to them.
const COUNTS: &[(&[&str], Total)] = &[
    (&["count"], Total::CompletedRequests),
    (&["num_preemptions_total", "mean"], Total::Preemptions),
    (&["prompt_tokens_cached"], Total::CachedTokens),
];

fn list(list: &mut Meanings) {
    list.distributions("successes.", SUCCESSES);
    for (path, row) in VALUES {
        list.row(format!("successes.{}", path.join(".")), row, Statistics::None);
    }
    list.distributions("successes.", LENGTHS);
    for (path, total) in COUNTS {
        list.total(format!("successes.{}", path.join(".")), *total);
    }
}

/// Whether a report is of the server's metrics: the client's load is not in it.
pub(super) fn is_one(map: &Map) -> bool {
    let no_load = map.get("load_summary").and_then(Node::map).is_some_and(|load| load.0.is_empty());
    no_load && map.at(&["successes", "rate"]).is_some()
}

fn is(map: &Map) -> Option<String> {
    (map.has("failures") && is_one(map)).then(|| "successes.rate without a load_summary".to_owned())
}

fn read(map: &Map, drafts: &mut Drafts) {
    let draft = drafts.begin(TOOL);
    draft.run.side = Side::Server;
    let Some(successes) = map.get("successes").and_then(Node::map) else { return };
    let keys = ["benchmark_time_seconds", "load_summary", "successes", "failures"];
    draft
        .unknown
        .extend(map.iter().map(|(k, _)| k.to_owned()).filter(|k| !keys.contains(&k.as_str())));
    for (key, node) in successes.iter() {
        let source = format!("successes.{key}");
        match SUCCESSES.iter().find(|row| row.key == key) {
            Some(row) if matches!(row.takes, Takes::Run(..)) => {
                take_distribution(draft, &source, node, row, &[]);
            }
            Some(_) => {}
            None => drop(draft.unknown.insert(source)),
        }
    }
    let there: Vec<&str> = successes.iter().map(|(key, _)| key).collect();
    draft.note_missing(SUCCESSES, &there);
    for (path, row) in VALUES {
        if let (Takes::Run(metric, meaning), Some(node)) = (row.takes, successes.at(path)) {
            let value = scaled(known_number(Some(node)), row.unit);
            draft.figure(metric, None, value, meaning, &format!("successes.{}", path.join(".")));
        }
    }
    for row in LENGTHS {
        if let Some(node) = successes.get(row.key) {
            take_distribution(draft, &format!("successes.{}", row.key), node, row, &["rate"]);
        }
    }
    take_counts(draft, successes);
    zeros_are_nothing(draft, |_| true);
}

fn take_counts(draft: &mut Draft, successes: &Map) {
    for (path, total) in COUNTS {
        let Some(node) = successes.at(path) else { continue };
        let count = known_count(Some(node));
        let count = if count.value() == Some(0) { Known::Not(Why::ZeroForNone) } else { count };
        draft.total(*total, count, &format!("successes.{}", path.join(".")));
    }
}
