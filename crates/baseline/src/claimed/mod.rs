//! What a claim says against what the tool's own figures say.

mod aligned;
mod called;
mod checks;
mod definitions;
mod rates;

pub use aligned::check_aligned;
pub use called::check_called;
pub use checks::CLAIM_CHECKS;
pub use definitions::check_definitions;
pub use rates::check_quoted_rate;
