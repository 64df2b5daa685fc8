//! The JSON of inference-benchmarker, `results/*.json`: one object, a run for each result in it.
//!
//! The result `warmup` is what its name says and no run.

use trueline_core::{Metric, Tokens, Total};

use super::{E2E, RATE, TOKEN_RATE, TOOL, TPOT, TTFT, WARMUP, set_load};
use crate::results::draft::Draft;
use crate::results::drafts::Drafts;
use crate::results::format::{Evidence, Reader, ResultFormat};
use crate::results::formats::distribution::{take_distribution, takes_time, zeros_are_nothing};
use crate::results::node::{Map, Node, count_at, number_at, text_at};
use crate::results::plan::cap_of;
use crate::results::quantity::MS;
use crate::results::row::Row;

pub(crate) static INFERENCE_BENCHMARKER_JSON: ResultFormat = ResultFormat {
    name: "inference-benchmarker-json",
    tool: TOOL,
    versions: "1.1.0",
    shape: "JSON, one or several results",
    evidence: Evidence::Captured,
    source: "inference-benchmarker/src/writers.rs",
    reader: Reader::Documents { is, read },
    lists: |list| {
        list.rows("", RESULT);
        list.distributions("", TIMES);
    },
};

const RESULT: &[Row] = &[
    Row::condition("id", "label"),
    Row::elsewhere("executor_type"),
    Row::elsewhere("config"),
    Row::unused("total_requests"),
    Row::total("total_tokens", Total::OutputTokens).expected(),
    Row::total("total_tokens_sent", Total::PromptTokens).expected(),
    Row::run("token_throughput_secs", Metric::OutputTokPerS, 1.0, TOKEN_RATE).expected(),
    Row::duration("duration_ms", MS).expected(),
    Row::elsewhere("time_to_first_token_ms").expected(),
    Row::elsewhere("inter_token_latency_ms").expected(),
    Row::elsewhere("e2e_latency_ms").expected(),
    Row::total("failed_requests", Total::FailedRequests).expected(),
    Row::total("successful_requests", Total::CompletedRequests).expected(),
    Row::run("request_rate", Metric::RequestPerS, 1.0, RATE).expected(),
];

const TIMES: &[Row] = &[
    Row::run("time_to_first_token_ms", Metric::TtftS, MS, TTFT),
    Row::run("inter_token_latency_ms", Metric::TpotS, MS, TPOT),
    Row::run("e2e_latency_ms", Metric::E2eLatencyS, MS, E2E),
];

fn is(map: &Map) -> Option<String> {
    let keys = map.has_all(&["config", "results", "start_time", "end_time"]);
    (keys && map.at(&["config", "max_vus"]).is_some() && map.get("results")?.list().is_some())
        .then(|| "config.max_vus, results, start_time, end_time".to_owned())
}

fn read(map: &Map, drafts: &mut Drafts) {
    let config = map.get("config").and_then(Node::map);
    let results = map.get("results").and_then(Node::list).unwrap_or_default();
    let before = drafts.runs.len();
    for (i, node) in results.iter().enumerate() {
        match node.map() {
            Some(result) if text_at(result, &["id"]) == Some(WARMUP) => {}
            Some(result) => take_result(drafts.begin(TOOL), result, config),
            None => drafts.current(TOOL).reject(format!("results[{i}]"), "an object", node.brief()),
        }
    }
    if drafts.runs.len() == before {
        drafts.begin(TOOL).refused.push("the file holds no result beside the warm-up".to_owned());
    }
}

fn take_result(draft: &mut Draft, result: &Map, config: Option<&Map>) {
    draft.take(result, RESULT);
    for row in TIMES {
        if let Some(node) = result.get(row.key) {
            take_distribution(draft, row.key, node, row, &[]);
        }
    }
    zeros_are_nothing(draft, |metric| {
        takes_time(metric) || matches!(metric, Metric::RequestPerS | Metric::OutputTokPerS)
    });
    let users = cap_of(count_at(result, &["config", "max_vus"]));
    let rate = number_at(result, &["config", "rate"]).filter(|rate| *rate > 0.0);
    set_load(draft, users, rate);
    if let Some(config) = config {
        take_config(draft, config);
    }
}

fn take_config(draft: &mut Draft, config: &Map) {
    let named: [(&[&str], _); 3] =
        [(&["model_name"], "model"), (&["tokenizer"], "tokenizer"), (&["profile"], "profile")];
    draft.take_conditions(config, &named);
    let length = |options: &str| {
        let fixed = count_at(config, &[options, "variance"]).is_none_or(|v| v == 0);
        count_at(config, &[options, "num_tokens"]).filter(|_| fixed).map(Tokens::new)
    };
    draft.run.plan.prompt_tokens = length("prompt_options");
    draft.run.plan.output_tokens = length("decode_options");
}
