//! What is kept of rows with hashes of blocks until all are there to be put in order.

use std::sync::Arc;

use trueline_core::{Known, Outcome, Tokens};

use super::HashScope;
use crate::hashed::hash;
use crate::row::RowView;

/// How many words of eight bytes a row takes beside its hashes.
const ROW_WORDS: usize = std::mem::size_of::<BlockRow>() / 8;

/// How many hashes a list has when the next one is begun: one that grows on is copied as a whole again and again.
const LIST_HASHES: usize = 8 << 10;

/// Rows with hashes of blocks, in the order of the log; bounded.
///
/// # Shape
/// The first rows that fit are kept. Their hashes stand one row behind the other in lists, which are handed on and not copied:
/// they are most of what is kept.
#[derive(Debug, Clone)]
pub(crate) struct BlockRows {
    rows: Vec<BlockRow>,
    lists: Vec<Arc<Vec<u64>>>,
    /// How many hashes there are.
    hashes: usize,
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
    place: Place,
}

/// Where the hashes of a row stand.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Place {
    list: usize,
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
        Self { rows: Vec::new(), lists: Vec::new(), hashes: 0, most, beyond: (0, 0) }
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
        if self.lists.last().is_none_or(|list| list.len() >= LIST_HASHES) {
            self.lists.push(Arc::default());
        }
        let Some(list) = self.lists.last_mut().map(Arc::make_mut) else { return };
        let (from, blocks) = (list.len(), hashes.len());
        list.extend_from_slice(hashes);
        self.hashes += blocks;
        let place = Place { list: self.lists.len() - 1, from, blocks };
        self.rows.push(BlockRow {
            at,
            file: 0,
            kind: hash(&(row.texts.model(), size.get())),
            scope,
            session: row.texts.session().map(|session| hash(&session)),
            size: size.get(),
            prompt: prompt.map(Tokens::get),
            cached: cached.map(Tokens::get),
            place,
        });
    }

    /// Moves the rows to their place in a list of inputs.
    pub(crate) fn shift(&mut self, file: usize) {
        self.rows.iter_mut().for_each(|row| row.file += file);
    }

    /// Appends what follows in the log, as far as there is room: the first row that has none ends it.
    pub(crate) fn append(&mut self, next: &Self) {
        let fits = |rows: usize, hashes: usize| rows * ROW_WORDS + hashes <= self.most;
        let (rows, lists) = (self.rows.len(), self.lists.len());
        let moved = |row: &BlockRow| {
            let place = Place { list: row.place.list + lists, ..row.place };
            BlockRow { place, ..*row }
        };
        let is_full = self.beyond.0 > 0;
        self.beyond.0 += next.beyond.0;
        self.beyond.1 += next.beyond.1;
        if !is_full && fits(rows + next.rows.len(), self.hashes + next.hashes) {
            self.rows.extend(next.rows.iter().map(moved));
            self.lists.extend(next.lists.iter().cloned());
            self.hashes += next.hashes;
            return;
        }
        let mut taken = Vec::new();
        for row in next.rows.iter().take_while(|_| !is_full) {
            if !fits(self.rows.len() + 1, self.hashes + row.place.blocks) {
                break;
            }
            let place = Place { list: lists, from: taken.len(), ..row.place };
            taken.extend_from_slice(next.hashes(row));
            self.hashes += row.place.blocks;
            self.rows.push(BlockRow { place, ..*row });
        }
        self.beyond.0 += (next.rows.len() + rows - self.rows.len()) as u64;
        self.beyond.1 += (next.hashes - taken.len()) as u64;
        if !taken.is_empty() {
            self.lists.push(Arc::new(taken));
        }
    }

    pub(super) fn rows(&self) -> &[BlockRow] {
        &self.rows
    }

    /// The hashes of a row.
    pub(super) fn hashes(&self, row: &BlockRow) -> &[u64] {
        let Place { list, from, blocks } = row.place;
        self.lists.get(list).and_then(|list| list.get(from..from + blocks)).unwrap_or_default()
    }
}

/// The same rows with the same hashes, in whatever lists those stand.
impl PartialEq for BlockRows {
    fn eq(&self, other: &Self) -> bool {
        let same = |(mine, theirs): (&BlockRow, &BlockRow)| {
            BlockRow { place: theirs.place, ..*mine } == *theirs
                && self.hashes(mine) == other.hashes(theirs)
        };
        (self.most, self.beyond, self.rows.len()) == (other.most, other.beyond, other.rows.len())
            && self.rows.iter().zip(&other.rows).all(same)
    }
}
