//! The reply to one request for an answer, streamed or whole.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use trueline_core::Tokens;

use super::asked::{Asked, Delivery};
use super::config::Dialect;
use super::driver::{Driver, Served};
use super::facts::{Facts, reasoning};
use super::faults::Fault;
use super::frames::{Frames, error_body};
use super::head::{Connection, Framing, ReplyHead};
use super::transcript::{Act, Part, Terms, Timings, Transcript};
use super::wire::{First, Wire, Wrote};
use crate::{Refused, Submission, answer_token};

/// What becomes of the connection after a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    Kept,
    Closed,
    Reset,
}

/// A reply that is not an answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plain {
    pub(super) status: u16,
    pub(super) content_type: &'static str,
    pub(super) body: Vec<u8>,
    pub(super) retry_after: Option<u32>,
}

impl Plain {
    /// A refusal in JSON.
    pub(super) fn error(status: u16, kind: &str, message: &str) -> Self {
        let body = error_body(status, kind, message).to_string().into_bytes();
        Self { status, content_type: "application/json", body, retry_after: None }
    }

    pub(super) fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// Sends it.
    pub(super) async fn send(&self, wire: &Wire, connection: Connection) -> io::Result<()> {
        let head = ReplyHead {
            status: self.status,
            content_type: self.content_type,
            framing: Framing::Length(self.body.len()),
            connection,
            retry_after: self.retry_after,
        };
        let mut bytes = head.bytes();
        bytes.extend_from_slice(&self.body);
        wire.write(&bytes).await.map(drop)
    }
}

/// Answers a request; an error says that the client is gone.
pub(super) async fn answer(
    driver: &Arc<Driver>,
    wire: &mut Wire,
    asked: Asked,
    faults: Vec<Fault>,
    connection: Connection,
) -> io::Result<After> {
    if let Some(refusal) = faults.iter().find_map(asked_status) {
        refusal.send(wire, connection).await?;
        return Ok(after(connection));
    }
    let prompt = u64::try_from(asked.prompt.len()).unwrap_or(u64::MAX);
    let max_output = asked.max_output.unwrap_or(driver.config().max_output);
    let mut request = Submission::new(asked.prompt, max_output);
    request.session = asked.session;
    let served = match driver.submit(request, asked.ending) {
        Ok(served) => served,
        Err(refused) => {
            refusal(refused).send(wire, connection).await?;
            return Ok(after(connection));
        }
    };
    let number = served.id;
    let terms = Terms {
        usage: asked.usage,
        timings: match driver.config().dialect {
            Dialect::LlamaCpp => Timings::Told,
            Dialect::Vllm => Timings::Untold,
        },
        asked_output: max_output.get(),
        prefill: driver.config().model.prefill,
        seed: driver.config().model.seed,
        number,
        created: driver.unix_seconds(),
        faults,
    };
    let frames = Frames::new(asked.api, number.0, &asked.model, terms.created);
    let reset_counters = terms.has(Fault::CounterReset);
    let style = Style::of(&terms, asked.delivery, connection);
    let done = match asked.delivery {
        Delivery::Streamed => {
            let transcript = Transcript::new(terms, frames, prompt);
            stream(driver, wire, &served, transcript, style).await
        }
        Delivery::Whole => whole(driver, wire, &served, &terms, frames, prompt, style).await,
    };
    drop(served);
    if reset_counters {
        driver.reset_counters();
    }
    done
}

fn asked_status(fault: &Fault) -> Option<Plain> {
    match *fault {
        Fault::Status429(seconds) => {
            Some(Plain::error(429, "rate_limit_exceeded", "too many requests").retry_after(seconds))
        }
        Fault::Status503(seconds) => {
            Some(Plain::error(503, "unavailable_error", "not ready").retry_after(seconds))
        }
        _ => None,
    }
}

fn refusal(refused: Refused) -> Plain {
    match refused {
        Refused::QueueFull => Plain::error(503, "queue_full", &refused.to_string()).retry_after(1),
        _ => Plain::error(400, "invalid_request_error", &refused.to_string()),
    }
}

const fn after(connection: Connection) -> After {
    match connection {
        Connection::Keep | Connection::KeepSaid => After::Kept,
        Connection::Close => After::Closed,
    }
}

/// How a reply is framed and what becomes of the connection.
#[derive(Debug, Clone, Copy)]
struct Style {
    framing: Framing,
    connection: Connection,
    after: After,
    /// Whether its tokens are timed.
    timed: bool,
}

impl Style {
    fn of(terms: &Terms, delivery: Delivery, connection: Connection) -> Self {
        let timed = delivery == Delivery::Streamed && !terms.faults.iter().any(|f| f.holds_back());
        if terms.has(Fault::Http10) {
            return Self { framing: Framing::UntilClose, connection, after: After::Closed, timed };
        }
        let (connection, after) = if terms.has(Fault::CloseKept) {
            (Connection::KeepSaid, After::Closed)
        } else {
            (connection, after(connection))
        };
        Self { framing: Framing::Chunked, connection, after, timed }
    }
}

async fn stream(
    driver: &Driver,
    wire: &mut Wire,
    served: &Served,
    mut transcript: Transcript,
    style: Style,
) -> io::Result<After> {
    let mut acts = Vec::new();
    loop {
        if wire.unless_gone(served.inbox.wait()).await == First::Gone {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        let events = served.inbox.take();
        for event in &events {
            transcript.take(event, &mut acts);
        }
        let ended = perform(driver, wire, &mut acts, style).await;
        driver.sent(events.len());
        if let Some(after) = ended? {
            return Ok(after);
        }
    }
}

/// Does what is to be done; what becomes of the connection once the reply has ended.
async fn perform(
    driver: &Driver,
    wire: &Wire,
    acts: &mut Vec<Act>,
    style: Style,
) -> io::Result<Option<After>> {
    let mut out = Vec::new();
    let mut tokens = Part::default();
    for act in acts.drain(..) {
        match act {
            Act::Head => out.extend(
                ReplyHead {
                    status: 200,
                    content_type: "text/event-stream",
                    framing: style.framing,
                    connection: style.connection,
                    retry_after: None,
                }
                .bytes(),
            ),
            Act::Send(part) => {
                frame(&mut out, &part.bytes, style.framing);
                tokens.tokens += part.tokens;
                tokens.due.extend(part.due);
            }
            Act::Wait(time) => {
                flush(driver, wire, &mut out, &mut tokens, style).await?;
                tokio::time::sleep(time).await;
            }
            Act::Reset => {
                flush(driver, wire, &mut out, &mut tokens, style).await?;
                return Ok(Some(After::Reset));
            }
            Act::End => {
                if style.framing == Framing::Chunked {
                    out.extend_from_slice(b"0\r\n\r\n");
                }
                flush(driver, wire, &mut out, &mut tokens, style).await?;
                return Ok(Some(style.after));
            }
        }
    }
    flush(driver, wire, &mut out, &mut tokens, style).await?;
    Ok(None)
}

/// Puts a part of a body into its frame.
fn frame(out: &mut Vec<u8>, bytes: &[u8], framing: Framing) {
    if framing == Framing::Chunked {
        out.extend_from_slice(format!("{:x}\r\n", bytes.len()).as_bytes());
        out.extend_from_slice(bytes);
        out.extend_from_slice(b"\r\n");
    } else {
        out.extend_from_slice(bytes);
    }
}

/// Writes what has come together, and enters how late its tokens are.
async fn flush(
    driver: &Driver,
    wire: &Wire,
    out: &mut Vec<u8>,
    carried: &mut Part,
    style: Style,
) -> io::Result<()> {
    if out.is_empty() {
        return Ok(());
    }
    let tried = Instant::now();
    let wrote = wire.write(out).await?;
    out.clear();
    let left = if wrote == Wrote::AtOnce { Instant::now() } else { tried };
    if carried.tokens > 0 {
        let mut lateness = driver.lateness();
        lateness.wrote(carried.tokens, wrote == Wrote::AfterWaiting);
        if style.timed {
            for &(due, tokens) in &carried.due {
                if let Some(late) = driver.late(due, left) {
                    lateness.were_late(late, tokens);
                }
            }
        }
    }
    carried.tokens = 0;
    carried.due.clear();
    Ok(())
}

/// Waits for the end of an answer and sends it in one piece.
async fn whole(
    driver: &Driver,
    wire: &mut Wire,
    served: &Served,
    terms: &Terms,
    mut frames: Frames,
    prompt: u64,
    style: Style,
) -> io::Result<After> {
    let mut facts = Facts::new(prompt);
    while facts.finish.is_none() {
        if wire.unless_gone(served.inbox.wait()).await == First::Gone {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        let events = served.inbox.take();
        for event in &events {
            facts.take(event);
        }
        driver.sent(events.len());
    }
    if let Some(step) = terms.clock_step() {
        frames.created_at(terms.created.saturating_add(step));
    }
    let thought = reasoning(&terms.faults).unwrap_or(0).min(facts.output);
    let text = |from: u64, to: u64| {
        let mut text = String::new();
        for at in from..to {
            answer_token(terms.seed, terms.number, at).push_to(&mut text);
        }
        text
    };
    let body = frames.whole(
        (&text(0, thought), &text(thought, facts.output)),
        facts.finish_reason(),
        facts.usage(&terms.faults, terms.asked_output),
        terms.told_timings(&facts),
    );
    for fault in &terms.faults {
        if let Fault::SlowHeaders(late) = fault {
            tokio::time::sleep(*late).await;
        }
    }
    let framing = match style.framing {
        Framing::UntilClose => Framing::UntilClose,
        _ => Framing::Length(body.len()),
    };
    let head = ReplyHead {
        status: 200,
        content_type: "application/json",
        framing,
        connection: style.connection,
        retry_after: None,
    };
    let mut bytes = head.bytes();
    let broken = terms.faults.iter().any(|fault| matches!(fault, Fault::Reset(_)));
    let kept = if broken { body.len() / 2 } else { body.len() };
    bytes.extend_from_slice(body.get(..kept).unwrap_or_default());
    let wrote = wire.write(&bytes).await?;
    driver.lateness().wrote(Tokens::new(facts.output).get(), wrote == Wrote::AfterWaiting);
    Ok(if broken { After::Reset } else { style.after })
}
