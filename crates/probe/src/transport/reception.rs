//! From the bytes of a reply, each with its time, to what became of the request.

use std::ops::ControlFlow;
use std::time::Duration;

use super::heard::Heard;
use crate::dialect::Api;
use crate::sse::{EventKind, Lines, MAX_EVENT_BYTES, TooLong};
use crate::{Exchange, Failure, FailureKind};

/// How the bytes of a reply ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    /// As HTTP says that they end, or nothing more came after the end of the stream.
    Whole,
    /// In any other way.
    Failed(Failure),
}

/// Takes in the bytes of one reply, whatever pieces they come in.
#[derive(Debug)]
pub(super) struct Reception {
    form: Form,
    lines: Lines,
    heard: Heard,
}

/// What the body is.
#[derive(Debug)]
enum Form {
    /// Nothing but blanks has come.
    Unknown,
    /// A stream of events.
    Events,
    /// One object, which comes from a server that does not stream.
    Object(Vec<u8>),
}

impl Reception {
    pub(super) fn new(api: Api) -> Self {
        Self { form: Form::Unknown, lines: Lines::default(), heard: Heard::new(api) }
    }

    /// Whether the mark that ends a stream has come.
    pub(super) const fn is_done(&self) -> bool {
        self.heard.done
    }

    /// Takes in bytes that were read at a time; breaks where the reply has failed.
    pub(super) fn take(&mut self, mut bytes: &[u8], at: Duration) -> ControlFlow<()> {
        if matches!(self.form, Form::Unknown) {
            bytes = bytes.trim_ascii_start();
            // No line of an event stream begins so: it would be a field that no client knows.
            self.form = match bytes.first() {
                None => Form::Unknown,
                Some(b'{') => Form::Object(Vec::new()),
                Some(_) => Form::Events,
            };
        }
        let Self { form, lines, heard } = self;
        match form {
            Form::Unknown => ControlFlow::Continue(()),
            Form::Events => match lines.take(bytes, &mut |event| heard.event(event, at)) {
                Ok(flow) => flow,
                Err(TooLong) => heard.too_long(),
            },
            Form::Object(body) if body.len().saturating_add(bytes.len()) > MAX_EVENT_BYTES => {
                heard.too_long()
            }
            Form::Object(body) => {
                body.extend_from_slice(bytes);
                ControlFlow::Continue(())
            }
        }
    }

    /// The reply has ended; `at` is when its last byte came, and `content_type` what its head called it.
    /// Breaks where it has failed.
    pub(super) fn end(&mut self, end: End, at: Duration, content_type: &str) -> ControlFlow<()> {
        let Self { form, lines, heard } = self;
        if heard.failure.is_some() {
            return ControlFlow::Break(());
        }
        match (form, &end) {
            (Form::Events, _) => {
                // What the end cuts off may be an event that lacks its empty line, or half of one.
                let before = heard.finished;
                lines.finish(&mut |event| heard.event(event, at));
                if heard.failure.as_ref().is_some_and(|f| f.kind == FailureKind::Malformed) {
                    (heard.failure, heard.finished) = (None, before);
                }
            }
            (Form::Object(body), End::Whole) => {
                let _ = heard.data(EventKind::Message, body, at);
                heard.finished = true;
            }
            (Form::Object(_) | Form::Unknown, _) => {}
        }
        if heard.failure.is_none() {
            heard.failure = heard.verdict(end, content_type);
        }
        if heard.failure.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Enters what has been heard so far, but not what becomes of it.
    pub(super) fn tell(&self, exchange: &mut Exchange) {
        self.heard.tell(exchange);
    }

    /// Enters what was heard, and what became of it.
    pub(super) fn enter(&self, exchange: &mut Exchange) {
        self.heard.tell(exchange);
        self.heard.judge(exchange);
    }
}

#[cfg(test)]
mod tests;
