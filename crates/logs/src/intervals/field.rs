//! What a field that a server states from time to time means.

use std::borrow::Cow;
use std::fmt;

use trueline_core::{Side, TokenScope};

use crate::{FieldMeaning, Holds, Unit};

/// What such a field states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum States {
    /// Prompt tokens per second.
    PromptRate,
    /// Generated tokens per second.
    OutputRate,
    /// A number of tokens.
    Tokens,
    /// Requests that run.
    Running,
    /// Requests that wait.
    Waiting,
    /// Other requests.
    Requests,
    /// How much of the KV cache is in use, 0 to 1.
    CacheUse,
    /// Cached over prompt tokens, 0 to 1.
    HitShare,
    /// One number of the log over another.
    Ratio,
}

impl States {
    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PromptRate => "prompt_rate",
            Self::OutputRate => "output_rate",
            Self::Tokens => "tokens",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Requests => "requests",
            Self::CacheUse => "cache_use",
            Self::HitShare => "hit_share",
            Self::Ratio => "ratio",
        }
    }

    /// The unit of its numbers.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::PromptRate | Self::OutputRate => "tok/s",
            Self::Tokens => "tokens",
            Self::Running | Self::Waiting | Self::Requests => "requests",
            Self::CacheUse | Self::HitShare => "share",
            Self::Ratio => "ratio",
        }
    }

    /// Whether it is tokens over time.
    pub const fn is_rate(self) -> bool {
        matches!(self, Self::PromptRate | Self::OutputRate)
    }
}

/// Over what time a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Over {
    /// The wall time since the line before: idle time and whatever else was computed are inside.
    Interval,
    /// One step of the engine, from its begin to its end.
    Step,
    /// No time of its own: the moment of the line, or a window that the note names.
    Moment,
}

impl Over {
    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Interval => "interval",
            Self::Step => "step",
            Self::Moment => "moment",
        }
    }
}

/// One field that a server states from time to time, with what its number means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct IntervalField {
    /// Which server states it.
    pub server: &'static str,
    /// Its name, as the server writes it.
    pub name: &'static str,
    /// What it states.
    pub states: States,
    /// Over what time.
    pub over: Over,
    /// Which tokens it counts; several where versions differ and the log does not say which version wrote
    /// it; empty where it counts none.
    pub tokens: &'static [TokenScope],
    /// What to know about it.
    pub note: &'static str,
    /// What is wrong with it beyond what is wrong with every rate over a log interval, in a clause.
    pub fault: &'static str,
    /// The versions it holds for and where that was read.
    pub source: &'static str,
}

impl IntervalField {
    /// A rate over a log interval.
    pub(crate) const fn rate(server: &'static str, name: &'static str, states: States) -> Self {
        Self {
            server,
            name,
            states,
            over: Over::Interval,
            tokens: &[],
            note: "",
            fault: "",
            source: "",
        }
    }

    /// What is said of a moment.
    pub(crate) const fn gauge(server: &'static str, name: &'static str, states: States) -> Self {
        Self { over: Over::Moment, ..Self::rate(server, name, states) }
    }

    pub(crate) const fn over(self, over: Over) -> Self {
        Self { over, ..self }
    }

    pub(crate) const fn counting(self, tokens: &'static [TokenScope]) -> Self {
        Self { tokens, ..self }
    }

    pub(crate) const fn note(self, note: &'static str) -> Self {
        Self { note, ..self }
    }

    pub(crate) const fn fault(self, fault: &'static str) -> Self {
        Self { fault, ..self }
    }

    pub(crate) const fn source(self, source: &'static str) -> Self {
        Self { source, ..self }
    }

    /// Whether cached tokens are counted by some version that may have written it.
    pub fn may_count_cached(&self) -> bool {
        self.tokens.contains(&TokenScope::AllPrompt)
    }

    /// Which tokens it counts, in words; empty where it counts none.
    pub fn counts(&self) -> &'static str {
        match (self.may_count_cached(), self.tokens.contains(&TokenScope::NewPrompt)) {
            (true, true) => "all prompt tokens or the computed ones, by version",
            (true, false) => "all prompt tokens, cached ones included",
            (false, true) => "computed prompt tokens",
            (false, false) if self.tokens.contains(&TokenScope::Output) => "generated tokens",
            (false, false) => "",
        }
    }

    /// As one of its format's fields.
    pub(crate) fn meaning(&self) -> FieldMeaning {
        let unit = if self.states.is_rate() {
            Unit::TokensPerSecond
        } else if self.states == States::Tokens {
            Unit::Tokens
        } else {
            Unit::None
        };
        let mut said = String::new();
        for part in [self.counts(), self.note] {
            if !said.is_empty() && !part.is_empty() {
                said += "; ";
            }
            said += part;
        }
        let mut field = FieldMeaning::new(self.name, Holds::OfInterval, unit).clock(Side::Server);
        field.note = Cow::Owned(said);
        field.source = Cow::Borrowed(self.source);
        field
    }

    fn key(&self) -> (&'static str, &'static str, Over, bool, usize) {
        (self.server, self.name, self.over, self.may_count_cached(), self.tokens.len())
    }
}

impl Ord for IntervalField {
    /// By server, name, and what it counts.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for IntervalField {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for IntervalField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.name, self.server)
    }
}
