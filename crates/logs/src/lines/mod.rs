//! Logs whose lines are text: what several lines say together becomes one request.

mod prefix;
mod read;

use std::fmt;

use trueline_core::RequestRecord;

pub(crate) use prefix::{bare, uncoloured};
pub(crate) use read::read_lines;

use crate::Reason;

/// One line as a reader of lines sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'l> {
    /// What the server wrote: without colours, and without what a container's log puts before it.
    pub(crate) text: &'l str,
    /// Which of several writers wrote it: the container's or router's name before it; empty where there is
    /// none. Lines of two writers say nothing together.
    pub(crate) writer: &'l str,
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
    /// Requests among them whose time stamps have no zone.
    pub(crate) zoneless: u64,
    /// Lines that are of no request.
    pub(crate) other: u64,
    /// 1 where the input ends inside a record.
    pub(crate) incomplete_tail: u64,
    /// Lines or requests that cannot be used, by reason.
    pub(crate) rejected: Vec<(Reason, u64)>,
}

/// What the first lines of an input have of a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    /// How many lines are of it.
    pub(crate) lines: usize,
    /// What says so, in words.
    pub(crate) evidence: String,
}
