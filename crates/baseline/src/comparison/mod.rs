//! Two arms of runs: in which design they were measured, what their ratio is, what may be said of it.
//!
//! The checks beside take runs or values and a scope, and know nothing of how arms were found: whether
//! order, failures, bottleneck and spread leave a ratio to speak of, whether a claim's interval and
//! speedup are ones that the data can give, and over what it is.

mod bottleneck;
mod checks;
mod correlated;
mod denominator;
mod design;
mod direction;
mod estimate;
#[cfg(test)]
mod invariance;
mod links;
mod one_direction;
mod order;
mod peeking;
mod planning;
mod pooled;
mod rebased;
mod sites;
mod speedup;
mod spread;
mod uneven;
mod verdict;
mod wording;

pub use bottleneck::{Bottleneck, DEGRADED_STATES, Served, bottleneck_of, check_bottleneck};
pub use checks::COMPARISON_CHECKS;
pub use correlated::check_autocorrelation;
pub use denominator::check_denominator;
pub use design::{Design, RunValue};
pub use direction::check_direction;
pub use estimate::{Estimate, estimate_ratio};
pub use one_direction::check_one_direction;
pub use order::check_order;
pub use peeking::check_peeking;
pub use pooled::check_pooled_requests;
pub use rebased::{Rebased, rebase_ratio};
pub use sites::{Site, check_sites};
pub use speedup::check_speedup;
pub use spread::check_arm_spread;
pub use uneven::check_uneven_failures;
pub use verdict::{Verdict, verdict};

use trueline_core::Thresholds;

use crate::checks::TOO_FEW_SAMPLES;

/// The confidence that intervals have where nobody asks for another one.
pub fn confidence(thresholds: &Thresholds) -> f64 {
    thresholds.get(&TOO_FEW_SAMPLES, "confidence")
}
