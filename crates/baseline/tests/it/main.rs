//! Statistics against other programs' figures and against what must hold of any input.

mod duplicate_runs;
mod resampling_expected;
mod resampling_properties;
mod stats_expected;
mod stats_properties;
mod stats_sizes;
