//! Logs whose lines are text: what several lines say together becomes one request.

mod numbers;
mod parts;
mod prefix;
mod read;
mod words;
mod writer;

use std::fmt;

use trueline_core::RequestRecord;

pub(crate) use numbers::{after, count, count_after, milliseconds, number};
pub(crate) use parts::{named, parts};
pub(crate) use prefix::{bare, uncoloured};
pub(crate) use read::{read_lines, read_lines_of};
pub(crate) use words::Words;
pub(crate) use writer::Writer;

use crate::{Counts, Generations, Intervals, Reason};

/// One line as a reader of lines sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'l> {
    /// What the server wrote: without colours, and without what a container's log puts before it.
    pub(crate) text: &'l str,
    /// Which of several writers wrote it: the container's or router's name before it; empty where there is
    /// none. Lines of two writers say nothing together.
    pub(crate) writer: &'l str,
    /// The time before it that has a letter `T` in it, a collector's or the server's own, the last one of several;
    /// empty where there is none.
    pub(crate) stamp: &'l str,
    /// Whether the input ends in it, without a line end.
    pub(crate) unended: bool,
}

/// What makes requests of lines. It keeps what is begun, within a limit of its own, from block to block.
pub(crate) trait LineReader: fmt::Debug {
    /// Takes a line. Every line is counted once: as part of a request, as something else, or as rejected.
    fn line(&mut self, line: &Line<'_>, told: &mut Told);

    /// The input ends: what is begun is told as far as it is known, or counted.
    fn end(&mut self, told: &mut Told);
}

/// What lines came to.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// Requests that are whole, in the order in which they ended.
    pub(crate) requests: Vec<RequestRecord>,
    /// Versions of the server that lines name.
    pub(crate) versions: Vec<String>,
    /// Lines that are of no request.
    pub(crate) other: u64,
    /// Requests that had begun and whose end the input does not hold.
    pub(crate) unfinished: u64,
    /// Whether the input ends in the middle of what a line says.
    pub(crate) broken: bool,
    /// Lines or requests that cannot be used, by reason.
    pub(crate) rejected: Vec<(Reason, u64)>,
    /// What else is to be counted of the lines and requests, stamps without a zone among it.
    pub(crate) counted: Counts,
    /// What the lines say of the generation of their format.
    pub(crate) generations: Generations,
    /// Requests that came in.
    pub(crate) began: u64,
    /// What the server says of itself from time to time. Such a line is of no request: it is counted in `other`
    /// too.
    pub(crate) intervals: Intervals,
}

/// What the first lines of an input have of a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    /// How many lines are of it.
    pub(crate) lines: usize,
    /// What says so, in words.
    pub(crate) evidence: String,
}
