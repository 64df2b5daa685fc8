//! One walk over rows with hashes in order of time: what a cache of any size would hit.

use std::collections::HashMap;

use trueline_core::PrefixTree;

use super::curve::Curve;
use super::recency::Recency;
use super::rows::{BlockRow, BlockRows};

/// What a row of production would hit of a cache that never forgets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit<'r> {
    pub(super) row: &'r BlockRow,
    pub(super) prompt: u64,
    /// Leading blocks that were there.
    pub(super) blocks: u64,
    /// All of its blocks.
    pub(super) all: u64,
    /// Which cache.
    cache: usize,
}

impl Hit<'_> {
    /// The tokens of so many leading blocks.
    pub(super) fn tokens_of(&self, blocks: u64) -> u64 {
        hit_tokens(blocks, self.row.size, self.prompt)
    }

    /// The tokens that are hit.
    pub(super) fn tokens(&self) -> u64 {
        self.tokens_of(self.blocks)
    }
}

/// The tokens of leading blocks: at most the prompt without its last one, which has to be computed.
fn hit_tokens(blocks: u64, size: u64, prompt: u64) -> u64 {
    blocks.saturating_mul(size).min(prompt.saturating_sub(1))
}

/// What the walk finds.
#[derive(Debug)]
pub(super) struct Walk<'r> {
    /// The rows of production in order of time.
    pub(super) hits: Vec<Hit<'r>>,
    pub(super) curve: Curve,
    pub(super) caches: Vec<Cache<'r>>,
    /// Blocks that differ.
    pub(super) distinct: u64,
}

/// A cache of its own: rows of another one have nothing in common with its rows.
#[derive(Debug)]
pub(super) struct Cache<'r> {
    tree: PrefixTree<'r>,
    recency: Recency,
    prompts: usize,
    first: &'r [u64],
    /// Leading blocks that all of its prompts have.
    common: usize,
}

impl<'r> Walk<'r> {
    /// Walks through rows by their places, and looks at caches of these sizes.
    ///
    /// # Formula
    /// A block is hit by a cache of `n` blocks if fewer than `n` were used more recently (Mattson and others,
    /// 1970: what a smaller cache holds a larger one holds too), and if all blocks before it are hit. A
    /// prompt uses its blocks from the last to the first, so that a block never stays behind without those
    /// before it.
    pub(super) fn through(rows: &'r BlockRows, order: &[usize], sizes: Vec<u64>) -> Self {
        let mut walk =
            Self { hits: Vec::new(), curve: Curve::at(sizes), caches: Vec::new(), distinct: 0 };
        let places = walk.open_caches(rows);
        for place in order.iter().copied() {
            if let (Some(row), Some(cache)) = (rows.rows().get(place), places.get(place)) {
                walk.step(row, rows.hashes(row), *cache);
            }
        }
        walk
    }

    /// Makes the caches; which one each row has.
    fn open_caches(&mut self, rows: &'r BlockRows) -> Vec<usize> {
        let mut numbers: HashMap<(u64, Option<usize>), usize> = HashMap::new();
        let mut prompts = Vec::new();
        let mut places = Vec::with_capacity(rows.rows().len());
        for row in rows.rows() {
            let next = numbers.len();
            let number = *numbers.entry((row.kind, row.file_of_hashes())).or_insert(next);
            if number == prompts.len() {
                prompts.push(0);
            }
            if let Some(count) = prompts.get_mut(number) {
                *count += 1;
            }
            places.push(number);
        }
        let cache = |prompts| Cache {
            tree: PrefixTree::default(),
            recency: Recency::new(prompts),
            prompts: 0,
            first: &[],
            common: 0,
        };
        self.caches = prompts.into_iter().map(cache).collect();
        places
    }

    fn step(&mut self, row: &'r BlockRow, hashes: &'r [u64], number: usize) {
        let Some(cache) = self.caches.get_mut(number) else { return };
        let (mut known, mut whole) = (0, 0);
        let runs = cache.tree.add(hashes, cache.prompts as u64);
        for run in runs {
            let (last, blocks) = (number_of(run.last), run.blocks as u64);
            let before = cache.recency.behind(last);
            if row.prompt.is_some() {
                self.curve.add(before, blocks, row.size);
            }
            known += blocks;
            whole = before + blocks;
        }
        for run in runs {
            cache.recency.take(number_of(run.last), run.blocks as u64);
        }
        cache.recency.add(cache.prompts, hashes.len() as u64);
        if cache.prompts == 0 {
            (cache.first, cache.common) = (hashes, hashes.len());
        } else {
            let same = cache.first.iter().zip(hashes).take_while(|(a, b)| a == b).count();
            cache.common = cache.common.min(same);
        }
        cache.prompts += 1;
        self.distinct += hashes.len() as u64 - known;
        if let Some(prompt) = row.prompt {
            let all = hashes.len() as u64;
            let hit = Hit { row, prompt, blocks: known, all, cache: number };
            self.curve.take(whole, known.saturating_mul(row.size) - hit.tokens());
            self.hits.push(hit);
        }
    }

    /// The leading blocks that every prompt of its cache has too, of those that a row hits.
    pub(super) fn common(&self, hit: &Hit<'_>) -> u64 {
        self.caches.get(hit.cache).map_or(0, |cache| hit.blocks.min(cache.common as u64))
    }

    /// The leading blocks that every prompt has, where there is one cache and more than one prompt.
    pub(super) fn common_of_all(&self) -> Option<u64> {
        match self.caches.as_slice() {
            [cache] if cache.prompts > 1 => Some(cache.common as u64),
            _ => None,
        }
    }
}

/// Numbers of prompts are places in memory.
fn number_of(last: u64) -> usize {
    usize::try_from(last).unwrap_or(usize::MAX - 1)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;
    use trueline_core::{PromptBlocks, RequestRecord, Tokens};

    use super::super::HashScope;
    use super::*;
    use crate::layout::{Names, Texts};
    use crate::row::RowView;

    const SIZE: u64 = 4;

    fn rows(prompts: &[(u64, Vec<u64>)]) -> BlockRows {
        let mut rows = BlockRows::new(usize::MAX);
        for (prompt, hashes) in prompts {
            let mut record = RequestRecord::default();
            record.tokens.prompt = RequestRecord::counted(*prompt);
            record.blocks = PromptBlocks::new(Tokens::new(SIZE), hashes.clone()).map(Box::new);
            let view = RowView {
                record: &record,
                reported: &[],
                blocks: None,
                texts: Texts::Record(&record),
                names: Names::Record(&[]),
                line: 1,
            };
            rows.add(&view, HashScope::Everywhere, true);
        }
        rows
    }

    /// Hit tokens and blocks of a cache of so many blocks that is kept as a list, the most recent first; a block is known
    /// by all hashes up to it.
    fn naive(prompts: &[(u64, Vec<u64>)], holds: usize) -> (u128, u64) {
        let (mut cache, mut hit, mut blocks): (Vec<Vec<u64>>, u128, u64) = (Vec::new(), 0, 0);
        for (prompt, hashes) in prompts {
            let held: HashSet<&[u64]> = cache.iter().map(Vec::as_slice).collect();
            let known = (1..=hashes.len()).take_while(|end| held.contains(&hashes[..*end])).count();
            hit += u128::from((known as u64 * SIZE).min(prompt - 1));
            blocks += known as u64;
            for end in (1..=hashes.len()).rev() {
                let block = hashes[..end].to_vec();
                cache.retain(|held| *held != block);
                cache.insert(0, block);
                cache.truncate(holds);
            }
        }
        (hit, blocks)
    }

    /// Prompts of blocks of 4 tokens: the last one full, or of one token only.
    fn prompts() -> impl Strategy<Value = Vec<(u64, Vec<u64>)>> {
        let prompt = (prop::collection::vec(0_u64..3, 1..8), any::<bool>());
        let sized = prompt.prop_map(|(hashes, full)| {
            let blocks = hashes.len() as u64;
            (if full { blocks * SIZE } else { blocks * SIZE - 3 }, hashes)
        });
        prop::collection::vec(sized, 1..30)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn every_size_hits_what_a_simulated_cache_of_that_size_hits(prompts in prompts()) {
            let rows = rows(&prompts);
            let order: Vec<usize> = (0..prompts.len()).collect();
            let blocks: u64 = prompts.iter().map(|(_, hashes)| hashes.len() as u64).sum();
            let walk = Walk::through(&rows, &order, (1..=blocks).collect());
            let mut before = 0;
            for (holds, hit) in walk.curve.hits() {
                prop_assert!(hit >= before);
                before = hit;
                prop_assert_eq!(hit, naive(&prompts, usize::try_from(holds).unwrap()).0, "{}", holds);
            }
            // All that can be hit is the bound, and the curve says from where on it is.
            let bound: u128 = walk.hits.iter().map(|hit| u128::from(hit.tokens())).sum();
            let hit_blocks = walk.hits.iter().map(|hit| hit.blocks).sum();
            prop_assert_eq!(before, bound);
            let reach = usize::try_from(walk.curve.reach()).unwrap();
            prop_assert_eq!(naive(&prompts, reach), (bound, hit_blocks));
            if reach > 0 {
                prop_assert!(naive(&prompts, reach - 1).1 < hit_blocks);
            }
            let mut distinct = HashSet::new();
            for (_, hashes) in &prompts {
                for end in 1..=hashes.len() {
                    distinct.insert(&hashes[..end]);
                }
            }
            prop_assert_eq!(walk.distinct, distinct.len() as u64);
        }
    }
}
