//! SGLang's metrics.

use trueline_core::{Count, Counting};

use crate::metrics::table::{MetricsServer, Source, Unlisted};

/// Source: `python/sglang/srt/metrics/collector.py`, `observe_one_finished_request`. Read 2026-11.
///
/// Under several processes a counter is listed, and its type declared, from its first count on. The
/// gauges are of each scheduler; with tensor or pipeline ranks they may be repeated, and with
/// priorities they are split beside their total. Cached tokens are split by where they lay.
pub(super) const SGLANG: MetricsServer = MetricsServer {
    name: "sglang",
    versions: "0.4 to 0.5",
    counting: Counting::WhenFinished,
    note: "requests and tokens are counted when a request finishes: drain before and after; \
           `prompt_tokens_total` holds cached tokens, whatever its help says; gauges are refreshed \
           every few dozen decode steps",
    significant_digits: None,
    prefixes: &["sglang:", "sglang_"],
    counts: &[
        Source::new(Count::Requests, "num_requests_total", Unlisted::Zero),
        Source::new(Count::Aborted, "num_aborted_requests_total", Unlisted::Zero),
        Source::new(Count::PromptTokens, "prompt_tokens_total", Unlisted::Zero),
        Source::new(Count::OutputTokens, "generation_tokens_total", Unlisted::Zero),
    ],
    cached: Some(("cached_tokens_total", Unlisted::Zero)),
    running: &["num_running_reqs"],
    waiting: &["num_queue_reqs"],
    split_by: &["is_streaming", "cache_source", "priority", "pid"],
    copied_by: &["tp_rank", "pp_rank", "moe_ep_rank", "pid"],
    total_by: Some("priority"),
};
