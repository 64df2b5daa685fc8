//! `llmperf` (`token_benchmark_ray.py`): what its figures mean.

pub(in crate::results) mod console;
pub(in crate::results) mod json;

use trueline_core::{
    Definition, Deviation, Each, FirstToken, Known, Mark, Metric, Percentiles, Side, Statistic,
    TokensBy, Why,
};

use crate::results::draft::Draft;
use crate::results::meaning::{Meanings, Statistics};
use crate::results::row::statistic;

const TOOL: &str = "llmperf";

const TIME: Definition = Definition::new(Mark::Sent, Mark::LastToken, Side::Client)
    .spread(Percentiles::Linear, Deviation::Sample);

const ITL: Definition = TIME
    .first_token(FirstToken::In)
    .tokens_by(TokensBy::Tool)
    .note("end-to-end latency over chunks or tokens of the request, TTFT in it: no gap");

const PER_REQUEST: Definition = TIME
    .first_token(FirstToken::In)
    .tokens_by(TokensBy::Tool)
    .note("output tokens over end-to-end latency, TTFT in it");

const LENGTH: Definition = TIME.tokens_by(TokensBy::Tool);

const RATE: Definition = Definition::new(Mark::Sent, Mark::Closed, Side::Client).each(Each::Run);

/// What the tool calls inter-token latency. It is stated of each request too.
const PER_TOKEN: (&str, Metric, Definition) = ("inter_token_latency_s", Metric::ItlS, ITL);

/// What llmperf measures of each request, by its names.
const METRICS: &[(&str, Metric, Definition)] = &[
    PER_TOKEN,
    ("ttft_s", Metric::TtftS, TIME.between(Mark::Sent, Mark::FirstToken)),
    ("end_to_end_latency_s", Metric::E2eLatencyS, TIME),
    ("request_output_throughput_token_per_s", Metric::DecodeTokPerS, PER_REQUEST),
    ("number_input_tokens", Metric::PromptTokens, LENGTH),
    ("number_output_tokens", Metric::OutputTokens, LENGTH),
];

/// Lists what is measured; its key is made of a metric's name.
fn list(list: &mut Meanings, key: fn(&str) -> String) {
    for (name, metric, meaning) in METRICS {
        list.figure(key(name), (*metric, 1.0, *meaning), Statistics::Any);
    }
}

/// Records one statistic of one of the metrics; a time of exactly zero is one that nobody took.
fn take_one(draft: &mut Draft, name: &str, stat: &str, value: Known<f64>, source: &str) {
    let known = METRICS.iter().find(|(of, ..)| *of == name);
    let (Some((_, metric, meaning)), Some(stat)) = (known, statistic(stat)) else { return };
    let is_spread = stat == Statistic::Deviation;
    let value = match value.value() {
        Some(0.0) if metric.words().0 == "s" && !is_spread => Known::Not(Why::Absent),
        _ => value,
    };
    draft.figure(*metric, Some(stat), value, *meaning, source);
}
