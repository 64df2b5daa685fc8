//! What the simulated engine makes of requests, without a socket.

use std::time::Duration;

use trueline_core::{Share, Tokens};
use trueline_probe::{Asking, Prompt};
use trueline_sim::{Engine, LedgerEntry, SimTime, Submission, Token, tokenize};

/// What a chat template puts around a text.
pub(crate) struct Template {
    pub(crate) before: &'static str,
    pub(crate) after: &'static str,
}

pub(crate) const NO_TEMPLATE: Template = Template { before: "", after: "" };

pub(crate) fn tokens_of(asking: &Asking, template: &Template) -> Vec<Token> {
    let Prompt::Text(text) = &asking.prompt else { panic!("a text") };
    tokenize(&format!("{}{text}{}", template.before, template.after))
}

fn submission(asking: &Asking, template: &Template) -> Submission {
    let submission = Submission::new(tokens_of(asking, template), asking.output);
    match &asking.session {
        Some(session) => submission.in_session(session.as_str()),
        None => submission,
    }
}

/// Serves one request after the other, each alone.
pub(crate) fn serve_alone(
    engine: &mut Engine,
    asking: &Asking,
    template: &Template,
) -> LedgerEntry {
    let at = engine.ledger().entries().filter_map(|entry| entry.finished).max();
    let id = engine.submit(at.unwrap_or(SimTime::ZERO), submission(asking, template)).unwrap();
    finish(engine);
    engine.ledger().get(id).unwrap().clone()
}

/// Serves requests that arrive then.
pub(crate) fn serve_trace(
    engine: &mut Engine,
    askings: impl Iterator<Item = Asking>,
    arrivals: &[Duration],
) {
    for (asking, arrival) in askings.zip(arrivals) {
        engine.submit(SimTime::ZERO.plus(*arrival), submission(&asking, &NO_TEMPLATE)).unwrap();
    }
    finish(engine);
}

pub(crate) fn finish(engine: &mut Engine) {
    while let Some(at) = engine.next_at() {
        engine.advance(at);
    }
}

/// Cached over prompt tokens, summed.
pub(crate) fn hit_share<'a>(entries: impl Iterator<Item = &'a LedgerEntry>) -> f64 {
    let (prompt, cached) = entries.fold((0, 0), |(prompt, cached), entry| {
        (prompt + entry.prompt.get(), cached + entry.cached.get())
    });
    Share::of(Tokens::new(cached), Tokens::new(prompt)).unwrap().get()
}
