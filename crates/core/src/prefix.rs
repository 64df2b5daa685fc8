//! The beginnings that prompts have in common, by the hashes of their blocks.

use std::collections::HashMap;

/// A part of a prompt's beginning that other prompts had before, and the last one of them to have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrefixRun {
    /// How many blocks.
    pub blocks: usize,
    /// The number that was given with the last prompt that had them.
    pub last: u64,
}

/// All beginnings of the prompts that have been added, as a tree.
///
/// A block is the same as another one only where all blocks before it are the same too, which is how caches
/// of prefixes know them: a hash that stands behind other blocks is another block. Hashes that are chained
/// (each of its block and all before it) and hashes of a block alone give the same answer therefore.
///
/// # Shape
/// It borrows the hashes and holds a few words a prompt, however many blocks that has. Adding one takes the
/// time of comparing its hashes once.
///
/// # Examples
/// ```
/// use trueline_core::{PrefixTree, PrefixRun};
/// let mut tree = PrefixTree::default();
/// assert_eq!(tree.add(&[7, 8, 9], 0), []);
/// assert_eq!(tree.add(&[7, 8, 5], 1), [PrefixRun { blocks: 2, last: 0 }]);
/// // The first two blocks were last had by prompt 1, the third by prompt 0.
/// assert_eq!(tree.add(&[7, 8, 9, 4], 2), [PrefixRun { blocks: 2, last: 1 }, PrefixRun { blocks: 1, last: 0 }]);
/// // Block 8 was there behind block 7, and never first.
/// assert_eq!(tree.add(&[8], 3), []);
/// ```
#[derive(Debug, Clone, Default)]
pub struct PrefixTree<'h> {
    edges: Vec<Edge<'h>>,
    /// From the edge before (`None` at the beginning) and the first hash behind it to the edge that follows.
    next: HashMap<(Option<usize>, u64), usize>,
    /// Edges that became parts of others.
    free: Vec<usize>,
    runs: Vec<PrefixRun>,
}

/// Blocks that the same prompts had, one after the other.
#[derive(Debug, Clone)]
struct Edge<'h> {
    /// At least one.
    hashes: &'h [u64],
    last: u64,
    /// How many edges follow it.
    following: usize,
}

/// An edge on the way of a prompt.
#[derive(Debug, Clone, Copy)]
struct Passed {
    edge: usize,
    before: Option<usize>,
    /// Where it begins among the hashes of the prompt.
    from: usize,
}

impl<'h> PrefixTree<'h> {
    /// Adds the hashes of a prompt under a number; its leading blocks that were there already, from the first
    /// one on, none left out.
    ///
    /// # Shape
    /// Blocks that one prompt had last are one run. Numbers may be anything; `last` repeats them.
    pub fn add(&mut self, hashes: &'h [u64], number: u64) -> &[PrefixRun] {
        self.runs.clear();
        let (mut at, mut done): (Option<Passed>, usize) = (None, 0);
        while let Some(first) = hashes.get(done) {
            let before = at.map(|passed| passed.edge);
            let Some(known) = self.next.get(&(before, *first)).copied() else {
                self.end(at, hashes, done, number);
                break;
            };
            let rest = hashes.get(done..).unwrap_or_default();
            let same = self.run_along(known, rest);
            let edge = self.pass((before, known), same, number);
            at = Some(self.join(at, Passed { edge, before, from: done }, hashes, done + same));
            done += same;
        }
        &self.runs
    }

    /// Notes how many blocks of an edge a prompt has.
    fn run_along(&mut self, known: usize, rest: &[u64]) -> usize {
        let Some(edge) = self.edges.get(known) else { return rest.len() };
        let same = edge.hashes.iter().zip(rest).take_while(|(a, b)| a == b).count();
        match self.runs.last_mut() {
            Some(run) if run.last == edge.last => run.blocks += same,
            _ => self.runs.push(PrefixRun { blocks: same, last: edge.last }),
        }
        same
    }

    /// Gives the first blocks of an edge the number; they become an edge of their own where it has more. The
    /// edge that they are.
    fn pass(&mut self, (before, at): (Option<usize>, usize), same: usize, number: u64) -> usize {
        let Some(edge) = self.edges.get_mut(at) else { return at };
        let (upper, lower) = edge.hashes.split_at(same.min(edge.hashes.len()));
        let (Some(first), Some(next)) = (upper.first(), lower.first()) else {
            edge.last = number;
            return at;
        };
        // What follows keeps its number, so that nothing behind it has to be moved.
        edge.hashes = lower;
        let new = self.keep(Edge { hashes: upper, last: number, following: 1 });
        self.next.insert((before, *first), new);
        self.next.insert((Some(new), *next), at);
        new
    }

    /// Makes one edge of two where nothing else follows the first: both are on the way of this prompt.
    fn join(&mut self, at: Option<Passed>, then: Passed, hashes: &'h [u64], end: usize) -> Passed {
        let Some(at) = at else { return then };
        let is_only = self.edges.get(at.edge).is_some_and(|edge| edge.following == 1);
        let (Some(first), Some(next)) = (hashes.get(at.from), hashes.get(then.from)) else {
            return then;
        };
        if !is_only {
            return then;
        }
        if let Some(edge) = self.edges.get_mut(then.edge) {
            edge.hashes = hashes.get(at.from..end).unwrap_or(edge.hashes);
        }
        self.next.remove(&(Some(at.edge), *next));
        self.next.insert((at.before, *first), then.edge);
        self.free.push(at.edge);
        Passed { edge: then.edge, ..at }
    }

    /// Adds what is new of a prompt behind the last edge on its way.
    fn end(&mut self, at: Option<Passed>, hashes: &'h [u64], done: usize, number: u64) {
        let (rest, first) = (hashes.get(done..).unwrap_or_default(), hashes.get(done).copied());
        if let Some(at) = at
            && let Some(edge) = self.edges.get_mut(at.edge)
        {
            if edge.following == 0 {
                // The prompt that ended here goes on.
                edge.hashes = hashes.get(at.from..).unwrap_or(edge.hashes);
                return;
            }
            edge.following += 1;
        }
        let new = self.keep(Edge { hashes: rest, last: number, following: 0 });
        if let Some(first) = first {
            self.next.insert((at.map(|passed| passed.edge), first), new);
        }
    }

    fn keep(&mut self, edge: Edge<'h>) -> usize {
        let at = self.free.pop().unwrap_or(self.edges.len());
        match self.edges.get_mut(at) {
            Some(slot) => *slot = edge,
            None => self.edges.push(edge),
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    /// The same by one entry for each beginning, without any tree.
    fn naive(prompts: &[Vec<u64>]) -> Vec<Vec<PrefixRun>> {
        let mut last: HashMap<Vec<u64>, u64> = HashMap::new();
        let mut all = Vec::new();
        for (number, prompt) in (0..).zip(prompts) {
            let mut runs: Vec<PrefixRun> = Vec::new();
            for end in 1..=prompt.len() {
                let Some(before) = last.get(&prompt[..end]) else { break };
                match runs.last_mut() {
                    Some(run) if run.last == *before => run.blocks += 1,
                    _ => runs.push(PrefixRun { blocks: 1, last: *before }),
                }
            }
            for end in 1..=prompt.len() {
                last.insert(prompt[..end].to_vec(), number);
            }
            all.push(runs);
        }
        all
    }

    #[test]
    fn an_edge_that_ends_inside_keeps_what_follows_it() {
        let mut tree = PrefixTree::default();
        tree.add(&[1, 2, 3, 4], 0);
        tree.add(&[1, 2, 3, 4, 5], 1);
        // It ends in the middle of the first four, which were last had by the second prompt.
        assert_eq!(tree.add(&[1, 2], 2), [PrefixRun { blocks: 2, last: 1 }]);
        let runs = [PrefixRun { blocks: 2, last: 2 }, PrefixRun { blocks: 3, last: 1 }];
        assert_eq!(tree.add(&[1, 2, 3, 4, 5, 6], 3), runs);
        assert_eq!(tree.add(&[], 4), []);
        // One hash at three places.
        assert_eq!(tree.add(&[9, 9, 9], 5), []);
        assert_eq!(tree.add(&[9, 9], 6), [PrefixRun { blocks: 2, last: 5 }]);
    }

    #[test]
    fn a_conversation_stays_one_edge_behind_what_all_have() {
        let hashes: Vec<u64> = (0..40).collect();
        let mut tree = PrefixTree::default();
        tree.add(&[0, 99], 0);
        for end in 2..=40 {
            tree.add(&hashes[..end], 1);
        }
        // Block 0, block 99 behind it, and the conversation.
        assert_eq!(tree.edges.len() - tree.free.len(), 3);
        assert_eq!(tree.next.len(), 3);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn runs_are_those_of_one_entry_for_each_beginning(
            prompts in prop::collection::vec(prop::collection::vec(0_u64..3, 0..9), 0..40),
        ) {
            let mut tree = PrefixTree::default();
            for (number, (prompt, expected)) in (0..).zip(prompts.iter().zip(naive(&prompts))) {
                prop_assert_eq!(tree.add(prompt, number), expected);
            }
        }
    }
}
