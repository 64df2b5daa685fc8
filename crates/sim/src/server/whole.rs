//! An answer that is sent in one piece.

use std::io;

use super::driver::{Driver, Served};
use super::facts::{Facts, reasoning};
use super::faults::Fault;
use super::frames::Frames;
use super::head::Framing;
use super::style::{After, Style};
use super::terms::Terms;
use super::wire::{First, Wire, Wrote};
use crate::answer_token;

/// Waits for the end of an answer and sends it in one piece.
pub(super) async fn whole(
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
    if let Some(created) = terms.stepped() {
        frames.created_at(created);
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
    let mut bytes = style.head("application/json", framing);
    let broken = terms.faults.iter().any(|fault| matches!(fault, Fault::Reset(_)));
    let kept = if broken { body.len() / 2 } else { body.len() };
    bytes.extend_from_slice(body.get(..kept).unwrap_or_default());
    let wrote = wire.write(&bytes).await?;
    driver.lateness().wrote(facts.output, wrote == Wrote::AfterWaiting);
    Ok(if broken { After::Reset } else { style.after })
}
