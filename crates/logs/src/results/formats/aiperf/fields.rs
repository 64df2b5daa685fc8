//! What the metrics of AIPerf mean: one table for its JSON, CSV and console.

use trueline_core::{
    Definition, Deviation, Each, FirstToken, Mark, Metric, Percentiles, Side, TokensBy, Total,
};

use super::field::{Counts, Field};

const TIME: Definition = Definition::new(Mark::Sent, Mark::LastToken, Side::Client)
    .spread(Percentiles::Linear, Deviation::Population);

const DECODING: Definition =
    TIME.between(Mark::FirstToken, Mark::LastToken).first_token(FirstToken::Out);

const TTFT: Definition = TIME
    .between(Mark::Sent, Mark::FirstToken)
    .note("to the first chunk with content; reasoning is content");

const TPOT: Definition = DECODING
    .tokens_by(TokensBy::Tool)
    .note("called inter token latency; the tokens of the first chunk count as one where the server does not say");

const ITL: Definition = DECODING.each(Each::Chunk).note("called inter chunk latency");

const SEND_DELAY: Definition =
    TIME.between(Mark::Intended, Mark::Sent).note("from the credit of the load plan to the send");

const PREFILL: Definition = TIME
    .between(Mark::Sent, Mark::FirstToken)
    .first_token(FirstToken::In)
    .tokens_by(TokensBy::Tool)
    .note("the whole prompt over TTFT, cached tokens included");

const DECODE: Definition =
    DECODING.tokens_by(TokensBy::Tool).note("1 over the inter token latency of a request");

const LENGTH: Definition = TIME.between(Mark::Sent, Mark::Closed);

const OWN_LENGTH: Definition = LENGTH.tokens_by(TokensBy::Tool);

const SERVER_LENGTH: Definition = LENGTH.tokens_by(TokensBy::Server);

/// Over the whole phase: longer than the stated benchmark duration, which begins with the first
/// request and ends with the last reply.
const RATE: Definition = Definition::new(Mark::Sent, Mark::Closed, Side::Client)
    .each(Each::Run)
    .note("over the phase from start_time to end_time, not over benchmark_duration");

const TOKEN_RATE: Definition = RATE.tokens_by(TokensBy::Tool);

const IN_FLIGHT: Definition = Definition::new(Mark::Sent, Mark::Closed, Side::Client)
    .each(Each::Run)
    .note("weighted by time over the phase");

const HIT_SHARE: Definition = Definition::new(Mark::Sent, Mark::Closed, Side::Client)
    .each(Each::Run)
    .tokens_by(TokensBy::Server);

/// The metrics that mean something here, and those whose names no family covers.
pub(super) const FIELDS: &[Field] = &[
    Field::run("request_throughput", "Request Throughput", Metric::RequestPerS, RATE),
    Field::run("goodput", "Goodput", Metric::GoodputRequestPerS, RATE),
    Field::run(
        "output_token_throughput",
        "Output Token Throughput",
        Metric::OutputTokPerS,
        TOKEN_RATE,
    ),
    Field::run(
        "input_token_throughput",
        "Input Token Throughput",
        Metric::InputTokPerS,
        TOKEN_RATE,
    ),
    Field::run(
        "total_token_throughput",
        "Total Token Throughput",
        Metric::TotalTokPerS,
        TOKEN_RATE,
    ),
    Field::run("effective_concurrency", "Effective Concurrency", Metric::Concurrency, IN_FLIGHT)
        .with_largest(Metric::PeakConcurrency, IN_FLIGHT.note("requests that overlap")),
    Field::run(
        "overall_usage_prompt_cache_read_pct",
        "Overall Usage Prompt Cache Read %",
        Metric::CacheHitShare,
        HIT_SHARE,
    ),
    Field::spread("request_latency", "Request Latency", Metric::E2eLatencyS, TIME),
    Field::spread("time_to_first_token", "Time to First Token", Metric::TtftS, TTFT),
    Field::spread("inter_token_latency", "Inter Token Latency", Metric::TpotS, TPOT),
    Field::spread("inter_chunk_latency", "Inter Chunk Latency", Metric::ItlS, ITL),
    Field::spread(
        "credit_to_start_latency",
        "Credit-to-Start Latency",
        Metric::SendDelayS,
        SEND_DELAY,
    ),
    Field::spread(
        "output_token_throughput_per_user",
        "Output Token Throughput Per User",
        Metric::DecodeTokPerS,
        DECODE,
    ),
    Field::spread(
        "prefill_throughput_per_user",
        "Prefill Throughput Per User",
        Metric::PrefillTokPerS,
        PREFILL,
    ),
    Field::spread(
        "input_sequence_length",
        "Input Sequence Length",
        Metric::PromptTokens,
        OWN_LENGTH,
    )
    .by(Counts::OwnPrompt),
    Field::spread(
        "output_sequence_length",
        "Output Sequence Length",
        Metric::OutputTokens,
        OWN_LENGTH,
    )
    .by(Counts::OwnOutput),
    Field::spread(
        "usage_prompt_tokens",
        "Usage Prompt Tokens",
        Metric::PromptTokens,
        SERVER_LENGTH,
    )
    .by(Counts::ServerPrompt),
    Field::spread(
        "usage_completion_tokens",
        "Usage Completion Tokens",
        Metric::OutputTokens,
        SERVER_LENGTH,
    )
    .by(Counts::ServerOutput),
    Field::total("total_isl", "Total Input Sequence Length", Total::PromptTokens)
        .by(Counts::OwnPrompt),
    Field::total("total_osl", "Total Output Sequence Length", Total::OutputTokens)
        .by(Counts::OwnOutput),
    Field::total("total_usage_prompt_tokens", "Total Usage Prompt Tokens", Total::PromptTokens)
        .by(Counts::ServerPrompt),
    Field::total(
        "total_usage_completion_tokens",
        "Total Usage Completion Tokens",
        Total::OutputTokens,
    )
    .by(Counts::ServerOutput),
    Field::total(
        "total_usage_prompt_cache_read_tokens",
        "Total Usage Prompt Cache Read Tokens",
        Total::CachedTokens,
    ),
    Field::total(
        "total_usage_reasoning_tokens",
        "Total Usage Reasoning Tokens",
        Total::ReasoningTokens,
    ),
    Field::elsewhere("request_count", "Request Count"),
    Field::elsewhere("completed_request_count", "Completed Requests (Success + Error)"),
    Field::elsewhere("error_request_count", "Error Request Count"),
    Field::elsewhere("benchmark_duration", "Benchmark Duration"),
    Field::elsewhere("replay_sched_degraded", "Replay Schedule Degraded"),
    Field::unused("request_error_rate", "Request Error Rate"),
    Field::unused("good_request_count", "Good Request Count"),
    Field::unused("good_request_fraction", "GoodRequestFraction"),
    Field::unused("context_overflow_count", "Context Overflow Count"),
    Field::unused("time_to_second_token", "Time to Second Token"),
    // Reasoning is left out of it, and a run has one TTFT.
    Field::unused("time_to_first_output_token", "Time to First Output Token"),
    // From the credit on; a run has one end-to-end latency.
    Field::unused("effective_latency", "Effective Latency (CO-aware)"),
    Field::unused("decode_duration", "Decode Duration"),
    Field::unused("e2e_output_token_throughput", "E2E Output Token Throughput"),
    Field::unused("output_token_count", "Output Token Count"),
    Field::unused("total_output_tokens", "Total Output Tokens"),
    Field::unused("reasoning_token_count", "Reasoning Token Count"),
    Field::unused("total_reasoning_tokens", "Total Reasoning Tokens"),
    Field::unused("tokens_in_flight", "Tokens In Flight"),
    Field::unused("credit_drop_latency", "Credit Drop Latency"),
    Field::unused("min_request_timestamp", "Minimum Request Timestamp"),
    Field::unused("max_response_timestamp", "Maximum Response Timestamp"),
    Field::unused("rtfx", "Inverse Real-Time Factor (RTFx)"),
];

/// How the names of families begin that are known and not used: traces of the connection, further
/// usage counts, sweeps over the time line, telemetry. In small letters with underscores.
const FAMILIES: &[&str] = &[
    "http_",
    "usage_",
    "total_usage_",
    "effective_",
    "active_",
    "adj_",
    "network_",
    "network-",
    "replay_",
    "osl_mismatch",
    "requested_osl",
    "spec_decode_",
    "total_spec_decode_",
    "acceptance_",
    "draft_",
    "accepted_",
    "total_draft_",
    "total_accepted_",
    "token-weighted_",
    "overall_draft_",
    "nvidia_",
    "amd_",
    "energy_",
    "performance_per_watt",
    "average_gpu_",
    "total_gpu_",
    "output_tokens_per_",
    "goodput_per_watt",
    "stream_",
    "image_",
    "number_of_images",
    "num_images",
    "video_",
    "audio_",
    "error_i",
    "total_error_",
    "thinking_",
    "overall_thinking_",
    "theoretical_",
];

/// Whether a metric belongs to a family that is known and not used, by its tag or printed name.
pub(super) fn is_of_family(label: &str) -> bool {
    let plain = label.to_ascii_lowercase().replace(' ', "_");
    FAMILIES.iter().any(|family| plain.starts_with(family)) || plain.contains("(error-adjusted)")
}
