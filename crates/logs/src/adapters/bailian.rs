//! Rows of the Qwen-Bailian traces: turns of chats with block hashes, without any time but their arrival.

use trueline_core::{Side, Tokens};

use super::{LogFormat, Reads, Table};
use crate::{Evidence, FieldMeaning, Holds, Unit};

/// The format.
pub(super) const FORMAT: LogFormat = LogFormat {
    name: "bailian",
    writer: "Qwen-Bailian's traces",
    versions: "as described",
    evidence: Evidence::Described,
    table,
    reads: Reads::Rows { fits: None },
};

/// The table of Bailian rows.
fn table() -> Table {
    use Holds as H;
    const AT: &str = "alibaba-edu/qwen-bailian-usagetraces-anon, its description (read 2026-11-29)";
    let f = |path, holds, unit| FieldMeaning::new(path, holds, unit).source(AT);
    Table {
        name: FORMAT.name.into(),
        server: None,
        fields: vec![
            f("chat_id", H::Id, Unit::None).note("of this turn"),
            f("parent_chat_id", H::Unused, Unit::None).note("of the turn before; -1 where none is"),
            f("timestamp", H::SentAfter, Unit::Seconds).note("since the trace began"),
            f("input_length", H::PromptTokens, Unit::Tokens),
            f("output_length", H::OutputTokens, Unit::Tokens),
            f("hash_ids", H::BlockHashes, Unit::None)
                .note("blocks of 16 tokens; no count of what was cached"),
            f("type", H::Unused, Unit::None).note("what the request was for"),
            f("turn", H::Unused, Unit::None).note("its place in the chat"),
        ],
        side: Side::Server,
        ok: Vec::new(),
        block: Some(Tokens::new(16)),
        marks: &["chat_id", "parent_chat_id"],
    }
}
