//! How long is waited, and whether a connection serves again.

use std::fmt;
use std::time::Duration;

/// How long a request may take until it is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Until the connection stands, TLS included.
    pub connect: Duration,
    /// Without a byte of the reply. A long prefill is silent for as long as it takes.
    pub idle: Duration,
    /// From the start of the request to the end of its reply.
    pub total: Duration,
}

impl Default for Limits {
    /// 10 seconds to connect, 10 minutes of silence, one hour in all.
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            idle: Duration::from_secs(600),
            total: Duration::from_secs(3_600),
        }
    }
}

/// Whether a connection serves one request or several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Reuse {
    /// Every request has a connection of its own; how long that took to make stands apart from TTFT.
    #[default]
    Fresh,
    /// A connection that its reply left open serves again.
    ///
    /// A server may close it at the moment when it is used: llama.cpp does so after every streamed reply,
    /// although its head says `Keep-Alive`. A request of which no byte of a reply came is sent once more,
    /// over a fresh connection, and [`Exchange::resent`](crate::Exchange::resent) counts it; its marks
    /// are then those of the second sending, but `begun` stays.
    Kept,
}

impl fmt::Display for Reuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fresh => "fresh",
            Self::Kept => "kept",
        })
    }
}
