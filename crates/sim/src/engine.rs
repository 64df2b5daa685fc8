//! The engine: continuous batching, event by event.

use crate::{Error, Event, Ledger, ModelConfig, Refused, RequestId, SimTime, Submission};

/// What the engine has at this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Load {
    /// Requests with a place in the batch.
    pub running: u32,
    /// Requests that wait for one.
    pub waiting: u32,
    /// Blocks of the cache that running requests hold.
    pub blocks_in_use: u64,
    /// Blocks of the cache that hold something, in use or not.
    pub blocks_held: u64,
    /// Steps done.
    pub steps: u64,
}

/// A model that serves requests in simulated time.
#[derive(Debug, Clone)]
pub struct Engine {
    model: ModelConfig,
    ledger: Ledger,
    next: u64,
}

impl Engine {
    /// An idle engine with an empty cache, at [`SimTime::ZERO`].
    ///
    /// # Errors
    /// A model that could serve nothing: see [`ModelConfig::check`].
    pub fn new(model: ModelConfig) -> Result<Self, Error> {
        model.check()?;
        Ok(Self { model, ledger: Ledger::default(), next: 0 })
    }

    /// The same with a ledger that keeps of each request's tokens the first and last times alone.
    #[must_use]
    pub fn without_token_times(mut self) -> Self {
        self.ledger = Ledger::without_token_times();
        self
    }

    /// The model it runs.
    pub const fn model(&self) -> &ModelConfig {
        &self.model
    }

    /// What really happened so far.
    pub const fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// What it has at this moment.
    pub fn load(&self) -> Load {
        Load::default()
    }

    /// Hands in a request at a moment.
    ///
    /// # Errors
    /// Why it is not taken. It has a number and an event all the same.
    pub fn submit(&mut self, at: SimTime, request: Submission) -> Result<RequestId, Refused> {
        let _ = (at, request);
        self.next += 1;
        Ok(RequestId(self.next - 1))
    }

    /// Takes a request back: its client went away. Nothing happens where it is not there any more.
    pub fn cancel(&mut self, id: RequestId, at: SimTime) {
        let _ = (id, at);
    }

    /// When something happens next; `None` while nothing is to be done.
    pub const fn next_at(&self) -> Option<SimTime> {
        None
    }

    /// Lets time pass and gives what happened since the last call, in order of time.
    pub fn advance(&mut self, to: SimTime) -> Vec<Event> {
        let _ = to;
        Vec::new()
    }
}
