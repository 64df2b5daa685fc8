//! One streamed reply, from what happens in the engine to what goes onto the wire.

use std::time::Duration;

use serde_json::{Value, json};

use super::asked::UsageWish;
use super::facts::{Facts, reasoning};
use super::faults::Fault;
use super::frames::{DONE, Field, Frames, error_body};
use super::terms::Terms;
use crate::{Event, Happening, SimTime, answer_token};

/// What the connection is to do next.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Act {
    /// Send the head of the reply.
    Head,
    /// Send part of the body.
    Send(Part),
    /// Let so much time pass.
    Wait(Duration),
    /// Reset the connection.
    Reset,
    /// End the reply.
    End,
}

/// Part of a body, with the tokens that it carries.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Part {
    pub(super) bytes: Vec<u8>,
    pub(super) tokens: u64,
    /// When tokens of it were due, and how many then.
    pub(super) due: Vec<(SimTime, u64)>,
}

/// Turns what happens to a request into what is sent.
#[derive(Debug)]
pub(super) struct Transcript {
    terms: Terms,
    frames: Frames,
    facts: Facts,
    reasoning: u64,
    /// Tokens that go into one event, and events into one write.
    tokens_per_event: u64,
    events_per_write: u64,
    words: String,
    words_are: Field,
    words_hold: u64,
    held: Part,
    held_events: u64,
    sent: u64,
    over: bool,
}

impl Transcript {
    pub(super) fn new(terms: Terms, frames: Frames, prompt: u64) -> Self {
        let (mut tokens_per_event, mut events_per_write) = (1, 1);
        for fault in &terms.faults {
            match fault {
                Fault::TokensPerChunk(n) => tokens_per_event = u64::from(*n),
                Fault::EventsPerRead(n) => events_per_write = u64::from(*n),
                Fault::Buffered => events_per_write = u64::MAX,
                _ => {}
            }
        }
        Self {
            reasoning: reasoning(&terms.faults).unwrap_or(0),
            terms,
            frames,
            facts: Facts::new(prompt),
            tokens_per_event,
            events_per_write,
            words: String::new(),
            words_are: Field::Content,
            words_hold: 0,
            held: Part::default(),
            held_events: 0,
            sent: 0,
            over: false,
        }
    }

    /// Takes in what happened and appends what is to be done.
    pub(super) fn take(&mut self, event: &Event, acts: &mut Vec<Act>) {
        if self.over {
            return;
        }
        let first_time = self.facts.scheduled.is_none();
        self.facts.take(event);
        match event.what {
            Happening::Scheduled { .. } => {
                if first_time {
                    self.open(acts);
                }
                self.progress(acts);
            }
            Happening::Prefilled { .. } => self.progress(acts),
            Happening::Tokens { n } => {
                for _ in 0..n.get() {
                    self.token(event.at, acts);
                    if self.over {
                        return;
                    }
                }
            }
            Happening::Finished { .. } => self.finish(acts),
            Happening::Queued { .. } | Happening::Refused { .. } | Happening::Preempted => {}
        }
    }

    /// Takes a part back whose bytes have been used, so that the next one needs no memory of its own.
    pub(super) fn reuse(&mut self, mut part: Part) {
        if self.held.bytes.is_empty() && self.held.tokens == 0 {
            part.bytes.clear();
            part.due.clear();
            part.tokens = 0;
            self.held = part;
        }
    }

    fn open(&mut self, acts: &mut Vec<Act>) {
        for fault in &self.terms.faults {
            if let Fault::SlowHeaders(late) = fault {
                acts.push(Act::Wait(*late));
            }
        }
        acts.push(Act::Head);
        for (fault, content) in [(Fault::RoleFirst, json!("")), (Fault::NullFirst, Value::Null)] {
            if self.terms.has(fault) {
                let opening = self.frames.opening(&content);
                self.emit(&opening, acts);
            }
        }
    }

    fn progress(&mut self, acts: &mut Vec<Act>) {
        if self.facts.first_token.is_some() {
            return;
        }
        let (total, cached) = (self.facts.prompt, self.facts.cached.unwrap_or(0));
        let new = total.saturating_sub(cached);
        if self.terms.has(Fault::Comments) {
            let line = format!(": keepalive {}/{new}\n\n", self.facts.computed);
            self.emit(line.as_bytes(), acts);
        }
        if self.terms.has(Fault::Progress) {
            let event = self.frames.progress(total, cached, cached + self.facts.computed);
            self.emit(&event, acts);
        }
    }

    fn token(&mut self, at: SimTime, acts: &mut Vec<Act>) {
        let place = self.sent;
        self.sent += 1;
        if place == 0
            && let Some(created) = self.terms.stepped()
        {
            self.frames.created_at(created);
        }
        let field = if place < self.reasoning { Field::Reasoning } else { Field::Content };
        if field != self.words_are {
            self.flush_words(acts);
            self.words_are = field;
        }
        answer_token(self.terms.seed, self.terms.number, place).push_to(&mut self.words);
        self.words_hold += 1;
        self.held.tokens += 1;
        match self.held.due.last_mut() {
            Some((due, tokens)) if *due == at => *tokens += 1,
            _ => self.held.due.push((at, 1)),
        }
        if self.words_hold >= self.tokens_per_event {
            self.flush_words(acts);
        }
        if !self.terms.faults.is_empty() {
            self.after_token(acts);
        }
    }

    /// The faults that come after so many tokens.
    fn after_token(&mut self, acts: &mut Vec<Act>) {
        for fault in self.terms.faults.clone() {
            match fault {
                Fault::Stall(silence) if self.sent == 2 => {
                    self.flush_words(acts);
                    self.release(acts);
                    acts.push(Act::Wait(silence));
                }
                Fault::Garbage if self.sent == 2 => {
                    self.flush_words(acts);
                    self.emit(
                        b"data: {\"choices\":[{\"delta\":{\"cont\n\n\xff\xfe\x00\xc3\x28\n\n",
                        acts,
                    );
                }
                Fault::ErrorEvent(tokens) if self.sent == u64::from(tokens) => {
                    self.flush_words(acts);
                    let body = error_body(500, "internal_server_error", "the engine stopped");
                    self.emit(format!("data: {body}\n\n").as_bytes(), acts);
                    self.emit(DONE, acts);
                    self.end(acts);
                }
                Fault::Reset(tokens) if self.sent == u64::from(tokens) => {
                    self.flush_words(acts);
                    self.release(acts);
                    acts.push(Act::Reset);
                    self.over = true;
                }
                _ => {}
            }
        }
    }

    fn finish(&mut self, acts: &mut Vec<Act>) {
        self.flush_words(acts);
        let finish = self.frames.finish(self.facts.finish_reason());
        self.emit(&finish, acts);
        let usage = match self.terms.usage {
            UsageWish::Included => self.facts.usage(&self.terms.faults, self.terms.asked_output),
            UsageWish::LeftOut => None,
        };
        if let Some(counts) = self.frames.counts(usage, self.terms.told_timings(&self.facts)) {
            for fault in &self.terms.faults.clone() {
                if let Fault::UsageLate(late) = fault {
                    self.release(acts);
                    acts.push(Act::Wait(*late));
                }
            }
            self.emit(&counts, acts);
        }
        self.emit(DONE, acts);
        if self.terms.has(Fault::AfterDone) {
            let mut late = Vec::new();
            self.frames.text(Field::Content, " more", &mut late);
            self.emit(&late, acts);
        }
        self.end(acts);
    }

    fn end(&mut self, acts: &mut Vec<Act>) {
        self.release(acts);
        acts.push(Act::End);
        self.over = true;
    }

    /// The words collected so far as one event.
    fn flush_words(&mut self, acts: &mut Vec<Act>) {
        if self.words_hold > 0 {
            self.frames.text(self.words_are, &self.words, &mut self.held.bytes);
            self.words.clear();
            self.words_hold = 0;
            self.held(acts);
        }
    }

    fn emit(&mut self, event: &[u8], acts: &mut Vec<Act>) {
        self.held.bytes.extend_from_slice(event);
        self.held(acts);
    }

    fn held(&mut self, acts: &mut Vec<Act>) {
        self.held_events += 1;
        if self.held_events >= self.events_per_write {
            self.release(acts);
        }
    }

    /// Hands over what is held back, to what is to be sent anyway where there is such.
    fn release(&mut self, acts: &mut Vec<Act>) {
        self.held_events = 0;
        if let Some(Act::Send(part)) = acts.last_mut() {
            part.bytes.append(&mut self.held.bytes);
            part.tokens += std::mem::take(&mut self.held.tokens);
            part.due.append(&mut self.held.due);
        } else if !self.held.bytes.is_empty() {
            acts.push(Act::Send(std::mem::take(&mut self.held)));
        }
    }
}

#[cfg(test)]
mod tests;
