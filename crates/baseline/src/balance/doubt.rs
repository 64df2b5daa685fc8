//! Why counters do not tell whether others were served.

use std::fmt;

use trueline_core::number::count;
use trueline_core::{Count, Need};

/// Why counters do not tell whether others were served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Doubt {
    /// The server's counts were not read before and after.
    NotRead,
    /// They were read, and not from before the run until after it.
    NotOverTheRun,
    /// Requests of ours do not say when they ran.
    NoTimes,
    /// The readings are of two kinds of servers.
    OtherServer,
    /// The server's process was started in between.
    Restarted,
    /// A count is smaller than before.
    WentBack(Count),
    /// The engines or replicas are not the same ones.
    EnginesChanged {
        /// How many there were.
        before: u64,
        /// How many there are.
        after: u64,
    },
    /// The server counts neither requests nor tokens that we know of ours.
    NothingInCommon,
    /// None of our requests lies between the readings.
    NoneOfOurs,
    /// The server counted less than we had answered.
    OwnMissing {
        /// Which count.
        of: Count,
        /// How much less.
        missing: u64,
    },
    /// A request or two more than ours: a readiness check or a warm-up request that is in no record,
    /// or somebody else's.
    FewMore,
    /// So many of ours failed that others may stand in their place.
    HiddenByFailures {
        /// How many others at most.
        hidden: u64,
    },
    /// The requests balance and the tokens do not: tokens that the usage does not hold, a client's
    /// own token counts, or requests of others that were cut.
    TokensDiffer {
        /// Which count.
        of: Count,
        /// By the server.
        counted: u64,
        /// By us.
        ours: u64,
    },
    /// The server writes so few digits that others may stand in what is rounded.
    Rounded {
        /// Which count.
        of: Count,
        /// How much of it at most.
        hidden: u64,
    },
    /// The server does not say how many requests it had at the readings.
    InFlightUnknown,
    /// At a reading the server had more requests than ours.
    StillBusy {
        /// As it says.
        in_flight: u64,
        /// Of ours.
        ours: u64,
    },
}

impl Doubt {
    /// What would settle it.
    pub const fn need(self) -> Need {
        match self {
            Self::NotRead | Self::NotOverTheRun | Self::OtherServer | Self::NothingInCommon => {
                Need::ServerCounters
            }
            Self::NoTimes => Need::WallTimes,
            _ => Need::ForeignTraffic,
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRead => f.write_str("the server's counts were not read before and after"),
            Self::NotOverTheRun => {
                f.write_str("the server's counts do not reach over all of the run")
            }
            Self::NoTimes => f.write_str("not all requests that were sent say when they ran"),
            Self::OtherServer => f.write_str("the two readings are of different servers"),
            Self::Restarted => f.write_str("the server was restarted between the readings"),
            Self::WentBack(of) => {
                write!(f, "the server's count of {} went back: it was restarted", of.words())
            }
            Self::EnginesChanged { before, after } => write!(
                f,
                "the server's engines are not the same in both readings ({before} and {after}): \
                 read all of them, and each one itself"
            ),
            Self::NothingInCommon => {
                f.write_str("the server counts no requests, and no tokens that ours are known of")
            }
            Self::NoneOfOurs => f.write_str("no request of ours lies between the readings"),
            Self::OwnMissing { of, missing } => write!(
                f,
                "the server counted {} {} less than ours: an engine or replica was not read, or it \
                 was read before it had finished",
                count(*missing),
                of.words()
            ),
            Self::FewMore => f.write_str(
                "the server counted a request or two more than ours: a warm-up or readiness check \
                 that is in no record, or somebody else's",
            ),
            Self::HiddenByFailures { hidden } => write!(
                f,
                "up to {} requests of others may stand in place of ours that failed",
                count(*hidden)
            ),
            Self::TokensDiffer { of, counted, ours } => write!(
                f,
                "the requests balance, but the server counted {} {} and ours are {}: tokens that no \
                 usage holds, a client's own count, or requests of others that were cut",
                count(*counted),
                of.words(),
                count(*ours)
            ),
            Self::Rounded { of, hidden } => write!(
                f,
                "the server writes its count of {} rounded: up to {} of others may be hidden; start \
                 it anew, or measure for longer",
                of.words(),
                count(*hidden)
            ),
            Self::InFlightUnknown => {
                f.write_str("the server does not say how many requests it had at the readings")
            }
            Self::StillBusy { in_flight, ours } => write!(
                f,
                "at a reading the server had {in_flight} requests and {ours} were ours: read it when \
                 it is idle"
            ),
        }
    }
}
