//! The parts of `estimate_ceiling`: what is asked, what the bounds say, how it is told.

mod asked;
mod claimed;
mod drawing;
mod estimate;
mod files;
mod header;
mod memory;
mod parts;
mod picture;
mod plan;
mod rows;
mod sizes;
mod spread;
mod told;
mod values;

pub use asked::Asked;
pub use estimate::Estimate;
