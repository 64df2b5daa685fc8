//! A seed of this run alone.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

/// A seed that another run will not have: a second run of the same seed sends the same bytes, and finds
/// in the server's cache what the first one left there.
///
/// # Shape
/// Under 2^32, so that a person can type it again.
pub fn drawn_seed() -> u64 {
    // Its keys are random in every process.
    RandomState::new().build_hasher().finish() >> 32
}
