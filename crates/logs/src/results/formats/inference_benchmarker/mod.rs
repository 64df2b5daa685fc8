//! Hugging Face inference-benchmarker: what its figures mean.

pub(in crate::results) mod console;
pub(in crate::results) mod json;

use trueline_core::{
    Definition, Deviation, Each, FirstToken, Load, Mark, Percentiles, Side, TokensBy,
};

use crate::results::draft::Draft;

const TOOL: &str = "inference-benchmarker";

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

/// A rate is the load where there is one; else the virtual users are.
fn set_load(draft: &mut Draft, users: Option<u32>, rate: Option<f64>) {
    let users = users.filter(|n| *n > 0);
    draft.run.plan.max_concurrency = users;
    draft.run.plan.load = rate.map(Load::Rate).or(users.map(Load::Concurrency));
}
