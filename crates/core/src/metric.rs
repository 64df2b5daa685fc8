//! The names of what is measured.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A quantity that a claim can be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Time to first token, seconds.
    TtftS,
    /// Gap between two token-bearing chunks, seconds.
    ItlS,
    /// Time per output token after the first, seconds.
    TpotS,
    /// Request sent to last token, seconds.
    E2eLatencyS,
    /// Waiting for a slot, seconds.
    QueueS,
    /// New prompt tokens over TTFT, tok/s.
    PrefillTokPerS,
    /// Output tokens after the first over decode time, tok/s.
    DecodeTokPerS,
    /// Output tokens over the run's wall time, tok/s.
    OutputTokPerS,
    /// Prompt and output tokens over the run's wall time, tok/s.
    TotalTokPerS,
    /// Finished requests over the run's wall time, 1/s.
    RequestPerS,
    /// Requests within every stated limit over the run's wall time, 1/s.
    GoodputRequestPerS,
    /// Cached over prompt tokens, 0 to 1.
    CacheHitShare,
    /// End-to-end latency over output tokens, seconds: what some tools call TPOT or ITL. The first
    /// token's wait is in it.
    E2ePerTokenS,
    /// Intended to sent: what a request waits in the client, seconds.
    SendDelayS,
    /// Prompt tokens, cached ones included, over the run's wall time, tok/s. No prefill rate.
    InputTokPerS,
    /// Output tokens in the fullest second of a run, tok/s.
    PeakOutputTokPerS,
    /// Requests in flight, as the mean over a run.
    Concurrency,
    /// Requests in flight at most.
    PeakConcurrency,
    /// Prompt length, tokens.
    PromptTokens,
    /// Output length, tokens.
    OutputTokens,
}

impl Metric {
    /// All of them.
    pub const ALL: [Self; 20] = [
        Self::TtftS,
        Self::ItlS,
        Self::TpotS,
        Self::E2eLatencyS,
        Self::QueueS,
        Self::PrefillTokPerS,
        Self::DecodeTokPerS,
        Self::OutputTokPerS,
        Self::TotalTokPerS,
        Self::RequestPerS,
        Self::GoodputRequestPerS,
        Self::CacheHitShare,
        Self::E2ePerTokenS,
        Self::SendDelayS,
        Self::InputTokPerS,
        Self::PeakOutputTokPerS,
        Self::Concurrency,
        Self::PeakConcurrency,
        Self::PromptTokens,
        Self::OutputTokens,
    ];

    /// The name used everywhere, unit included.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TtftS => "ttft_s",
            Self::ItlS => "itl_s",
            Self::TpotS => "tpot_s",
            Self::E2eLatencyS => "e2e_latency_s",
            Self::QueueS => "queue_s",
            Self::PrefillTokPerS => "prefill_tok_per_s",
            Self::DecodeTokPerS => "decode_tok_per_s",
            Self::OutputTokPerS => "output_tok_per_s",
            Self::TotalTokPerS => "total_tok_per_s",
            Self::RequestPerS => "request_per_s",
            Self::GoodputRequestPerS => "goodput_request_per_s",
            Self::CacheHitShare => "cache_hit_share",
            Self::E2ePerTokenS => "e2e_per_token_s",
            Self::SendDelayS => "send_delay_s",
            Self::InputTokPerS => "input_tok_per_s",
            Self::PeakOutputTokPerS => "peak_output_tok_per_s",
            Self::Concurrency => "concurrency",
            Self::PeakConcurrency => "peak_concurrency",
            Self::PromptTokens => "prompt_tokens",
            Self::OutputTokens => "output_tokens",
        }
    }

    /// How a value of it is written for people: unit and what it is.
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::TtftS => ("s", "TTFT"),
            Self::ItlS => ("s", "ITL"),
            Self::TpotS => ("s", "TPOT"),
            Self::E2eLatencyS => ("s", "end-to-end latency"),
            Self::QueueS => ("s", "queue"),
            Self::PrefillTokPerS => ("tok/s", "prefill"),
            Self::DecodeTokPerS => ("tok/s", "decode"),
            Self::OutputTokPerS => ("tok/s", "output"),
            Self::TotalTokPerS => ("tok/s", "prompt and output"),
            Self::RequestPerS => ("requests/s", ""),
            Self::GoodputRequestPerS => ("requests/s", "goodput"),
            Self::CacheHitShare => ("", "cache-hit share"),
            Self::E2ePerTokenS => ("s", "end-to-end latency per output token"),
            Self::SendDelayS => ("s", "wait in the client"),
            Self::InputTokPerS => ("tok/s", "input over the whole run"),
            Self::PeakOutputTokPerS => ("tok/s", "peak output"),
            Self::Concurrency => ("requests", "in flight"),
            Self::PeakConcurrency => ("requests", "in flight at most"),
            Self::PromptTokens => ("tokens", "prompt length"),
            Self::OutputTokens => ("tokens", "output length"),
        }
    }

    /// Whether a larger value is the better one; `None` where neither is.
    pub const fn higher_is_better(self) -> Option<bool> {
        match self {
            Self::TtftS
            | Self::ItlS
            | Self::TpotS
            | Self::E2eLatencyS
            | Self::QueueS
            | Self::E2ePerTokenS
            | Self::SendDelayS => Some(false),
            Self::CacheHitShare
            | Self::Concurrency
            | Self::PeakConcurrency
            | Self::PromptTokens
            | Self::OutputTokens => None,
            _ => Some(true),
        }
    }

    /// A metric by name, with the factor that brings its unit to ours. Names in `_ms` and `_us`
    /// are taken for those in `_s`.
    ///
    /// # Errors
    /// An unknown name; the error lists the known ones.
    pub fn parse_with_unit(name: &str) -> Result<(Self, f64), UnknownMetric> {
        let found = |full: &str| Self::ALL.into_iter().find(|m| m.name() == full);
        if let Some(metric) = found(name) {
            return Ok((metric, 1.0));
        }
        for (suffix, factor) in [("_ms", 1e-3), ("_us", 1e-6)] {
            if let Some(metric) =
                name.strip_suffix(suffix).and_then(|stem| found(&format!("{stem}_s")))
                && metric.words().0 == "s"
            {
                return Ok((metric, factor));
            }
        }
        Err(UnknownMetric { name: name.to_owned() })
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A metric name that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a metric, one of {}; found {name:?}", list())]
pub struct UnknownMetric {
    name: String,
}

fn list() -> String {
    Metric::ALL.map(Metric::name).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_milliseconds_are_taken_and_converted() {
        assert_eq!(Metric::parse_with_unit("tpot_ms").unwrap(), (Metric::TpotS, 1e-3));
        assert_eq!(Metric::parse_with_unit("ttft_us").unwrap(), (Metric::TtftS, 1e-6));
        let error = Metric::parse_with_unit("speed").unwrap_err().to_string();
        assert!(error.contains("prefill_tok_per_s") && error.contains("speed"), "{error}");
        assert!(Metric::parse_with_unit("prefill_tok_per_ms").is_err());
    }
}
