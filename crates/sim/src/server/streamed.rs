//! An answer that is sent as it comes.

use std::io;
use std::time::Instant;

use super::driver::{Driver, Served};
use super::head::Framing;
use super::style::{After, Style};
use super::transcript::{Act, Part, Transcript};
use super::wire::{First, Wire, Wrote};

/// Sends an answer event by event, as it happens.
pub(super) async fn stream(
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
            Act::Head => out.extend(style.head("text/event-stream", style.framing)),
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
