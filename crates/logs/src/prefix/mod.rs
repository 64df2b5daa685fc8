//! What a prefix cache could have hit, by the hashes of prompts' blocks, and what sessions have in common.

mod above;
mod compared;
mod curve;
mod order;
mod recency;
mod report;
mod rows;
mod scope;
mod sessions;
mod turns;
mod walk;

pub(crate) use above::check_above_bound;
pub use compared::StatedAndPossible;
pub use curve::LruPoint;
pub use order::WalkOrder;
pub use report::PrefixReport;
pub(crate) use rows::BlockRows;
pub use scope::HashScope;
pub use sessions::SessionHits;
pub(crate) use sessions::SessionSums;
pub use turns::LaterTurns;
