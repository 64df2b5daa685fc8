//! How long prompts are.

use trueline_core::{Bucket, Tokens};

/// The prompts of one bucket of lengths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PromptLengths {
    /// The lengths.
    pub bucket: Bucket,
    /// How many answered requests have a prompt of such a length, whether or not it is known what was cached.
    pub requests: u64,
    /// Their prompt tokens.
    pub tokens: u128,
}

/// Prompts of answered requests that stand in no cell.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Lengths {
    /// By bucket: how many, and their tokens.
    outside_cells: Vec<(u64, u128)>,
}

impl Lengths {
    /// Takes a prompt that enters no cell.
    pub(super) fn prompt(&mut self, bucket: usize, prompt: Tokens) {
        if self.outside_cells.len() <= bucket {
            self.outside_cells.resize(bucket + 1, (0, 0));
        }
        if let Some((requests, tokens)) = self.outside_cells.get_mut(bucket) {
            *requests += 1;
            *tokens += u128::from(prompt.get());
        }
    }

    pub(super) fn outside_cells(&self, bucket: usize) -> (u64, u128) {
        self.outside_cells.get(bucket).copied().unwrap_or_default()
    }

    pub(super) fn merge(&mut self, other: &Self) {
        if self.outside_cells.len() < other.outside_cells.len() {
            self.outside_cells.resize(other.outside_cells.len(), (0, 0));
        }
        for ((requests, tokens), (more, more_tokens)) in
            self.outside_cells.iter_mut().zip(&other.outside_cells)
        {
            *requests += more;
            *tokens += more_tokens;
        }
    }
}
