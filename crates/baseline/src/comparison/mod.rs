//! What may be concluded from two arms: whether their order, failures, bottleneck and spread leave a
//! ratio to speak of, whether a claim's interval and speedup are ones that the data can give, and
//! over what it is.
//!
//! The checks take runs or values and a scope, and know nothing of how arms were found.

mod bottleneck;
mod checks;
mod correlated;
mod direction;
mod exact;
mod one_direction;
mod order;
mod peeking;
mod pooled;
mod rebased;
mod sites;
mod speedup;
mod spread;
mod uneven;

pub use bottleneck::{Bottleneck, DEGRADED_STATES, Served, bottleneck_of, check_bottleneck};
pub use checks::COMPARISON_CHECKS;
pub use correlated::check_autocorrelation;
pub use direction::check_direction;
pub use one_direction::check_one_direction;
pub use order::check_order;
pub use peeking::check_peeking;
pub use pooled::check_pooled_requests;
pub use rebased::{Rebased, rebase_ratio};
pub use sites::{Site, check_sites};
pub use speedup::check_speedup;
pub use spread::check_arm_spread;
pub use uneven::check_uneven_failures;
