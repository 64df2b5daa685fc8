//! Server-sent events, from bytes as they come.

use std::ops::ControlFlow;

/// The longest event that is read.
pub(crate) const MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;

/// What an event's fields say it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum EventKind {
    #[default]
    Message,
    /// Its field `event` is `error`, or its data stand in a field `error`.
    Error,
}

/// One event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Event<'a> {
    pub(crate) kind: EventKind,
    /// Its data; several lines of them are joined by line feeds.
    pub(crate) data: &'a [u8],
}

/// An event of more than [`MAX_EVENT_BYTES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLong;

/// Splits bytes into events, however they are cut.
///
/// # Shape
/// An event whose bytes come in one piece is handed on where it lies; one that is cut is put together
/// in two buffers that are used again. Comments, unknown fields and events without data are left out.
/// Lines end in LF, CR LF or CR; a byte order mark at the front is skipped.
///
/// # Source
/// "Server-sent events", WHATWG HTML, §9.2.5 and §9.2.6. Beyond it a field `error` counts as data,
/// which older llama.cpp servers write.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// A line whose end has not come.
    line: Vec<u8>,
    /// Data of an event whose end has not come.
    data: Vec<u8>,
    has_data: bool,
    kind: EventKind,
    /// Whether a line feed that comes next belongs to the line before it.
    skips_line_feed: bool,
    begun: bool,
}

impl Lines {
    /// Reads more bytes and hands each event on that they complete, until `each` breaks.
    pub(crate) fn take(
        &mut self,
        mut bytes: &[u8],
        each: &mut impl FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, TooLong> {
        // Data that lie in `bytes`, of an event whose end has not come.
        let mut held: Option<&[u8]> = None;
        while let Some(first) = bytes.first() {
            if std::mem::take(&mut self.skips_line_feed) && *first == b'\n' {
                bytes = bytes.get(1..).unwrap_or_default();
                continue;
            }
            let Some(end) = memchr::memchr2(b'\n', b'\r', bytes) else {
                self.line.extend_from_slice(bytes);
                self.bounded()?;
                break;
            };
            let (line, rest) = bytes.split_at(end);
            bytes = match rest {
                [b'\r'] => {
                    self.skips_line_feed = true;
                    &[]
                }
                [b'\r', b'\n', rest @ ..] | [_, rest @ ..] => rest,
                [] => &[],
            };
            let flow = if self.line.is_empty() {
                let line = self.past_mark(line);
                self.whole_line(line, &mut held, each)?
            } else {
                self.hold(&mut held);
                let mut buffer = std::mem::take(&mut self.line);
                buffer.extend_from_slice(line);
                let mut copied = None;
                let flow = self.whole_line(self.begin(&buffer), &mut copied, each)?;
                self.begun = true;
                self.hold(&mut copied);
                buffer.clear();
                self.line = buffer;
                self.bounded()?;
                flow
            };
            if flow.is_break() {
                return Ok(flow);
            }
        }
        self.hold(&mut held);
        self.bounded()?;
        Ok(ControlFlow::Continue(()))
    }

    /// Hands on what is left where the bytes end without an empty line.
    pub(crate) fn finish(&mut self, each: &mut impl FnMut(Event<'_>) -> ControlFlow<()>) {
        // No more than what was held already can be too long, and that was refused.
        let _ = self.take(b"\n\n", each);
    }

    /// Takes in a line that is complete.
    fn whole_line<'a>(
        &mut self,
        line: &'a [u8],
        held: &mut Option<&'a [u8]>,
        each: &mut impl FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, TooLong> {
        if line.is_empty() {
            let kind = std::mem::take(&mut self.kind);
            if let Some(data) = held.take() {
                return Ok(each(Event { kind, data }));
            }
            if std::mem::take(&mut self.has_data) {
                let flow = each(Event { kind, data: &self.data });
                self.data.clear();
                return Ok(flow);
            }
            return Ok(ControlFlow::Continue(()));
        }
        let (name, value) = field(line);
        match name {
            b"data" => {}
            b"error" => self.kind = EventKind::Error,
            b"event" => {
                self.kind = if value == b"error" { EventKind::Error } else { EventKind::Message };
                return Ok(ControlFlow::Continue(()));
            }
            _ => return Ok(ControlFlow::Continue(())),
        }
        if held.is_none() && !self.has_data {
            *held = Some(value);
        } else {
            self.hold(held);
            self.data.push(b'\n');
            self.data.extend_from_slice(value);
            self.bounded()?;
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Copies data whose bytes are about to go.
    fn hold(&mut self, held: &mut Option<&[u8]>) {
        if let Some(data) = held.take() {
            self.data.clear();
            self.data.extend_from_slice(data);
            self.has_data = true;
        }
    }

    fn past_mark<'a>(&mut self, line: &'a [u8]) -> &'a [u8] {
        let line = self.begin(line);
        self.begun = true;
        line
    }

    /// The line less a byte order mark, if it is the first.
    fn begin<'a>(&self, line: &'a [u8]) -> &'a [u8] {
        let mark = if self.begun { None } else { line.strip_prefix(b"\xef\xbb\xbf") };
        mark.unwrap_or(line)
    }

    fn bounded(&self) -> Result<(), TooLong> {
        if self.line.len().saturating_add(self.data.len()) > MAX_EVENT_BYTES {
            return Err(TooLong);
        }
        Ok(())
    }
}

/// A line's name and value; a comment has an empty name.
fn field(line: &[u8]) -> (&[u8], &[u8]) {
    let (name, value) = match line.strip_prefix(b"data:") {
        Some(value) => (b"data".as_slice(), value),
        None => match memchr::memchr(b':', line) {
            Some(colon) => {
                let (name, value) = line.split_at(colon);
                (name, value.get(1..).unwrap_or_default())
            }
            None => (line, b"".as_slice()),
        },
    };
    (name, value.strip_prefix(b" ").unwrap_or(value))
}

#[cfg(test)]
mod tests;
