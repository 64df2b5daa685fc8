//! SGLang `bench_serving`, its Python entry points and its Rust client: what its figures mean.

pub(in crate::results) mod console;
pub(in crate::results) mod json;
pub(in crate::results) mod steady;

use trueline_core::{Definition, Deviation, Each, FirstToken, Mark, Percentiles, Side, TokensBy};

const TOOL: &str = "sglang bench_serving";

/// A reply ends for this tool with its last line, the closing `[DONE]` included.
const OF_REPLY: Definition = Definition::new(Mark::Sent, Mark::Closed, Side::Client)
    .spread(Percentiles::Linear, Deviation::Population);

const E2E: Definition = OF_REPLY.note("its Rust client ends with the last token");

const TTFT: Definition = OF_REPLY.between(Mark::Sent, Mark::FirstToken);

const TPOT: Definition = OF_REPLY
    .between(Mark::FirstToken, Mark::Closed)
    .first_token(FirstToken::Out)
    .tokens_by(TokensBy::ServerElseAsked)
    .note("its Rust client ends with the last token and takes the length asked for");

const ITL: Definition = OF_REPLY
    .between(Mark::FirstToken, Mark::LastToken)
    .each(Each::Chunk)
    .first_token(FirstToken::Out)
    .note("for its own /generate endpoint a gap is spread over the tokens of a chunk");

const RATE: Definition = Definition::new(Mark::Sent, Mark::Closed, Side::Client).each(Each::Run);

const TOKEN_RATE: Definition = RATE.tokens_by(TokensBy::ServerElseAsked);

const CONCURRENCY: Definition = RATE.note("sum of end-to-end latencies over duration");

const PEAK: Definition = RATE
    .each(Each::Slice)
    .tokens_by(TokensBy::Chunks)
    .note("chunks that arrive in the fullest second");

const PEAK_CONCURRENCY: Definition =
    RATE.each(Each::Slice).note("requests that touch a second, not those that overlap");
