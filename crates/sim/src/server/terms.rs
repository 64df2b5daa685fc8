//! What a reply is made by, whatever happens.

use serde_json::Value;
use trueline_core::TokensPerSecond;

use super::asked::UsageWish;
use super::facts::Facts;
use super::faults::Fault;
use crate::RequestId;

/// What a reply is made by, whatever happens.
#[derive(Debug, Clone)]
pub(super) struct Terms {
    pub(super) faults: Vec<Fault>,
    pub(super) usage: UsageWish,
    /// Whether the server tells its own rates.
    pub(super) timings: Timings,
    pub(super) asked_output: u64,
    pub(super) prefill: TokensPerSecond,
    /// What answers are drawn from, and the request's number.
    pub(super) seed: u64,
    pub(super) number: RequestId,
    /// Wall time of arrival, in seconds since 1970.
    pub(super) created: i64,
    /// By how many seconds the wall clock is stepped with the first token.
    pub(super) clock_step: Option<i32>,
}

/// Whether a server tells its own times and rates in each reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Timings {
    Told,
    Untold,
}

impl Terms {
    pub(super) fn has(&self, fault: Fault) -> bool {
        self.faults.contains(&fault)
    }

    /// The server's own rates, where it tells them or a fault is about them.
    pub(super) fn told_timings(&self, facts: &Facts) -> Option<Value> {
        let asked = self.has(Fault::RateCountsCached) || self.has(Fault::RateLeavesTimeOut);
        let told = asked || self.timings == Timings::Told;
        if told { facts.timings(&self.faults, self.prefill) } else { None }
    }

    /// Wall time from the first token on, in seconds since 1970; `None` where the clock runs evenly.
    pub(super) fn stepped(&self) -> Option<i64> {
        self.clock_step.map(|step| self.created.saturating_add(i64::from(step)))
    }
}
