//! A log in tenths: what was hit, and what is stated beside what could have been.

use trueline_core::Share;

use super::walk::Hit;
use crate::CacheShares;
use crate::production::ratio;

/// Fewest requests of a log that is looked at in tenths.
const ENOUGH_FOR_TENTHS: usize = 100;

/// Cached tokens that a log states beside what a cache that never forgets could have had, over some requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct StatedAndPossible {
    /// How many requests state cached tokens and have hashes.
    pub requests: u64,
    /// Their prompt tokens.
    pub prompt: u128,
    /// Their stated cached tokens.
    pub cached: u128,
    /// What they could have had: leading blocks that were there and one block more, at most the prompt. A
    /// server that matches token by token may find a part of the next block.
    pub possible: u128,
}

impl StatedAndPossible {
    /// Both together.
    pub(super) fn with(self, other: &Self) -> Self {
        Self {
            requests: self.requests + other.requests,
            prompt: self.prompt + other.prompt,
            cached: self.cached + other.cached,
            possible: self.possible + other.possible,
        }
    }

    /// Stated cached tokens over prompt tokens.
    pub fn stated_share(&self) -> Option<Share> {
        ratio(self.cached, self.prompt)
    }

    /// The most that they could have had over prompt tokens.
    pub fn possible_share(&self) -> Option<Share> {
        ratio(self.possible, self.prompt)
    }
}

/// What the requests of each tenth hit.
pub(super) fn tenths(hits: &[Hit<'_>]) -> Vec<CacheShares> {
    in_tenths(hits, |shares: &mut CacheShares, hit| shares.add(hit.prompt, hit.tokens()))
}

/// What those that state cached tokens state, and could have had.
pub(super) fn compared(hits: &[Hit<'_>]) -> Vec<StatedAndPossible> {
    let stated: Vec<Hit<'_>> = hits.iter().copied().filter(|h| h.row.cached.is_some()).collect();
    in_tenths(&stated, |sums: &mut StatedAndPossible, hit| {
        sums.requests += 1;
        sums.prompt += u128::from(hit.prompt);
        sums.cached += u128::from(hit.row.cached.unwrap_or(0));
        let possible = hit.tokens().saturating_add(hit.row.size).min(hit.prompt);
        sums.possible += u128::from(possible);
    })
}

fn in_tenths<T: Default + Clone>(hits: &[Hit<'_>], add: impl Fn(&mut T, &Hit<'_>)) -> Vec<T> {
    if hits.len() < ENOUGH_FOR_TENTHS {
        return Vec::new();
    }
    let mut tenths = vec![T::default(); 10];
    for (at, hit) in hits.iter().enumerate() {
        if let Some(tenth) = tenths.get_mut(at * 10 / hits.len()) {
            add(tenth, hit);
        }
    }
    tenths
}
