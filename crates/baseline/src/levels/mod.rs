//! Whether several runs of one arm fit together: levels of a sweep, and repetitions at one load.
//!
//! Levels are the runs at one load, in rising order; slots and rates make two curves that are never
//! mixed. Runs whose load nobody states belong to no level. Findings about one level carry its load;
//! those about all of them carry the arm alone.

mod checks;
mod copies;
mod curve;
mod deviation;
mod exact;
mod identical;
mod spread;
mod throughput;
mod warm;
mod work;

use trueline_core::{BenchRun, Outcomes, Thresholds};

pub use checks::LEVEL_CHECKS;
pub(crate) use checks::ZERO_SPREAD;
pub use copies::check_copied_figures;
pub(crate) use exact::{is_measured, written_digits};
pub use throughput::check_saturation;

/// Checks that several runs of one arm fit together: loads gave figures of their own for the same
/// work on the same cache, the curve has no dent, and repetitions agree as closely as measurements
/// do. Copies are a matter of all arms: see [`check_copied_figures`].
///
/// # Shape
/// `runs` are those of one arm at any loads, repetitions included.
pub fn check_levels(runs: &[&BenchRun], thresholds: &Thresholds) -> Outcomes {
    let mut outcomes = Outcomes::default();
    outcomes.extend(identical::check_identical(runs, thresholds));
    outcomes.extend(work::check_level_work(runs, thresholds));
    outcomes.extend(warm::check_warm(runs, thresholds));
    outcomes.extend(throughput::check_dip(runs, thresholds));
    outcomes.extend(copies::check_zero_spread(runs, thresholds));
    outcomes.extend(spread::check_spread(runs, thresholds));
    outcomes
}
