//! Two arms of runs: in which design they were measured, what their ratio is, what may be said of it.

mod denominator;
mod design;
mod estimate;
mod planning;
mod verdict;

pub use denominator::check_denominator;
pub use design::{Design, RunValue};
pub use estimate::{Estimate, estimate_ratio};
pub use verdict::{Verdict, verdict};

use trueline_core::Thresholds;

use crate::checks::TOO_FEW_SAMPLES;

/// The confidence that intervals have where nobody asks for another one.
pub fn confidence(thresholds: &Thresholds) -> f64 {
    thresholds.get(&TOO_FEW_SAMPLES, "confidence")
}
