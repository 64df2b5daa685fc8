//! Whole replies in the shapes of `OpenAI`'s chat, completion and response interfaces.

use trueline_core::Side;

use super::chunk::are_pieces;
use crate::adapters::{Fit, LogFormat, Reads, Table};
use crate::{Evidence, FieldMeaning, Holds, Unit};

/// The format.
pub(in crate::adapters) const FORMAT: LogFormat = LogFormat {
    name: "openai-usage",
    writer: "replies with OpenAI-shaped usage, one a line",
    versions: "chat completions, completions, responses, batch output; 2026",
    evidence: Evidence::Described,
    table,
    reads: Reads::Rows { fits: Some(fits) },
};

/// Pieces of streamed replies look alike and are put together first; what counts no tokens is no reply.
fn fits(objects: &[String]) -> Fit {
    const COUNTS: [&str; 3] = ["\"usage\"", "\"prompt_tokens\"", "\"input_tokens\""];
    let count = |object: &&String| COUNTS.iter().any(|name| object.contains(name));
    if objects.iter().filter(count).count() == 0 {
        return Fit::Misfit(
            "replies with a usage object, as their keys suggest, found none; describe the file with a \
             mapping file (docs/mapping-file.md)"
                .to_owned(),
        );
    }
    if are_pieces(objects) {
        return Fit::Misfit(
            "whole replies with a usage object, found pieces of streamed ones; they are read as \
             openai-chunks"
                .to_owned(),
        );
    }
    Fit::Silent
}

/// The places at which a usage object may stand.
const USAGE: [&str; 3] = ["usage.", "response.body.usage.", ""];

/// The table of such replies.
///
/// # Source
/// `OpenAI`'s API reference: `prompt_tokens` (chat) and `input_tokens` (responses) hold cached tokens.
/// QuantumNous/new-api issue 6212: gateways that write `input_tokens: 0` beside `prompt_tokens`. What a
/// gateway counted itself, without the server's usage, cannot be told from one row.
fn table() -> Table {
    use Holds as H;
    use Unit::{EpochSeconds, None, Tokens};
    const ELSE: &str =
        "where prompt_tokens is absent: cached ones included, as in the response interface";
    const AT: &str = "OpenAI API reference (read 2026-11-29); QuantumNous/new-api issue 6212";
    let f = |path, holds, unit| FieldMeaning::new(path, holds, unit).source(AT);
    let mut fields = vec![
        f("id", H::Id, None),
        f("custom_id", H::Id, None).note("in the output of a batch"),
        f("model", H::Model, None),
        f("response.body.model", H::Model, None).note("in the output of a batch"),
        f("created", H::Started, EpochSeconds).note("in whole seconds"),
        f("object", H::Unused, None).note("which interface"),
        f("choices", H::Unused, None).note("texts are not kept"),
        f("output", H::Unused, None).note("texts are not kept"),
    ];
    for (name, holds, note) in [
        ("prompt_tokens", H::PromptTokens, "cached ones included"),
        ("input_tokens", H::PromptTokens, ELSE),
        ("completion_tokens", H::OutputTokens, ""),
        ("output_tokens", H::OutputTokens, "where completion_tokens is absent"),
        ("total_tokens", H::Unused, "prompt and completion tokens"),
        ("prompt_tokens_details.cached_tokens", H::CachedTokens, ""),
        ("input_tokens_details.cached_tokens", H::CachedTokens, "in the response interface"),
        ("prompt_cache_hit_tokens", H::CachedTokens, "DeepSeek"),
        ("cached_tokens", H::CachedTokens, "servers that write it beside the counts"),
        ("cache_read_input_tokens", H::CachedTokens, "gateways that keep Anthropic's name"),
    ] {
        for place in USAGE {
            let unit = if holds == H::Unused { None } else { Tokens };
            let mut field = FieldMeaning::new("", holds, unit).note(note).source(AT);
            field.path = format!("{place}{name}").into();
            fields.push(field);
        }
    }
    Table {
        name: FORMAT.name.into(),
        server: Option::None,
        fields,
        side: Side::Client,
        ok: Vec::new(),
        block: Option::None,
        marks: &[],
    }
}
