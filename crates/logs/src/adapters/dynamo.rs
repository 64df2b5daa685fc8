//! Request traces of NVIDIA Dynamo's frontend: when requests came, how long they were, the hashes of their
//! blocks.
//!
//! Delivery is best effort, and requests for several choices or with images are left out: such a trace is a
//! sample by design.

use trueline_core::Side;

use super::{Fit, LogFormat, Reads, Rules, Table};
use crate::{Evidence, FieldMeaning, HashScope, Holds, Unit};

/// The format.
pub(super) const FORMAT: LogFormat = LogFormat {
    name: "dynamo-trace",
    writer: "NVIDIA Dynamo, DYN_REQUEST_TRACE",
    versions: "dynamo.request.trace.v1; a sample by design: records may be dropped",
    evidence: Evidence::Described,
    table,
    reads: Reads::Rows { fits: Some(fits) },
};

/// Events that are no requests: what tools did, and others.
pub(super) const RULES: Rules = Rules {
    ends: &["request_end"],
    begins: &[],
    health: None,
    cached_beyond: 0,
    generations: &[],
    may_log_slow_only: false,
    hashes: HashScope::Everywhere,
};

/// Whether the first objects name the schema.
fn fits(objects: &[String]) -> Fit {
    let of_it = objects.iter().filter(|object| object.contains("dynamo.request.trace")).count();
    if of_it == 0 {
        return Fit::Misfit(
            "records of the schema dynamo.request.trace, as their keys suggest, found none that names it; \
             describe the file with a mapping file (docs/mapping-file.md)"
                .to_owned(),
        );
    }
    Fit::Fits(format!("{of_it} of {} objects name the schema dynamo.request.trace", objects.len()))
}

/// A field by its path in a bare record and in a wrapped one.
type Path = [&'static str; 2];

/// The table of Dynamo's records, bare or wrapped as `{"timestamp": …, "event": …}`.
fn table() -> Table {
    use Holds as H;
    use Unit::{EpochMilliseconds, Milliseconds, None, Tokens};
    const AT: &str = "ai-dynamo 1.6.1, request trace v1 (read 2026-11-29)";
    const KIND: Path = ["event_type", "event.event_type"];
    const REQUEST: Path = ["request.request_id", "event.request.request_id"];
    const ENDED: Path = ["event_time_unix_ms", "event.event_time_unix_ms"];
    const CAME: Path = ["request.request_received_ms", "event.request.request_received_ms"];
    const TOOK: Path = ["request.total_time_ms", "event.request.total_time_ms"];
    const INPUT: Path = ["request.input_tokens", "event.request.input_tokens"];
    const OUTPUT: Path = ["request.output_tokens", "event.request.output_tokens"];
    const LENGTH: Path = ["request.replay.input_length", "event.request.replay.input_length"];
    const BLOCK: Path =
        ["request.replay.trace_block_size", "event.request.replay.trace_block_size"];
    const HASHES: Path =
        ["request.replay.input_sequence_hashes", "event.request.replay.input_sequence_hashes"];
    const SCHEMA: Path = ["schema", "event.schema"];
    let rows: [(Path, Holds, Unit, &'static str); 11] = [
        (SCHEMA, H::Unused, None, "names the version"),
        (KIND, H::Event, None, "tool_end and others are no requests"),
        (REQUEST, H::Id, None, ""),
        (CAME, H::Started, EpochMilliseconds, "when the frontend received it"),
        (ENDED, H::Finished, EpochMilliseconds, "when the record was made"),
        (TOOK, H::E2eLatency, Milliseconds, "at the frontend; may be absent"),
        (INPUT, H::PromptTokens, Tokens, "may be absent; no count of what was cached"),
        (LENGTH, H::PromptTokens, Tokens, "where input_tokens is absent"),
        (OUTPUT, H::OutputTokens, Tokens, ""),
        (BLOCK, H::BlockTokens, Tokens, ""),
        (HASHES, H::BlockHashes, None, "whole numbers of 64 bits, above 2^53 too"),
    ];
    let mut fields = Vec::new();
    for (paths, holds, unit, note) in rows {
        for path in paths {
            let field = FieldMeaning::new(path, holds, unit).note(note).source(AT);
            fields.push(if holds == H::E2eLatency { field.clock(Side::Server) } else { field });
        }
    }
    fields.push(FieldMeaning::new("timestamp", H::Unused, None).note("of the wrapper").source(AT));
    Table {
        name: FORMAT.name.into(),
        server: Some("dynamo".to_owned()),
        fields,
        side: Side::Server,
        ok: Vec::new(),
        block: Option::None,
        marks: &["event_time_unix_ms"],
    }
}
