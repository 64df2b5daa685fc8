//! Replies of vLLM, kept one a line, with the numbers that it adds where it was asked to.

use trueline_core::Side;

use crate::adapters::{Fit, LogFormat, Reads, Table};
use crate::{Evidence, FieldMeaning, Holds, Unit};

/// The format.
pub(in crate::adapters) const FORMAT: LogFormat = LogFormat {
    name: "vllm-replies",
    writer: "vLLM's replies with --enable-per-request-metrics",
    versions: "0.33",
    evidence: Evidence::Described,
    table,
    reads: Reads::Rows { fits: Some(fit) },
};

/// The table of replies.
///
/// # Source
/// vLLM 0.33.0, `entrypoints/generate/base/serving.py` (read 2026-11-30).
fn table() -> Table {
    use Holds as H;
    use Unit::{EpochSeconds, Milliseconds, None, Tokens, TokensPerSecond};
    const AT: &str = "vLLM 0.33.0, entrypoints/generate/base/serving.py; PR 46768";
    const USAGE: &str = "vLLM 0.33.0, usage of its replies";
    let f = |path, holds, unit| FieldMeaning::new(path, holds, unit).source(USAGE);
    let time =
        |path, holds| FieldMeaning::new(path, holds, Milliseconds).clock(Side::Server).source(AT);
    Table {
        name: FORMAT.name.into(),
        server: Some("vllm".to_owned()),
        fields: vec![
            f("id", H::Id, None),
            f("model", H::Model, None),
            f("created", H::Started, EpochSeconds).note("in whole seconds"),
            f("usage.prompt_tokens", H::PromptTokens, Tokens),
            f("usage.prompt_tokens_details.cached_tokens", H::CachedTokens, Tokens).note(
                "only with --enable-prompt-tokens-details; some versions leave it out where it is 0, so an absent \
                 one is not known",
            ),
            f("usage.completion_tokens", H::OutputTokens, Tokens),
            time("metrics.time_to_first_token_ms", H::PrefillCompute).note(
                "scheduled to first token, preemptions inside: the queue is left out, so it is no TTFT",
            ),
            time("metrics.queue_time_ms", H::Queue).note("from the engine's queue on"),
            time("metrics.generation_time_ms", H::Decode),
            time("metrics.mean_itl_ms", H::Unused)
                .note("generation_time_ms over the tokens after the first: a TPOT"),
            f("metrics.tokens_per_second", H::Unused, TokensPerSecond).source(AT).note(
                "output tokens over scheduled to last token: prefill inside, the queue not; neither a \
                 decode rate nor one \
                 end to end",
            ),
            f("metrics.speculative_decoding", H::Unused, None).source(AT),
        ],
        side: Side::Server,
        ok: Vec::new(),
        block: Option::None,
        marks: &["metrics"],
    }
}

/// Whether the first objects hold vLLM's metrics.
fn fit(objects: &[String]) -> Fit {
    const OF_IT: [&str; 3] =
        ["\"time_to_first_token_ms\"", "\"generation_time_ms\"", "\"queue_time_ms\""];
    let has = objects.iter().filter(|text| OF_IT.iter().all(|key| text.contains(key))).count();
    if has == 0 {
        return Fit::Silent;
    }
    Fit::Fits(format!("{has} of {} hold vLLM's metrics of a request", objects.len()))
}
