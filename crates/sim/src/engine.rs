//! The engine: continuous batching, event by event.

use std::collections::VecDeque;

use trueline_core::Tokens;

use crate::cache::PrefixCache;
use crate::step::Step;
use crate::stream::Stream;
use crate::{
    Error, Event, Finish, Happening, Ledger, ModelConfig, Refused, RequestId, SimTime, Submission,
};

/// What the engine has at this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Load {
    /// Requests with a place in the batch.
    pub running: u64,
    /// Requests that wait for one.
    pub waiting: u64,
    /// Blocks of the cache that running requests hold.
    pub blocks_in_use: u64,
    /// Blocks of the cache that hold something, in use or not.
    pub blocks_held: u64,
    /// Steps done.
    pub steps: u64,
}

/// A model that serves requests in simulated time.
///
/// # Shape
/// It reads no clock. Whoever drives it asks when something happens next, waits or jumps until then,
/// and lets time pass up to there. Requests wait in order of arrival; one that does not fit into the
/// cache holds up those behind it. A running one that needs a block where none is free takes it from
/// the request that was scheduled last, which loses all it computed beyond what others still hold,
/// waits at the head of the queue and computes it again. A new request joins with the next step.
///
/// # Examples
/// ```
/// use trueline_core::Tokens;
/// use trueline_sim::{Engine, Happening, ModelConfig, SimTime, Submission, tokenize, words};
///
/// let mut engine = Engine::new(ModelConfig::default())?;
/// let prompt = tokenize(&words(Tokens::new(100), 1));
/// engine.submit(SimTime::ZERO, Submission::new(prompt, Tokens::new(3)))?;
/// let mut tokens = 0;
/// while let Some(at) = engine.next_at() {
///     // A real server sleeps until `at` here.
///     for event in engine.advance(at) {
///         if let Happening::Tokens { n } = event.what {
///             tokens += n.get();
///         }
///     }
/// }
/// assert_eq!(tokens, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Engine {
    pub(crate) model: ModelConfig,
    pub(crate) now: SimTime,
    pub(crate) cache: PrefixCache,
    pub(crate) waiting: VecDeque<Stream>,
    /// In the order in which they were scheduled.
    pub(crate) running: Vec<Stream>,
    pub(crate) step: Option<Step>,
    pub(crate) steps: u64,
    /// The number of the next request.
    next: u64,
    events: Vec<Event>,
    ledger: Ledger,
}

/// Whether a step may begin at the very moment to which time passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    Before,
    Through,
}

impl Engine {
    /// An idle engine with an empty cache, at [`SimTime::ZERO`].
    ///
    /// # Errors
    /// A model that could serve nothing: see [`ModelConfig::check`].
    pub fn new(model: ModelConfig) -> Result<Self, Error> {
        model.check()?;
        Ok(Self {
            cache: PrefixCache::new(model.cache_blocks),
            model,
            now: SimTime::ZERO,
            waiting: VecDeque::new(),
            running: Vec::new(),
            step: None,
            steps: 0,
            next: 0,
            events: Vec::new(),
            ledger: Ledger::default(),
        })
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
        Load {
            running: self.running.len() as u64,
            waiting: self.waiting.len() as u64,
            blocks_in_use: self.cache.in_use(),
            blocks_held: self.cache.held(),
            steps: self.steps,
        }
    }

    /// Hands in a request at a moment; a moment that has passed is taken for the present one.
    ///
    /// What happens until then is kept for the next call of [`Engine::advance`].
    ///
    /// # Errors
    /// Why it is not taken. It has a number and an event all the same.
    pub fn submit(&mut self, at: SimTime, request: Submission) -> Result<RequestId, Refused> {
        self.run(at, Until::Before);
        let id = RequestId(self.next);
        self.next += 1;
        let prompt = Tokens::new(request.prompt.len() as u64);
        if let Some(why) = self.objection(&request) {
            self.happens(id, Happening::Refused { prompt, why });
            return Err(why);
        }
        let stream = Stream::new(id, &request, self.model.block.get(), self.model.seed);
        self.waiting.push_back(stream);
        self.happens(id, Happening::Queued { prompt, session: request.session });
        Ok(id)
    }

    fn objection(&self, request: &Submission) -> Option<Refused> {
        let text = (request.prompt.len() as u64).checked_add(request.max_output.get());
        let fits = |text| self.model.blocks(text) <= self.model.cache_blocks;
        // Those that find a place with the next step do not wait for one.
        let places = u64::from(self.model.max_streams).saturating_sub(self.running.len() as u64);
        let full =
            |limit: u32| self.waiting.len() as u64 >= u64::from(limit).saturating_add(places);
        if request.prompt.is_empty() {
            Some(Refused::EmptyPrompt)
        } else if request.max_output.get() == 0 {
            Some(Refused::NoOutput)
        } else if !text.is_some_and(fits) {
            Some(Refused::TooLong)
        } else {
            self.model.queue_limit.is_some_and(full).then_some(Refused::QueueFull)
        }
    }

    /// Takes a request back at a moment: its client went away. Nothing happens where it is not there
    /// any more.
    ///
    /// A step under way takes as long as it would have with it.
    pub fn cancel(&mut self, id: RequestId, at: SimTime) {
        self.run(at, Until::Before);
        let is = |stream: &Stream| stream.id == id;
        if let Some(place) = self.waiting.iter().position(is) {
            self.waiting.remove(place);
        } else if let Some(place) = self.running.iter().position(is) {
            self.running.remove(place).leave(&mut self.cache);
        } else {
            return;
        }
        self.happens(id, Happening::Finished { reason: Finish::Cancelled });
    }

    /// When something happens next; `None` while nothing is to be done.
    pub fn next_at(&self) -> Option<SimTime> {
        match &self.step {
            Some(step) => Some(step.end),
            None => self.has_work().then_some(self.now),
        }
    }

    /// Lets time pass and gives what happened since the last call, in order of time.
    ///
    /// # Shape
    /// Empty where nothing happened. A moment that has passed is taken for the present one.
    pub fn advance(&mut self, to: SimTime) -> Vec<Event> {
        self.run(to, Until::Through);
        std::mem::take(&mut self.events)
    }

    fn has_work(&self) -> bool {
        !(self.running.is_empty() && self.waiting.is_empty())
    }

    fn run(&mut self, to: SimTime, until: Until) {
        loop {
            match &self.step {
                Some(step) if step.end <= to => self.end_step(),
                None if self.has_work() && (self.now < to || until == Until::Through) => {
                    self.begin_step();
                }
                _ => break,
            }
        }
        self.now = self.now.max(to);
    }

    /// Enters what happens at this moment.
    pub(crate) fn happens(&mut self, request: RequestId, what: Happening) {
        let event = Event { at: self.now, request, what };
        self.ledger.record(&event);
        self.events.push(event);
    }
}
