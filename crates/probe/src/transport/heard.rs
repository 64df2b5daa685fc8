//! What the events of one reply say, with their times.

use std::ops::ControlFlow;
use std::time::Duration;

use trueline_core::Outcome;

use super::reception::End;
use crate::dialect::{Api, Reader, Seen, Unread, parse_refusal};
use crate::sse::{Event, EventKind, MAX_EVENT_BYTES};
use crate::{Exchange, Failure, FailureKind};

/// What the events of one reply have said so far, and when.
#[derive(Debug)]
pub(super) struct Heard {
    api: Api,
    reader: Reader,
    first_event: Option<Duration>,
    first_token: Option<Duration>,
    last_token: Option<Duration>,
    token_events: u64,
    gaps: Vec<Duration>,
    /// `None` once an event carried a token and did not say how many there are.
    gap_tokens: Option<Vec<u64>>,
    output: Option<u64>,
    /// Whether anything said that the answer has ended.
    pub(super) finished: bool,
    /// Whether `[DONE]` came.
    pub(super) done: bool,
    pub(super) failure: Option<Failure>,
}

impl Heard {
    pub(super) fn new(api: Api) -> Self {
        Self {
            api,
            reader: Reader::new(api),
            first_event: None,
            first_token: None,
            last_token: None,
            token_events: 0,
            gaps: Vec::new(),
            gap_tokens: Some(Vec::new()),
            output: None,
            finished: false,
            done: false,
            failure: None,
        }
    }

    /// Enters what was heard.
    pub(super) fn tell(&self, exchange: &mut Exchange) {
        exchange.tokens = self.reader.tokens();
        exchange.id.clone_from(&self.reader.id);
        exchange.model.clone_from(&self.reader.model);
        exchange.reported = self.reader.rate.clone().into_iter().collect();
        exchange.marks.first_event = self.first_event;
        exchange.marks.first_token = self.first_token;
        exchange.marks.last_token = self.last_token;
        exchange.token_events = self.token_events;
        exchange.gaps.clone_from(&self.gaps);
        exchange.gap_tokens = self.gap_tokens.clone().unwrap_or_default();
    }

    /// Enters what became of it, once it has ended.
    pub(super) fn judge(&self, exchange: &mut Exchange) {
        exchange.outcome = if self.failure.is_some() { Outcome::Failed } else { Outcome::Ok };
        exchange.failure.clone_from(&self.failure);
    }

    /// Takes in an event.
    pub(super) fn event(&mut self, event: Event<'_>, at: Duration) -> ControlFlow<()> {
        self.first_event.get_or_insert(at);
        if event.data.trim_ascii() == b"[DONE]" {
            (self.done, self.finished) = (true, true);
            return ControlFlow::Continue(());
        }
        if event.data.trim_ascii().is_empty() && event.kind == EventKind::Message {
            return ControlFlow::Continue(());
        }
        let several = memchr::memchr(b'\n', event.data).is_some();
        if several && serde_json::from_slice::<serde::de::IgnoredAny>(event.data).is_err() {
            // Servers that leave the empty lines out mean an event with each line.
            return event
                .data
                .split(|byte| *byte == b'\n')
                .filter(|line| !line.trim_ascii().is_empty())
                .try_for_each(|data| self.event(Event { data, ..event }, at));
        }
        self.data(event.kind, event.data, at)
    }

    /// Takes in an event's object, or that of a whole reply.
    pub(super) fn data(&mut self, kind: EventKind, data: &[u8], at: Duration) -> ControlFlow<()> {
        self.first_event.get_or_insert(at);
        let unread = match (self.reader.read(data), kind) {
            (Ok(seen), EventKind::Message) => {
                self.seen(seen, at);
                return ControlFlow::Continue(());
            }
            (Err(unread), EventKind::Message) => unread,
            (Err(Unread::Failed(said)), EventKind::Error) => Unread::Failed(said),
            (_, EventKind::Error) => {
                let said = parse_refusal(data);
                Unread::Failed(said.unwrap_or_else(|| "no words".to_owned()))
            }
        };
        let (kind, message) = match unread {
            Unread::Malformed(found) => (FailureKind::Malformed, found),
            Unread::Failed(said) => (FailureKind::ErrorEvent, format!("the server says: {said}")),
        };
        self.failure = Some(Failure { kind, message });
        ControlFlow::Break(())
    }

    fn seen(&mut self, seen: Seen, at: Duration) {
        self.finished |= seen.finish;
        // What follows the end of the stream is no part of the answer.
        if seen.token && !self.done {
            self.token(seen.output, at);
        }
    }

    fn token(&mut self, output: Option<u64>, at: Duration) {
        if let Some(last) = self.last_token {
            self.gaps.push(at.saturating_sub(last));
        } else {
            self.first_token = Some(at);
        }
        let more = output.and_then(|n| n.checked_sub(self.output.unwrap_or(0)));
        match (more, &mut self.gap_tokens) {
            (Some(more), Some(tokens)) if self.token_events > 0 => tokens.push(more),
            (Some(_), _) => {}
            (None, tokens) => *tokens = None,
        }
        self.output = output;
        self.last_token = Some(at);
        self.token_events += 1;
    }

    /// An event, or a whole reply, is longer than any that is read.
    pub(super) fn too_long(&mut self) -> ControlFlow<()> {
        self.failure = Some(Failure {
            kind: FailureKind::Malformed,
            message: format!(
                "expected events of {} of at most {MAX_EVENT_BYTES} bytes, found a longer one",
                self.api
            ),
        });
        ControlFlow::Break(())
    }

    /// What the end says of the reply.
    pub(super) fn verdict(&self, end: End, content_type: &str) -> Option<Failure> {
        let failed = |kind, message| Some(Failure { kind, message });
        let events = self.token_events;
        match end {
            // The stream had said that it is over: how the connection ended is no matter of the answer.
            End::Failed(_) if self.done && events > 0 => None,
            End::Failed(failure) => Some(failure),
            End::Whole if self.first_event.is_none() => failed(
                FailureKind::Malformed,
                format!(
                    "expected events or an object of {}, found neither in {content_type}",
                    self.api
                ),
            ),
            End::Whole if !self.finished => failed(
                FailureKind::BrokeOff,
                format!(
                    "expected a reason for the end, usage or [DONE], found the end of the reply after \
                     {events} events with tokens"
                ),
            ),
            End::Whole if events == 0 => failed(
                FailureKind::NoToken,
                "expected a token, found the end of a reply that held none".to_owned(),
            ),
            End::Whole => None,
        }
    }
}
