//! The two bounds: one that nothing can exceed, and one for headroom.

mod cost;
mod experts;
mod limits;
mod mixer;
mod pairs;
mod parallel;
mod pass;
mod passes;
mod roof;
mod shape;
mod speculation;
mod strict;
mod usual;
mod work;
mod workload;

pub use experts::Routing;
pub use limits::Limits;
pub use mixer::{Indexer, LatentForm, Mixer};
pub use pairs::{Reach, query_key_pairs};
pub use parallel::Parallel;
pub use roof::{BoundError, PartTime, Roof, estimate_roof};
pub use shape::{Experts, LayerShape, Matmul, ModelShape};
pub use speculation::{Speculation, tokens_per_step};
pub use work::Part;
pub use workload::{LogitRows, Prefix, Workload};

use crate::units::real;

/// A count of pairs as a float to reckon with.
#[expect(clippy::cast_precision_loss, reason = "16 digits are enough of a count of pairs")]
const fn wide(n: u128) -> f64 {
    n as f64
}
