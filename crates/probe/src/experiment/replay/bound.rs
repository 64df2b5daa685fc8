//! What a cache that never forgets would hit, by the hashes of blocks alone.

use std::collections::HashSet;

use trueline_core::PrefixTree;

use super::LogRow;

/// What a cache that never forgets would hit of rows with hashes.
///
/// # Formula
/// In order of time: the leading blocks of a row that some row before it had, behind the same blocks, times
/// the tokens of a block; at most the prompt without its last token, which has to be computed for there to
/// be an answer. Rows of one moment are taken in the order of the log.
///
/// # Source
/// The walk of the traces' own readers (aiperf 0.13 and Dynamo `datagen`), by leading blocks in place of
/// single hashes: the two differ only where hashes are not chained.
#[derive(Debug, Default)]
pub(super) struct Bound {
    /// By row; `None` for those without hashes.
    pub(super) hits: Vec<Option<u64>>,
    /// Rows with a hash that some row, or the row itself, has behind other blocks too.
    pub(super) unchained: u64,
}

impl Bound {
    /// Of rows in order of time with blocks of so many tokens.
    pub(super) fn of(rows: &[LogRow], block: u64) -> Self {
        let mut tree = PrefixTree::default();
        let (mut once, mut twice) = (HashSet::new(), HashSet::new());
        let mut hits = Vec::with_capacity(rows.len());
        for row in rows {
            let known: usize = tree.add(&row.blocks, 0).iter().map(|run| run.blocks).sum();
            // What is new in the tree and has a hash that is not new has it behind other blocks.
            for hash in row.blocks.iter().skip(known) {
                if !once.insert(*hash) {
                    twice.insert(*hash);
                }
            }
            let hit = (known as u64).saturating_mul(block).min(row.prompt.get().saturating_sub(1));
            hits.push((!row.blocks.is_empty()).then_some(hit));
        }
        let is_odd = |row: &&LogRow| row.blocks.iter().any(|hash| twice.contains(hash));
        let unchained =
            if twice.is_empty() { 0 } else { rows.iter().filter(is_odd).count() as u64 };
        Self { hits, unchained }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use trueline_core::Tokens;

    use super::*;

    fn bound(rows: &[(u64, &[u64])]) -> (Vec<Option<u64>>, u64) {
        let row = |(prompt, blocks): &(u64, &[u64])| LogRow {
            blocks: blocks.to_vec(),
            ..LogRow::new(Duration::ZERO, Tokens::new(*prompt))
        };
        let rows: Vec<LogRow> = rows.iter().map(row).collect();
        let bound = Bound::of(&rows, 10);
        (bound.hits, bound.unchained)
    }

    #[test]
    fn leading_blocks_that_were_there_are_hit_and_the_last_token_never() {
        let found = bound(&[
            (25, &[1, 2, 3]),
            (40, &[1, 2, 4, 5]),
            (25, &[1, 2, 3]),
            (20, &[]),
            (40, &[1, 2, 4, 6]),
        ]);
        // The third is the first again: all but its last token.
        assert_eq!(found, (vec![Some(0), Some(20), Some(24), None, Some(30)], 0));
    }

    #[test]
    fn a_hash_behind_other_blocks_is_no_hit_and_its_rows_are_counted() {
        // Block 2 was there, but behind block 1; a walk by single hashes would hit it.
        assert_eq!(bound(&[(20, &[1, 2]), (20, &[2, 1]), (20, &[3, 4])]), (vec![Some(0); 3], 2));
        // One hash at two places of one prompt.
        assert_eq!(bound(&[(30, &[7, 7, 7])]), (vec![Some(0)], 1));
        assert_eq!(bound(&[(30, &[7, 7, 7]), (20, &[7, 7])]).0, [Some(0), Some(19)]);
    }
}
