//! The truth: what really happened to every request.

use std::io::{self, Write};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use trueline_core::{
    By, Count, Counting, EngineCounts, Known, Outcome, RequestRecord, ServerCounters, Stretch,
    Tokens, WallTime,
};

use crate::{Event, Finish, Happening, Refused, RequestId, SimTime};

/// One request as it really went.
///
/// # Units
/// Times in nanoseconds since the simulation's start, tokens of [`tokenize`](crate::tokenize).
///
/// # Shape
/// At its end, however it ended after its first token, `prompt = cached + computed`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LedgerEntry {
    /// Its number.
    pub id: RequestId,
    /// The conversation it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// When it arrived.
    #[serde(rename = "arrived_ns")]
    pub arrived: SimTime,
    /// When it first got a place among the running ones.
    #[serde(rename = "scheduled_ns")]
    pub scheduled: Option<SimTime>,
    /// When its first output token came.
    #[serde(rename = "first_token_ns")]
    pub first_token: Option<SimTime>,
    /// When its last output token came.
    #[serde(rename = "last_token_ns")]
    pub last_token: Option<SimTime>,
    /// When it ended.
    #[serde(rename = "finished_ns")]
    pub finished: Option<SimTime>,
    /// The whole prompt.
    #[serde(rename = "prompt_tokens")]
    pub prompt: Tokens,
    /// The part of the prompt that came from the cache.
    #[serde(rename = "cached_tokens")]
    pub cached: Tokens,
    /// The part of the prompt that was computed, each token counted once.
    #[serde(rename = "computed_tokens")]
    pub computed: Tokens,
    /// Tokens computed again after preemptions, output tokens among them.
    #[serde(rename = "computed_again_tokens")]
    pub again: Tokens,
    /// How long the computation of prompt tokens took: no queue, no fixed cost, no other stream.
    #[serde(rename = "prefill_compute_ns")]
    pub compute: SimTime,
    /// Output tokens.
    #[serde(rename = "output_tokens")]
    pub output: Tokens,
    /// How often it was preempted.
    pub preemptions: u32,
    /// Why it ended.
    pub finish: Option<Finish>,
    /// Why it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<Refused>,
    /// When each output token came; empty where the ledger keeps none.
    #[serde(rename = "token_times_ns", default, skip_serializing_if = "Vec::is_empty")]
    pub token_times: Vec<SimTime>,
}

impl LedgerEntry {
    fn new(id: RequestId, arrived: SimTime, prompt: Tokens) -> Self {
        Self {
            id,
            session: None,
            arrived,
            scheduled: None,
            first_token: None,
            last_token: None,
            finished: None,
            prompt,
            cached: Tokens::default(),
            computed: Tokens::default(),
            again: Tokens::default(),
            compute: SimTime::ZERO,
            output: Tokens::default(),
            preemptions: 0,
            finish: None,
            refused: None,
            token_times: Vec::new(),
        }
    }

    /// Arrived to first token.
    pub fn ttft(&self) -> Option<Duration> {
        Some(self.first_token?.since(self.arrived))
    }

    /// Arrived to last token.
    pub fn e2e_latency(&self) -> Option<Duration> {
        Some(self.last_token?.since(self.arrived))
    }

    /// Arrived to first scheduled.
    pub fn queue(&self) -> Option<Duration> {
        Some(self.scheduled?.since(self.arrived))
    }

    /// First to last token.
    pub fn decode(&self) -> Option<Duration> {
        Some(self.last_token?.since(self.first_token?))
    }

    /// How it ended; unknown where it has not.
    pub const fn outcome(&self) -> Outcome {
        match (self.finish, self.refused) {
            (Some(Finish::Stop | Finish::Length), _) => Outcome::Ok,
            (Some(Finish::Cancelled), _) => Outcome::Cancelled,
            (None, Some(_)) => Outcome::Failed,
            (None, None) => Outcome::Unknown,
        }
    }

    /// The request as the server's own observer records it, with the wall time of the start.
    ///
    /// # Shape
    /// What did not happen is absent. `cached` is known once the request was scheduled, `output` as
    /// long as it was not refused.
    pub fn record(&self, start: WallTime) -> RequestRecord {
        let mut record = RequestRecord::default();
        record.id = Some(format!("sim-{}", self.id.0));
        record.session.clone_from(&self.session);
        record.started = known(start.plus(self.arrived.since_start()));
        record.tokens.prompt = known(Some(self.prompt));
        record.tokens.cached = known(self.scheduled.map(|_| self.cached));
        record.tokens.output = known(self.refused.is_none().then_some(self.output));
        for (stretch, took) in [
            (Stretch::ServerTtft, self.ttft()),
            (Stretch::ServerE2e, self.e2e_latency()),
            (Stretch::Queue, self.queue()),
            (Stretch::PrefillCompute, self.first_token.map(|_| self.compute.since_start())),
            (Stretch::ServerDecode, self.decode()),
        ] {
            record.spans.set(stretch, known(took));
        }
        record.gaps = gaps(&self.token_times);
        record.outcome = self.outcome();
        record
    }
}

fn known<T>(value: Option<T>) -> Known<T> {
    value.map_or_else(Known::default, |value| Known::is(value, By::Measured))
}

fn gaps(times: &[SimTime]) -> Vec<Duration> {
    times.iter().zip(times.iter().skip(1)).map(|(from, to)| to.since(*from)).collect()
}

fn more(tokens: &mut Tokens, by: Tokens) {
    *tokens = Tokens::new(tokens.get().saturating_add(by.get()));
}

/// What happened to every request, in order of their numbers.
///
/// # Shape
/// It is made from events alone and knows nothing of the engine. Events of a request whose arrival it
/// has not seen are counted in [`Ledger::strays`] and change nothing else, so that a ledger begun late
/// counts what began late.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ledger {
    entries: Vec<LedgerEntry>,
    keeps: Keeps,
    strays: u64,
}

/// Whether the time of every token is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Keeps {
    #[default]
    EveryToken,
    FirstAndLast,
}

impl Ledger {
    /// An empty ledger that keeps of each request's tokens the times of the first and the last alone:
    /// 8 bytes a token less.
    #[must_use]
    pub fn without_token_times() -> Self {
        Self { keeps: Keeps::FirstAndLast, ..Self::default() }
    }

    /// The requests, in order of their numbers.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &LedgerEntry> {
        self.entries.iter()
    }

    /// One request.
    pub fn get(&self, id: RequestId) -> Option<&LedgerEntry> {
        self.place(id).and_then(|at| self.entries.get(at))
    }

    /// Events of requests whose arrival is not in this ledger.
    pub const fn strays(&self) -> u64 {
        self.strays
    }

    fn place(&self, id: RequestId) -> Option<usize> {
        // Numbers are dense as long as nothing was left out.
        let guess = self.entries.first().and_then(|first| id.0.checked_sub(first.id.0));
        let guess = guess.and_then(|at| usize::try_from(at).ok());
        guess
            .filter(|at| self.entries.get(*at).is_some_and(|entry| entry.id == id))
            .or_else(|| self.entries.binary_search_by_key(&id, |entry| entry.id).ok())
    }

    /// Enters an event.
    pub fn record(&mut self, event: &Event) {
        match &event.what {
            Happening::Queued { prompt, session } => {
                let mut entry = LedgerEntry::new(event.request, event.at, *prompt);
                entry.session = session.as_deref().map(str::to_owned);
                self.enter(entry);
            }
            Happening::Refused { prompt, why } => {
                let mut entry = LedgerEntry::new(event.request, event.at, *prompt);
                entry.refused = Some(*why);
                entry.finished = Some(event.at);
                self.enter(entry);
            }
            what => {
                let keeps = self.keeps;
                match self.place(event.request).and_then(|at| self.entries.get_mut(at)) {
                    Some(entry) => entry.happened(event.at, what, keeps),
                    None => self.strays += 1,
                }
            }
        }
    }

    fn enter(&mut self, entry: LedgerEntry) {
        match self.entries.last() {
            Some(last) if last.id >= entry.id => self.strays += 1,
            _ => self.entries.push(entry),
        }
    }

    /// What a server that counts correctly has counted, as of all events entered.
    ///
    /// # Formula
    /// Requests: those that ended, cancelled ones apart, refused ones in neither. Prompt and new
    /// tokens: those of requests that have their first token. Output tokens: all that came.
    pub fn counts(&self, at: Known<WallTime>) -> ServerCounters {
        let by = By::Measured;
        let of = |counted: &dyn Fn(&LedgerEntry) -> u64| {
            Known::is(self.entries.iter().map(counted).sum::<u64>(), by)
        };
        let ended = |entry: &LedgerEntry, outcome| u64::from(entry.outcome() == outcome);
        let begun = |entry: &LedgerEntry, n: Tokens| entry.first_token.map_or(0, |_| n.get());
        let mut engine = EngineCounts::default();
        engine.set(Count::Requests, of(&|entry| ended(entry, Outcome::Ok)));
        engine.set(Count::Aborted, of(&|entry| ended(entry, Outcome::Cancelled)));
        engine.set(Count::PromptTokens, of(&|entry| begun(entry, entry.prompt)));
        engine.set(Count::NewTokens, of(&|entry| begun(entry, entry.computed)));
        engine.set(Count::OutputTokens, of(&|entry| entry.output.get()));
        let mut counters = ServerCounters::default();
        "trueline-sim".clone_into(&mut counters.server);
        counters.at = at;
        counters.counting = Counting::AsServed;
        counters.engines = vec![engine];
        let open = |entry: &LedgerEntry, scheduled| {
            u64::from(entry.outcome() == Outcome::Unknown && entry.scheduled.is_some() == scheduled)
        };
        counters.running = of(&|entry| open(entry, true));
        counters.waiting = of(&|entry| open(entry, false));
        counters
    }

    /// Writes the ledger as JSON Lines, one request a line, in order of their numbers.
    ///
    /// # Errors
    /// What the writer fails with.
    pub fn write(&self, mut to: impl Write) -> io::Result<()> {
        for entry in &self.entries {
            serde_json::to_writer(&mut to, entry)?;
            to.write_all(b"\n")?;
        }
        to.flush()
    }
}

impl LedgerEntry {
    fn happened(&mut self, at: SimTime, what: &Happening, keeps: Keeps) {
        match what {
            Happening::Queued { .. } | Happening::Refused { .. } => {}
            Happening::Scheduled { cached } => {
                self.scheduled.get_or_insert(at);
                more(&mut self.cached, *cached);
            }
            Happening::Prefilled { new, again, compute } => {
                more(&mut self.computed, *new);
                more(&mut self.again, *again);
                if self.first_token.is_none() {
                    self.compute = self.compute.plus(*compute);
                }
            }
            Happening::Tokens { n } => {
                self.first_token.get_or_insert(at);
                self.last_token = Some(at);
                more(&mut self.output, *n);
                if keeps == Keeps::EveryToken {
                    self.token_times.extend((0..n.get()).map(|_| at));
                }
            }
            Happening::Preempted => self.preemptions += 1,
            Happening::Finished { reason } => {
                self.finished = Some(at);
                self.finish = Some(*reason);
            }
        }
    }
}
