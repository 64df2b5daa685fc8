//! What the attributes of a span mean.

use trueline_core::Side;

use crate::{FieldMeaning, Holds, Unit};

/// Only vLLM's has this meaning.
pub(super) const PREFILL: &str = "gen_ai.latency.time_in_model_prefill";
/// Prefix of the attributes with times that servers put on their spans.
pub(super) const LATENCY: &str = "gen_ai.latency.";
/// Prefix of the attributes with counts.
pub(super) const USAGE: &str = "gen_ai.usage.";

/// All that are known; those of one quantity stand in the order in which they are preferred.
///
/// # Source
/// vLLM 0.33.0, `tracing/utils.py` and `v1/engine/output_processor.py`; `SGLang` 0.5.23; semantic conventions for
/// generative AI of 2026 (read 2026-11-29).
pub(super) fn all() -> Vec<FieldMeaning> {
    use Holds as H;
    use Unit::{EpochNanoseconds, None, Seconds, Tokens};
    const SERVERS: &str = "vLLM 0.33.0, output_processor.py; SGLang 0.5.23";
    const CONVENTIONS: &str = "OpenTelemetry, semantic conventions for generative AI, 2026";
    const OTLP: &str = "OTLP 1, trace.proto";
    let old = |path, holds, unit| FieldMeaning::new(path, holds, unit).source(SERVERS);
    let time = |path, holds| old(path, holds, Seconds).clock(Side::Server);
    let new = |path, holds, unit| FieldMeaning::new(path, holds, unit).source(CONVENTIONS);
    let span = |path, holds, unit| FieldMeaning::new(path, holds, unit).source(OTLP);
    vec![
        old("gen_ai.request.id", H::Id, None),
        new("gen_ai.response.id", H::Id, None),
        span("spanId", H::Id, None).note("where no attribute has one"),
        new("gen_ai.conversation.id", H::Session, None),
        new("gen_ai.response.model", H::Model, None),
        new("gen_ai.request.model", H::Model, None),
        span("startTimeUnixNano", H::Started, EpochNanoseconds),
        span("endTimeUnixNano", H::Unused, EpochNanoseconds)
            .note("end-to-end latency is this minus the start, where no attribute has it; by \
                   the span's kind a client's or a server's"),
        old("gen_ai.usage.prompt_tokens", H::PromptTokens, Tokens)
            .note("all, cached ones included; how many were cached is not said"),
        new("gen_ai.usage.input_tokens", H::PromptTokens, Tokens).note("cached ones should be included"),
        new("gen_ai.usage.cache_read.input_tokens", H::CachedTokens, Tokens)
            .note("inside gen_ai.usage.input_tokens"),
        new("gen_ai.usage.cache_creation.input_tokens", H::Unused, Tokens)
            .note("computed ones, inside gen_ai.usage.input_tokens"),
        old("gen_ai.usage.completion_tokens", H::OutputTokens, Tokens),
        new("gen_ai.usage.output_tokens", H::OutputTokens, Tokens),
        time("gen_ai.latency.time_to_first_token", H::Ttft).note("queue included"),
        new("gen_ai.response.time_to_first_chunk", H::Unused, Seconds)
            .note("a chunk need not carry a token: no TTFT"),
        time("gen_ai.latency.e2e", H::E2eLatency),
        time("gen_ai.latency.time_in_queue", H::Queue),
        time(PREFILL, H::PrefillCompute).note(
            "scheduled to first token on vLLM's spans alone, preemptions inside; SGLang's holds the queue and is not \
             used, nor is that of an unknown writer",
        ),
        time("gen_ai.latency.time_in_model_decode", H::Decode),
        time("gen_ai.latency.time_in_model_inference", H::Unused).note("scheduled to last token"),
        time("gen_ai.latency.time_in_scheduler", H::Unused).note("before V1"),
        time("gen_ai.latency.time_in_model_forward", H::Unused).note("before V1, over all steps"),
        time("gen_ai.latency.time_in_model_execute", H::Unused).note("before V1, over all steps"),
        new("error.type", H::Unused, None).note("the request failed"),
        span("status.code", H::Outcome, None).note("OK or ERROR; a span that says neither is not known"),
    ]
}
