//! What one value of a row says about another.

use trueline_core::{By, Known, Side, Stretch, Tokens, Why};

use crate::layout::Layout;
use crate::moments::Moments;
use crate::row::Numbers;

/// Values of a row that are no part of a record and say something of one.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Beside {
    pub(crate) moments: Moments,
    pub(crate) new: Known<Tokens>,
    pub(crate) uncached: Known<Tokens>,
    pub(crate) written: Known<Tokens>,
    /// By how many tokens the cached part may exceed the prompt and is taken for all of it.
    pub(crate) beyond: u64,
}

impl Beside {
    /// Nothing yet, in a row of a format that one side recorded.
    pub(crate) fn of(layout: &Layout, side: Side) -> Self {
        Self {
            moments: Moments::of(side, layout.schedules),
            beyond: layout.rules.cached_beyond,
            ..Self::default()
        }
    }
}

impl Numbers {
    /// What one value says about another: stretches from moments, cached from new, prompt from both.
    pub(crate) fn settle(&mut self, beside: &Beside) {
        self.settle_times(&beside.moments);
        self.settle_tokens(beside);
        self.refuse_instants();
    }

    fn settle_tokens(&mut self, beside: &Beside) {
        let new = match (beside.uncached.value(), beside.written.value()) {
            (Some(rest), Some(written)) if !beside.new.is_known() => {
                Some(Tokens::new(rest.get().saturating_add(written.get())))
            }
            _ => beside.new.value(),
        };
        let tokens = &mut self.record.tokens;
        if let Some(new) = new {
            match (tokens.prompt.value(), tokens.cached.value()) {
                (Some(prompt), Some(cached)) => {
                    self.new_differs = prompt.checked_sub(cached) != Some(new);
                }
                (Some(prompt), None) if tokens.cached == Known::Not(Why::Absent) => {
                    tokens.cached = Known::derived(prompt.checked_sub(new), Why::Impossible);
                }
                (None, Some(cached)) if tokens.prompt == Known::Not(Why::Absent) => {
                    let sum = Tokens::new(cached.get().saturating_add(new.get()));
                    tokens.prompt = Known::is(sum, By::Derived);
                }
                _ => {}
            }
        }
        if let (Some(prompt), Some(cached)) = (tokens.prompt.value(), tokens.cached.value())
            && cached > prompt
        {
            if cached.get() - prompt.get() <= beside.beyond {
                tokens.cached = Known::is(prompt, By::Derived);
                self.clamped = true;
            } else {
                self.impossible += 1;
            }
        }
    }

    /// A prefill in no time to speak of: some servers write the least time that they can where they have
    /// none.
    fn refuse_instants(&mut self) {
        /// More new tokens a second than any server computes.
        ///
        /// # Source
        /// Layr-Labs/d-inference PR 388: prefill times of 1 µs, 10^9 tok/s. The fastest published prefill
        /// rates of whole clusters are of the order of 10^6 tok/s (read 2026-11-29).
        const MOST_TOK_PER_S: f64 = 1e8;
        let tokens = &self.record.tokens;
        let (Some(prompt), Some(cached)) = (tokens.prompt.value(), tokens.cached.value()) else {
            return;
        };
        let Some(new) = prompt.checked_sub(cached).filter(|new| new.get() > 0) else { return };
        for stretch in [Stretch::ClientTtft, Stretch::ServerTtft, Stretch::PrefillCompute] {
            let took = self.record.spans.get(stretch).value();
            if took.is_some_and(|took| new.as_f64() > MOST_TOK_PER_S * took.as_secs_f64()) {
                self.record.spans.set(stretch, Known::Not(Why::ZeroForNone));
                self.impossible += 1;
            }
        }
    }
}
