//! Tests of the public face of the crate.

mod bound_errors;
mod bound_table;
mod catalogue;
mod ceilings;
mod file;
mod known_errors;
mod lookup;
mod oracle;
mod parallel;
mod shapes;
