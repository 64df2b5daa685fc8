//! `trtllm-bench` of `TensorRT-LLM`: what its figures mean.

pub(in crate::results) mod console;
pub(in crate::results) mod json;

use trueline_core::{
    Definition, Deviation, Each, FirstToken, Known, Mark, Metric, Percentiles, Side, TokensBy, Why,
};

use crate::results::quantity::scaled;

const TOOL: &str = "trtllm-bench";

/// Asked in the process of the engine: no network and no HTTP between client and server.
const TIME: Definition = Definition::new(Mark::Sent, Mark::LastToken, Side::Client)
    .spread(Percentiles::Nearest, Deviation::NotApplicable)
    .note("inside one process, no network; a percentile is the sample at index n times p");

const E2E: Definition = TIME;

const TTFT: Definition = TIME.between(Mark::Sent, Mark::FirstToken);

const TPOT: Definition = TIME
    .between(Mark::FirstToken, Mark::LastToken)
    .first_token(FirstToken::Out)
    .tokens_by(TokensBy::Server);

/// Output tokens after the first over the time from first to last token.
const DECODE: Definition = TPOT;

/// The same name in older releases, another stretch.
const PER_USER: Definition = TIME
    .first_token(FirstToken::In)
    .tokens_by(TokensBy::Server)
    .note("output tokens over end-to-end latency, TTFT in it");

const RATE: Definition = Definition::new(Mark::Sent, Mark::LastToken, Side::Client).each(Each::Run);

const TOKEN_RATE: Definition = RATE.tokens_by(TokensBy::Server);

/// Sum of end-to-end latencies over the run's wall time.
const IN_FLIGHT: Definition = RATE.note("mean over the run");

const LENGTH: Definition = TIME.tokens_by(TokensBy::Server).note("");

/// A value in the metric's unit; a time or a rate of exactly zero is one that nobody took.
fn in_unit(metric: Metric, value: Known<f64>, unit: f64) -> Known<f64> {
    match value {
        Known::Is { value: 0.0, .. } if metric != Metric::OutputTokens => Known::Not(Why::Absent),
        known => scaled(known, unit),
    }
}
