//! What is kept of rows with hashes of blocks until all are there to be put in order.

use std::hash::{DefaultHasher, Hash, Hasher};

use trueline_core::{Known, Outcome, Tokens};

use super::HashScope;
use crate::row::RowView;

/// How many words of eight bytes a row takes beside its hashes.
const ROW_WORDS: usize = std::mem::size_of::<BlockRow>() / 8;

/// Rows with hashes of blocks, in the order of the log; bounded.
///
/// # Shape
/// The first rows that fit are kept. The hashes stand one row behind the other in one list.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BlockRows {
    rows: Vec<BlockRow>,
    hashes: Vec<u64>,
    /// How many words may be kept.
    most: usize,
    /// Rows and hashes that were too many.
    pub(super) beyond: (u64, u64),
}

/// A row with hashes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BlockRow {
    /// When it began, by which clock.
    pub(super) at: Option<(Clock, i64)>,
    /// The input it stands in.
    pub(super) file: usize,
    /// Model and size of a block: rows that differ in either have nothing in common.
    pub(super) kind: u64,
    pub(super) scope: HashScope,
    pub(super) session: Option<u64>,
    /// Tokens of a block.
    pub(super) size: u64,
    /// The prompt of a request that is counted; `None` of one that only leaves its blocks in the cache.
    pub(super) prompt: Option<u64>,
    /// The cached tokens that the log states.
    pub(super) cached: Option<u64>,
    from: usize,
    blocks: usize,
}

impl BlockRow {
    /// The input within which its hashes tell, where that is not all of them.
    pub(super) fn file_of_hashes(&self) -> Option<usize> {
        (self.scope != HashScope::Everywhere).then_some(self.file)
    }
}

/// A clock that rows are in order by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clock {
    /// Wall time.
    Wall,
    /// Time since an origin of the input's own.
    Origin,
}

impl BlockRows {
    /// None yet, and room for so many words.
    pub(crate) fn new(most: usize) -> Self {
        Self { rows: Vec::new(), hashes: Vec::new(), most, beyond: (0, 0) }
    }

    /// Takes a row, if it has hashes: one that is a request of production's, or one that was served as well
    /// and only leaves its blocks behind.
    pub(crate) fn add(&mut self, row: &RowView<'_>, scope: HashScope, is_production: bool) {
        let record = row.record;
        let of_record = || record.blocks.as_ref().map(|blocks| (blocks.size(), blocks.hashes()));
        let Some((size, hashes)) = row.blocks.or_else(of_record) else { return };
        let prompt = record.tokens.prompt.value().filter(|prompt| {
            let most = prompt.get().div_ceil(size.get().max(1));
            let answered = !matches!(record.outcome, Outcome::Failed | Outcome::Cancelled);
            is_production && answered && prompt.get() > 0 && hashes.len() as u64 <= most
        });
        let cached = record.tokens.cached.value().filter(|cached| Some(*cached) <= prompt);
        let at = match (record.started, record.sent_after.value()) {
            // The turns of a conversation are in order as they stand.
            _ if scope == HashScope::Conversation => None,
            (Known::Is { value, .. }, _) => Some((Clock::Wall, value.as_nanos())),
            (Known::Not(_), Some(after)) => {
                Some((Clock::Origin, i64::try_from(after.as_nanos()).unwrap_or(i64::MAX)))
            }
            _ => None,
        };
        self.rows.push(BlockRow {
            at,
            file: 0,
            kind: hash(&(row.texts.model(), size.get())),
            scope,
            session: row.texts.session().map(|session| hash(&session)),
            size: size.get(),
            prompt: prompt.map(Tokens::get),
            cached: cached.map(Tokens::get),
            from: self.hashes.len(),
            blocks: hashes.len(),
        });
        self.hashes.extend_from_slice(hashes);
    }

    /// Moves the rows to their place in a list of inputs.
    pub(crate) fn shift(&mut self, file: usize) {
        self.rows.iter_mut().for_each(|row| row.file += file);
    }

    /// Appends what follows in the log, as far as there is room: the first row that has none ends it.
    pub(crate) fn append(&mut self, next: &Self) {
        let fits = |rows: usize, hashes: usize| rows * ROW_WORDS + hashes <= self.most;
        let (rows, hashes) = (self.rows.len(), self.hashes.len());
        let taken = if self.beyond.0 > 0 {
            0
        } else if fits(rows + next.rows.len(), hashes + next.hashes.len()) {
            next.rows.len()
        } else {
            let behind = next.rows.iter().enumerate();
            behind.take_while(|(n, row)| fits(rows + n + 1, hashes + row.from + row.blocks)).count()
        };
        let end = next.rows.get(taken).map_or(next.hashes.len(), |row| row.from);
        let moved = |row: &BlockRow| BlockRow { from: row.from + hashes, ..*row };
        self.rows.extend(next.rows.iter().take(taken).map(moved));
        self.hashes.extend(next.hashes.get(..end).unwrap_or_default());
        self.beyond.0 += next.beyond.0 + (next.rows.len() - taken) as u64;
        self.beyond.1 += next.beyond.1 + (next.hashes.len() - end) as u64;
    }

    pub(super) fn rows(&self) -> &[BlockRow] {
        &self.rows
    }

    /// The hashes of a row.
    pub(super) fn hashes(&self, row: &BlockRow) -> &[u64] {
        self.hashes.get(row.from..row.from + row.blocks).unwrap_or_default()
    }
}

pub(super) fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
