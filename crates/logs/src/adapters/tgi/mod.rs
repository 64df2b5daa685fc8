//! Text Generation Inference: the spans that its router logs of answered requests, and its response headers.
//!
//! No field holds a TTFT, the time per token holds prefill, and cached tokens are counted nowhere: neither gives a
//! prefill rate or a TPOT. What is left are the end-to-end latency, the queue and, from headers, the counts.

mod span;
mod text;

use trueline_core::Side;

use super::{LogFormat, Reads, Table};
use crate::{Evidence, FieldMeaning, Holds, Unit};

pub(super) use text::TEXT;

/// Rows that hold the response headers: at their top, or in an object `headers` or `response_headers`, which is
/// read where the format is asked for and not recognised, since a row of any gateway may have one.
pub(super) const HEADERS: LogFormat = LogFormat {
    name: "tgi-headers",
    writer: "whoever logs the response headers of TGI",
    versions: "2 to 3.3, snapshot of January 2026",
    evidence: Evidence::Described,
    table: headers,
    reads: Reads::Rows { fits: None },
};

const AT: &str = "TGI, router/src/server.rs, snapshot db931fc of 2026-01-08";

/// The headers, with what they hold.
const FIELDS: [(&str, Holds, Unit, &str); 8] = [
    ("x-request-id", Holds::Id, Unit::None, ""),
    (
        "x-prompt-tokens",
        Holds::PromptTokens,
        Unit::Tokens,
        "how many of them were cached is told nowhere",
    ),
    ("x-generated-tokens", Holds::OutputTokens, Unit::Tokens, ""),
    (
        "x-total-time",
        Holds::E2eLatency,
        Unit::Milliseconds,
        "cut to whole ms; of a streamed reply absent",
    ),
    ("x-queue-time", Holds::Queue, Unit::Milliseconds, "cut to whole ms; validation is before it"),
    ("x-validation-time", Holds::Unused, Unit::Milliseconds, "tokenizing, before the queue"),
    ("x-inference-time", Holds::Unused, Unit::Milliseconds, "prefill and decode together"),
    (
        "x-time-per-token",
        Holds::Unused,
        Unit::Milliseconds,
        "inference over tokens: prefill inside, no TPOT",
    ),
];

fn headers() -> Table {
    let mut fields = Vec::new();
    for within in ["", "headers.", "response_headers."] {
        for (name, holds, unit, note) in FIELDS {
            let field = FieldMeaning::new(name, holds, unit).note(note).source(AT);
            let path = format!("{within}{name}").into();
            let clock = holds.stretch(Side::Server).is_some().then_some(Side::Server);
            fields.push(FieldMeaning { path, clock, ..field });
        }
    }
    Table {
        name: HEADERS.name.into(),
        server: Some("tgi".to_owned()),
        fields,
        side: Side::Server,
        ok: Vec::new(),
        block: None,
        marks: &[
            "x-prompt-tokens",
            "x-generated-tokens",
            "x-inference-time",
            "x-time-per-token",
            "x-validation-time",
        ],
    }
}
