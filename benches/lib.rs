//! Benchmarks of our own code; `compare/` holds the scripts that measure other tools beside it.

pub mod coverage;
pub mod formats;
