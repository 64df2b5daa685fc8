//! What prompts have in common by the hashes of their blocks.

use super::LogRow;
use super::texts::Texts;

/// A row among those with hashes, in the order of their hashes.
#[derive(Debug, Clone, Copy)]
struct Neighbours {
    before: Option<usize>,
    after: Option<usize>,
    /// Tokens in common with the row before it.
    shared: u64,
}

/// Gives rows with hashes the beginnings that these say, and tells what each has in common with rows
/// before it in time.
///
/// # Formula
/// Sorted by their hashes, two rows have in common the least that any two neighbours between them have.
/// Each text begins as its neighbour's before it does. Then the rows leave in reverse order of time: those
/// that are still there when a row leaves came before it, and its nearest are its neighbours.
///
/// # Shape
/// Rows in order of time; the answer has one entry a row, `None` for those without hashes. It takes the
/// time and space of a sort, whatever the number of blocks that the rows have in all.
pub(super) fn share_blocks(rows: &[LogRow], block: u64, texts: &mut Texts) -> Vec<Option<u64>> {
    let mut hashed: Vec<(usize, &LogRow)> =
        rows.iter().enumerate().filter(|(_, row)| !row.blocks.is_empty()).collect();
    hashed.sort_by(|(_, a), (_, b)| a.blocks.cmp(&b.blocks).then(a.prompt.cmp(&b.prompt)));
    let mut around: Vec<Option<Neighbours>> = vec![None; rows.len()];
    let mut previous: Option<(usize, &LogRow)> = None;
    for (at, row) in hashed {
        let shared = previous.map_or(0, |(_, before)| in_common(before, row, block));
        let before = previous.map(|(before, _)| before);
        if let (Some(before), true) = (before, shared > 0) {
            texts.share(at, before, shared);
        }
        if let Some(Some(before)) = before.and_then(|before| around.get_mut(before)) {
            before.after = Some(at);
        }
        if let Some(slot) = around.get_mut(at) {
            *slot = Some(Neighbours { before, after: None, shared });
        }
        previous = Some((at, row));
    }
    leave_in_reverse(around)
}

fn in_common(a: &LogRow, b: &LogRow, block: u64) -> u64 {
    let same = a.blocks.iter().zip(&b.blocks).take_while(|(a, b)| a == b).count() as u64;
    same.saturating_mul(block).min(a.prompt.get()).min(b.prompt.get())
}

fn leave_in_reverse(mut around: Vec<Option<Neighbours>>) -> Vec<Option<u64>> {
    let mut found = vec![None; around.len()];
    for at in (0..around.len()).rev() {
        let Some(Some(own)) = around.get(at).copied() else { continue };
        let before = own.before.map_or(0, |_| own.shared);
        let mut with_after = 0;
        if let Some(Some(after)) = own.after.and_then(|after| around.get_mut(after)) {
            with_after = after.shared;
            (after.before, after.shared) = (own.before, after.shared.min(before));
        }
        if let Some(Some(left)) = own.before.and_then(|left| around.get_mut(left)) {
            left.after = own.after;
        }
        if let Some(slot) = found.get_mut(at) {
            *slot = Some(before.max(with_after));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;
    use trueline_core::Tokens;

    use super::*;
    use crate::{Ruler, Script};

    fn row(prompt: u64, blocks: &[u64]) -> LogRow {
        LogRow { blocks: blocks.to_vec(), ..LogRow::new(Duration::ZERO, Tokens::new(prompt)) }
    }

    fn texts_of(rows: &[LogRow], block: u64) -> (Vec<Option<u64>>, Vec<String>) {
        let mut texts = Texts::new(rows.iter().map(|row| row.prompt.get()));
        let found = share_blocks(rows, block, &mut texts);
        let script = Script::new(1, "blocks");
        let text = |at| script.text(texts.pieces(at, &Ruler::default()));
        (found, (0..rows.len()).map(text).collect())
    }

    fn same_words(a: &str, b: &str) -> u64 {
        a.split(' ').zip(b.split(' ')).take_while(|(a, b)| a == b).count() as u64
    }

    #[test]
    fn equal_chains_give_equal_text_and_what_came_before_counts() {
        // Blocks of 10. The third row has two blocks of the first and one of the second.
        let rows = [
            row(30, &[1, 2, 3]),
            row(25, &[1, 9, 8]),
            row(40, &[1, 2, 7, 6]),
            row(20, &[5, 2]),
            row(40, &[1, 2, 7, 6]),
            row(12, &[]),
        ];
        let (found, texts) = texts_of(&rows, 10);
        assert_eq!(found, [Some(0), Some(10), Some(20), Some(0), Some(40), None]);
        assert_eq!(texts[2], texts[4]);
        assert_eq!(same_words(&texts[0], &texts[2]) / 10, 2);
        assert_eq!(same_words(&texts[1], &texts[2]) / 10, 1);
        assert_eq!(same_words(&texts[0], &texts[3]), 0);
        let lengths: Vec<usize> = texts.iter().map(|text| text.split(' ').count()).collect();
        assert_eq!(lengths, [30, 25, 40, 20, 40, 12]);
    }

    #[test]
    fn a_last_block_that_is_not_full_is_shared_as_far_as_it_goes() {
        let (found, texts) = texts_of(&[row(15, &[1, 2]), row(18, &[1, 2])], 10);
        assert_eq!(found, [Some(0), Some(15)]);
        assert_eq!(same_words(&texts[0], &texts[1]), 15);
    }

    proptest! {
        #[test]
        fn every_pair_has_in_common_what_its_hashes_say(
            rows in prop::collection::vec(prop::collection::vec(0_u64..3, 1..6), 1..14),
        ) {
            // Whole blocks of 20: two texts that part have at most one word more in common.
            let block = 20;
            let rows: Vec<LogRow> =
                rows.iter().map(|blocks| row(block * blocks.len() as u64, blocks)).collect();
            let (found, texts) = texts_of(&rows, block);
            for (at, (one, text)) in rows.iter().zip(&texts).enumerate() {
                prop_assert_eq!(text.split(' ').count() as u64, one.prompt.get());
                let mut most = 0;
                for (other, said) in rows.iter().zip(&texts).take(at) {
                    let expected = in_common(one, other, block);
                    prop_assert_eq!(same_words(text, said) / block, expected / block);
                    most = most.max(expected);
                }
                prop_assert_eq!(found[at], Some(most));
            }
        }
    }
}
