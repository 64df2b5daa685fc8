//! Requests in rounds: in each, every part of an experiment comes once.

use std::sync::Arc;

use trueline_core::Tokens;

use super::Workload;
use crate::{Asking, Ending, Piece, Prompt, Ruler, Script};

/// The streams of texts that only warm up.
pub(super) const WARM_UP: u64 = 0;
pub(super) const SECOND_WARM_UP: u64 = 1;

/// The stream of the texts that prime the measured stage at a place.
pub(super) const fn priming(place: u64) -> u64 {
    2 + 2 * place
}

/// The stream of the texts of the measured stage at a place.
pub(super) const fn measured(place: u64) -> u64 {
    3 + 2 * place
}

/// The fewest words of a prompt: fewer are not enough for prompts that all differ. A prompt that is asked for
/// shorter than its server's template is longer than asked.
const LEAST_WORDS: u64 = 4;

/// A beginning that a text takes from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shared {
    pub(super) stream: u64,
    pub(super) number: u64,
    pub(super) tokens: Tokens,
}

/// One part of a round.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Arm {
    pub(super) part: Option<String>,
    pub(super) prompt: Tokens,
    pub(super) shared: Option<Shared>,
}

impl Arm {
    /// A part of prompts that share nothing.
    pub(super) const fn unique(prompt: Tokens) -> Self {
        Self { part: None, prompt, shared: None }
    }

    /// The same under a name.
    pub(super) fn named(self, part: impl Into<String>) -> Self {
        Self { part: Some(part.into()), ..self }
    }

    /// The same as a part of something that has a name.
    pub(super) fn within(self, whole: &str) -> Self {
        let part = match &self.part {
            Some(part) => format!("{whole}, {part}"),
            None => whole.to_owned(),
        };
        self.named(part)
    }
}

/// In which order the parts of a round come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    AsGiven,
    Drawn,
}

/// Whether requests only warm up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counts {
    AsWarmUp,
    AsMeasured,
}

/// Requests in rounds: in each, every part comes once, in an order of its own.
///
/// A slow change of the server during the run then touches all parts alike.
///
/// # Source
/// Randomised complete blocks: Fisher, “The Design of Experiments”, 1935.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rounds {
    script: Script,
    stream: u64,
    arms: Arc<[Arm]>,
    order: Order,
    requests: Option<u64>,
    output: Tokens,
    ending: Ending,
    counts: Counts,
}

impl Rounds {
    /// Rounds of whole numbers: requests are rounded up.
    pub(super) fn whole(script: Script, stream: u64, arms: Vec<Arm>, of: &Workload) -> Self {
        let arms: Arc<[Arm]> = arms.into();
        let round = (arms.len() as u64).max(1);
        let requests = of.requests.map(|n| n.div_ceil(round).saturating_mul(round));
        Self {
            script,
            stream,
            arms,
            order: Order::Drawn,
            requests,
            output: of.output,
            ending: of.ending,
            counts: Counts::AsMeasured,
        }
    }

    /// The same as warm-up: exactly so many, the parts in the order given.
    pub(super) fn warming_up(self, requests: u64) -> Self {
        let (order, counts) = (Order::AsGiven, Counts::AsWarmUp);
        Self { requests: Some(requests), order, counts, ..self }
    }

    pub(super) const fn requests(&self) -> Option<u64> {
        self.requests
    }

    /// Whether its requests are of more than one part.
    pub(super) fn has_parts(&self) -> bool {
        self.arms.iter().zip(self.arms.iter().skip(1)).any(|(a, b)| a.part != b.part)
    }

    /// The request at a place; `None` behind the last one.
    pub(super) fn asking(&self, at: u64, number: u64, ruler: &Ruler) -> Option<Asking> {
        if self.requests.is_some_and(|n| at >= n) {
            return None;
        }
        let arm = self.arm(at)?;
        let words = ruler.words_for(arm.prompt).words.max(LEAST_WORDS);
        let shared = arm.shared.map(|shared| Piece {
            stream: shared.stream,
            number: shared.number,
            words: ruler.words_of_prefix(shared.tokens).min(words),
        });
        let left = words - shared.map_or(0, |piece| piece.words);
        let own = Piece { stream: self.stream, number: at, words: left };
        let text = self.script.text(shared.into_iter().chain([own]));
        let mut asking = Asking::new(number, Prompt::Text(text), self.output);
        asking.ending = self.ending;
        asking.part.clone_from(&arm.part);
        asking.warmup = self.counts == Counts::AsWarmUp;
        Some(asking)
    }

    fn arm(&self, at: u64) -> Option<&Arm> {
        let parts = self.arms.len();
        let (round, place) = (at.checked_div(parts as u64)?, at.checked_rem(parts as u64)?);
        let place = usize::try_from(place).ok()?;
        let mut order: Vec<&Arm> = self.arms.iter().collect();
        if self.order == Order::Drawn && parts > 1 {
            self.script.chance(self.stream, round).shuffle(&mut order);
        }
        order.get(place).copied()
    }
}
