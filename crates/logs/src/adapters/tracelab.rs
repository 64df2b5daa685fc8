//! Rounds of `TraceLab`'s agent sessions: what each request of a session read from the cache and what it
//! added.

use trueline_core::Side;

use super::{LogFormat, Reads, Table};
use crate::{Evidence, FieldMeaning, Holds, Unit};

/// The format.
pub(super) const FORMAT: LogFormat = LogFormat {
    name: "tracelab",
    writer: "TraceLab's round traces",
    versions: "example sessions, snapshot 0b8a262",
    evidence: Evidence::Published,
    table,
    reads: Reads::Rows { fits: None },
};

/// The table of `TraceLab` rounds.
///
/// # Source
/// uw-syfi/TraceLab, `example_sessions/{derived,sanitized}/round_trace.jsonl` (snapshot 0b8a262 of
/// 2026-06-25). In the whole release `trace_key`, `round_id` and the place in the session are not unique:
/// rows of one file are never taken for each other.
fn table() -> Table {
    use Holds as H;
    const AT: &str = "uw-syfi/TraceLab, snapshot 0b8a262 of 2026-06-25";
    let f = |path, holds, unit| FieldMeaning::new(path, holds, unit).source(AT);
    let unused = |path, note| f(path, H::Unused, Unit::None).note(note);
    Table {
        name: FORMAT.name.into(),
        server: None,
        fields: vec![
            f("trace_key", H::Id, Unit::None).note("not unique in the whole release"),
            f("round_id", H::Id, Unit::None).note("where trace_key is absent; not unique"),
            f("session_id", H::Session, Unit::None),
            f("model", H::Model, Unit::None),
            f("input_tokens_total", H::PromptTokens, Unit::Tokens)
                .note("read from the cache, written to it and neither"),
            f("prefix_tokens", H::CachedTokens, Unit::Tokens).note("as the provider counted"),
            f("newly_append_tokens", H::NewTokens, Unit::Tokens),
            f("output_tokens", H::OutputTokens, Unit::Tokens),
            unused("claude_uncached_input_tokens", "part of newly_append_tokens"),
            unused("claude_cache_creation_input_tokens", "part of newly_append_tokens"),
            unused("claude_cache_read_input_tokens", "the same as prefix_tokens"),
            unused("reasoning_output_tokens", "part of output_tokens where the provider says it"),
            unused("timing_events", "stamps of what the agent saw, whole blocks: none is a TTFT"),
            unused("round_index", "place in the session; not unique"),
            unused("tools", "what the agent ran"),
        ],
        side: Side::Client,
        ok: Vec::new(),
        block: None,
        marks: &["input_tokens_total", "newly_append_tokens", "prefix_tokens", "trace_key"],
    }
}
