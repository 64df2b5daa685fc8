//! What a server served to others: its counts, less the benchmark's own requests.

mod check;
mod doubt;
mod gauges;
mod ledger;
mod moved;
#[cfg(test)]
mod pitfalls;
mod surplus;

use trueline_core::{Count, ServerCounters, Thresholds};

pub use check::check_balance;
pub use doubt::Doubt;
pub use gauges::{Gauges, InFlight};
use gauges::{age, gauges};
pub use ledger::Ledger;
use ledger::{Between, Range};
use moved::{Moved, moved};
use surplus::{Surplus, weigh};

use crate::checks::FOREIGN_TRAFFIC;
use crate::stats::real;

/// What a server's counts say of others.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Verdict {
    /// Nobody else was served: the counts balance, and the server never had more than ours.
    Clean,
    /// Others were served.
    Contaminated {
        /// Requests of others; `None` where the server counts none, or they were only seen in flight.
        requests: Option<u64>,
        /// Their prompt tokens, cached ones included where the server counts those.
        prompt_tokens: Option<u64>,
        /// Their output tokens.
        output_tokens: Option<u64>,
        /// The largest of their shares of ours; `None` where they were only seen in flight.
        share: Option<f64>,
    },
    /// It cannot be told.
    Unverified(Doubt),
}

/// A server's counts over a stretch of time, held against the benchmark's own requests.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Balance {
    /// What follows.
    pub verdict: Verdict,
    /// The serving engine, as its metrics name it.
    pub server: String,
    /// Requests that the server counted; `None` where it counts none.
    pub counted: Option<u64>,
    /// Requests that the benchmark sent, those that failed included.
    pub sent: u64,
    /// What the gauges say; `None` where nobody read them.
    pub gauges: Option<Gauges>,
    /// Who was seen connected to the server besides ours, in words.
    pub connected: Vec<String>,
}

impl Balance {
    /// A balance that could not be drawn up.
    pub fn unverified(doubt: Doubt) -> Self {
        let verdict = Verdict::Unverified(doubt);
        let (server, connected) = (String::new(), Vec::new());
        Self { verdict, server, counted: None, sent: 0, gauges: None, connected }
    }

    /// The same with who was seen connected to the server besides ours, in words.
    ///
    /// # Shape
    /// It names those that may have sent what was counted and changes no verdict: who is connected
    /// need not send anything.
    #[must_use]
    pub fn with_connected(mut self, who: impl IntoIterator<Item = String>) -> Self {
        self.connected.extend(who);
        self
    }

    /// Why it cannot be told, if it cannot.
    pub const fn doubt(&self) -> Option<Doubt> {
        match self.verdict {
            Verdict::Unverified(doubt) => Some(doubt),
            _ => None,
        }
    }
}

/// Balances what a server counted between two readings against what the benchmark asked of it.
///
/// # Formula
/// `foreign = (after - before) - ours`. Ours are all requests sent, not the answers that came: a
/// request that failed, or that lies over a reading, may be in the counts or not, so that ours are a
/// range. Requests decide where the server counts them, else tokens.
///
/// # Shape
/// `ledger` holds every request that the benchmark sent to that server between the readings, of all
/// runs; `in_flight` what the server had at moments in between, in any order.
///
/// # Examples
/// ```
/// use trueline_baseline::{Ledger, Verdict, balance_counters};
/// use trueline_core::{
///     By, EngineCounts, Known, Outcome, RequestRecord, ServerCounters, Thresholds,
/// };
///
/// let read = |requests| {
///     let mut engine = EngineCounts::default();
///     engine.requests = Known::is(requests, By::Reported);
///     let mut counters = ServerCounters::default();
///     counters.engines.push(engine);
///     counters
/// };
/// let mut request = RequestRecord::default();
/// request.outcome = Outcome::Ok;
/// let ledger = Ledger::of(&vec![request; 10]);
/// let balance = balance_counters(&read(120), &read(133), &ledger, &[], &Thresholds::default());
/// assert!(matches!(balance.verdict, Verdict::Contaminated { requests: Some(3), .. }));
/// ```
pub fn balance_counters(
    before: &ServerCounters,
    after: &ServerCounters,
    ledger: &Ledger,
    in_flight: &[InFlight],
    thresholds: &Thresholds,
) -> Balance {
    let between = Between { from: before.at.value(), to: after.at.value() };
    let gauges = gauges(in_flight, ledger, thresholds);
    let moved = moved(before, after);
    let own = ledger.requests(between);
    let by_counts = match moved {
        _ if own.most == 0 => Verdict::Unverified(Doubt::NoneOfOurs),
        Err(doubt) => Verdict::Unverified(doubt),
        Ok(moved) => {
            settled(before, after, ledger, thresholds, judged(&moved, ledger, between, thresholds))
        }
    };
    let seen = own.most > 0 && gauges.is_some_and(|gauges| gauges.exceed(thresholds));
    let verdict = match by_counts {
        Verdict::Clean | Verdict::Unverified(_) if seen => Verdict::Contaminated {
            requests: None,
            prompt_tokens: None,
            output_tokens: None,
            share: None,
        },
        other => other,
    };
    let counted = moved.ok().and_then(|moved| moved.get(Count::Requests));
    let (server, connected) = (after.server.clone(), Vec::new());
    Balance { verdict, server, counted, sent: own.most, gauges, connected }
}

/// What the counts alone say.
fn judged(moved: &Moved, ledger: &Ledger, between: Between, thresholds: &Thresholds) -> Verdict {
    let own = ledger.requests(between);
    let few = thresholds.get(&FOREIGN_TRAFFIC, "few_requests");
    let share = thresholds.get(&FOREIGN_TRAFFIC, "count_share");
    let surplus = Surplus::of(moved, ledger, between);
    let Some(counted) = moved.get(Count::Requests) else {
        return match weigh(&surplus, None, few, share) {
            Some(verdict) => verdict,
            None => surplus.deficit(share).map_or(Verdict::Clean, Verdict::Unverified),
        };
    };
    // Requests in few digits are known in steps.
    let rounding = moved.rounding(Count::Requests);
    let counted_least = counted.saturating_sub(rounding);
    // Aborted requests are ours only where ours were given up.
    let aborted = moved.get(Count::Aborted).unwrap_or(0);
    let foreign =
        counted_least.saturating_sub(own.most).max(aborted.saturating_sub(own.most - own.least));
    if foreign > 0 {
        return weigh(&surplus, Some((foreign, own.most)), few, share).unwrap_or(Verdict::Clean);
    }
    if counted.saturating_add(rounding) < own.least {
        let missing = own.least - counted;
        return Verdict::Unverified(Doubt::OwnMissing { of: Count::Requests, missing });
    }
    if real(rounding) > share * real(own.most) {
        return Verdict::Unverified(Doubt::Rounded { of: Count::Requests, hidden: rounding });
    }
    let hidden = counted.saturating_sub(own.least).min(own.most.saturating_sub(counted));
    if real(hidden) > few && real(hidden) > share * real(own.most) {
        return Verdict::Unverified(Doubt::HiddenByFailures { hidden });
    }
    surplus.difference(share).map_or(Verdict::Clean, Verdict::Unverified)
}

/// The verdict of the counts, which is clean only where the server was known to be idle, or busy with
/// ours alone, at both readings: counts say nothing of a request that is still served.
fn settled(
    before: &ServerCounters,
    after: &ServerCounters,
    ledger: &Ledger,
    thresholds: &Thresholds,
    verdict: Verdict,
) -> Verdict {
    if verdict != Verdict::Clean {
        return verdict;
    }
    let open = ledger.open();
    for reading in [before, after] {
        let Some(in_flight) = reading.in_flight().value() else {
            return Verdict::Unverified(Doubt::InFlightUnknown);
        };
        let second = std::time::Duration::from_secs(1);
        let ours = open
            .as_ref()
            .zip(reading.at.value())
            .map_or(0, |(open, at)| open.most(at, age(thresholds), second));
        if in_flight > ours {
            return Verdict::Unverified(Doubt::StillBusy { in_flight, ours });
        }
    }
    Verdict::Clean
}
