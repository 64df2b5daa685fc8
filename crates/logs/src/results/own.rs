//! Runs in Trueline's own JSON lines as results.

use super::draft::Draft;
use super::format::{Evidence, Reader, ResultFormat};
use super::input::Input;
use super::read::ResultFile;
use crate::Error;
use crate::runs::read_runs_with_unknown;

/// The runs of a benchmark in our own lines, request by request.
pub(crate) static OWN_JSONL: ResultFormat = ResultFormat {
    name: "trueline-requests",
    tool: "trueline",
    versions: "1",
    shape: "JSON lines",
    evidence: Evidence::Captured,
    source: "docs/request-log.md",
    reader: Reader::Text { is: |_| None, read: |_, _| () },
    lists: |_| {},
};

/// Whether an input begins with a header of ours that announces a run.
pub(crate) fn is(input: &Input) -> bool {
    let head = input.text().get(..4096).unwrap_or(input.text());
    let header = head.lines().find(|line| line.contains("\"trueline.requests/"));
    header.is_some_and(|line| {
        let plain: String = line.chars().filter(|c| !c.is_whitespace()).collect();
        plain.contains("\"role\":\"run\"")
    })
}

/// Reads them.
pub(crate) fn read(input: &Input, label: &str) -> Result<ResultFile, Error> {
    let read = read_runs_with_unknown(label, input.text().as_bytes())?;
    let runs = read
        .value
        .into_iter()
        .map(|mut read| {
            let mut draft = Draft::new(label, "trueline");
            draft.unknown.extend(read.unknown);
            let run = &mut read.run;
            run.source = Some(input.name.clone());
            draft.used = run.requests.len() as u64;
            draft.run = read.run;
            draft.finish(&OWN_JSONL, "its header")
        })
        .collect();
    Ok(ResultFile {
        name: input.name.clone(),
        runs,
        beside: Vec::new(),
        strange: Vec::new(),
        broken: Vec::new(),
        truncated: input.truncated.clone(),
        outcomes: read.outcomes,
    })
}
