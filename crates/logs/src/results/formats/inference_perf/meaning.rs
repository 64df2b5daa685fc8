//! What inference-perf means by its figures.

use trueline_core::{Definition, Deviation, Each, FirstToken, Mark, Percentiles, Side, TokensBy};

const TIME: Definition = Definition::new(Mark::Sent, Mark::Closed, Side::Client)
    .spread(Percentiles::Linear, Deviation::NotApplicable);

/// To the end of the reply; retries and the wait between them are in it.
pub(super) const E2E: Definition = TIME;

pub(super) const TTFT: Definition = TIME
    .between(Mark::Sent, Mark::FirstToken)
    .note("only of requests with two or more token-bearing chunks");

pub(super) const E2E_PER_TOKEN: Definition = TIME
    .first_token(FirstToken::In)
    .tokens_by(TokensBy::Tool)
    .note("0 where no token was counted; the server's count where use_server_output_tokens is set");

pub(super) const TPOT: Definition = TIME
    .between(Mark::FirstToken, Mark::LastToken)
    .first_token(FirstToken::Out)
    .tokens_by(TokensBy::Tool)
    .note("the server's count where use_server_output_tokens is set");

/// Before tokens were counted in each chunk.
pub(super) const TPOT_OF_CHUNKS: Definition =
    TPOT.tokens_by(TokensBy::Chunks).note("chunks counted as tokens: there may be twice as many");

/// Tokens of one chunk share its time, so gaps of zero are real ones.
pub(super) const ITL: Definition = TIME
    .between(Mark::FirstToken, Mark::LastToken)
    .each(Each::Token)
    .first_token(FirstToken::Out)
    .tokens_by(TokensBy::Tool)
    .note("tokens of one chunk have gaps of zero, the next one the whole gap");

pub(super) const ITL_OF_CHUNKS: Definition =
    ITL.each(Each::Chunk).tokens_by(TokensBy::Chunks).note("");

pub(super) const SEND_DELAY: Definition = TIME.between(Mark::Intended, Mark::Sent);

/// The same where a concurrency is held: a request waits for a slot by design.
pub(super) const NOMINAL_DELAY: Definition =
    SEND_DELAY.note("behind a nominal rate: with a fixed concurrency requests wait for a slot");

/// Over first send to last reply, failed requests included.
pub(super) const RATE: Definition =
    Definition::new(Mark::Sent, Mark::Closed, Side::Client).each(Each::Run);

pub(super) const INPUT_RATE: Definition = RATE.tokens_by(TokensBy::ServerElseTool);

/// Output tokens are the tool's own count even where the server counts.
pub(super) const OUTPUT_RATE: Definition = RATE
    .tokens_by(TokensBy::Tool)
    .note("output by the tool, by the server where use_server_output_tokens is set");

/// Over first send to last reply of the answered requests.
pub(super) const GOODPUT: Definition = RATE.note("over the answered requests' own time");

pub(super) const LENGTH: Definition = TIME.tokens_by(TokensBy::ServerElseTool);

pub(super) const OWN_LENGTH: Definition = TIME.tokens_by(TokensBy::Tool);
