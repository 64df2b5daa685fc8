//! What headers of weight files have in common: a list of tensors that becomes runs with roles.

mod companions;
mod listing;
mod naming;

pub(super) use listing::{Listed, Listing};
pub(super) use naming::Dialect;

/// More tensors than any model has: Kimi K2, expert by expert, has about 140,000 with its scales.
pub(super) const MOST_TENSORS: u64 = 1_000_000;

/// More sides than any tensor has.
pub(super) const MOST_SIDES: usize = 8;
