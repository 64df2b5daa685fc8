//! The JSON lines of SGLang `bench_serving`.
//!
//! One object a run, appended: a file can mix runs and versions. The default rate is a bare
//! `Infinity`, which is no JSON.

use trueline_core::{By, Metric, Tokens, Total};

use super::{CONCURRENCY, E2E, ITL, PEAK, PEAK_CONCURRENCY, RATE, TOKEN_RATE, TOOL, TPOT, TTFT};
use crate::results::draft::Draft;
use crate::results::drafts::Drafts;
use crate::results::format::{Evidence, Reader, ResultFormat};
use crate::results::formats::serving::arrays::take_arrays;
use crate::results::node::{Map, Node, known_count};
use crate::results::quantity::MS;
use crate::results::row::{Row, Takes};

pub(crate) static SGLANG_JSONL: ResultFormat = ResultFormat {
    name: "sglang-bench-jsonl",
    tool: TOOL,
    versions: "0.4.2, 0.5.3, 0.5.23 (Python and Rust); fields of those between known",
    shape: "JSON lines with bare Infinity and NaN",
    evidence: Evidence::Captured,
    source: "sglang/bench_serving.py, later sglang/benchmark/serving.py",
    reader: Reader::Documents { is, read },
    lists: |list| {
        list.rows("", ROWS);
        list.totals(&[CACHED]);
    },
};

const ROWS: &[Row] = &[
    Row::condition("backend", "endpoint"),
    Row::condition("dataset_name", "dataset"),
    Row::condition("tag", "label"),
    Row::condition("protocol", "protocol"),
    Row::plan("request_rate", Takes::Rate),
    Row::plan("max_concurrency", Takes::Concurrency),
    Row::elsewhere("random_input_len"),
    Row::elsewhere("random_output_len"),
    Row::elsewhere("random_range_ratio"),
    Row::elsewhere("sharegpt_output_len"),
    Row::elsewhere("server_info"),
    Row::elsewhere("cache_report"),
    Row::duration("duration", 1.0).expected(),
    Row::total("completed", Total::CompletedRequests).expected(),
    Row::total("total_input_tokens", Total::PromptTokens).expected(),
    Row::total("total_output_tokens", Total::OutputTokens).expected(),
    Row::total("total_output_tokens_retokenized", Total::OwnOutputTokens),
    Row::run("request_throughput", Metric::RequestPerS, 1.0, RATE).expected(),
    Row::run("input_throughput", Metric::InputTokPerS, 1.0, TOKEN_RATE).expected(),
    Row::run("output_throughput", Metric::OutputTokPerS, 1.0, TOKEN_RATE).expected(),
    Row::run("total_throughput", Metric::TotalTokPerS, 1.0, TOKEN_RATE),
    Row::run("request_goodput", Metric::GoodputRequestPerS, 1.0, RATE),
    Row::run("concurrency", Metric::Concurrency, 1.0, CONCURRENCY),
    Row::run("max_output_tokens_per_s", Metric::PeakOutputTokPerS, 1.0, PEAK),
    Row::run("max_concurrent_requests", Metric::PeakConcurrency, 1.0, PEAK_CONCURRENCY),
    Row::spread("e2e_latency_ms", Metric::E2eLatencyS, MS, E2E).expected(),
    Row::spread("ttft_ms", Metric::TtftS, MS, TTFT).expected(),
    Row::spread("tpot_ms", Metric::TpotS, MS, TPOT).expected(),
    Row::spread("itl_ms", Metric::ItlS, MS, ITL).expected(),
    Row::elsewhere("input_lens"),
    Row::elsewhere("output_lens"),
    Row::elsewhere("ttfts"),
    Row::elsewhere("itls"),
    Row::elsewhere("errors"),
    Row::unused("generated_texts"),
    Row::unused("total_input_text_tokens"),
    Row::unused("total_input_vision_tokens"),
    Row::unused("accept_length"),
    Row::unused("goodput_slos_ms"),
    Row::unused("slo_attainment"),
    Row::unused("slo_attainment_by_metric"),
];

/// The one total of the cache report.
const CACHED: (&str, Total) = ("cache_report.total_cached_tokens", Total::CachedTokens);

fn is(map: &Map) -> Option<String> {
    let run = map.has_all(&["completed", "total_output_tokens", "duration"]);
    let theirs = ["random_range_ratio", "total_output_tokens_retokenized", "mean_e2e_latency_ms"];
    let key = theirs.into_iter().find(|key| map.has(key))?;
    run.then(|| format!("completed, duration, {key}"))
}

fn read(map: &Map, drafts: &mut Drafts) {
    let draft = drafts.begin(TOOL);
    draft.take(map, ROWS);
    take_arrays(draft, map);
    take_lengths(draft, map);
    take_server(draft, map);
    if let Some(version) = version(map) {
        draft.version(version, By::Derived);
    }
}

/// The lengths asked for, where the data set has them: they are echoed for every other as well.
fn take_lengths(draft: &mut Draft, map: &Map) {
    let random =
        map.get("dataset_name").and_then(Node::text).is_some_and(|d| d.starts_with("random"));
    let whole = map.get("random_range_ratio").and_then(Node::number) == Some(1.0);
    if random && whole {
        let length = |key| known_count(map.get(key)).value().map(Tokens::new);
        draft.run.plan.prompt_tokens = length("random_input_len");
        draft.run.plan.output_tokens = length("random_output_len");
    }
}

fn take_server(draft: &mut Draft, map: &Map) {
    if let Some(report) = map.get("cache_report").and_then(Node::map) {
        let (source, total) = CACHED;
        draft.total(total, known_count(report.get("total_cached_tokens")), source);
    }
    let named: [(&[&str], _); 3] = [
        (&["server_info", "model_path"], "model"),
        (&["server_info", "version"], "server_version"),
        (&["server_info", "quantization"], "quantization"),
    ];
    draft.take_conditions(map, &named);
}

/// The versions that a document's keys point to.
fn version(map: &Map) -> Option<&'static str> {
    let rust = map.has("protocol");
    let newest = map.has("p95_e2e_latency_ms");
    Some(match () {
        () if rust => "0.5.23 or near, Rust client",
        () if map.has("goodput_slos_ms") => "0.5.21 or later",
        () if newest => "0.5.15 or later",
        () if map.has("p90_e2e_latency_ms") => "0.5.8 to 0.5.12",
        () if map.has("max_output_tokens_per_s") => "0.5.6 to 0.5.7",
        () if map.has("server_info") => "0.5.5",
        () if map.has("p95_itl_ms") => "0.4.3.post4 to 0.5.4",
        () if map.has("mean_ttft_ms") => "0.4.3.post1 or earlier",
        () => return None,
    })
}
