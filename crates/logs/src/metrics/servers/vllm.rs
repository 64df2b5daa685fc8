//! vLLM's metrics.

use trueline_core::{Count, Counting};

use crate::metrics::table::{MetricsServer, Series, Source, Unlisted};

/// Source: `vllm/v1/metrics/loggers.py` and `stats.py`; the older names from V0. Read
/// 2026-11.
///
/// Prompt tokens are counted with the first output token, cached ones included. A later version
/// counts the cached ones apart; `prefix_cache_hits_total` of earlier ones counts preempted requests
/// again and is not read. Names with `_` for `:` come from Ray and from relays.
pub(super) const VLLM: MetricsServer = MetricsServer {
    name: "vllm",
    versions: "V0 (with `num_requests_swapped`) and V1",
    counting: Counting::AsServed,
    note: "requests that a client gave up are in no count in several versions; each sample of `n` \
           is a request",
    significant_digits: None,
    prefixes: &["vllm:", "vllm_", "ray_vllm_"],
    counts: &[
        Source::new(Count::Requests, "request_success_total", Unlisted::ZeroIfDeclared)
            .of(Series::Except("finished_reason", "abort")),
        Source::new(Count::Aborted, "request_success_total", Unlisted::ZeroIfDeclared)
            .of(Series::Only("finished_reason", "abort")),
        Source::new(Count::PromptTokens, "prompt_tokens_total", Unlisted::ZeroIfDeclared),
        Source::new(Count::OutputTokens, "generation_tokens_total", Unlisted::ZeroIfDeclared),
    ],
    cached: Some(("prompt_tokens_cached_total", Unlisted::Unknown)),
    running: &["num_requests_running", "num_requests_swapped"],
    waiting: &["num_requests_waiting"],
    split_by: &["finished_reason"],
    copied_by: &[],
    total_by: None,
};
