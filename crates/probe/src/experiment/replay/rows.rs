//! The requests of a replay, made one by one.

use std::sync::Arc;

use trueline_core::Tokens;

use super::super::rounds::Counts;
use super::texts::Texts;
use crate::{Asking, Ending, Prompt, Ruler, Script};

/// What a row asks for beside its text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wish {
    pub(super) output: Tokens,
    pub(super) session: Option<String>,
}

impl Wish {
    /// An answer of so many tokens, one at least: none cannot be asked for.
    pub(super) fn new(output: Tokens, session: Option<String>) -> Self {
        Self { output: output.max(Tokens::new(1)), session }
    }
}

/// The requests of a replay.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::experiment) struct Rows {
    pub(super) script: Script,
    pub(super) texts: Arc<Texts>,
    /// The text of the first one.
    pub(super) first: usize,
    pub(super) wishes: Arc<[Wish]>,
    pub(super) ending: Ending,
    pub(super) counts: Counts,
}

impl Rows {
    pub(in crate::experiment) fn count(&self) -> u64 {
        self.wishes.len() as u64
    }

    /// The request at a place; `None` behind the last one.
    pub(in crate::experiment) fn asking(
        &self,
        at: u64,
        number: u64,
        ruler: &Ruler,
    ) -> Option<Asking> {
        let at = usize::try_from(at).ok()?;
        let wish = self.wishes.get(at)?;
        let text = self.script.text(self.texts.pieces(self.first.saturating_add(at), ruler));
        let mut asking = Asking::new(number, Prompt::Text(text), wish.output);
        asking.ending = self.ending;
        asking.warmup = self.counts == Counts::AsWarmUp;
        asking.session.clone_from(&wish.session);
        Some(asking)
    }
}
