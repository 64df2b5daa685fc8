//! What hashes of blocks say of a log: the figures.

use trueline_core::{Bucket, CellEdges, Share, Tokens};

use super::compared::{StatedAndPossible, compared, tenths};
use super::curve::ladder;
use super::order::in_order;
use super::rows::BlockRows;
use super::walk::Walk;
use super::{HashScope, LaterTurns, LruPoint, WalkOrder};
use crate::CacheShares;
use crate::production::ratio;

/// What prefix caches would hit of the requests of a log, by the hashes of their blocks.
///
/// # Formula
/// In order of time: the leading blocks of a prompt that a prompt before it had, behind the same blocks, times
/// the tokens of a block; at most the prompt without its last token, which has to be computed for there to be
/// an answer. Requests of one moment are taken in the order of the log.
///
/// # Shape
/// Answered requests of production with hashes and prompt tokens are counted. Failed ones, the benchmark's own,
/// warm-up and those outside the time asked for leave their blocks in the cache and are not counted. Each model
/// and each size of blocks has a cache of its own, and so has each input where hashes count within one only.
///
/// # Source
/// Leading blocks already seen: aiperf 0.13 and Dynamo `datagen`, by single hashes there.
///
/// # Examples
/// ```
/// use trueline_logs::{ReadOptions, read_log_from};
/// let text = r#"{"timestamp": 0, "input_length": 1000, "hash_ids": [7, 8]}
/// {"timestamp": 3000, "input_length": 600, "hash_ids": [7, 9]}"#;
/// let log = read_log_from("made up", text.as_bytes(), &ReadOptions::default())?.value;
/// let prefix = log.prefix().expect("both rows have hashes");
/// // One block of 512 tokens of 1,600 was there; one of four blocks.
/// assert_eq!(prefix.infinite().token_weighted().unwrap().get(), 0.32);
/// assert_eq!(prefix.block_weighted().unwrap().get(), 0.25);
/// // A prompt uses its first block last, so that a cache of a single block still has it.
/// assert_eq!(prefix.blocks_for_all_hits(), 1);
/// # Ok::<(), trueline_logs::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PrefixReport {
    order: WalkOrder,
    scope: HashScope,
    caches: u64,
    size: Option<Tokens>,
    infinite: CacheShares,
    blocks: u128,
    hit_blocks: u128,
    distinct: u64,
    common: Option<u64>,
    behind_common: Option<Share>,
    tenths: Vec<CacheShares>,
    buckets: Vec<(Bucket, CacheShares)>,
    curve: Vec<LruPoint>,
    reach: u64,
    later_turns: LaterTurns,
    compared: Vec<StatedAndPossible>,
    states_cached: bool,
    beyond: (u64, u64),
}

impl PrefixReport {
    /// Of the rows of a log; `None` where none is counted.
    pub(crate) fn of(rows: &BlockRows, edges: &CellEdges) -> Option<Self> {
        let (order, by) = in_order(rows.rows());
        let walk = Walk::through(rows, &order, ladder());
        let (mut infinite, mut blocks, mut hit_blocks) = (CacheShares::default(), 0, 0);
        let (mut prompt, mut behind_common) = (0, 0);
        let mut buckets = vec![CacheShares::default(); edges.prompt_tokens().len() + 1];
        for hit in &walk.hits {
            infinite.add(hit.prompt, hit.tokens());
            blocks += u128::from(hit.all);
            hit_blocks += u128::from(hit.blocks);
            prompt += u128::from(hit.prompt);
            behind_common += u128::from(hit.tokens() - hit.tokens_of(walk.common(hit)));
            let at = edges.prompt_tokens().partition_point(|edge| *edge <= hit.prompt);
            if let Some(bucket) = buckets.get_mut(at) {
                bucket.add(hit.prompt, hit.tokens());
            }
        }
        let first = walk.hits.first()?.row;
        let scope = rows.rows().iter().map(|row| row.scope).max().unwrap_or_default();
        // Inputs that have nothing in common do not follow each other in time.
        let is_one = scope == HashScope::Everywhere || walk.caches.len() == 1;
        let size = walk.hits.iter().all(|hit| hit.row.size == first.size).then_some(first.size);
        let low = |at: usize| at.checked_sub(1).and_then(|at| edges.prompt_tokens().get(at));
        let bucket = |at: usize| edges.bucket(Tokens::new(low(at).copied().unwrap_or(0)));
        let mut report = Self {
            order: by,
            scope,
            caches: walk.caches.len() as u64,
            size: size.map(Tokens::new),
            infinite,
            blocks,
            hit_blocks,
            distinct: walk.distinct,
            common: walk.common_of_all(),
            behind_common: ratio(behind_common, prompt),
            tenths: if is_one { tenths(&walk.hits) } else { Vec::new() },
            buckets: buckets.into_iter().enumerate().map(|(at, b)| (bucket(at), b)).collect(),
            curve: Vec::new(),
            reach: walk.curve.reach(),
            later_turns: LaterTurns::of(rows, &walk),
            compared: if is_one { compared(&walk.hits) } else { Vec::new() },
            states_cached: walk.hits.iter().any(|hit| hit.row.cached.is_some()),
            beyond: rows.beyond,
        };
        report.buckets.retain(|(_, shares)| shares.requests() > 0);
        report.curve = report.points(walk.curve.hits(), prompt);
        Some(report)
    }

    /// The sizes below the one that reaches the bound, and that one.
    fn points(&self, hits: Vec<(u64, u128)>, prompt: u128) -> Vec<LruPoint> {
        let point = |blocks: u64, token_weighted: Share| {
            let tokens = self.size.map(|size| Tokens::new(size.get().saturating_mul(blocks)));
            LruPoint { blocks, tokens, token_weighted }
        };
        let below = hits.into_iter().take_while(|(blocks, _)| *blocks < self.reach);
        let mut points: Vec<LruPoint> =
            below.filter_map(|(blocks, hit)| Some(point(blocks, ratio(hit, prompt)?))).collect();
        if let (Some(bound), true) = (self.infinite.token_weighted(), self.reach > 0) {
            points.push(point(self.reach, bound));
        }
        points
    }

    /// What a cache that never forgets hits, in three ways: token-weighted, the mean of requests, and the
    /// share of requests with any hit. No cache can hit more of these requests, unless it held something
    /// before the first of them, or their hashes do not tell all that they have in common.
    pub fn infinite(&self) -> &CacheShares {
        &self.infinite
    }

    /// Blocks that such a cache hits over all blocks of the prompts, a last one that is not full counted as
    /// one.
    pub fn block_weighted(&self) -> Option<Share> {
        ratio(self.hit_blocks, self.blocks)
    }

    /// The blocks of the prompts.
    pub fn blocks(&self) -> u128 {
        self.blocks
    }

    /// The blocks that differ, which is how many a cache that never forgets holds in the end.
    pub fn distinct_blocks(&self) -> u64 {
        self.distinct
    }

    /// The share of prompt tokens that caches of limited size hit, where what was used least recently leaves
    /// first.
    ///
    /// # Formula
    /// Mattson's stack distances: see [`LruPoint`]. A prompt uses its blocks from the last to the first, so
    /// that ends of prompts leave before their beginnings, as in vLLM (freed blocks in reverse order) and
    /// SGLang (leaves first). Blocks in use are not held back from leaving.
    ///
    /// # Shape
    /// By rising size: 1, 3 and 5 times the powers of ten from 10 on that are too small for all hits, then
    /// [`Self::blocks_for_all_hits`], where the share is that of [`Self::infinite`]. Empty without any hit.
    pub fn lru(&self) -> &[LruPoint] {
        &self.curve
    }

    /// How many blocks a cache needs to hit as many as one that never forgets.
    pub fn blocks_for_all_hits(&self) -> u64 {
        self.reach
    }

    /// The leading blocks that every prompt has; `None` with more than one cache or a single prompt.
    pub fn common_blocks(&self) -> Option<u64> {
        self.common
    }

    /// What is hit behind the leading blocks that every prompt of a cache has, over all prompt tokens.
    pub fn behind_common(&self) -> Option<Share> {
        self.behind_common
    }

    /// The same as [`Self::infinite`] by tenth of the requests in order of time: the first ones find an empty
    /// cache. Empty under 100 requests, and where several inputs have nothing in common.
    pub fn tenths(&self) -> &[CacheShares] {
        &self.tenths
    }

    /// The same by prompt length, of the buckets that hold requests.
    pub fn buckets(&self) -> &[(Bucket, CacheShares)] {
        &self.buckets
    }

    /// Later requests of sessions: what is the session's own of what they hit.
    pub fn later_turns(&self) -> &LaterTurns {
        &self.later_turns
    }

    /// What the log states as cached beside what could have been, by tenth of the requests that have both.
    /// Empty under 100 of them, and where several inputs have nothing in common.
    pub fn stated_and_possible(&self) -> &[StatedAndPossible] {
        &self.compared
    }

    /// Whether any of the requests states cached tokens.
    pub(super) fn states_cached(&self) -> bool {
        self.states_cached
    }

    /// In which order the requests were taken.
    pub fn order(&self) -> WalkOrder {
        self.order
    }

    /// Between which requests the hashes tell. Where that is not all of them, every figure is a lower bound.
    pub fn scope(&self) -> HashScope {
        self.scope
    }

    /// How many caches were walked through: one for each model, size of blocks and, where hashes tell within
    /// one input only, input.
    pub fn caches(&self) -> u64 {
        self.caches
    }

    /// The tokens of a block, where all are of one size.
    pub fn block_tokens(&self) -> Option<Tokens> {
        self.size
    }

    /// Rows with hashes, and how many hashes those have, that were more than are kept
    /// ([`ReadOptions::with_block_words`](crate::ReadOptions::with_block_words)) and are in no figure.
    pub fn beyond(&self) -> (u64, u64) {
        self.beyond
    }
}
