//! What a claim says against what the tool's own figures say.

mod aligned;
mod checks;
mod definitions;
mod rates;

pub use aligned::check_aligned;
pub use checks::CLAIM_CHECKS;
pub use definitions::check_definitions;
pub use rates::check_quoted_rate;
