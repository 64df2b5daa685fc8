//! What the later requests of a session have in common with those before them.

use trueline_core::{PrefixTree, Share};

use super::rows::BlockRows;
use super::walk::Walk;
use crate::production::ratio;

/// The later requests of sessions, by the hashes of their blocks.
///
/// # Formula
/// Later: every request of a session but its first in order of time. Own: the leading blocks that an earlier
/// request of the same session had, in tokens, at most the prompt without its last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LaterTurns {
    requests: u64,
    prompt: u128,
    own: u128,
    all: u128,
}

impl LaterTurns {
    /// How many there are.
    pub fn requests(&self) -> u64 {
        self.requests
    }

    /// The share of their prompt tokens that the session itself had before.
    pub fn of_the_session(&self) -> Option<Share> {
        ratio(self.own, self.prompt)
    }

    /// The share that a request before had, of any session: what a cache that never forgets hits.
    pub fn of_all(&self) -> Option<Share> {
        ratio(self.all, self.prompt)
    }

    /// Goes through the rows session by session.
    pub(super) fn of(rows: &BlockRows, walk: &Walk<'_>) -> Self {
        let in_session = walk.hits.iter().enumerate().filter_map(|(at, hit)| {
            Some(((hit.row.kind, hit.row.session?, hit.row.file_of_hashes()), at))
        });
        let mut places: Vec<_> = in_session.collect();
        places.sort_unstable();
        let mut turns = Self::default();
        for session in places.chunk_by(|(a, _), (b, _)| a == b) {
            // A session of one request has no later one.
            if session.len() < 2 {
                continue;
            }
            let mut tree = PrefixTree::default();
            for (turn, (_, at)) in session.iter().enumerate() {
                let Some(hit) = walk.hits.get(*at) else { continue };
                let own: usize = tree.add(rows.hashes(hit.row), 0).iter().map(|r| r.blocks).sum();
                if turn > 0 {
                    turns.requests += 1;
                    turns.prompt += u128::from(hit.prompt);
                    turns.own += u128::from(hit.tokens_of(own as u64));
                    turns.all += u128::from(hit.tokens());
                }
            }
        }
        turns
    }
}
