//! Whether one run had the load that it is named after, for long enough, in a steady state.
//!
//! Each check takes a run and says something in any case: that it found something, that it found
//! nothing, or what it would need. Requests one by one decide where they are there; else the tool's
//! own figures do, in a weaker form. The operand `form` of a finding says which.
//!
//! Order in time is the order of sending; a run whose requests do not say when they were sent has
//! none, whatever the order in which they were recorded. The requests in flight together share
//! their fate, so a trend is sought over the means of waves.

mod at_once;
mod checks;
mod client;
mod client_account;
mod drift;
mod edges;
mod length;
mod modes;
mod overload;
mod overload_sums;
mod rested;
mod series;
mod start;
mod tail;
mod timeline;
mod warmup;
mod waves;

use trueline_core::{BenchRun, Outcomes, Thresholds};

pub use checks::LOAD_SHAPE_CHECKS;
pub use client_account::check_client_account;

/// Checks the load shape of one run: the load was reached and held, the client kept up, the run
/// was long and steady, and nothing was cut off or done twice.
///
/// # Shape
/// Outcomes are about the run's arm at its load; those that concern one metric name it.
pub fn check_load_shape(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let mut outcomes = Outcomes::default();
    outcomes.extend(waves::check_concurrency_reached(run, thresholds));
    outcomes.extend(waves::check_waves(run, thresholds));
    outcomes.extend(client::check_client(run, thresholds));
    outcomes.extend(overload::check_overload(run, thresholds));
    outcomes.extend(length::check_length(run, thresholds));
    outcomes.extend(warmup::check_warmup(run, thresholds));
    outcomes.extend(drift::check_drift(run, thresholds));
    outcomes.extend(modes::check_modes(run, thresholds));
    outcomes.extend(tail::check_tail(run, thresholds));
    outcomes.extend(rested::check_rested(run, thresholds));
    outcomes.extend(edges::check_edges(run, thresholds));
    outcomes.extend(edges::check_retries(run, thresholds));
    outcomes
}
