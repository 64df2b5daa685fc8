//! Which text begins with how much of which other.

use trueline_core::Tokens;

use super::super::rounds::measured;
use crate::{Piece, Ruler};

/// The stream of the rows' texts.
const STREAM: u64 = measured(0);

/// One text: its length, and what it takes from another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Text {
    length: u64,
    parent: usize,
    /// Tokens taken from the parent; zero for none.
    shared: u64,
}

/// Texts, each of which may begin as another one does.
///
/// # Shape
/// No text takes anything from itself, by whatever way. Each step to a parent shortens what is taken by a
/// token at least, so that a text of `n` tokens is put together in at most `n` steps.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Texts {
    texts: Vec<Text>,
}

impl Texts {
    /// Texts of these lengths in tokens that have nothing in common.
    pub(super) fn new(lengths: impl Iterator<Item = u64>) -> Self {
        let texts = lengths.map(|length| Text { length, parent: 0, shared: 0 }).collect();
        Self { texts }
    }

    /// One text begins with so many tokens of another, whose own beginning stands already.
    pub(super) fn share(&mut self, at: usize, parent: usize, shared: u64) {
        let mut parent = parent;
        // Where the parent has all of it from its own parent, so has this text.
        while let Some(above) = self.texts.get(parent).filter(|above| above.shared >= shared) {
            parent = above.parent;
        }
        if let Some(text) = self.texts.get_mut(at) {
            (text.parent, text.shared) = (parent, shared);
        }
    }

    /// Makes a text at least as long.
    pub(super) fn lengthen(&mut self, at: usize, length: u64) {
        if let Some(text) = self.texts.get_mut(at) {
            text.length = text.length.max(length);
        }
    }

    /// Their lengths in tokens, in order.
    pub(super) fn lengths(&self) -> impl Iterator<Item = u64> {
        self.texts.iter().map(|text| text.length)
    }

    /// The pieces of a text; empty where there is none.
    pub(super) fn pieces(&self, at: usize, ruler: &Ruler) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let Some(mut text) = self.texts.get(at) else { return pieces };
        let (mut at, mut left) = (at, words(text, ruler));
        while left > 0 {
            let above = self.texts.get(text.parent).filter(|_| text.shared > 0);
            let shared = above.map_or(0, |above| {
                let asked = ruler.words_of_prefix(Tokens::new(text.shared));
                asked.min(words(above, ruler)).min(left)
            });
            if left > shared {
                pieces.push(Piece { stream: STREAM, number: at as u64, words: left - shared });
            }
            (at, left) = (text.parent, shared);
            let Some(above) = above else { break };
            text = above;
        }
        pieces.reverse();
        pieces
    }
}

fn words(text: &Text, ruler: &Ruler) -> u64 {
    ruler.words_for(Tokens::new(text.length)).words
}
