//! What one value of a row says about another.

use std::time::Duration;

use trueline_core::{By, Known, Side, Spans, Stretch, Tokens, WallTime, Why};

use crate::row::Numbers;

/// Values of a row that are no part of a record and say something of one.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Beside {
    /// The server where nothing says otherwise.
    pub(crate) side: Option<Side>,
    pub(crate) finished: Known<WallTime>,
    pub(crate) first_token: Known<WallTime>,
    pub(crate) streamed: Option<bool>,
    pub(crate) stored: bool,
    pub(crate) new: Known<Tokens>,
    pub(crate) uncached: Known<Tokens>,
    pub(crate) written: Known<Tokens>,
}

impl Numbers {
    /// What one value says about another: the start from the end, the first token's time, cached from new.
    pub(crate) fn settle(&mut self, beside: &Beside) {
        self.settle_times(beside);
        self.settle_tokens(beside);
        self.refuse_instants();
    }

    fn settle_times(&mut self, beside: &Beside) {
        let finished = beside.finished.value();
        let started = &mut self.record.started;
        if *started == Known::Not(Why::Absent)
            && let (Some(end), Some(e2e)) = (finished, self.record.any_e2e())
        {
            self.record.started = Known::derived(end.minus(e2e.took), Why::Impossible);
        }
        if beside.stored {
            // No server answered: what the store took is no time of one.
            self.record.spans = Spans::default();
            self.record.tokens.cached = Known::Not(Why::NotApplicable);
            return;
        }
        let [ttft, e2e] = match beside.side {
            Some(Side::Client) => [Stretch::ClientTtft, Stretch::ClientE2e],
            Some(Side::Server) | None => [Stretch::ServerTtft, Stretch::ServerE2e],
        };
        let Some(started) = self.record.started.value() else { return };
        let since = |at: WallTime| {
            let nanos = at.as_nanos().checked_sub(started.as_nanos()).map(u64::try_from);
            match nanos {
                Some(Ok(nanos)) => Known::is(Duration::from_nanos(nanos), By::Derived),
                _ => Known::Not(Why::Impossible),
            }
        };
        let absent = |span| self.record.spans.get(span) == Known::Not(Why::Absent);
        let (no_ttft, no_e2e) = (absent(ttft), absent(e2e));
        if let Some(end) = finished.filter(|_| no_e2e) {
            let took = self.note(since(end));
            self.record.spans.set(e2e, took);
        }
        if let Some(first) = beside.first_token.value().filter(|_| no_ttft) {
            // Of a reply that came whole, or that nobody says was streamed, the first token's time is its end.
            let is_end = finished.is_some_and(|end| first >= end);
            let came_whole = match beside.streamed {
                Some(streamed) => !streamed,
                None => is_end,
            };
            if !came_whole {
                let took = self.note(since(first));
                self.record.spans.set(ttft, took);
            }
        }
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
            self.impossible += 1;
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
