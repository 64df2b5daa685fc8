//! Rows of Azure's public traces: when a request came and how long it was, nothing else.

use trueline_core::Side;

use super::{LogFormat, Reads, Table};
use crate::{Evidence, FieldMeaning, Holds, Unit};

/// The format.
pub(super) const FORMAT: LogFormat = LogFormat {
    name: "azure-llm",
    writer: "Azure's public LLM traces",
    versions: "2023; 2024 and 2025 as described",
    evidence: Evidence::Published,
    table,
    reads: Reads::Columns { must: &["TIMESTAMP", "ContextTokens", "GeneratedTokens"] },
};

/// The table of Azure rows.
///
/// # Source
/// Azure/AzurePublicDataset, `AzureLLMInferenceTrace_code.csv` and `_conv.csv` (snapshot b469a11 of
/// 2025-10-20): stamps of 100 ns without a zone, lines that end as on Windows, none at the end.
fn table() -> Table {
    const AT: &str = "Azure/AzurePublicDataset, snapshot b469a11 of 2025-10-20";
    let f = |path, holds, unit| FieldMeaning::new(path, holds, unit).source(AT);
    Table {
        name: FORMAT.name.into(),
        server: None,
        fields: vec![
            f("TIMESTAMP", Holds::Started, Unit::Iso8601).note("in steps of 100 ns; no zone"),
            f("ContextTokens", Holds::PromptTokens, Unit::Tokens)
                .note("no count of what was cached"),
            f("GeneratedTokens", Holds::OutputTokens, Unit::Tokens),
            f("NumImages", Holds::Unused, Unit::None).note("in the trace of 2025"),
        ],
        side: Side::Server,
        ok: Vec::new(),
        block: None,
        marks: &[],
    }
}
