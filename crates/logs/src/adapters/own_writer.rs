//! Writes our own JSON lines from records at hand.

use std::io::{self, Write};

use trueline_core::{BenchRun, RequestRecord};

use super::LogHeader;
use super::own_row::write_row;

/// Writes a run: its header, then its requests, one a line.
///
/// What is null in the record is written as null, what is absent is left out; any other reason why
/// a value is not known is written as null. Start times keep about 0.2 µs, the gaps between tokens
/// whole microseconds. What the tool states of the run is written as [`Stated::of`](crate::Stated::of)
/// says.
///
/// # Errors
/// What the writer fails with.
pub fn write_run(run: &BenchRun, to: impl Write) -> io::Result<()> {
    write_log(&LogHeader::of_run(run), &run.requests, to)
}

/// Writes a header and rows of any role.
///
/// # Errors
/// What the writer fails with.
pub fn write_log<'a>(
    header: &LogHeader,
    rows: impl IntoIterator<Item = &'a RequestRecord>,
    mut to: impl Write,
) -> io::Result<()> {
    serde_json::to_writer(&mut to, header)?;
    to.write_all(b"\n")?;
    let side = header.side();
    let mut line = Vec::new();
    for record in rows {
        line.clear();
        write_row(record, side, &mut line)?;
        to.write_all(&line)?;
    }
    to.flush()
}
