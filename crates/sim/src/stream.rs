//! One request inside the engine.

use crate::cache::{BlockHash, PrefixCache, ROOT, chained};
use crate::{Finish, RequestId, Submission, Token, answer_token};

/// What a request does in the step under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Planned {
    #[default]
    Nothing,
    /// One more output token.
    Decode,
    /// So many tokens of its text.
    Prefill(u64),
}

/// Positions of a prompt that one computation covered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Computed {
    /// Prompt tokens that nobody computed for it before.
    pub(crate) new: u64,
    /// Tokens computed before a preemption.
    pub(crate) again: u64,
}

/// One request, waiting or running.
#[derive(Debug, Clone)]
pub(crate) struct Stream {
    pub(crate) id: RequestId,
    pub(crate) planned: Planned,
    /// Its place among the running ones.
    pub(crate) slot: u32,
    prompt: u64,
    output: u64,
    /// After how many output tokens it ends, and why.
    limit: (u64, Finish),
    /// Hashes of its full blocks, answer included.
    hashes: Vec<BlockHash>,
    /// The hash of its text so far, and how many tokens of it are behind the last full block.
    tail: (BlockHash, u64),
    /// Tokens a block.
    block: u64,
    seed: u64,
    /// Positions that are in the cache for it.
    computed: u64,
    /// Positions that ever were, while it was here.
    seen: u64,
    /// Blocks it holds, and the sealed ones among them.
    blocks: u64,
    sealed: usize,
}

impl Stream {
    pub(crate) fn new(id: RequestId, request: &Submission, block: u64, seed: u64) -> Self {
        let max = request.max_output.get();
        let limit = match request.stop_after {
            Some(stop) if stop.get() <= max => (stop.get().max(1), Finish::Stop),
            _ => (max, Finish::Length),
        };
        let mut stream = Self {
            id,
            planned: Planned::Nothing,
            slot: 0,
            prompt: request.prompt.len() as u64,
            output: 0,
            limit,
            hashes: Vec::with_capacity(request.prompt.len().div_ceil(16)),
            tail: (ROOT, 0),
            block,
            seed,
            computed: 0,
            seen: 0,
            blocks: 0,
            sealed: 0,
        };
        for token in &request.prompt {
            stream.append(*token);
        }
        stream
    }

    fn append(&mut self, token: Token) {
        let (hash, behind) = (chained(self.tail.0, token), self.tail.1 + 1);
        if behind == self.block {
            self.hashes.push(hash);
            self.tail = (hash, 0);
        } else {
            self.tail = (hash, behind);
        }
    }

    /// Tokens that have to be computed before the next one comes.
    pub(crate) const fn pending(&self) -> u64 {
        (self.prompt + self.output).saturating_sub(self.computed)
    }

    /// Whether its next token takes one decode step.
    pub(crate) const fn decodes(&self) -> bool {
        self.output > 0 && self.pending() == 1
    }

    /// Takes its blocks, as far as they are cached, and opens the others. Gives the prompt tokens
    /// that came from the cache and were neither computed nor cached for it before; `None` where
    /// there is no room.
    pub(crate) fn enter(&mut self, cache: &mut PrefixCache) -> Option<u64> {
        let text = self.prompt + self.output;
        // The last token has to be computed, cached or not: it gives the next one.
        let most = usize::try_from(text.saturating_sub(1) / self.block).unwrap_or(usize::MAX);
        let blocks = text.div_ceil(self.block);
        let usable = self.hashes.get(..most.min(self.hashes.len())).unwrap_or_default();
        let hits = cache.enter(usable, blocks)?;
        self.blocks = blocks;
        self.sealed = usize::try_from(hits).unwrap_or(usize::MAX);
        self.computed = hits * self.block;
        let cached = self.computed.min(self.prompt).saturating_sub(self.seen);
        self.seen = self.seen.max(self.computed);
        Some(cached)
    }

    /// Makes room for the position that the next decode step computes; `false` where there is none.
    pub(crate) fn grow(&mut self, cache: &mut PrefixCache) -> bool {
        let needed = (self.prompt + self.output).div_ceil(self.block);
        let more = needed.saturating_sub(self.blocks);
        if more > 0 && !cache.open(more) {
            return false;
        }
        self.blocks += more;
        true
    }

    /// Enters so many computed positions.
    pub(crate) fn compute(&mut self, tokens: u64, cache: &mut PrefixCache) -> Computed {
        let from = self.computed;
        self.computed += tokens;
        let again = self.computed.min(self.seen).saturating_sub(from);
        let new = self.computed.min(self.prompt).saturating_sub(from.max(self.seen));
        self.seen = self.seen.max(self.computed);
        let full = usize::try_from(self.computed / self.block).unwrap_or(usize::MAX);
        for hash in self.hashes.iter().take(full).skip(self.sealed) {
            cache.seal(*hash);
        }
        self.sealed = self.sealed.max(full.min(self.hashes.len()));
        Computed { new, again }
    }

    /// Adds an output token and says whether it was the last, and why.
    pub(crate) fn emit(&mut self) -> Option<Finish> {
        self.append(answer_token(self.seed, self.id, self.output));
        self.output += 1;
        (self.output >= self.limit.0).then_some(self.limit.1)
    }

    /// Gives its blocks back, what it computed forgotten.
    pub(crate) fn leave(&mut self, cache: &mut PrefixCache) {
        let sealed = self.hashes.get(..self.sealed).unwrap_or_default();
        cache.leave(sealed, self.blocks.saturating_sub(sealed.len() as u64));
        (self.blocks, self.sealed, self.computed) = (0, 0, 0);
        self.planned = Planned::Nothing;
    }
}
