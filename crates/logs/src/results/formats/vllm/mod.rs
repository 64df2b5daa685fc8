//! `vllm bench serve` (before: `benchmarks/benchmark_serving.py`): what its figures mean.

pub(in crate::results) mod console;
pub(in crate::results) mod json;

use trueline_core::{Definition, Deviation, Each, FirstToken, Mark, Percentiles, Side, TokensBy};

const TOOL: &str = "vllm bench serve";

const TIME: Definition = Definition::new(Mark::Sent, Mark::LastToken, Side::Client)
    .spread(Percentiles::Linear, Deviation::Population);

pub(super) const TTFT: Definition = TIME
    .between(Mark::Sent, Mark::FirstToken)
    .note("chat endpoints of 0.9 to 0.20 may stamp an empty role chunk");

pub(super) const TPOT: Definition = TIME
    .between(Mark::FirstToken, Mark::LastToken)
    .first_token(FirstToken::Out)
    .tokens_by(TokensBy::ServerElseTool);

pub(super) const ITL: Definition =
    TIME.between(Mark::FirstToken, Mark::LastToken).each(Each::Chunk).first_token(FirstToken::Out);

pub(super) const E2E: Definition = TIME;

pub(super) const SEND_DELAY: Definition = TIME.between(Mark::Intended, Mark::Sent);

/// Over the run's wall time, first send to last reply.
pub(super) const RATE: Definition =
    Definition::new(Mark::Sent, Mark::Closed, Side::Client).each(Each::Run);

pub(super) const TOKEN_RATE: Definition = RATE.tokens_by(TokensBy::ServerElseTool);

/// Chunks in the fullest second.
pub(super) const PEAK: Definition = RATE
    .each(Each::Slice)
    .tokens_by(TokensBy::Chunks)
    .note("chunks that arrive in the fullest second");

/// Requests that touch a second.
pub(super) const PEAK_CONCURRENCY: Definition =
    RATE.each(Each::Slice).note("requests that touch a second, not those that overlap");
