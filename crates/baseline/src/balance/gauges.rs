//! Requests that a server had, against ours that were open.

use std::time::Duration;

use trueline_core::{Thresholds, WallTime};

use super::ledger::Ledger;
use crate::checks::FOREIGN_TRAFFIC;
use crate::stats::real;

/// How many requests a server had at one moment, running and waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InFlight {
    /// When.
    pub at: WallTime,
    /// How many.
    pub requests: u64,
}

/// What the gauges say of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gauges {
    /// At how many moments they were read while a request of ours was open.
    pub samples: u64,
    /// At how many of them the server had more requests than were ours.
    pub exceeded: u64,
    /// The worst moment: what the server had.
    pub in_flight: u64,
    /// The worst moment: how many were ours at most.
    pub ours: u64,
}

impl Gauges {
    /// Whether others were served: at more than one moment, and for more than a touch of the run.
    pub(super) fn exceed(&self, thresholds: &Thresholds) -> bool {
        let check = &FOREIGN_TRAFFIC;
        let share = thresholds.get(check, "overlap_share") * real(self.samples);
        real(self.exceeded) > share && real(self.exceeded) >= thresholds.get(check, "gauge_samples")
    }
}

/// Holds what a server had in flight against ours that were open; `None` without samples while one of
/// ours was, or where ours do not say when they were sent. At other moments nobody shared the server
/// with us, and an idle server may leave its last number standing.
///
/// # Formula
/// At each sample `in_flight - open`, where `open` is the most of ours that were open at once from
/// `gauge_age_s` before it to a second after: gauges are refreshed only now and then. A request that
/// its client gave up counts as open from then on.
pub(super) fn gauges(
    samples: &[InFlight],
    ledger: &Ledger,
    thresholds: &Thresholds,
) -> Option<Gauges> {
    let open = ledger.open()?;
    let age = age(thresholds);
    let mut found: Option<Gauges> = None;
    let is_ours = |sample: &&InFlight| open.most(sample.at, Duration::ZERO, Duration::ZERO) > 0;
    for sample in samples.iter().filter(is_ours) {
        let ours = open.most(sample.at, age, Duration::from_secs(1));
        let beyond = sample.requests.saturating_sub(ours);
        let worst = found.get_or_insert(Gauges {
            samples: 0,
            exceeded: 0,
            in_flight: sample.requests,
            ours,
        });
        worst.samples += 1;
        worst.exceeded += u64::from(beyond > 0);
        if beyond > worst.in_flight.saturating_sub(worst.ours) {
            (worst.in_flight, worst.ours) = (sample.requests, ours);
        }
    }
    found
}

/// How old a gauge may be.
pub(super) fn age(thresholds: &Thresholds) -> Duration {
    let seconds = thresholds.get(&FOREIGN_TRAFFIC, "gauge_age_s");
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}
