//! An answer that is sent as it comes.

use std::io::{self, Write};
use std::time::Instant;

use super::driver::{Driver, Served};
use super::head::Framing;
use super::style::{After, Style};
use super::transcript::{Act, Part, Transcript};
use super::wire::{First, Wire, Wrote};
use crate::SimTime;

/// Sends an answer event by event, as it happens.
pub(super) async fn stream(
    driver: &Driver,
    wire: &mut Wire,
    served: &Served,
    mut transcript: Transcript,
    style: Style,
) -> io::Result<After> {
    let mut outlet = Outlet { driver, style, out: Vec::new(), tokens: 0, due: Vec::new() };
    let (mut events, mut acts) = (Vec::new(), Vec::new());
    loop {
        if wire.unless_gone(served.inbox.wait()).await == First::Gone {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        served.inbox.swap(&mut events);
        for event in &events {
            transcript.take(event, &mut acts);
        }
        let ended = outlet.perform(wire, &mut acts, &mut transcript).await;
        driver.sent(events.len());
        events.clear();
        if let Some(after) = ended? {
            return Ok(after);
        }
    }
}

/// What has come together for the next write.
#[derive(Debug)]
struct Outlet<'a> {
    driver: &'a Driver,
    style: Style,
    out: Vec<u8>,
    tokens: u64,
    /// When tokens of it were due, and how many then.
    due: Vec<(SimTime, u64)>,
}

impl Outlet<'_> {
    /// Does what is to be done; what becomes of the connection once the reply has ended.
    async fn perform(
        &mut self,
        wire: &Wire,
        acts: &mut Vec<Act>,
        transcript: &mut Transcript,
    ) -> io::Result<Option<After>> {
        for act in acts.drain(..) {
            match act {
                Act::Head => {
                    let head = self.style.head("text/event-stream", self.style.framing);
                    self.out.extend_from_slice(&head);
                }
                Act::Send(part) => {
                    self.add(&part);
                    transcript.reuse(part);
                }
                Act::Wait(time) => {
                    self.flush(wire).await?;
                    tokio::time::sleep(time).await;
                }
                Act::Reset => {
                    self.flush(wire).await?;
                    return Ok(Some(After::Reset));
                }
                Act::End => {
                    if self.style.framing == Framing::Chunked {
                        self.out.extend_from_slice(b"0\r\n\r\n");
                    }
                    self.flush(wire).await?;
                    return Ok(Some(self.style.after));
                }
            }
        }
        self.flush(wire).await?;
        Ok(None)
    }

    /// Adds a part of the body in its frame.
    fn add(&mut self, part: &Part) {
        if self.style.framing == Framing::Chunked {
            // Memory takes all that is written to it.
            let _ = write!(self.out, "{:x}\r\n", part.bytes.len());
            self.out.extend_from_slice(&part.bytes);
            self.out.extend_from_slice(b"\r\n");
        } else {
            self.out.extend_from_slice(&part.bytes);
        }
        self.tokens += part.tokens;
        if self.style.timed {
            self.due.extend_from_slice(&part.due);
        }
    }

    /// Writes what has come together, and enters how late its tokens are.
    async fn flush(&mut self, wire: &Wire) -> io::Result<()> {
        if self.out.is_empty() {
            return Ok(());
        }
        let tried = Instant::now();
        let wrote = wire.write(&self.out).await?;
        self.out.clear();
        let left = if wrote == Wrote::AtOnce { Instant::now() } else { tried };
        if self.tokens > 0 {
            let mut lateness = self.driver.lateness();
            lateness.wrote(self.tokens, wrote == Wrote::AfterWaiting);
            for (due, tokens) in self.due.drain(..) {
                if let Some(late) = self.driver.late(due, left) {
                    lateness.were_late(late, tokens);
                }
            }
            self.tokens = 0;
        }
        Ok(())
    }
}
