//! Rows of the traces of Mooncake: lengths and block hashes of production requests, without any time.

use serde::Deserialize;
use trueline_core::{Side, Tokens};

use super::{MOONCAKE, Table};
use crate::{FieldMeaning, Holds, Unit};

/// How many tokens a block has.
///
/// # Source
/// Mooncake, FAST25-release/traces (snapshot 3b5a59413 of 2026-08-22): every row of its conversation and
/// synthetic traces has as many `hash_ids` as its prompt has blocks of 512, the last one perhaps not full.
const BLOCK_TOKENS: u64 = 512;

/// The table of Mooncake rows.
pub(crate) fn mooncake() -> Table {
    use Holds as H;
    const AT: &str = "Mooncake, FAST25-release/traces, snapshot 3b5a59413 of 2026-08-22";
    let f = |path, holds, unit| FieldMeaning::new(path, holds, unit).source(AT);
    Table {
        name: MOONCAKE.into(),
        server: None,
        fields: vec![
            f("timestamp", H::SentAfter, Unit::Milliseconds)
                .note("since the trace began; the conversation trace has it in steps of 3 s"),
            f("input_length", H::PromptTokens, Unit::Tokens),
            f("output_length", H::OutputTokens, Unit::Tokens),
            f("hash_ids", H::BlockHashes, Unit::None).note(
                "blocks of 512 tokens, the last one perhaps not full; no count of what was cached",
            ),
        ],
        side: Side::Server,
        ok: Vec::new(),
        block: Some(Tokens::new(BLOCK_TOKENS)),
        marks: &["hash_ids", "input_length", "output_length"],
    }
}

/// Rows whose hashes are not of blocks of 512 tokens: those of another trace with the same keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct MisfitBlocks {
    /// Rows with a length and hashes.
    pub(crate) rows: u64,
    /// Those of them that have neither as many hashes as full blocks nor one more for the rest.
    pub(crate) misfit: u64,
}

#[derive(Deserialize)]
struct Row {
    input_length: u64,
    hash_ids: Vec<serde::de::IgnoredAny>,
}

impl MisfitBlocks {
    /// Counts them among some objects.
    pub(crate) fn of<'x>(objects: impl Iterator<Item = &'x str>) -> Self {
        let mut found = Self::default();
        for row in objects.filter_map(|object| serde_json::from_str::<Row>(object).ok()) {
            let (full, hashes) = (row.input_length / BLOCK_TOKENS, row.hash_ids.len() as u64);
            let most = row.input_length.div_ceil(BLOCK_TOKENS);
            found.rows += 1;
            found.misfit += u64::from(hashes < full || hashes > most);
        }
        found
    }

    /// Whether the objects can be rows of Mooncake's traces: half of those that tell fit, or none tells.
    pub(crate) const fn are_few(self) -> bool {
        self.misfit * 2 <= self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_another_size_are_told_from_those_of_512() {
        // 1,025 tokens: two full blocks of 512 and a rest, or 64 of 16 and a rest.
        let row =
            |hashes: usize| format!(r#"{{"input_length":1025,"hash_ids":{:?}}}"#, vec![1; hashes]);
        let count = |hashes: &[usize]| {
            let rows: Vec<String> = hashes.iter().map(|n| row(*n)).collect();
            MisfitBlocks::of(rows.iter().map(String::as_str))
        };
        assert_eq!(count(&[2, 3]), MisfitBlocks { rows: 2, misfit: 0 });
        assert_eq!(count(&[65, 1, 4]), MisfitBlocks { rows: 3, misfit: 3 });
        assert!(!count(&[65]).are_few() && count(&[2]).are_few() && count(&[]).are_few());
    }
}
