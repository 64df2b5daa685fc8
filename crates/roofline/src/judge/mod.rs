//! Whether a claimed rate is possible, and what would make it so.

mod altered;
mod cause;
mod causes;
mod siblings;
mod verdict;

pub use altered::Setup;
pub use cause::{Cause, Parameter};
pub use siblings::{EfficiencyRank, FarBelowSiblings, efficiency_rank, far_below_siblings};
pub use verdict::{Efficiency, Verdict, judge_claim};
