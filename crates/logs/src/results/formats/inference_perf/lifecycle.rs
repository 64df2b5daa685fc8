//! inference-perf, `stage_N_lifecycle_metrics.json` and `summary_lifecycle_metrics.json`, in JSON
//! or YAML.
//!
//! One object a file; a stage is one load level, the summary is over all stages. All times are in
//! seconds.

use trueline_core::{By, Definition, Known, Load, Metric, Total, Why};

use super::meaning::{E2E, E2E_PER_TOKEN, LENGTH, NOMINAL_DELAY, OWN_LENGTH, RATE, SEND_DELAY};
use super::{TOOL, meaning, prometheus};
use crate::results::Part;
use crate::results::draft::Draft;
use crate::results::drafts::Drafts;
use crate::results::format::{Evidence, Reader, ResultFormat};
use crate::results::formats::distribution::{
    forget, take_distribution, takes_time, zeros_are_nothing,
};
use crate::results::meaning::{Meanings, Statistics};
use crate::results::node::{Map, Node, count_at, known_count, known_number, number_at, whole};
use crate::results::row::{Row, Takes};

pub(crate) static INFERENCE_PERF_JSON: ResultFormat = ResultFormat {
    name: "inference-perf-lifecycle",
    tool: TOOL,
    versions: "0.7.0; fields of older reports known",
    shape: "JSON or YAML, a stage or the summary of all",
    evidence: Evidence::Captured,
    source: "inference_perf/reportgen/base.py",
    reader: Reader::Documents { is, read },
    lists: list,
};

const REPORT: &[Row] = &[
    Row::duration("benchmark_time_seconds", 1.0),
    Row::elsewhere("load_summary").expected(),
    Row::elsewhere("successes").expected(),
    Row::elsewhere("failures").expected(),
    Row::elsewhere("retries"),
];

const LOAD: &[Row] = &[
    Row::unused("count"),
    Row::elsewhere("schedule_delay").expected(),
    Row::unused("send_duration"),
    Row::elsewhere("requested_rate"),
    Row::unused("achieved_rate"),
    Row::plan("concurrency", Takes::Concurrency),
];

const SUCCESSES: &[Row] = &[
    Row::total("count", Total::CompletedRequests).expected(),
    Row::elsewhere("latency").expected(),
    Row::elsewhere("throughput").expected(),
    Row::elsewhere("prompt_tokens"),
    Row::elsewhere("prompt_len"),
    Row::elsewhere("output_tokens"),
    Row::elsewhere("output_len").expected(),
    Row::elsewhere("goodput_metrics"),
    Row::unused("request_size_bytes"),
    Row::unused("image"),
    Row::unused("video"),
    Row::unused("audio"),
    Row::unused("token_count_mismatches"),
    Row::elsewhere("client_fallback_requests"),
];

const FAILURES: &[Row] = &[
    Row::total("count", Total::FailedRequests).expected(),
    Row::unused("request_latency"),
    Row::unused("prompt_tokens"),
    Row::unused("prompt_len"),
    Row::unused("by_label"),
];

const THROUGHPUT: &[Row] = &[
    Row::run("requests_per_sec", Metric::RequestPerS, 1.0, RATE).expected(),
    Row::run("input_tokens_per_sec", Metric::InputTokPerS, 1.0, meaning::INPUT_RATE).expected(),
    Row::run("output_tokens_per_sec", Metric::OutputTokPerS, 1.0, meaning::OUTPUT_RATE).expected(),
    Row::run("total_tokens_per_sec", Metric::TotalTokPerS, 1.0, meaning::OUTPUT_RATE).expected(),
    Row::unused("images_per_sec"),
    Row::unused("videos_per_sec"),
    Row::unused("audios_per_sec"),
];

/// The latencies, with what time per token and gaps mean before and since tokens are counted in
/// chunks: reports since then say how long they took.
const fn latencies(tpot: Definition, itl: Definition) -> [Row; 5] {
    [
        Row::run("request_latency", Metric::E2eLatencyS, 1.0, E2E).expected(),
        Row::run("normalized_time_per_output_token", Metric::E2ePerTokenS, 1.0, E2E_PER_TOKEN)
            .expected(),
        Row::run("time_per_output_token", Metric::TpotS, 1.0, tpot).expected(),
        Row::run("time_to_first_token", Metric::TtftS, 1.0, meaning::TTFT).expected(),
        Row::run("inter_token_latency", Metric::ItlS, 1.0, itl).expected(),
    ]
}

static LATENCIES: [Row; 5] = latencies(meaning::TPOT, meaning::ITL);
static LATENCIES_OF_CHUNKS: [Row; 5] = latencies(meaning::TPOT_OF_CHUNKS, meaning::ITL_OF_CHUNKS);

/// How long requests wait in the client, by whether a concurrency is held.
const DELAY: Row = Row::run("schedule_delay", Metric::SendDelayS, 1.0, SEND_DELAY);
const DELAY_WHERE_HELD: Row = Row::run("schedule_delay", Metric::SendDelayS, 1.0, NOMINAL_DELAY);

/// Lengths with their sum: by the server's count, and by the tool's own.
const LENGTHS: [(Total, Row, Row); 2] = [
    (
        Total::PromptTokens,
        Row::run("prompt_tokens", Metric::PromptTokens, 1.0, LENGTH),
        Row::run("prompt_len", Metric::PromptTokens, 1.0, OWN_LENGTH),
    ),
    (
        Total::OutputTokens,
        Row::run("output_tokens", Metric::OutputTokens, 1.0, LENGTH),
        Row::run("output_len", Metric::OutputTokens, 1.0, OWN_LENGTH),
    ),
];

/// The path below `successes` and what stands there.
const GOODPUT: Row =
    Row::run("goodput_metrics.request_goodput", Metric::GoodputRequestPerS, 1.0, meaning::GOODPUT);

const CACHED: (&str, Total) = ("successes.prompt_tokens.cached", Total::CachedTokens);
const OWN_OUTPUT: (&str, Total) =
    ("successes.output_len.mean x successes.count", Total::OwnOutputTokens);
const RETRIES: (&str, Total) = ("retries.attempts", Total::Retries);

fn list(list: &mut Meanings) {
    list.distributions("load_summary.", &[DELAY]);
    let held = "load_summary.schedule_delay.STATISTIC";
    if let Some(meaning) = list.row(held, &DELAY_WHERE_HELD, Statistics::Any) {
        meaning.only("where a concurrency is held");
    }
    for (row, of_chunks) in LATENCIES.iter().zip(&LATENCIES_OF_CHUNKS) {
        let key = format!("successes.latency.{}.STATISTIC", row.key);
        if row != of_chunks
            && let Some(meaning) = list.row(key.clone(), of_chunks, Statistics::Any)
        {
            meaning.only("in reports without `benchmark_time_seconds`");
        }
        list.row(key, row, Statistics::Any);
    }
    list.rows("successes.throughput", THROUGHPUT);
    list.rows("successes", &[GOODPUT]);
    for (total, server, own) in LENGTHS {
        list.distributions("successes.", &[server, own]);
        list.total(format!("successes.{}.total", server.key), total);
    }
    list.rows("successes", SUCCESSES);
    list.rows("failures", FAILURES);
    list.totals(&[CACHED, OWN_OUTPUT, RETRIES]);
}

fn is(map: &Map) -> Option<String> {
    let keys = map.has_all(&["load_summary", "successes", "failures"]);
    (keys && !prometheus::is_one(map)).then(|| "load_summary, successes, failures".to_owned())
}

fn read(map: &Map, drafts: &mut Drafts) {
    let draft = drafts.begin(TOOL);
    draft.take(map, REPORT);
    if map.at(&["successes", "client_fallback_requests"]).is_some() {
        draft.version("0.7 or near", By::Derived);
    }
    if let Some(load) = map.get("load_summary").and_then(Node::map) {
        take_load(draft, load);
        if !load.has("send_duration") {
            draft.part = Part::Sum;
        }
    }
    if let Some(failures) = map.get("failures").and_then(Node::map) {
        draft.take_under("failures", failures, FAILURES);
    }
    if let Some(successes) = map.get("successes").and_then(Node::map) {
        let times = map.has("benchmark_time_seconds");
        let latencies = if times { &LATENCIES } else { &LATENCIES_OF_CHUNKS };
        take_successes(draft, successes, latencies);
    }
    if let Some(attempts) = map.at(&["retries", "attempts"]) {
        draft.total(RETRIES.1, known_count(Some(attempts)), RETRIES.0);
    }
    zeros_are_nothing(draft, takes_time);
}

/// Where a concurrency is held, the rate beside it is a nominal one that spreads the intended
/// times and is no load.
fn take_load(draft: &mut Draft, load: &Map) {
    draft.take_under("load_summary", load, LOAD);
    let held = draft.run.plan.max_concurrency.is_some();
    let rate = number_at(load, &["requested_rate"]).filter(|rate| *rate > 0.0 && !held);
    draft.run.plan.load = rate.map(Load::Rate).or(draft.run.plan.load);
    let row = if held { &DELAY_WHERE_HELD } else { &DELAY };
    if let Some(node) = load.get(row.key) {
        take_distribution(draft, "load_summary.schedule_delay", node, row, &[]);
    }
}

fn take_successes(draft: &mut Draft, successes: &Map, latencies: &[Row]) {
    draft.take_under("successes", successes, SUCCESSES);
    let from = draft.run.reported.figures.len();
    if let Some(map) = successes.get("latency").and_then(Node::map) {
        for (key, node) in map.iter() {
            match latencies.iter().find(|row| row.key == key) {
                Some(row) => {
                    take_distribution(draft, &format!("successes.latency.{key}"), node, row, &[]);
                }
                None => drop(draft.unknown.insert(format!("successes.latency.{key}"))),
            }
        }
        let there: Vec<&str> = map.iter().map(|(key, _)| key).collect();
        draft.note_missing(latencies, &there);
    }
    if let Some(map) = successes.get("throughput").and_then(Node::map) {
        draft.take_under("successes.throughput", map, THROUGHPUT);
    }
    take_lengths(draft, successes);
    let goodput = successes.at(&["goodput_metrics", "request_goodput"]);
    if let (Some(node), Takes::Run(metric, meaning)) = (goodput, GOODPUT.takes) {
        let source = format!("successes.{}", GOODPUT.key);
        draft.figure(metric, None, known_number(Some(node)), meaning, &source);
    }
    if count_at(successes, &["count"]) == Some(0) {
        forget(draft, from);
    }
}

/// Lengths and sums of tokens: the server's where the report has them, else the tool's own.
fn take_lengths(draft: &mut Draft, successes: &Map) {
    let answered = count_at(successes, &["count"]);
    for (total, server, own) in LENGTHS {
        let of = |row: &Row| successes.get(row.key).filter(|node| node.map().is_some());
        let has_mean = |node: &&Node| node.map().is_some_and(|map| map.has("mean"));
        let (row, node) = match (of(&server).filter(has_mean), of(&own)) {
            (Some(node), _) => (&server, Some(node)),
            (None, node) => (&own, node),
        };
        if let Some(node) = node {
            let known = ["total", "cached", "uncached"];
            take_distribution(draft, &format!("successes.{}", row.key), node, row, &known);
        }
        if let Some(sum) = of(&server).and_then(Node::map).and_then(|map| map.get("total")) {
            let sum = known_count(Some(sum));
            let sum = if answered == Some(0) { Known::Not(Why::Absent) } else { sum };
            draft.total(total, sum, &format!("successes.{}.total", server.key));
        }
    }
    if let Some(cached) = successes.at(&["prompt_tokens", "cached"]) {
        // A server that says nothing of its cache is counted as 0.
        let cached = known_count(Some(cached));
        let cached = if cached.value() == Some(0) { Known::Not(Why::Absent) } else { cached };
        draft.total(CACHED.1, cached, CACHED.0);
    }
    let own = number_at(successes, &["output_len", "mean"]);
    if let (Some(mean), Some(n), true) = (own, answered, successes.has("output_tokens")) {
        #[expect(clippy::cast_precision_loss, reason = "a count of requests")]
        let sum = mean * n as f64;
        let near = (sum - sum.round()).abs() < 1e-6 * sum.max(1.0);
        let sum = whole(sum.round()).value().filter(|_| near && n > 0);
        let sum = Known::derived(sum, Why::Impossible);
        draft.total(OWN_OUTPUT.1, sum, OWN_OUTPUT.0);
    }
}
