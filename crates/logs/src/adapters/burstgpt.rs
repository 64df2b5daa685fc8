//! Rows of the `BurstGPT` traces: arrivals, lengths and the time of whole answers.

use trueline_core::Side;

use super::{LogFormat, Reads, Table};
use crate::{Evidence, FieldMeaning, Holds, Unit};

/// The format.
pub(super) const FORMAT: LogFormat = LogFormat {
    name: "burstgpt",
    writer: "BurstGPT's traces",
    versions: "1 to 3, as described",
    evidence: Evidence::Described,
    table,
    reads: Reads::Columns { must: &["Timestamp", "Request tokens", "Response tokens"] },
};

/// The table of `BurstGPT` rows. Version 1 has six columns, the later ones eight.
fn table() -> Table {
    use Holds as H;
    const AT: &str = "HPMLL/BurstGPT, its description (read 2026-11-29)";
    let f = |path, holds, unit| FieldMeaning::new(path, holds, unit).source(AT);
    Table {
        name: FORMAT.name.into(),
        server: None,
        fields: vec![
            f("Timestamp", H::SentAfter, Unit::Seconds)
                .note("since the trace began; whole seconds in version 1"),
            f("Session ID", H::Session, Unit::None),
            f("Elapsed time", H::E2eLatency, Unit::Seconds)
                .clock(Side::Client)
                .note("of the whole answer, no TTFT"),
            f("Model", H::Model, Unit::None),
            f("Request tokens", H::PromptTokens, Unit::Tokens),
            f("Response tokens", H::OutputTokens, Unit::Tokens)
                .note("0 where the service failed; the rows do not say so otherwise"),
            f("Total tokens", H::Unused, Unit::Tokens).note("request and response tokens"),
            f("Log Type", H::Unused, Unit::None).note("conversation or API"),
        ],
        side: Side::Client,
        ok: Vec::new(),
        block: None,
        marks: &[],
    }
}
