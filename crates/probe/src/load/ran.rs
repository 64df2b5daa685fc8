//! What a run came to.

use std::fmt;
use std::time::Duration;

use trueline_core::Tokens;

use super::Bystander;
use crate::{Arrival, Breach, ClientLoad};

/// Why a run sent no more.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Ended {
    /// There was nothing left to send.
    Exhausted,
    /// The trace has no further moment.
    ScheduleOver,
    /// As many requests as asked for were sent.
    Requests,
    /// The time that was asked for was over.
    Time,
    /// The rule that was asked for was content.
    Rule,
    /// The hard limit of requests was reached.
    MostRequests,
    /// The hard limit of time was reached.
    MostTime,
    /// The caller ended it.
    Caller,
    /// The budget was used up or broken.
    Budget(Breach),
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exhausted => "nothing was left to send",
            Self::ScheduleOver => "the trace had no further moment",
            Self::Requests => "as many requests as asked for were sent",
            Self::Time => "the time asked for was over",
            Self::Rule => "the rule was content",
            Self::MostRequests => "the limit of requests was reached",
            Self::MostTime => "the limit of time was reached",
            Self::Caller => "the caller ended it",
            Self::Budget(breach) => return write!(f, "the budget ended it: {breach}"),
        })
    }
}

/// How many requests a run sent and what became of them.
///
/// # Formula
/// `sent = answered + failed + stopped`. Warm-up requests are among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Counts {
    /// Sent.
    pub sent: u64,
    /// Answered.
    pub answered: u64,
    /// Failed, of whatever kind; one whose outcome nobody says is counted here.
    pub failed: u64,
    /// Given up by the client while in flight: the run was cut short, or its drain limit passed.
    pub stopped: u64,
    /// Of those sent, the ones that waited for the budget's most in flight or its rate.
    pub held: u64,
    /// Sendings beyond the first of a request, over kept connections that the server had closed.
    pub resent: u64,
    /// Due by the schedule before sending ended, and never sent; zero in a closed loop.
    pub unsent: u64,
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Ran {
    /// Why it sent no more.
    pub ended: Ended,
    /// Whether it ended before what was asked for: its numbers are those of a part.
    pub partial: bool,
    /// How many requests it sent and what became of them.
    pub counts: Counts,
    /// When it began, as time since the start of its clock.
    pub began: Duration,
    /// From its beginning to when it sent no more.
    pub sending: Duration,
    /// From its beginning to the end of its last request.
    pub took: Duration,
    /// Tokens charged to the budget: as the server counts them, else the most that they can be.
    pub spent: Tokens,
    /// Its arrival schedule.
    pub arrival: Arrival,
    /// The seed of its schedule.
    pub seed: u64,
    /// What the bystander's readings said; `None` where nobody gave any.
    pub bystander: Option<Bystander>,
    /// The models that answered, by the names in their replies, in order of appearance; at most 8.
    pub models: Vec<String>,
    /// What the client knows of itself.
    pub client: ClientLoad,
}

impl Ran {
    /// The rate at which requests were sent; `None` over no time.
    pub fn sent_rate(&self) -> Option<crate::RequestRate> {
        crate::RequestRate::of(self.counts.sent, self.sending)
    }
}
