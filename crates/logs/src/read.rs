//! Reads logs: each input by its format, all into one summary.

mod blocks;

use std::io::Read;
use std::path::PathBuf;

use trueline_core::{Checked, Known, Side, Why};

use crate::adapters::{
    LogFormat, LogHeader, OWN, Reads, Role, Table, own as own_table, parse_header,
};
use crate::chunk::ChunkReader;
use crate::layout::Layout;
use crate::lines::{read_lines, read_lines_of};
use crate::metrics::parse_server_counters;
use crate::own::OwnRows;
use crate::pieces::plain_text;
use crate::recognition::{ASKED_FOR, recognize};
use crate::results::read_results_from;
use crate::seen::Seen;
use crate::source::{Block, Source};
use crate::summary::{FileRead, conclude};
use crate::{Error, ErrorKind, LogSummary, ReadOptions, Reason, Recognition};
use blocks::read_blocks;

/// The largest document that is read whole.
const DOCUMENT_LIMIT: usize = 1 << 30;

/// Reads request logs into one summary; several files are joined, in the order of their first time stamps
/// where each has one. A request that two of them hold is counted once, where its rows are alike and hold an
/// id or a wall time.
///
/// # Errors
/// A file that is missing, may not be read, is empty, binary, or in no known format. A bad line is
/// no error: it is counted.
///
/// # Examples
/// ```no_run
/// use trueline_logs::{ReadOptions, read_log};
/// let log = read_log(&["request-log-8080.jsonl".into()], &ReadOptions::default())?;
/// println!("{} requests", log.value.production().counts().used);
/// # Ok::<(), trueline_logs::Error>(())
/// ```
pub fn read_log(paths: &[PathBuf], options: &ReadOptions) -> Result<Checked<LogSummary>, Error> {
    let mut files = Vec::new();
    let mut seen = (paths.len() > 1).then(Seen::default);
    for path in paths {
        let source = Source::open(path, options.block_bytes)?;
        let mut file = read_source(source, options, seen.as_ref())?;
        if let Some(seen) = &mut seen {
            file.tally.not_compared = seen.add(std::mem::take(&mut file.tally.identities));
            seen.counted.add(std::mem::take(&mut file.tally.counted));
        }
        files.push(file);
    }
    if files.is_empty() {
        return Err(Error::new(ErrorKind::Empty, "", "expected at least one log, found none"));
    }
    not_empty(conclude(files, options))
}

/// A log without a single record, and of whose intervals nothing is said, says nothing: that is told, not summed
/// up to zeros.
fn not_empty(read: Checked<LogSummary>) -> Result<Checked<LogSummary>, Error> {
    let counts = read.value.counts();
    let says = !read.value.intervals().is_empty();
    let records = counts.read() + counts.outside + counts.doubled + counts.incomplete_tail;
    if says || records > 0 {
        return Ok(read);
    }
    let name = read.value.files().first().map_or("", |file| file.name.as_str());
    let recognition = read.value.recognition();
    let lines = read.value.lines();
    let mut message = format!(
        "expected requests in the format {}, found none in {lines} lines",
        recognition.format()
    );
    if recognition.evidence() == ASKED_FOR {
        message += "; leave --request-format out to have the format recognised";
    }
    Err(Error::new(ErrorKind::Empty, name, message))
}

/// An error with another clause.
fn with_more(error: &Error, name: &str, more: &str) -> Error {
    Error::new(error.kind(), name, format!("{}; {more}", error.message()))
}

/// Adds to an error about a text that is no log which program takes it, where one does.
fn what_it_is(error: Error, name: &str, head: &str) -> Error {
    if error.kind() != ErrorKind::UnknownFormat {
        return error;
    }
    let instead = if let Ok(counters) = parse_server_counters(head, Known::Not(Why::Absent)) {
        format!(
            "counters of {}, which watch_host --metrics-url takes around a run",
            counters.server
        )
    } else if let Ok(file) = read_results_from(name, head.as_bytes())
        && let Some(run) = file.runs.first()
    {
        format!("results of {}, which check_results and audit --results take", run.format.tool)
    } else {
        return error;
    };
    let message = format!("expected a request log, found {instead}");
    Error::new(ErrorKind::UnknownFormat, name, message)
}

/// Reads one log from anything that yields bytes, a gzip or zstd stream included.
///
/// # Errors
/// As [`read_log`].
///
/// # Examples
/// ```
/// use trueline_logs::{ReadOptions, read_log_from};
/// let text = r#"{"id":"a","prompt_tokens":1000,"cached_tokens":0,"ttft_s":2.0}"#;
/// let log = read_log_from("made up", text.as_bytes(), &ReadOptions::default())?.value;
/// let cell = log.production().cells().next().unwrap();
/// assert_eq!(cell.0.to_string(), "1–4k tokens, 0–5 % cached");
/// assert_eq!(cell.1.sum_over_sum().unwrap().get(), 500.0);
/// # Ok::<(), trueline_logs::Error>(())
/// ```
pub fn read_log_from(
    name: &str,
    from: impl Read + Send,
    options: &ReadOptions,
) -> Result<Checked<LogSummary>, Error> {
    let source = Source::new(name, Box::new(from), options.block_bytes)?;
    not_empty(conclude(vec![read_source(source, options, None)?], options))
}

/// Reads one input; a run is refused where a log is expected.
fn read_source(
    mut source: Source<'_>,
    options: &ReadOptions,
    seen: Option<&Seen>,
) -> Result<FileRead, Error> {
    let name = source.name().to_owned();
    let (mut first, is_line) = source.begin_block(Vec::new())?;
    if is_line && !begins_document(&name, &first, options) {
        first = source.behind_long_line(first)?;
    }
    let head = plain_text(first.bytes.get(..1 << 20).unwrap_or(&first.bytes));
    let mut recognition =
        recognize(&name, &head, options).map_err(|error| match source.truncated() {
            Some(why) => with_more(&error, &name, why),
            None => what_it_is(error, &name, &head),
        })?;
    if let Some(kept_by) = source.kept_by() {
        recognition.add(kept_by);
    }
    let own = OwnRows::new(options.own.as_ref());
    let header = if recognition.format() == OWN {
        head.lines().take(8).find_map(|line| parse_header(&name, line).transpose()).transpose()?
    } else {
        None
    };
    if header.as_ref().is_some_and(|header| header.role == Role::Run) {
        let message = "expected a log, found a header with role \"run\"; give it as results";
        return Err(Error::new(ErrorKind::Header, &name, message));
    }
    let mut layout = Layout::new(table(&recognition, header.as_ref(), options));
    let reads =
        options.mapping.is_none().then(|| LogFormat::named(recognition.format())).transpose()?;
    if let Some(LogFormat { reads: Reads::Columns { .. }, .. }) = reads {
        layout = layout.with_columns(&head);
    }
    let reader = ChunkReader { layout: &layout, own: &own, options, seen };
    drop(head);
    let tally = match reads.map(|format| &format.reads) {
        Some(Reads::Document { read, .. }) => {
            let bytes = source.read_all(first.bytes, DOCUMENT_LIMIT)?;
            if bytes.len() > DOCUMENT_LIMIT {
                let message = "expected a document of at most 1 GiB, found a larger one; split it";
                return Err(Error::new(ErrorKind::Document, &name, message));
            }
            let whole = read(&name, &bytes)?;
            let mut tally = reader.take((1..).zip(whole.records));
            tally.production.counts.rejected.add(Reason::OtherSchema, whole.rejected);
            tally
        }
        Some(Reads::Lines { reader: lines, apart: true, .. }) => {
            let read = |block: &Block| read_lines_of(block, &reader, &mut *lines());
            read_blocks(&mut source, first, options, &read)?
        }
        Some(Reads::Lines { reader: lines, .. }) => {
            read_lines(&mut source, first, &reader, lines())?
        }
        Some(Reads::Rows { .. } | Reads::Columns { .. }) | None => {
            read_blocks(&mut source, first, options, &|block| reader.read(block))?
        }
    };
    Ok(FileRead {
        name,
        recognition,
        header,
        server: layout.table.server.clone(),
        fields: layout.table.fields.clone(),
        truncated: source.truncated().map(str::to_owned),
        bytes: source.total(),
        tally,
    })
}

/// Whether a block begins a document, which is read whole however long its lines are.
fn begins_document(name: &str, first: &Block, options: &ReadOptions) -> bool {
    let head = plain_text(first.bytes.get(..1 << 20).unwrap_or(&first.bytes));
    options.mapping.is_none()
        && recognize(name, &head, options)
            .and_then(|found| LogFormat::named(found.format()))
            .is_ok_and(|format| matches!(format.reads, Reads::Document { .. }))
}

pub(crate) fn table(
    recognition: &Recognition,
    header: Option<&LogHeader>,
    options: &ReadOptions,
) -> Table {
    if let Some(mapping) = &options.mapping {
        return mapping.table();
    }
    match LogFormat::named(recognition.format()) {
        Ok(format) if format.name != OWN => (format.table)(),
        _ => own_table(header.map_or(Side::Server, LogHeader::side)),
    }
}
