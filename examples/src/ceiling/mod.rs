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
pub(crate) use asked::parse_speculation;
pub use estimate::Estimate;
pub(crate) use files::read_model;
pub(crate) use parts::find as find_hardware;
pub(crate) use plan::read_plan;
pub(crate) use spread::parse as parse_parallel;
