//! The hit share of a cache by its size.

use trueline_core::{Share, Tokens};

/// The share of prompt tokens that a cache of a given size hits.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct LruPoint {
    /// How many blocks the cache holds.
    pub blocks: u64,
    /// The same in tokens; `None` where blocks are of several sizes.
    pub tokens: Option<Tokens>,
    /// Hit over all prompt tokens.
    pub token_weighted: Share,
}

/// The sizes that are looked at: 1, 3 and 5 times a power of ten.
pub(super) fn ladder() -> Vec<u64> {
    (1..=9).flat_map(|power| [1, 3, 5].map(|n| n * 10_u64.pow(power))).collect()
}

/// Hit tokens by the size of the cache, at given sizes.
#[derive(Debug, Clone)]
pub(super) struct Curve {
    sizes: Vec<u64>,
    /// Tokens of blocks that are hit from a size on.
    from: Vec<u128>,
    /// Tokens of blocks that are hit at a size, whose run is not hit as a whole there.
    only: Vec<u128>,
    /// Tokens that no row can hit, from the size on at which all of its blocks are.
    less: Vec<u128>,
    /// The smallest size at which all blocks are hit that can be.
    reach: u64,
}

impl Curve {
    /// At these sizes, rising.
    pub(super) fn at(sizes: Vec<u64>) -> Self {
        let zeros = vec![0; sizes.len()];
        Self { sizes, from: zeros.clone(), only: zeros.clone(), less: zeros, reach: 0 }
    }

    /// Adds blocks that follow each other, of which the first one has so many blocks before it in the order
    /// of use; each next one has one more.
    pub(super) fn add(&mut self, before: u64, blocks: u64, size: u64) {
        let tokens = |blocks: u64| u128::from(blocks) * u128::from(size);
        let whole = before.saturating_add(blocks);
        self.reach = self.reach.max(whole);
        let first = self.sizes.partition_point(|&at| at <= before);
        for (at, only) in self.sizes.iter().zip(&mut self.only).skip(first) {
            if *at >= whole {
                break;
            }
            *only += tokens(at - before);
        }
        let all = self.sizes.partition_point(|&at| at < whole);
        if let Some(from) = self.from.get_mut(all) {
            *from += tokens(blocks);
        }
    }

    /// Takes off tokens of a block that is hit from a size on.
    pub(super) fn take(&mut self, whole: u64, tokens: u64) {
        let at = self.sizes.partition_point(|&at| at < whole);
        if let Some(less) = self.less.get_mut(at) {
            *less += u128::from(tokens);
        }
    }

    /// The smallest size at which all blocks are hit that can be.
    pub(super) fn reach(&self) -> u64 {
        self.reach
    }

    /// Each size with its hit tokens.
    pub(super) fn hits(&self) -> Vec<(u64, u128)> {
        let (mut from, mut less) = (0, 0);
        let columns = self.from.iter().zip(&self.only).zip(&self.less);
        let sum = |(at, ((more, only), fewer)): (&u64, ((&u128, &u128), &u128))| {
            from += more;
            less += fewer;
            (*at, (from + only).saturating_sub(less))
        };
        self.sizes.iter().zip(columns).map(sum).collect()
    }
}
