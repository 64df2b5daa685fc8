//! The ledger as servers write their request logs.

use std::io::{self, Write};

use trueline_core::WallTime;

use crate::{LedgerEntry, SimTime};

/// What the rate field of a log is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum RateField {
    /// New tokens over TTFT.
    #[default]
    Honest,
    /// All prompt tokens, cached ones too, over TTFT.
    CachedTokensIn,
    /// New tokens over computation alone: queue and fixed cost are left out.
    TimeLeftOut,
}

/// The wall clock is set while the server runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClockStep {
    /// When.
    pub at: SimTime,
    /// By how many nanoseconds, backwards where negative.
    pub by_nanos: i64,
}

impl ClockStep {
    /// A step of the clock.
    pub const fn new(at: SimTime, by_nanos: i64) -> Self {
        Self { at, by_nanos }
    }
}

/// How a log is written.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LogStyle {
    /// The wall time of the simulation's start.
    pub start: WallTime,
    /// The model's name.
    pub model: String,
    /// What the rate field is made of.
    pub rate: RateField,
    /// Steps of the wall clock, in order of time. They move stamps, not durations.
    pub clock_steps: Vec<ClockStep>,
}

impl LogStyle {
    /// A log of a model that begins at a wall time, honest and with a clock that runs evenly.
    pub fn new(start: WallTime, model: impl Into<String>) -> Self {
        Self { start, model: model.into(), rate: RateField::default(), clock_steps: Vec::new() }
    }
}

/// One request as a line of our own format, without the line end.
pub fn own_line(entry: &LedgerEntry, style: &LogStyle) -> String {
    let _ = (entry, style);
    String::new()
}

/// One request as a row of MTPLX's request log, without the line end.
pub fn mtplx_line(entry: &LedgerEntry, style: &LogStyle) -> String {
    let _ = (entry, style);
    String::new()
}

/// One request as a line of SGLang's metrics export, without the line end.
pub fn sglang_line(entry: &LedgerEntry, style: &LogStyle) -> String {
    let _ = (entry, style);
    String::new()
}

/// One request as llama.cpp logs it: several lines, each with its line end.
pub fn llama_cpp_lines(entry: &LedgerEntry, style: &LogStyle) -> String {
    let _ = (entry, style);
    String::new()
}

/// Writes a log of our own format: a header, then the requests that ended, in the order given.
///
/// # Errors
/// What the writer fails with.
pub fn write_own_log<'a>(
    entries: impl IntoIterator<Item = &'a LedgerEntry>,
    style: &LogStyle,
    mut to: impl Write,
) -> io::Result<()> {
    let _ = (entries.into_iter().count(), style);
    to.flush()
}

/// Writes MTPLX's request log.
///
/// # Errors
/// What the writer fails with.
pub fn write_mtplx_log<'a>(
    entries: impl IntoIterator<Item = &'a LedgerEntry>,
    style: &LogStyle,
    mut to: impl Write,
) -> io::Result<()> {
    let _ = (entries.into_iter().count(), style);
    to.flush()
}

/// Writes SGLang's metrics export.
///
/// # Errors
/// What the writer fails with.
pub fn write_sglang_log<'a>(
    entries: impl IntoIterator<Item = &'a LedgerEntry>,
    style: &LogStyle,
    mut to: impl Write,
) -> io::Result<()> {
    let _ = (entries.into_iter().count(), style);
    to.flush()
}

/// Writes llama.cpp's text log.
///
/// # Errors
/// What the writer fails with.
pub fn write_llama_cpp_log<'a>(
    entries: impl IntoIterator<Item = &'a LedgerEntry>,
    style: &LogStyle,
    mut to: impl Write,
) -> io::Result<()> {
    let _ = (entries.into_iter().count(), style);
    to.flush()
}
