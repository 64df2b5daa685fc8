//! The hashes of a prompt's blocks: what a prompt has in common with others, without its text.

use crate::Tokens;

/// The hashes of a prompt's blocks, as a server with a prefix cache names them.
///
/// # Shape
/// One hash a block, in the order of the prompt. Every block has the stated size but for the last one,
/// which may be a rest that is not full. At least one hash, and a size above zero.
///
/// Two prompts begin with the same text as far as their first hashes are the same; what comes behind the
/// first difference is not shared, whatever its hashes are. A hash that stands at two places of a prompt
/// or behind different ones is allowed and says nothing more.
///
/// # Examples
/// ```
/// use trueline_core::{PromptBlocks, Tokens};
/// let blocks = |hashes: &[u64]| PromptBlocks::new(Tokens::new(512), hashes.to_vec()).unwrap();
/// let (one, other) = (blocks(&[7, 8, 9]), blocks(&[7, 8, 5, 9]));
/// assert_eq!(one.shared_with(&other), Some(Tokens::new(1_024)));
/// assert_eq!(blocks(&[8]).shared_with(&other), Some(Tokens::new(0)));
/// assert_eq!(PromptBlocks::new(Tokens::new(0), vec![7]), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptBlocks {
    size: Tokens,
    hashes: Vec<u64>,
}

impl PromptBlocks {
    /// These hashes of blocks of so many tokens; `None` without a hash, or for a size of zero.
    pub fn new(size: Tokens, hashes: Vec<u64>) -> Option<Self> {
        (size.get() > 0 && !hashes.is_empty()).then_some(Self { size, hashes })
    }

    /// How many tokens a full block has.
    pub const fn size(&self) -> Tokens {
        self.size
    }

    /// The hashes in the order of the prompt.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// How many tokens two prompts have in common at their beginning, as far as their hashes tell; `None`
    /// where their blocks are of two sizes.
    ///
    /// # Formula
    /// Leading hashes that are equal, times the size. A last block that is not full counts as full here:
    /// the length of the shorter prompt is the limit.
    pub fn shared_with(&self, other: &Self) -> Option<Tokens> {
        if self.size != other.size {
            return None;
        }
        let same = self.hashes.iter().zip(&other.hashes).take_while(|(a, b)| a == b).count() as u64;
        Some(Tokens::new(same.saturating_mul(self.size.get())))
    }

    /// Whether a prompt of this length can have these blocks.
    ///
    /// # Formula
    /// At most `prompt_tokens / size` hashes, rounded up. Fewer are possible: what is left has no hash.
    pub fn fit(&self, prompt: Tokens) -> bool {
        self.hashes.len() as u64 <= prompt.get().div_ceil(self.size.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(size: u64, hashes: &[u64]) -> PromptBlocks {
        PromptBlocks::new(Tokens::new(size), hashes.to_vec()).unwrap()
    }

    #[test]
    fn only_what_stands_before_the_first_difference_is_shared() {
        let shared =
            |a: &[u64], b: &[u64]| blocks(16, a).shared_with(&blocks(16, b)).unwrap().get();
        assert_eq!(shared(&[1, 2, 3], &[1, 9, 3]), 16);
        assert_eq!(shared(&[1, 2, 3], &[2, 3]), 0);
        // One hash twice in a prompt.
        assert_eq!(shared(&[4, 4, 4], &[4, 4]), 32);
        assert_eq!(blocks(16, &[1]).shared_with(&blocks(32, &[1])), None);
    }

    #[test]
    fn a_last_block_may_be_a_rest_and_no_block_lies_behind_the_prompt() {
        // 1,025 tokens are two blocks of 512 and a rest of one token.
        for (hashes, fits) in [(1, true), (2, true), (3, true), (4, false)] {
            let hashes: Vec<u64> = (0..hashes).collect();
            assert_eq!(blocks(512, &hashes).fit(Tokens::new(1_025)), fits, "{hashes:?}");
        }
        assert!(!blocks(512, &[1]).fit(Tokens::new(0)));
        assert_eq!(PromptBlocks::new(Tokens::new(512), Vec::new()), None);
    }
}
