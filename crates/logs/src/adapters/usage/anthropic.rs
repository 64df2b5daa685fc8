//! Whole messages in the shape of Anthropic's interface.

use trueline_core::Side;

use crate::adapters::{Fit, LogFormat, Reads, Table};
use crate::{Evidence, FieldMeaning, Holds, Unit};

/// The format.
pub(in crate::adapters) const FORMAT: LogFormat = LogFormat {
    name: "anthropic-usage",
    writer: "messages with Anthropic-shaped usage, one a line",
    versions: "messages, 2026",
    evidence: Evidence::Described,
    table,
    reads: Reads::Rows { fits: Some(fits) },
};

/// Without its counts of the cache, a usage object may be of a shape whose `input_tokens` hold cached ones.
fn fits(objects: &[String]) -> Fit {
    let named = |name: &str| objects.iter().filter(|object| object.contains(name)).count();
    let read = named("\"cache_read_input_tokens\"");
    if read == 0 {
        return Fit::Misfit(
            "usage objects with cache_read_input_tokens, as Anthropic's interface has them, found none; \
             describe the file with a mapping file (docs/mapping-file.md)"
                .to_owned(),
        );
    }
    Fit::Fits(format!("{read} of {} objects count what was read from the cache", objects.len()))
}

/// The table of such messages.
///
/// # Source
/// Anthropic's API reference: the prompt is `input_tokens + cache_creation_input_tokens +
/// cache_read_input_tokens`. Dividing by `input_tokens` alone gives hit shares above 1
/// (f/agentlytics PR 26: 1,207 %).
fn table() -> Table {
    use Holds as H;
    use Unit::{None, Tokens};
    const AT: &str = "Anthropic API reference (read 2026-11-29)";
    let f = |path, holds, unit| FieldMeaning::new(path, holds, unit).source(AT);
    let mut fields = vec![
        f("id", H::Id, None),
        f("model", H::Model, None),
        f("type", H::Unused, None).note("message"),
        f("role", H::Unused, None),
        f("content", H::Unused, None).note("texts are not kept"),
        f("stop_reason", H::Unused, None),
    ];
    for (names, holds, note) in [
        (
            ["usage.input_tokens", "input_tokens"],
            H::UncachedTokens,
            "the prompt is this and the two counts of the cache",
        ),
        (
            ["usage.cache_creation_input_tokens", "cache_creation_input_tokens"],
            H::CacheWriteTokens,
            "computed like those above",
        ),
        (["usage.cache_read_input_tokens", "cache_read_input_tokens"], H::CachedTokens, ""),
        (["usage.output_tokens", "output_tokens"], H::OutputTokens, ""),
    ] {
        fields.extend(names.map(|name| f(name, holds, Tokens).note(note)));
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
