//! What a server says of its own counts.

use std::borrow::Cow;

use serde::Deserialize;
use trueline_core::{By, Known, ReportedRate, TokenCounts, Tokens, Why};

use super::fields::{Count, Rate};

/// `usage` of OpenAI's interfaces.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Usage {
    #[serde(default)]
    prompt_tokens: Count,
    #[serde(default)]
    completion_tokens: Count,
    #[serde(default)]
    prompt_tokens_details: Option<Details>,
}

#[derive(Debug, Default, Deserialize)]
struct Details {
    #[serde(default)]
    cached_tokens: Count,
}

impl Usage {
    pub(super) fn counts(&self) -> TokenCounts {
        let cached = self.prompt_tokens_details.as_ref().map(|details| details.cached_tokens.0);
        TokenCounts {
            prompt: self.prompt_tokens.0,
            cached: cached.unwrap_or_default(),
            output: self.completion_tokens.0,
        }
    }
}

/// `timings` of llama.cpp.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Timings {
    #[serde(default)]
    cache_n: Count,
    #[serde(default)]
    prompt_n: Count,
    #[serde(default)]
    predicted_n: Count,
    #[serde(default)]
    prompt_per_second: Option<Rate>,
}

impl Timings {
    /// # Formula
    /// `prompt_n` leaves cached tokens out: the prompt is `cache_n + prompt_n`.
    ///
    /// # Source
    /// llama.cpp b11434, `tools/server`: `usage.prompt_tokens` is that sum in every reply seen.
    pub(super) fn counts(&self) -> TokenCounts {
        let sum = |cached: Tokens, new: Tokens| {
            let sum = cached.get().checked_add(new.get());
            sum.map_or(Known::Not(Why::Impossible), |n| Known::is(Tokens::new(n), By::Reported))
        };
        TokenCounts {
            prompt: match (self.cache_n.0, self.prompt_n.0) {
                (Known::Is { value: cached, .. }, Known::Is { value: new, .. }) => sum(cached, new),
                (Known::Not(why), _) | (_, Known::Not(why)) => Known::Not(why),
            },
            cached: self.cache_n.0,
            output: self.predicted_n.0,
        }
    }

    /// The prefill rate that the server states.
    pub(super) fn rate(&self) -> Option<ReportedRate> {
        let Rate(rate) = self.prompt_per_second?;
        Some(ReportedRate { field: Cow::Borrowed("timings.prompt_per_second"), rate })
    }
}

/// Counts as one part of a reply has them, else as another does; where neither does, why not.
pub(super) fn first_known(first: TokenCounts, then: TokenCounts) -> TokenCounts {
    let either = |first: Known<Tokens>, then: Known<Tokens>| match (first, then) {
        (Known::Not(Why::Absent), then) => then,
        (first, then) if then.is_known() => first.or(then),
        (first, _) => first,
    };
    TokenCounts {
        prompt: either(first.prompt, then.prompt),
        cached: either(first.cached, then.cached),
        output: either(first.output, then.output),
    }
}
