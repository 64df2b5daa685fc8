//! Why something is not told by a log.

use std::fmt;

/// Why something is not told by a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Untold {
    /// It was not asked for when the log was read.
    NotAsked,
    /// No row states when its request came.
    NoStarts,
    /// No row states both when its request came and when it ended.
    NoEnds,
    /// Several inputs count time from origins of their own: their moments do not compare.
    OwnOrigins,
    /// No row states an end-to-end latency that agrees with its parts.
    NoLatencies,
    /// No row names a session.
    NoSessions,
    /// No row states how often its request was preempted.
    NoPreemptions,
}

impl fmt::Display for Untold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotAsked => "it was not asked for when the log was read",
            Self::NoStarts => "no row states when its request came",
            Self::NoEnds => "no row states when its request came and when it ended",
            Self::OwnOrigins => "several inputs count time from origins of their own",
            Self::NoLatencies => "no row states how long its request took",
            Self::NoSessions => "no row names a session",
            Self::NoPreemptions => "no row states how often its request was preempted",
        })
    }
}
