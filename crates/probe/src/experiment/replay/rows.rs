//! The requests of a replay, made one by one.

use std::sync::Arc;

use trueline_core::Tokens;

use super::texts::Texts;
use crate::{Asking, Ending, Prompt, Ruler, Script};

/// What a row asks for beside its text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wish {
    pub(super) output: Tokens,
    pub(super) session: Option<String>,
}

/// The requests of a replay.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::experiment) struct Rows {
    pub(super) script: Script,
    pub(super) texts: Arc<Texts>,
    pub(super) wishes: Arc<[Wish]>,
    pub(super) ending: Ending,
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
        let text = self.script.text(self.texts.pieces(at, ruler));
        let mut asking = Asking::new(number, Prompt::Text(text), wish.output);
        asking.ending = self.ending;
        asking.session.clone_from(&wish.session);
        Some(asking)
    }
}
