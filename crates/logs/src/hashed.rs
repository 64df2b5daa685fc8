//! The one hash by which names are kept in place of themselves.

use std::hash::{DefaultHasher, Hash, Hasher};

/// A hash of a value, the same in every thread and every input.
///
/// Two of a million values are taken for one in 1 of 10^7 cases.
pub(crate) fn hash<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
