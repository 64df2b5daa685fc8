//! Hugging Face inference-benchmarker, `results/*.json`: one object, a run for each result in it.
//!
//! The result `warmup` is what its name says and no run.

pub(in crate::results) mod console;

use trueline_core::{
    By, Definition, Deviation, Each, FirstToken, Load, Mark, Metric, Percentiles, Side, Tokens,
    TokensBy, Total,
};

use super::distribution::{
    count_at, number_at, take_distribution, takes_time, text_at, zeros_are_nothing,
};
use crate::results::draft::{Draft, Drafts};
use crate::results::format::{Evidence, Reader, ResultFormat};
use crate::results::node::{Map, Node};
use crate::results::row::Row;

const TOOL: &str = "inference-benchmarker";

pub(crate) static INFERENCE_BENCHMARKER_JSON: ResultFormat = ResultFormat {
    name: "inference-benchmarker-json",
    tool: TOOL,
    versions: "1.1.0",
    shape: "JSON, one or several results",
    evidence: Evidence::Captured,
    source: "inference-benchmarker/src/writers.rs",
    reader: Reader::Documents { is, read },
};

const MS: f64 = 1e-3;

/// The name of the entry that is no run.
const WARMUP: &str = "warmup";

const TIME: Definition = Definition::new(Mark::Sent, Mark::Closed, Side::Client)
    .spread(Percentiles::Linear, Deviation::NotApplicable);

const E2E: Definition = TIME;

const TTFT: Definition =
    TIME.between(Mark::Sent, Mark::FirstToken).note("only text in delta.content counts as a token");

/// What the tool calls inter-token latency: first to last token over the tokens after the first.
const TPOT: Definition = TIME
    .between(Mark::FirstToken, Mark::LastToken)
    .first_token(FirstToken::Out)
    .tokens_by(TokensBy::Tool)
    .note("a request's mean; each chunk is tokenized alone, which counts too many");

/// Over the start of the first answered request to the end of the last in the list.
const RATE: Definition = Definition::new(Mark::Sent, Mark::Closed, Side::Client)
    .each(Each::Run)
    .note("from the start of the request answered first to the end of the one answered last");

const TOKEN_RATE: Definition = RATE.tokens_by(TokensBy::Tool);

const LENGTH: Definition = TIME.tokens_by(TokensBy::Tool);

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
            None => {
                let found = node.brief();
                let wrong = format!("results[{i}]: expected an object, found {found}");
                drafts.current(TOOL).rejected.push(wrong);
            }
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
    let users = count_at(result, &["config", "max_vus"]).and_then(|n| u32::try_from(n).ok());
    let rate = number_at(result, &["config", "rate"]).filter(|rate| *rate > 0.0);
    set_load(draft, users, rate);
    if let Some(config) = config {
        take_config(draft, config);
    }
}

/// A rate is the load where there is one; else the virtual users are.
fn set_load(draft: &mut Draft, users: Option<u32>, rate: Option<f64>) {
    let users = users.filter(|n| *n > 0);
    draft.run.plan.max_concurrency = users;
    draft.run.plan.load = rate.map(Load::Rate).or(users.map(Load::Concurrency));
}

fn take_config(draft: &mut Draft, config: &Map) {
    for (key, name) in [("model_name", "model"), ("tokenizer", "tokenizer"), ("profile", "profile")]
    {
        if let Some(value) = text_at(config, &[key]) {
            draft.run.conditions.set(name, value, By::Reported);
        }
    }
    let length = |options: &str| {
        let fixed = count_at(config, &[options, "variance"]).is_none_or(|v| v == 0);
        count_at(config, &[options, "num_tokens"]).filter(|_| fixed).map(Tokens::new)
    };
    draft.run.plan.prompt_tokens = length("prompt_options");
    draft.run.plan.output_tokens = length("decode_options");
}
