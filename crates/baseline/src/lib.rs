//! What benchmark numbers say: the arithmetic of one run, its load, levels and repetitions,
//! placement among production requests, the split of stated rates into factors, intervals, foreign
//! traffic, conditions, comparison.
//!
//! The wrong number this crate prevents: 115 tok/s, the best of three samples that are the three
//! slowest of their kind.
//!
//! ```
//! use trueline_baseline::stats::{all_among_lowest, median, order_interval};
//!
//! let production: Vec<f64> = (0..38).map(|i| 300.0 + f64::from(i)).collect();
//! assert_eq!(median(&production), Some(318.5));
//! // All three samples are slower than all 38 requests of their size.
//! assert!(all_among_lowest(38, 3, 3) < 1e-4);
//! // Three samples admit no interval; 38 do.
//! assert!(order_interval(&[101.0, 108.0, 115.0], 0.5, 0.95).is_none());
//! assert_eq!(order_interval(&production, 0.5, 0.95).unwrap().orders, (13, 26));
//! ```
//!
//! The numbers of a run are checked against each other, each check an identity that holds of any
//! run:
//!
//! ```
//! use std::time::Duration;
//! use trueline_baseline::check_arithmetic;
//! use trueline_core::{BenchRun, By, Known, Load, Side, Thresholds};
//! use trueline_core::{Definition, Figure, Mark, Metric, Statistic, Total};
//!
//! let mut run = BenchRun::new("a", Side::Client, Vec::new());
//! run.plan.load = Some(Load::Concurrency(4));
//! run.reported.duration = Known::is(Duration::from_secs(10), By::Reported);
//! run.reported.set_total(Total::CompletedRequests, Known::is(100, By::Reported), "completed");
//! let sent = Definition::new(Mark::Sent, Mark::LastToken, Side::Client);
//! let mean = Known::is(1.0, By::Reported);
//! let e2e = Figure::new(Metric::E2eLatencyS, Some(Statistic::Mean), mean, sent, "mean_e2e");
//! run.reported.figures.push(e2e);
//!
//! // 100 requests of 1 s in 10 s are 10 in flight, and 4 were allowed.
//! assert!(check_arithmetic(&run, &Thresholds::default()).has("littles-law-broken"));
//! ```
//!
//! [`check_arithmetic`] and [`check_load_shape`] take one run, [`check_levels`],
//! [`check_copied_figures`] and [`check_duplicate_runs`] several; [`place_samples`] and
//! [`split_factors`] stand beside production; the rest judges what a claim says.
//!
//! [`comparison`] takes two arms of runs: [`comparison::estimate_ratio`] their ratio by the design that
//! they admit, [`comparison::verdict`] what may be said of it, and checks on whether the arms compare.
//!
//! [`balance_counters`] holds what a server counted over a run against what the run asked of it.
//!
//! It opens no file, reads no clock and knows no server: it takes slices and the types of
//! [`trueline_core`], and returns values with the outcomes of its checks. [`stats`] knows nothing
//! of the rest. Every check stands as data in [`CHECKS`], [`ARITHMETIC_CHECKS`],
//! [`LOAD_SHAPE_CHECKS`], [`LEVEL_CHECKS`], [`CLAIM_CHECKS`] and [`COMPARISON_CHECKS`]. It sets no claim's status and has
//! no features.

#![warn(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod arithmetic;
mod balance;
mod best_of_n;
mod checks;
mod claimed;
mod cold_run;
pub mod comparison;
mod conclusion;
mod conditions;
mod duplicates;
mod factors;
mod failures;
mod foreign;
mod form;
mod levels;
mod load_shape;
mod path;
mod placement;
mod quoted;
mod ratio;
mod sample_count;
mod samples;
mod self_test;
mod server_counts;
pub mod stats;
mod times;
mod work;

pub use arithmetic::{ARITHMETIC_CHECKS, check_arithmetic};
pub use balance::{
    Balance, Doubt, Gauges, InFlight, Ledger, Verdict, balance_counters, check_balance,
};
pub use best_of_n::check_best_of_n;
pub use checks::CHECKS;
pub use claimed::{
    CLAIM_CHECKS, check_aligned, check_called, check_definitions, check_quoted_rate,
};
pub use cold_run::check_cold_run;
pub use comparison::COMPARISON_CHECKS;
pub use conditions::{
    ArmNotes, check_claim_conditions, check_log_witnesses_run, check_same_conditions,
};
pub use duplicates::check_duplicate_runs;
pub use factors::{CellFactors, FieldCause, RateTime, StatedField, split_factors};
pub use failures::check_failures;
pub use foreign::{ForeignRow, SampleWindow, check_foreign_traffic};
pub use levels::{LEVEL_CHECKS, check_copied_figures, check_levels, check_saturation};
pub use load_shape::{LOAD_SHAPE_CHECKS, check_client_account, check_load_shape};
pub use path::{CellShare, check_path_taken};
pub use placement::{Placed, Placing, Population, place_samples};
pub use quoted::{check_samples_measured, check_value_found, check_value_stated};
pub use ratio::check_ratio_shown;
pub use sample_count::check_sample_count;
pub use samples::{Sample, is_of_a_run, metric_values, samples_of};
pub use self_test::{
    Asked, Called, Place, RunOrder, SELF_TEST_CHECKS, SelfTest, SelfTestPlan, check_a_vs_a,
    self_test, self_test_of_runs,
};
pub use server_counts::check_server_counts;
pub use times::check_time_order;
pub use work::{Workload, check_same_work};
