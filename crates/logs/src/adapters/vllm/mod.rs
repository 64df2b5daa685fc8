//! What vLLM writes: lines of its log about intervals and iterations, and numbers in its replies.
//!
//! No line of its log is of a request: those that name one hold neither a time nor a count.

mod field;
mod interval;
mod iteration;
mod reader;
mod record;
mod reply;
mod version;

use trueline_core::Side;

use super::{LogFormat, Reads, Table};
use crate::Evidence;
use crate::lines::Seen;

pub(super) use reply::FORMAT as REPLIES;

/// The format of its log.
pub(super) const FORMAT: LogFormat = LogFormat {
    name: "vllm",
    writer: "vLLM's log",
    versions: "0.3 to 0.33",
    evidence: Evidence::Described,
    table,
    reads: Reads::Lines {
        words: &["Avg prompt throughput", "Iteration("],
        apart: false,
        is,
        reader: || Box::new(reader::Reader::default()),
    },
};

fn table() -> Table {
    Table {
        name: FORMAT.name.into(),
        server: Some("vllm".to_owned()),
        fields: field::ALL.iter().map(|field| field.meaning()).collect(),
        side: Side::Server,
        ok: Vec::new(),
        block: None,
        marks: &[],
    }
}

/// Whether lines are of it: those about intervals or iterations, wherever a message may begin.
fn is(lines: &[&str]) -> Option<Seen> {
    let (mut intervals, mut old, mut iterations) = (0, 0, 0);
    for line in lines {
        let Some(record) = record::parse(line) else { continue };
        if let Some(interval) = interval::parse(&record.message) {
            intervals += 1;
            old += usize::from(interval.is_old());
        } else if iteration::parse(&record.message).is_some() {
            iterations += 1;
        }
    }
    let lines = intervals + iterations;
    let of_intervals = match old {
        0 => format!("{intervals} lines with vLLM's prompt and generation throughput"),
        _ => format!(
            "{intervals} lines with vLLM's prompt and generation throughput, {old} of them as its engine before V1 \
             writes them"
        ),
    };
    let of_iterations = format!("{iterations} lines about an iteration of vLLM");
    let parts = [(intervals, of_intervals), (iterations, of_iterations)];
    let said: Vec<String> =
        parts.into_iter().filter(|(n, _)| *n > 0).map(|(_, words)| words).collect();
    (lines > 0).then(|| Seen { lines, evidence: said.join(", ") })
}
