//! What has happened to one request so far, and what a server says of it.

use std::time::Duration;

use serde_json::{Value, json};
use trueline_core::{Tokens, TokensPerSecond};

use super::faults::Fault;
use crate::{Event, Finish, Happening, SimTime};

/// What has happened to one request so far.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Facts {
    pub(super) prompt: u64,
    /// `None` before it is scheduled.
    pub(super) cached: Option<u64>,
    /// Prompt tokens computed so far, those computed again left out.
    pub(super) computed: u64,
    pub(super) output: u64,
    pub(super) scheduled: Option<SimTime>,
    pub(super) first_token: Option<SimTime>,
    pub(super) last_token: Option<SimTime>,
    pub(super) finish: Option<Finish>,
}

impl Facts {
    pub(super) fn new(prompt: u64) -> Self {
        Self { prompt, ..Self::default() }
    }

    /// Takes in what happened.
    pub(super) fn take(&mut self, event: &Event) {
        match event.what {
            Happening::Scheduled { cached, .. } => {
                self.scheduled.get_or_insert(event.at);
                *self.cached.get_or_insert(0) += cached.get();
            }
            Happening::Prefilled { new, .. } => self.computed += new.get(),
            Happening::Tokens { n } => {
                self.first_token.get_or_insert(event.at);
                self.last_token = Some(event.at);
                self.output += n.get();
            }
            Happening::Finished { reason } => self.finish = Some(reason),
            Happening::Queued { .. } | Happening::Refused { .. } | Happening::Preempted => {}
        }
    }

    /// The reason as the interface names it.
    pub(super) fn finish_reason(&self) -> &'static str {
        match self.finish {
            Some(Finish::Stop) => "stop",
            Some(Finish::Length) => "length",
            Some(Finish::Cancelled) | None => "abort",
        }
    }

    /// The counts of tokens; `None` where the server leaves them out.
    pub(super) fn usage(&self, faults: &[Fault], asked_output: u64) -> Option<Value> {
        if faults.contains(&Fault::UsageMissing) {
            return None;
        }
        let (prompt, output, cached) = if faults.contains(&Fault::UsageInvented) {
            (self.prompt.saturating_mul(2), asked_output, 0)
        } else {
            (self.prompt, self.output, self.cached.unwrap_or(0))
        };
        let mut usage = json!({
            "prompt_tokens": prompt,
            "completion_tokens": output,
            "total_tokens": prompt.saturating_add(output),
            "prompt_tokens_details": {"cached_tokens": cached},
        });
        if let Some(thought) = reasoning(faults) {
            let thought = thought.min(output);
            usage["completion_tokens_details"] = json!({"reasoning_tokens": thought});
        }
        Some(usage)
    }

    /// The server's own times and rates, under the names of llama.cpp.
    ///
    /// # Formula
    /// `prompt_ms` is from scheduled to first token, `prompt_per_second` the new tokens over it;
    /// `predicted_ms` from first to last token, `predicted_per_second` the tokens after the first over
    /// it. [`Fault::RateCountsCached`] counts all prompt tokens in the rate;
    /// [`Fault::RateLeavesTimeOut`] takes for `prompt_ms` what the new tokens alone need at `prefill`.
    pub(super) fn timings(&self, faults: &[Fault], prefill: TokensPerSecond) -> Option<Value> {
        let (scheduled, first) = (self.scheduled?, self.first_token?);
        let cached = self.cached?;
        let new = self.prompt.saturating_sub(cached);
        let mut prompt_ms = milliseconds(first.since(scheduled));
        if faults.contains(&Fault::RateLeavesTimeOut) {
            prompt_ms = Tokens::new(new).as_f64() / prefill.get() * 1e3;
        }
        let counted = if faults.contains(&Fault::RateCountsCached) { self.prompt } else { new };
        let predicted_ms = milliseconds(self.last_token?.since(first));
        let steps = self.output.saturating_sub(1);
        Some(json!({
            "cache_n": cached,
            "prompt_n": new,
            "prompt_ms": prompt_ms,
            "prompt_per_second": per_second(counted, prompt_ms),
            "predicted_n": self.output,
            "predicted_ms": predicted_ms,
            "predicted_per_second": per_second(steps, predicted_ms),
        }))
    }
}

/// How many tokens come as reasoning.
pub(super) fn reasoning(faults: &[Fault]) -> Option<u64> {
    faults.iter().find_map(|fault| match fault {
        Fault::Reasoning(n) => Some(u64::from(*n)),
        _ => None,
    })
}

fn milliseconds(took: Duration) -> f64 {
    took.as_secs_f64() * 1e3
}

/// A rate; 0 where no time passed, as llama.cpp says of an answer of one token.
fn per_second(tokens: u64, ms: f64) -> f64 {
    if ms > 0.0 { Tokens::new(tokens).as_f64() * 1e3 / ms } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RequestId;

    fn prefilled(new: u64) -> Happening {
        let compute = Duration::from_secs(1);
        Happening::Prefilled { new: Tokens::new(new), again: Tokens::new(0), compute }
    }

    fn facts() -> Facts {
        let mut facts = Facts::new(1_000);
        let happened = [
            (0, Happening::Scheduled { cached: Tokens::new(600), slot: 0 }),
            (2_000, prefilled(400)),
            (2_000, Happening::Tokens { n: Tokens::new(1) }),
            (2_100, Happening::Tokens { n: Tokens::new(1) }),
            (2_100, Happening::Finished { reason: Finish::Length }),
        ];
        for (ms, what) in happened {
            let at = SimTime::from_nanos(ms * 1_000_000);
            facts.take(&Event { at, request: RequestId(0), what });
        }
        facts
    }

    fn rate(faults: &[Fault]) -> f64 {
        let prefill = TokensPerSecond::new(400.0).unwrap();
        facts().timings(faults, prefill).unwrap()["prompt_per_second"].as_f64().unwrap()
    }

    /// 400 new tokens in 2 s are 200 tok/s; all 1,000 in 2 s are 500; 400 at the model's 400 tok/s
    /// alone are 400.
    #[test]
    fn the_prefill_rate_is_honest_unless_a_fault_says_otherwise() {
        assert!((rate(&[]) - 200.0).abs() < 1e-9);
        assert!((rate(&[Fault::RateCountsCached]) - 500.0).abs() < 1e-9);
        assert!((rate(&[Fault::RateLeavesTimeOut]) - 400.0).abs() < 1e-9);
    }

    /// One step of 100 ms: 10 tok/s for two tokens.
    #[test]
    fn the_decode_rate_counts_steps() {
        let timings = facts().timings(&[], TokensPerSecond::new(400.0).unwrap()).unwrap();
        assert_eq!(timings["predicted_per_second"], json!(10.0));
        assert_eq!((&timings["cache_n"], &timings["prompt_n"]), (&json!(600), &json!(400)));
    }

    #[test]
    fn usage_is_true_missing_or_invented() {
        let usage = facts().usage(&[], 64).unwrap();
        assert_eq!(
            (&usage["prompt_tokens"], &usage["completion_tokens"]),
            (&json!(1_000), &json!(2))
        );
        assert_eq!(usage["prompt_tokens_details"]["cached_tokens"], json!(600));
        assert_eq!(facts().usage(&[Fault::UsageMissing], 64), None);
        let invented = facts().usage(&[Fault::UsageInvented], 64).unwrap();
        assert_eq!(invented["prompt_tokens"], json!(2_000));
        assert_eq!(invented["completion_tokens"], json!(64));
    }

    #[test]
    fn nothing_is_said_of_a_request_that_has_no_token() {
        assert_eq!(Facts::new(5).timings(&[], TokensPerSecond::new(1.0).unwrap()), None);
    }
}
