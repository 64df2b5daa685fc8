//! One request as it really went.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use trueline_core::{By, Known, Outcome, RequestRecord, Stretch, Tokens, WallTime};

use crate::time::nanos;
use crate::{Finish, Happening, Refused, RequestId, SimTime};

/// Whether the time of every token is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Keeps {
    #[default]
    EveryToken,
    FirstAndLast,
}

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
    /// Its place among the running ones, the last that it had.
    pub slot: Option<u32>,
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
    #[serde(rename = "prefill_compute_ns", with = "nanos")]
    pub compute: Duration,
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
    pub(crate) fn new(id: RequestId, arrived: SimTime, prompt: Tokens) -> Self {
        Self {
            id,
            session: None,
            arrived,
            scheduled: None,
            slot: None,
            first_token: None,
            last_token: None,
            finished: None,
            prompt,
            cached: Tokens::default(),
            computed: Tokens::default(),
            again: Tokens::default(),
            compute: Duration::ZERO,
            output: Tokens::default(),
            preemptions: 0,
            finish: None,
            refused: None,
            token_times: Vec::new(),
        }
    }

    /// Its id in logs and answers: `sim-` and its number.
    pub fn name(&self) -> String {
        format!("sim-{}", self.id.0)
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
        record.id = Some(self.name());
        record.session.clone_from(&self.session);
        record.started = known(start.plus(self.arrived.since_start()));
        record.tokens.prompt = known(Some(self.prompt));
        record.tokens.cached = known(self.scheduled.map(|_| self.cached));
        record.tokens.output = known(self.refused.is_none().then_some(self.output));
        for (stretch, took) in [
            (Stretch::ServerTtft, self.ttft()),
            (Stretch::ServerE2e, self.e2e_latency()),
            (Stretch::Queue, self.queue()),
            (Stretch::PrefillCompute, self.first_token.map(|_| self.compute)),
            (Stretch::ServerDecode, self.decode()),
        ] {
            record.spans.set(stretch, known(took));
        }
        record.gaps = gaps(&self.token_times);
        record.outcome = self.outcome();
        record
    }

    /// Enters what happened to it.
    pub(crate) fn happened(&mut self, at: SimTime, what: &Happening, keeps: Keeps) {
        match what {
            Happening::Queued { .. } | Happening::Refused { .. } => {}
            Happening::Scheduled { cached, slot } => {
                self.scheduled.get_or_insert(at);
                self.slot = Some(*slot);
                more(&mut self.cached, *cached);
            }
            Happening::Prefilled { new, again, compute } => {
                more(&mut self.computed, *new);
                more(&mut self.again, *again);
                if self.first_token.is_none() {
                    self.compute = self.compute.saturating_add(*compute);
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

fn known<T>(value: Option<T>) -> Known<T> {
    value.map_or_else(Known::default, |value| Known::is(value, By::Measured))
}

fn gaps(times: &[SimTime]) -> Vec<Duration> {
    times.iter().zip(times.iter().skip(1)).map(|(from, to)| to.since(*from)).collect()
}

fn more(tokens: &mut Tokens, by: Tokens) {
    *tokens = Tokens::new(tokens.get().saturating_add(by.get()));
}
