//! Tests of the public face of the crate.

mod catalogue;
mod ceilings;
mod file;
mod known_errors;
mod lookup;
