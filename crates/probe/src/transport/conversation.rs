//! One request and its reply.

use std::error::Error;
use std::rc::Rc;
use std::time::{Duration, Instant};

use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, RETRY_AFTER};
use hyper::{Response, StatusCode};
use trueline_core::Outcome;

use super::Reuse;
use super::client::Client;
use super::deadline::{Deadline, Expired};
use super::reception::End;
use super::under_way::{Sight, Watched};
use super::wire::{Broken, Wire};
use crate::dialect::parse_refusal;
use crate::{Exchange, Failure, FailureKind, RunClock};

/// The most bytes of a refusal that are read.
const MAX_REFUSAL_BYTES: usize = 64 * 1024;

/// One request and its reply, entered as they go.
#[derive(Debug)]
pub(super) struct Conversation<'a> {
    client: &'a Client,
    clock: &'a RunClock,
    watched: &'a Watched<'a>,
    deadline: Deadline,
}

impl<'a> Conversation<'a> {
    pub(super) fn new(client: &'a Client, clock: &'a RunClock, watched: &'a Watched<'a>) -> Self {
        let deadline = Deadline::new(Instant::now(), client.limits());
        Self { client, clock, watched, deadline }
    }

    /// Enters something, which is seen at once by whoever asks how far it is.
    fn enter(&self, enter: impl FnOnce(&mut Exchange)) {
        enter(&mut self.watched.sight().exchange);
    }

    /// Sends the request and reads the reply.
    pub(super) async fn hold(mut self, body: Bytes) {
        if let Err(failure) = self.converse(body).await {
            let now = self.clock.now();
            self.enter(|exchange| {
                exchange.outcome = Outcome::Failed;
                exchange.failure = Some(failure);
                exchange.marks.ended.get_or_insert(now);
            });
        }
    }

    async fn converse(&mut self, body: Bytes) -> Result<(), Failure> {
        let mut kept = self.client.connections().kept().await;
        loop {
            let reused = kept.is_some();
            self.enter(|exchange| exchange.reused = reused);
            let mut wire = match kept.take() {
                Some(wire) => wire,
                None => self.connect().await?,
            };
            self.watched.sight().stamps = Some(Rc::clone(wire.stamps()));
            let reply = wire.send(self.client.request(body.clone()), &mut self.deadline).await;
            let sent = wire.stamps().sent().map(|at| self.clock.at(at));
            self.enter(|exchange| exchange.marks.sent = sent);
            match reply {
                Ok(reply) => return self.reply(wire, reply).await,
                // It stood long enough to be taken for open: no byte of a reply, nothing lost.
                Err(Broken::Wire(_)) if reused && wire.stamps().read().is_none() => {
                    self.enter(|exchange| exchange.resent += 1);
                }
                Err(broken) => return Err(self.failure(broken, &wire)),
            }
        }
    }

    async fn connect(&mut self) -> Result<Wire, Failure> {
        let limit = self.client.limits().connect;
        let wire = self.client.connections().connect(self.client.endpoint(), limit).await?;
        let connected = Some(self.clock.now());
        self.enter(|exchange| exchange.marks.connected = connected);
        Ok(wire)
    }

    async fn reply(&mut self, wire: Wire, reply: Response<Incoming>) -> Result<(), Failure> {
        let (head, body) = reply.into_parts();
        let at = self.read_at(&wire);
        self.enter(|exchange| {
            exchange.status = Some(head.status.as_u16());
            exchange.marks.headers = Some(at);
        });
        if head.status != StatusCode::OK {
            return Err(self.refusal(wire, head.status, &head.headers, body).await);
        }
        if let Some(coding) = text(&head.headers, &CONTENT_ENCODING).filter(|c| *c != "identity") {
            let message = format!("expected a reply that is not coded, found {coding:?}");
            return Err(Failure { kind: FailureKind::Malformed, message });
        }
        let content_type = text(&head.headers, &CONTENT_TYPE).unwrap_or("a body of no stated type");
        self.receive(wire, body, content_type).await;
        Ok(())
    }

    /// Reads a reply to its end.
    async fn receive(&mut self, mut wire: Wire, mut body: Incoming, content_type: &str) {
        let mut ended_at = None;
        let (end, open) = loop {
            match wire.next(&mut body, &mut self.deadline).await {
                Ok(Some(bytes)) => {
                    let at = self.read_at(&wire);
                    let reception = &mut self.watched.sight().reception;
                    if reception.take(&bytes, at).is_break() {
                        break (End::Whole, false);
                    }
                    if reception.is_done() {
                        self.deadline.done(Instant::now());
                    }
                }
                Ok(None) => break (End::Whole, true),
                Err(Broken::Expired(Expired::Tail)) => break (End::Whole, false),
                Err(broken) => {
                    ended_at = Some(self.clock.now());
                    break (End::Failed(self.failure(broken, &wire)), false);
                }
            }
        };
        let last = self.read_at(&wire);
        let Sight { exchange, reception, .. } = &mut *self.watched.sight();
        let ended = reception.end(end, last, content_type);
        reception.enter(exchange);
        exchange.marks.ended = ended_at.filter(|_| ended.is_break()).or(Some(last));
        if open && ended.is_continue() && self.client.reuse() == Reuse::Kept {
            self.client.connections().keep(wire);
        }
    }

    /// A status other than 200, with what the server says of it.
    async fn refusal(
        &mut self,
        mut wire: Wire,
        status: StatusCode,
        headers: &HeaderMap,
        mut body: Incoming,
    ) -> Failure {
        let mut bytes = Vec::new();
        // Where the rest does not come, the status says enough.
        while bytes.len() < MAX_REFUSAL_BYTES
            && let Ok(Some(more)) = wire.next(&mut body, &mut self.deadline).await
        {
            bytes.extend_from_slice(&more);
        }
        let ended = Some(self.read_at(&wire));
        self.enter(|exchange| exchange.marks.ended = ended);
        let mut message = format!("expected status 200, found {status}");
        if let Some(after) = text(headers, &RETRY_AFTER) {
            message.push_str(", Retry-After ");
            message.push_str(after);
        }
        if let Some(said) = parse_refusal(&bytes) {
            message.push_str(": ");
            message.push_str(&said);
        }
        Failure { kind: FailureKind::Status, message }
    }

    /// When bytes came the last time; now, where none did.
    fn read_at(&self, wire: &Wire) -> Duration {
        wire.stamps().read().map_or_else(|| self.clock.now(), |at| self.clock.at(at))
    }

    /// What a connection that failed, or a time that ran out, is called.
    fn failure(&self, broken: Broken, wire: &Wire) -> Failure {
        let limits = self.client.limits();
        let begun = wire.stamps().read().is_some();
        let (kind, message) = match broken {
            Broken::Wire(error) if error.is_parse() => (
                FailureKind::Malformed,
                format!("expected a reply of HTTP/1, found another: {}", told(&error)),
            ),
            Broken::Wire(error) if begun => (
                FailureKind::BrokeOff,
                format!(
                    "expected the end of the reply, found that of the connection: {}",
                    told(&error)
                ),
            ),
            Broken::Wire(error) => (
                FailureKind::Send,
                format!("expected a reply, found the end of the connection: {}", told(&error)),
            ),
            Broken::Expired(Expired::Total) => (
                FailureKind::TimedOut,
                format!("expected the end of the reply within {:?}, found none", limits.total),
            ),
            Broken::Expired(Expired::Idle | Expired::Tail) => (
                FailureKind::TimedOut,
                format!("expected more of the reply within {:?}, found nothing", limits.idle),
            ),
        };
        Failure { kind, message }
    }
}

/// An error and what caused it.
fn told(error: &dyn Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        words.push_str(": ");
        words.push_str(&error.to_string());
        cause = error.source();
    }
    words
}

/// A header's value, where it is a short text.
fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok().filter(|text| text.len() <= 100)
}
