//! Text Generation Inference's metrics.

use trueline_core::{Count, Counting};

use crate::metrics::table::{MetricsServer, Source, Unlisted};

/// Source: `router/src/server.rs`, `router/src/validation.rs`, `backends/v3/src` and
/// `docs/source/reference/metrics.md` of version 3. Read 2026-11.
///
/// `tgi_request_count` is not read: a chat request adds to it twice, a call to the tokenizer once.
/// `tgi_request_failure` may count one request under two errors.
pub(super) const TGI: MetricsServer = MetricsServer {
    name: "tgi",
    versions: "2 to 3",
    counting: Counting::WhenFinished,
    note: "prompt tokens are counted as a request comes in, failed and cut ones included, cached \
           tokens too; requests and output tokens only of answers that came to their end",
    significant_digits: None,
    prefixes: &["tgi_"],
    counts: &[
        Source::new(Count::Requests, "request_success", Unlisted::Zero),
        Source::new(Count::PromptTokens, "request_input_length_sum", Unlisted::Zero),
        Source::new(Count::OutputTokens, "request_generated_tokens_sum", Unlisted::Zero),
    ],
    cached: None,
    running: &["batch_current_size"],
    waiting: &["queue_size"],
    split_by: &["kind", "stop_reason"],
    copied_by: &[],
    total_by: None,
};
