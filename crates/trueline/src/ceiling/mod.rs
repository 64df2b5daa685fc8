//! How fast a run can have been at most, and whether what is claimed of it is possible.
//!
//! A [`Deployment`] says what served: device, model, how many devices, how the model is stored and whether
//! tokens are drafted. With it an audit holds every absolute claim on a prefill, decode or output rate
//! against the strict bound of `trueline-roofline`. What a claim may mean is taken at its best for the
//! claim: a number is impossible only where no reading of it is possible, and what nobody stated convicts
//! nobody.

mod bound;
mod checks;
mod clock;
mod decode;
mod deployment;
mod device;
mod facts;
mod findings;
mod judged;
mod layouts;
mod readings;
mod said;
#[cfg(test)]
mod tests;
mod told;

pub use checks::CEILING_CHECKS;
pub(crate) use checks::CLOCK_DOES_NOT_EXPLAIN;
pub use deployment::Deployment;
pub(crate) use device::{Place, place_of};
pub(crate) use facts::Facts;
pub(crate) use judged::{Ceiling, check_ceiling, not_observed};
pub(crate) use readings::is_bounded;
