//! The JSON of `vllm bench serve`.
//!
//! One object a run; `--append-result` puts them on lines; `--save-detailed` adds arrays.

use trueline_core::{By, Metric, Total};

use super::{E2E, ITL, PEAK, PEAK_CONCURRENCY, RATE, SEND_DELAY, TOKEN_RATE, TOOL, TPOT, TTFT};
use crate::results::drafts::Drafts;
use crate::results::format::{Evidence, Reader, ResultFormat};
use crate::results::formats::serving::arrays::take_arrays;
use crate::results::node::Map;
use crate::results::quantity::MS;
use crate::results::row::{Row, Takes};

pub(crate) static VLLM_JSON: ResultFormat = ResultFormat {
    name: "vllm-bench-json",
    tool: TOOL,
    versions: "0.9.2, 0.33.0; fields of 0.11 and 0.20 known",
    shape: "JSON, plain, detailed or appended",
    evidence: Evidence::Captured,
    source: "vllm/benchmarks/serve.py",
    reader: Reader::Documents { is, read },
    lists: |list| list.rows("", ROWS),
};

const ROWS: &[Row] = &[
    Row::condition("model_id", "model"),
    Row::condition("tokenizer_id", "tokenizer"),
    Row::condition("backend", "endpoint"),
    Row::condition("endpoint_type", "endpoint"),
    Row::condition("date", "date"),
    Row::condition("label", "label"),
    Row::plan("num_prompts", Takes::PlannedRequests),
    Row::plan("request_rate", Takes::Rate),
    Row::plan("max_concurrency", Takes::Concurrency),
    Row::condition("burstiness", "burstiness"),
    Row::duration("duration", 1.0).expected(),
    Row::total("completed", Total::CompletedRequests).expected(),
    Row::total("failed", Total::FailedRequests),
    Row::total("total_input_tokens", Total::PromptTokens).expected(),
    Row::total("total_output_tokens", Total::OutputTokens).expected(),
    Row::run("request_throughput", Metric::RequestPerS, 1.0, RATE).expected(),
    Row::run("request_goodput", Metric::GoodputRequestPerS, 1.0, RATE),
    Row::run("request_goodput:", Metric::GoodputRequestPerS, 1.0, RATE),
    Row::run("output_throughput", Metric::OutputTokPerS, 1.0, TOKEN_RATE).expected(),
    Row::run("input_throughput", Metric::InputTokPerS, 1.0, TOKEN_RATE),
    Row::run("total_token_throughput", Metric::TotalTokPerS, 1.0, TOKEN_RATE).expected(),
    Row::run("max_output_tokens_per_s", Metric::PeakOutputTokPerS, 1.0, PEAK),
    Row::run("max_concurrent_requests", Metric::PeakConcurrency, 1.0, PEAK_CONCURRENCY),
    Row::spread("ttft_ms", Metric::TtftS, MS, TTFT).expected(),
    Row::spread("tpot_ms", Metric::TpotS, MS, TPOT).expected(),
    Row::spread("itl_ms", Metric::ItlS, MS, ITL).expected(),
    Row::spread("e2el_ms", Metric::E2eLatencyS, MS, E2E),
    Row::spread("client_queue_time_ms", Metric::SendDelayS, MS, SEND_DELAY),
    Row::elsewhere("input_lens"),
    Row::elsewhere("output_lens"),
    Row::elsewhere("ttfts"),
    Row::elsewhere("itls"),
    Row::elsewhere("errors"),
    Row::elsewhere("start_times"),
    Row::elsewhere("latencies"),
    Row::unused("generated_texts"),
    Row::unused("queue_times"),
    Row::unused("server_queue_times"),
    Row::unused("server_ttfts"),
    Row::unused("rtfx"),
    Row::unused("ramp_up_strategy"),
    Row::unused("ramp_up_start_rps"),
    Row::unused("ramp_up_end_rps"),
    Row::unused("rps_change_events"),
    Row::unused("spec_decode_acceptance_rate"),
    Row::unused("spec_decode_acceptance_length"),
    Row::unused("spec_decode_num_drafts"),
    Row::unused("spec_decode_draft_tokens"),
    Row::unused("spec_decode_accepted_tokens"),
    Row::unused("spec_decode_per_position_acceptance_rates"),
    Row::unused("probe_completed"),
    Row::unused("probe_failed"),
    Row::unused("probe_median_e2el_ms"),
    Row::unused("probe_p99_e2el_ms"),
    Row::unused("probe_max_e2el_ms"),
    Row::unused("total_input_sequences"),
    Row::unused("input_sequence_throughput"),
];

fn is(map: &Map) -> Option<String> {
    let run = map.has_all(&["num_prompts", "completed", "total_input_tokens"]);
    let times = map.iter().any(|(key, _)| key.ends_with("_ttft_ms") || key == "tokenizer_id");
    let inferencex = map.has("median_ttft") || map.has("mean_ttft");
    (run && times && !inferencex).then(|| "num_prompts, completed, total_input_tokens".to_owned())
}

fn read(map: &Map, drafts: &mut Drafts) {
    let draft = drafts.begin(TOOL);
    draft.take(map, ROWS);
    // The second latency is over another stretch, and a run has one end-to-end latency.
    draft.unknown.retain(|key| !key.ends_with("_e2el_including_client_queue_ms"));
    draft.unknown.retain(|key| !key.starts_with("diffusion_"));
    take_arrays(draft, map);
    if let Some(version) = version(map) {
        draft.version(version, By::Derived);
    }
}

/// The versions that a document's keys point to.
fn version(map: &Map) -> Option<&'static str> {
    let any = |keys: &[&str]| keys.iter().any(|key| map.has(key));
    if any(&["latencies", "queue_times", "probe_completed", "mean_client_queue_time_ms"]) {
        Some("0.33 or near")
    } else if any(&["start_times", "rtfx", "spec_decode_acceptance_rate"]) {
        Some("0.20 or near")
    } else if any(&["max_output_tokens_per_s"]) {
        Some("0.11 or later")
    } else if map.has("endpoint_type") && !map.has("backend") {
        Some("0.10 or earlier")
    } else {
        None
    }
}
