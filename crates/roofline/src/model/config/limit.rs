//! The largest sizes that any model has, with room.

/// The sizes that a field may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limit {
    pub(super) low: u64,
    pub(super) high: u64,
}

const fn from_one_to(high: u64) -> Limit {
    Limit { low: 1, high }
}

/// Layers; the deepest models have a few hundred.
pub(super) const LAYERS: Limit = from_one_to(1 << 12);
/// Layers of a sort that may be absent.
pub(super) const SOME_LAYERS: Limit = Limit { low: 0, high: 1 << 12 };
/// Widths of the stream and of feed-forward blocks; the widest are near 100,000.
pub(super) const WIDTH: Limit = from_one_to(1 << 22);
/// Heads of a layer.
pub(super) const HEADS: Limit = from_one_to(1 << 14);
/// Width of a head, a state or a compressed cache.
pub(super) const HEAD_DIM: Limit = from_one_to(1 << 16);
/// Entries of a vocabulary; the largest are near 300,000.
pub(super) const VOCABULARY: Limit = from_one_to(1 << 24);
/// Experts of a layer.
pub(super) const EXPERTS: Limit = from_one_to(1 << 14);
/// Experts that may be absent.
pub(super) const SOME_EXPERTS: Limit = Limit { low: 0, high: 1 << 14 };
/// Tokens that a window or an indexer lets through.
pub(super) const TOKENS: Limit = from_one_to(1 << 40);
