//! Spans of requests as OpenTelemetry's exporters write them in JSON: what vLLM and `SGLang` put on theirs, and the
//! conventions for generative AI.
//!
//! One span with a count or a time of a request is one request; spans of agents and tools, which sum up others,
//! and all other spans are none.

mod attribute;
mod common;
mod export;
mod field;
mod lines;
mod span;

use trueline_core::Side;

use super::{LogFormat, Reads, Table, Whole};
use crate::lines::Seen;
use crate::pieces::plain_text;
use crate::{Error, ErrorKind, Evidence};

const WRITER: &str = "OpenTelemetry exporters: spans of vLLM, SGLang and of generative AI";
const VERSIONS: &str = "OTLP 1 as JSON; vLLM 0.33, SGLang 0.5.23, conventions of 2026";

/// One export on each line.
pub(super) const LINES: LogFormat = LogFormat {
    name: "otlp-lines",
    writer: WRITER,
    versions: VERSIONS,
    evidence: Evidence::Described,
    table: || table(LINES.name),
    reads: Reads::Lines {
        words: &["\"resourceSpans\""],
        apart: true,
        is: is_lines,
        reader: || Box::new(lines::Reader::default()),
    },
};

/// One export over many lines, or several.
pub(super) const DOCUMENT: LogFormat = LogFormat {
    name: "otlp",
    writer: WRITER,
    versions: VERSIONS,
    evidence: Evidence::Described,
    table: || table(DOCUMENT.name),
    reads: Reads::Document { is: is_document, read },
};

fn table(name: &'static str) -> Table {
    Table {
        name: name.into(),
        server: None,
        fields: field::all(),
        side: Side::Server,
        ok: Vec::new(),
        block: None,
        marks: &[],
    }
}

/// Whether lines are whole exports of spans.
fn is_lines(lines: &[&str]) -> Option<Seen> {
    let are = |line: &&&str| line.starts_with('{') && line.contains("\"resourceSpans\"");
    let lines = lines.iter().filter(are).count();
    (lines > 0).then(|| Seen {
        lines,
        evidence: format!("{lines} lines that are exports of spans (resourceSpans)"),
    })
}

/// Whether a text begins an export that goes on over several lines: its first line is no whole object and does not
/// name the spans yet.
fn is_document(head: &str) -> Option<String> {
    let head = head.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    let (first, _) = head.split_once('\n')?;
    let goes_on = matches!(
        first.trim_end(),
        "{" | "{\"resourceSpans\":" | "{\"resourceSpans\":[" | "{\"resourceSpans\": ["
    );
    (goes_on && head.contains("\"resourceSpans\""))
        .then(|| "an export of spans (resourceSpans) over several lines".to_owned())
}

fn read(name: &str, bytes: &[u8]) -> Result<Whole, Error> {
    let text = plain_text(bytes);
    let found = export::open(&text, false, &field::all());
    if found.exports == 0 {
        return Err(Error::new(
            ErrorKind::Document,
            name,
            "expected an export of spans, one object with resourceSpans; found something else or a file that is \
             cut off",
        ));
    }
    Ok(Whole { records: Box::new(found.requests.into_iter()), rejected: found.torn })
}
