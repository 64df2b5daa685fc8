//! What is asked of the engine, and what happens to it.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use trueline_core::Tokens;

use crate::{SimTime, Token};

/// A request's number: 0, 1, 2 … in order of submission, refused ones included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RequestId(pub u64);

/// One request as the engine takes it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Submission {
    /// The whole prompt, template included.
    pub prompt: Vec<Token>,
    /// The most output tokens.
    pub max_output: Tokens,
    /// After how many output tokens the model stops of itself; `None` where it does not, as with
    /// `ignore_eos`. See [`OutputLengths`](crate::OutputLengths).
    pub stop_after: Option<Tokens>,
    /// The conversation it belongs to.
    pub session: Option<Arc<str>>,
}

impl Submission {
    /// A request that runs to its last output token.
    pub const fn new(prompt: Vec<Token>, max_output: Tokens) -> Self {
        Self { prompt, max_output, stop_after: None, session: None }
    }

    /// The same with an answer that ends of itself.
    #[must_use]
    pub const fn stopping_after(mut self, tokens: Tokens) -> Self {
        self.stop_after = Some(tokens);
        self
    }

    /// The same in a conversation.
    #[must_use]
    pub fn in_session(mut self, session: impl Into<Arc<str>>) -> Self {
        self.session = Some(session.into());
        self
    }
}

/// Why a request is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Refused {
    /// As many wait as may.
    #[error("the queue is full")]
    QueueFull,
    /// Prompt and answer together do not fit into the cache, or into no number.
    #[error("prompt and answer are longer than the cache")]
    TooLong,
    /// A prompt without tokens.
    #[error("the prompt has no tokens")]
    EmptyPrompt,
    /// Not one output token is asked for.
    #[error("no output token is asked for")]
    NoOutput,
}

/// Why a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Finish {
    /// It came to its own end.
    Stop,
    /// It came to the most output tokens that it may have.
    Length,
    /// The client went away.
    Cancelled,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Happening {
    /// It arrived and waits.
    Queued {
        /// Its prompt tokens.
        prompt: Tokens,
        /// The conversation it belongs to.
        session: Option<Arc<str>>,
    },
    /// It arrived and was not taken; nothing more happens to it.
    Refused {
        /// Its prompt tokens.
        prompt: Tokens,
        /// Why.
        why: Refused,
    },
    /// It got a place among the running ones, for the first time or again.
    Scheduled {
        /// Prompt tokens that came from the cache and were not counted before.
        cached: Tokens,
        /// Its place: the lowest free one, from 0.
        slot: u32,
    },
    /// A part of its prompt was computed.
    Prefilled {
        /// Prompt tokens computed for the first time.
        new: Tokens,
        /// Prompt and output tokens computed again after a preemption.
        again: Tokens,
        /// How long their computation took, fixed cost and other streams left out.
        compute: Duration,
    },
    /// Output tokens came, the first of them with the end of prefill.
    Tokens {
        /// How many.
        n: Tokens,
    },
    /// It lost its place and its blocks, and waits at the head of the queue.
    Preempted,
    /// It ended.
    Finished {
        /// Why.
        reason: Finish,
    },
}

/// Something that happened to a request.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Event {
    /// When.
    pub at: SimTime,
    /// To which.
    pub request: RequestId,
    /// What.
    pub what: Happening,
}
