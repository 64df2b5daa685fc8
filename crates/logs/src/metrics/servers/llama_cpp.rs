//! llama.cpp's server's metrics.

use trueline_core::{Count, Counting};

use crate::metrics::table::{MetricsServer, Source, Unlisted};

/// Source: our own captures of b11434, and the help texts in them. Its `server-task.cpp` writes each
/// value, a double, to a `std::stringstream` as it is, which is six significant digits.
///
/// There is no count of requests. A stream that was cut during decode is counted; one cut during
/// prefill is not. The two rates that it publishes are since the last scrape, whoever made it.
pub(super) const LLAMA_CPP: MetricsServer = MetricsServer {
    name: "llama.cpp",
    versions: "b11434 (captured); builds without a count of cached tokens",
    counting: Counting::WhenFinished,
    note: "started with `--metrics`; counts no requests; `prompt_tokens_total` leaves cached tokens \
           out; requests cut during prefill are in no count; six significant digits: beyond 999,999 a \
           count is known in steps of 10 and more",
    significant_digits: Some(6),
    prefixes: &["llamacpp:", "llamacpp_"],
    counts: &[
        Source::new(Count::NewTokens, "prompt_tokens_total", Unlisted::Unknown),
        Source::new(Count::OutputTokens, "tokens_predicted_total", Unlisted::Unknown),
        Source::new(Count::DecodeSteps, "n_decode_total", Unlisted::Unknown),
    ],
    cached: Some(("prompt_tokens_cached_total", Unlisted::Unknown)),
    running: &["requests_processing"],
    waiting: &["requests_deferred"],
    split_by: &[],
    copied_by: &[],
    total_by: None,
};
