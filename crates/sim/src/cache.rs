//! The block prefix cache: what is held, by whom, and what goes first.

use std::collections::{BTreeMap, HashMap};

use crate::{Token, mix};

/// What a block's text and all text before it are known by.
pub(crate) type BlockHash = u64;

/// The hash of no text at all.
pub(crate) const ROOT: BlockHash = 0;

/// The hash of a text and one more token.
pub(crate) const fn chained(before: BlockHash, token: Token) -> BlockHash {
    mix::mix(before ^ token.id())
}

/// A block with a hash.
#[derive(Debug, Clone, Copy)]
struct Held {
    users: u32,
    /// Its place in `idle`, while nobody uses it.
    stamp: u64,
}

/// Blocks of the cache.
///
/// # Shape
/// A block is *open* while a request fills it, and *sealed* under the hash of its text and all text
/// before it once it is full. Sealed blocks are shared by all requests that begin with that text, and
/// stay when the last of them leaves, until their place is needed: the one left first goes first. A
/// request leaves its blocks last block first, so that a prefix outlives what follows it.
///
/// Never held: more than `capacity` blocks, open and sealed together. Blocks in use never go.
#[derive(Debug, Clone)]
pub(crate) struct PrefixCache {
    capacity: u64,
    sealed: HashMap<BlockHash, Held>,
    idle: BTreeMap<u64, BlockHash>,
    open: u64,
    next_stamp: u64,
}

impl PrefixCache {
    /// An empty cache of so many blocks.
    pub(crate) fn new(capacity: u64) -> Self {
        Self { capacity, sealed: HashMap::new(), idle: BTreeMap::new(), open: 0, next_stamp: 0 }
    }

    /// Blocks that hold something.
    pub(crate) fn held(&self) -> u64 {
        self.open + self.sealed.len() as u64
    }

    /// Blocks that requests use.
    pub(crate) fn in_use(&self) -> u64 {
        self.held() - self.idle.len() as u64
    }

    /// Takes the blocks that a text begins with, as far as they are held, and opens new ones up to
    /// `blocks`. Gives how many were held; `None`, and nothing is taken, where there is no room.
    pub(crate) fn enter(&mut self, hashes: &[BlockHash], blocks: u64) -> Option<u64> {
        let held = hashes.iter().map_while(|hash| self.sealed.get(hash));
        let (hits, woken) = held.fold((0_u64, 0_u64), |(hits, woken), held| {
            (hits + 1, woken + u64::from(held.users == 0))
        });
        let new = blocks.saturating_sub(hits);
        if self.in_use() + woken + new > self.capacity {
            return None;
        }
        let found = usize::try_from(hits).unwrap_or(usize::MAX);
        for hash in hashes.iter().take(found) {
            self.take(*hash);
        }
        self.open(new).then_some(hits)
    }

    /// Opens so many blocks; `false`, and nothing is opened, where there is no room.
    pub(crate) fn open(&mut self, blocks: u64) -> bool {
        if self.in_use() + blocks > self.capacity {
            return false;
        }
        while self.held() + blocks > self.capacity {
            let Some((_, oldest)) = self.idle.pop_first() else { return false };
            self.sealed.remove(&oldest);
        }
        self.open += blocks;
        true
    }

    /// An open block is full. Where its text is held already, that block is used in its place.
    pub(crate) fn seal(&mut self, hash: BlockHash) {
        self.open = self.open.saturating_sub(1);
        self.take(hash);
    }

    /// Leaves sealed blocks, given in order of the text, and so many open ones.
    pub(crate) fn leave(&mut self, hashes: &[BlockHash], open: u64) {
        self.open = self.open.saturating_sub(open);
        for hash in hashes.iter().rev() {
            let Some(held) = self.sealed.get_mut(hash) else { continue };
            held.users = held.users.saturating_sub(1);
            if held.users == 0 {
                held.stamp = self.next_stamp;
                self.idle.insert(self.next_stamp, *hash);
                self.next_stamp += 1;
            }
        }
    }

    /// One user more of a sealed block, which is made where there is none.
    fn take(&mut self, hash: BlockHash) {
        let held = self.sealed.entry(hash).or_insert(Held { users: 0, stamp: u64::MAX });
        if held.users == 0 {
            self.idle.remove(&held.stamp);
        }
        held.users += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_first_goes_first_and_a_prefix_outlives_what_follows() {
        let mut cache = PrefixCache::new(4);
        assert_eq!(cache.enter(&[1, 2], 2), Some(0));
        cache.seal(1);
        cache.seal(2);
        cache.leave(&[1, 2], 0);
        assert_eq!((cache.held(), cache.in_use()), (2, 0));
        // Three new ones push one out: block 2, the end of the text.
        assert!(cache.open(3));
        assert_eq!(cache.enter(&[1, 2], 1), Some(1));
        assert_eq!((cache.held(), cache.in_use()), (4, 4));
        assert!(!cache.open(1));
    }

    #[test]
    fn there_is_no_room_where_the_hits_themselves_fill_it() {
        let mut cache = PrefixCache::new(3);
        assert!(cache.open(2));
        cache.seal(1);
        cache.seal(2);
        cache.leave(&[1, 2], 0);
        assert!(cache.open(1));
        // Two blocks could be freed for new ones, but they are the hits.
        assert_eq!(cache.enter(&[1, 2], 3), None);
        assert_eq!(cache.in_use(), 1);
        assert_eq!(cache.enter(&[1, 2], 2), Some(2));
    }

    #[test]
    fn two_that_fill_the_same_block_share_it() {
        let mut cache = PrefixCache::new(2);
        assert!(cache.open(2));
        cache.seal(7);
        cache.seal(7);
        assert_eq!((cache.held(), cache.in_use()), (1, 1));
        cache.leave(&[7], 0);
        assert_eq!(cache.in_use(), 1);
        cache.leave(&[7], 0);
        assert_eq!((cache.held(), cache.in_use()), (1, 0));
    }
}
