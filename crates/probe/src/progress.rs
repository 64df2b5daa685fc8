//! How a run goes, while it goes.

use std::time::Duration;

use trueline_core::Tokens;

use crate::RequestRate;

/// Whether requests are still sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// They are.
    Sending,
    /// Those in flight are waited for.
    Draining,
}

/// How a run goes, while it goes. Warm-up requests are counted like others but in TTFT.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// Whether requests are still sent.
    pub phase: Phase,
    /// Since the start of the run.
    pub elapsed: Duration,
    /// Requests sent.
    pub sent: u64,
    /// Requests in flight.
    pub in_flight: u64,
    /// Requests that ended, however.
    pub ended: u64,
    /// Of these, those that failed.
    pub failed: u64,
    /// Requests that the schedule wanted sent so far, over the time so far; `None` in a closed loop.
    pub offered: Option<RequestRate>,
    /// Requests that were answered so far, over the time so far.
    pub achieved: Option<RequestRate>,
    /// TTFT of the request that was answered last.
    pub last_ttft: Option<Duration>,
    /// The median TTFT of the answered requests so far, to 3 digits.
    pub median_ttft: Option<Duration>,
    /// Tokens of the replies so far: as the server counts them, else a token for each event that carries one.
    pub tokens_received: Tokens,
}
