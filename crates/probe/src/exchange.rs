//! One request as it went, on the client's clock.

use std::fmt;
use std::time::Duration;

use trueline_core::{Outcome, ReportedRate, TokenCounts};

/// When what happened, as time since the run's start.
///
/// # Shape
/// Absent is what did not happen or was not seen. In order, where all are there.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct Marks {
    /// When the load's schedule wanted it sent; absent where nothing but the answer before it did.
    pub intended: Option<Duration>,
    /// When the client began to deal with it.
    pub begun: Option<Duration>,
    /// When its connection stood, TLS included; absent where one was used again.
    pub connected: Option<Duration>,
    /// When its first byte was handed to the system.
    pub sent: Option<Duration>,
    /// When the head of the reply had been read.
    pub headers: Option<Duration>,
    /// When the first event of the reply had been read, whatever it held.
    pub first_event: Option<Duration>,
    /// When the first event that carries a token had been read. Empty, role-only, progress and comment
    /// events do not; reasoning does.
    pub first_token: Option<Duration>,
    /// When the last event that carries a token had been read.
    pub last_token: Option<Duration>,
    /// When the reply had ended: its last byte, or the failure.
    pub ended: Option<Duration>,
}

/// Why a request failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FailureKind {
    /// No connection was made.
    Connect,
    /// The connection broke before any byte of the reply.
    Send,
    /// A status other than 200.
    Status,
    /// Something that is no reply of this interface.
    Malformed,
    /// An error event inside the stream.
    ErrorEvent,
    /// The reply broke off.
    BrokeOff,
    /// The reply ended and held no token.
    NoToken,
    /// Nothing came for longer than allowed.
    TimedOut,
    /// The caller, or a budget, ended it.
    Stopped,
}

impl FailureKind {
    /// The kind in words, as in `12 of no connection`.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Connect => "no connection",
            Self::Send => "a connection that ended before the reply",
            Self::Status => "a status other than 200",
            Self::Malformed => "a reply of another form",
            Self::ErrorEvent => "an error event",
            Self::BrokeOff => "a reply that broke off",
            Self::NoToken => "a reply without a token",
            Self::TimedOut => "a reply that did not come in time",
            Self::Stopped => "being given up",
        }
    }
}

impl fmt::Display for FailureKind {
    /// The kind as data name it, such as `broke-off`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connect => "connect",
            Self::Send => "send",
            Self::Status => "status",
            Self::Malformed => "malformed",
            Self::ErrorEvent => "error-event",
            Self::BrokeOff => "broke-off",
            Self::NoToken => "no-token",
            Self::TimedOut => "timed-out",
            Self::Stopped => "stopped",
        })
    }
}

/// Why a request failed, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Why.
    pub kind: FailureKind,
    /// What was expected and what was found, without text of prompt or answer.
    pub message: String,
}

/// One request as it went, on the client's clock.
///
/// # Shape
/// `gaps` are those between token-bearing events that follow each other, in order; `gap_tokens` how many
/// tokens each of these events carried where the server says so event by event, else empty.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Exchange {
    /// Its place in the run.
    pub number: u64,
    /// The conversation that it belongs to.
    pub session: Option<String>,
    /// Which part of an experiment it belongs to.
    pub part: Option<String>,
    /// Whether it only warmed up.
    pub warmup: bool,
    /// The server's id for it.
    pub id: Option<String>,
    /// The model that answered, as the reply names it.
    pub model: Option<String>,
    /// When what happened.
    pub marks: Marks,
    /// Tokens as the server counts them; unknown where it does not say.
    pub tokens: TokenCounts,
    /// Events that carried a token.
    pub token_events: u64,
    /// Between token-bearing events that follow each other.
    pub gaps: Vec<Duration>,
    /// Tokens of the event that ends each gap.
    pub gap_tokens: Vec<u64>,
    /// Rates that the server states of itself.
    pub reported: Vec<ReportedRate>,
    /// What became of it.
    pub outcome: Outcome,
    /// Why it failed.
    pub failure: Option<Failure>,
    /// The status of the reply.
    pub status: Option<u16>,
    /// Whether it went over a connection that had served before.
    pub reused: bool,
    /// How often it was sent again because a kept connection was closed before any byte of its reply.
    pub resent: u32,
}
