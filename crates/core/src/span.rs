//! Durations inside one request, each with its two marks and its observer.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{By, Known, Why};

/// A moment in the life of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// When the load plan wanted it sent.
    Intended,
    /// When the client sent it.
    Sent,
    /// When the server had it.
    Arrived,
    /// When the server began to work on it.
    Scheduled,
    /// The first event that carries a token.
    FirstToken,
    /// The last event that carries a token.
    LastToken,
    /// When the connection or the request record was closed.
    Closed,
}

/// Whose clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The client's.
    Client,
    /// The server's.
    Server,
}

/// The stretches of a request's time that a record can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stretch {
    /// Sent to first token, client's clock: TTFT as a client sees it.
    ClientTtft,
    /// Arrived to first token, server's clock: TTFT as the server sees it, queue included.
    ServerTtft,
    /// Sent to last token, client's clock.
    ClientE2e,
    /// Arrived to last token, server's clock.
    ServerE2e,
    /// Arrived to scheduled: waiting for a slot.
    Queue,
    /// Waiting for a lock, summed; not one stretch between two marks.
    LockWait,
    /// Bringing a cached prefix back, summed.
    CacheRestore,
    /// Prefill computation alone, summed: no queue, no lock wait, no cache restore.
    PrefillCompute,
    /// First to last token, client's clock.
    ClientDecode,
    /// First to last token, server's clock.
    ServerDecode,
    /// Intended to sent, client's clock: what a request waited in the client, its connecting included. With
    /// the latencies from *sent* it gives those from *intended*, which a load that keeps its schedule asks for.
    SendDelay,
}

impl Stretch {
    /// All of them, in the order in which [`Spans`] holds them.
    pub const ALL: [Self; 11] = [
        Self::ClientTtft,
        Self::ServerTtft,
        Self::ClientE2e,
        Self::ServerE2e,
        Self::Queue,
        Self::LockWait,
        Self::CacheRestore,
        Self::PrefillCompute,
        Self::ClientDecode,
        Self::ServerDecode,
        Self::SendDelay,
    ];

    /// From which mark to which on whose clock. A sum of parts names the marks it lies between.
    pub const fn marks(self) -> (Mark, Mark, Side) {
        use Mark::{Arrived, FirstToken, Intended, LastToken, Scheduled, Sent};
        use Side::{Client, Server};
        match self {
            Self::ClientTtft => (Sent, FirstToken, Client),
            Self::ServerTtft => (Arrived, FirstToken, Server),
            Self::ClientE2e => (Sent, LastToken, Client),
            Self::ServerE2e => (Arrived, LastToken, Server),
            Self::Queue => (Arrived, Scheduled, Server),
            Self::LockWait | Self::CacheRestore | Self::PrefillCompute => {
                (Scheduled, FirstToken, Server)
            }
            Self::ClientDecode => (FirstToken, LastToken, Client),
            Self::ServerDecode => (FirstToken, LastToken, Server),
            Self::SendDelay => (Intended, Sent, Client),
        }
    }
}

/// One duration with what it spans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Which stretch.
    pub stretch: Stretch,
    /// How long it took.
    pub took: Duration,
}

/// The durations of one request.
///
/// # Shape
/// One slot for each [`Stretch`], each known or with the reason why not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spans([Known<Duration>; Stretch::ALL.len()]);

impl Default for Spans {
    fn default() -> Self {
        Self([Known::Not(Why::Absent); Stretch::ALL.len()])
    }
}

impl Spans {
    /// The duration of a stretch.
    pub const fn get(&self, stretch: Stretch) -> Known<Duration> {
        self.0[stretch as usize]
    }

    /// Sets a stretch.
    pub const fn set(&mut self, stretch: Stretch, took: Known<Duration>) {
        self.0[stretch as usize] = took;
    }

    /// A duration in seconds from a source, by the rule of all readers: what is not finite or is
    /// negative is not known, and says why.
    pub fn seconds(seconds: f64, by: By) -> Known<Duration> {
        if !seconds.is_finite() {
            return Known::Not(Why::NonFinite);
        }
        Duration::try_from_secs_f64(seconds)
            .map_or(Known::Not(Why::Impossible), |took| Known::Is { value: took, by })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stretch_has_its_own_slot() {
        let mut spans = Spans::default();
        for (i, stretch) in Stretch::ALL.into_iter().enumerate() {
            assert_eq!(stretch as usize, i);
            assert_eq!(spans.get(stretch), Known::Not(Why::Absent));
            spans.set(stretch, Known::is(Duration::from_secs(i as u64), By::Measured));
        }
        assert_eq!(spans.get(Stretch::ServerDecode).value(), Some(Duration::from_secs(9)));
    }

    #[test]
    fn negative_and_nan_seconds_are_not_known() {
        assert_eq!(Spans::seconds(-0.1, By::Measured), Known::Not(Why::Impossible));
        assert_eq!(Spans::seconds(f64::NAN, By::Measured), Known::Not(Why::NonFinite));
        assert_eq!(Spans::seconds(1e300, By::Measured), Known::Not(Why::Impossible));
    }
}
