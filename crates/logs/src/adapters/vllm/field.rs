//! What the numbers of vLLM's log mean.

use trueline_core::TokenScope::{AllPrompt, NewPrompt, Output};

use crate::{IntervalField, Over, States};

const SERVER: &str = "vllm";
const NAME: &str = "Avg prompt throughput";
const LOGGERS: &str = "vLLM 0.33.0, v1/metrics/loggers.py";
const OLD: &str = "vLLM 0.3 to 0.10, engine/metrics.py";
const ITERATION: &str =
    "vLLM 0.33.0, v1/metrics/loggers.py, with --enable-logging-iteration-details";

const RATE: IntervalField = IntervalField::rate(SERVER, NAME, States::PromptRate);

/// Where the version is not known.
pub(super) static PROMPT_RATE: IntervalField = RATE
    .counting(&[AllPrompt, NewPrompt])
    .note(
        "cached and transferred tokens counted up to 0.14, computed ones alone from 0.24 at the latest (PR 33290 \
         of February 2026)",
    )
    .source("vLLM 0.33.0, v1/metrics/loggers.py; PRs 27569, 33290, 43346");

/// Of versions that count cached tokens.
pub(super) static PROMPT_RATE_ALL: IntervalField = RATE
    .counting(&[AllPrompt])
    .note("cached and transferred tokens counted")
    .source("vLLM up to 0.14; PR 27569");

/// Of versions that count computed tokens alone.
pub(super) static PROMPT_RATE_NEW: IntervalField =
    RATE.counting(&[NewPrompt]).note("computed tokens alone").source("vLLM from 0.24; PR 43346");

pub(super) static OUTPUT_RATE: IntervalField =
    IntervalField::rate(SERVER, "Avg generation throughput", States::OutputRate)
        .counting(&[Output])
        .note("of all requests together")
        .source(LOGGERS);

pub(super) static RUNNING: IntervalField =
    IntervalField::gauge(SERVER, "Running", States::Running).source(LOGGERS);
pub(super) static WAITING: IntervalField = IntervalField::gauge(SERVER, "Waiting", States::Waiting)
    .note("deferred ones included in later versions; Pending before V1")
    .source(LOGGERS);
pub(super) static DEFERRED: IntervalField =
    IntervalField::gauge(SERVER, "Deferred", States::Requests)
        .note("where not zero")
        .source(LOGGERS);
pub(super) static SWAPPED: IntervalField =
    IntervalField::gauge(SERVER, "Swapped", States::Requests).note("before V1").source(OLD);
pub(super) static PREEMPTIONS: IntervalField =
    IntervalField::rate(SERVER, "Preemptions", States::Requests)
        .note("since the line before; where not zero")
        .source(LOGGERS);
pub(super) static CACHE_USE: IntervalField =
    IntervalField::gauge(SERVER, "KV cache usage", States::CacheUse)
        .note("the device's name before it; before V1 that of the GPU")
        .source(LOGGERS);
pub(super) static HIT: IntervalField =
    IntervalField::gauge(SERVER, "Prefix cache hit rate", States::HitShare)
        .note(
            "tokens hit over tokens asked for, of the last 1,000 requests; up to late 2025 preempted requests hit \
             their own tokens again",
        )
        .source("vLLM 0.33.0, v1/metrics/loggers.py; issue 25780");
pub(super) static HIT_OLD: IntervalField =
    IntervalField::gauge(SERVER, "Prefix cache hit rate: GPU", States::HitShare)
        .note("since the server began; a line of its own")
        .source(OLD);
pub(super) static HIT_EXTERNAL: IntervalField =
    IntervalField::gauge(SERVER, "External prefix cache hit rate", States::HitShare)
        .note("of what was asked of a connector; where not zero")
        .source(LOGGERS);
pub(super) static HIT_INPUTS: IntervalField =
    IntervalField::gauge(SERVER, "MM cache hit rate", States::HitShare)
        .note("of images and the like, not of tokens; where not zero")
        .source(LOGGERS);

pub(super) static STEP_CONTEXT: IntervalField =
    IntervalField::rate(SERVER, "context tokens / iteration elapsed time", States::PromptRate)
        .over(Over::Step)
        .counting(&[NewPrompt])
        .note(
            "iterations without generation: prefill computation alone; no queue, no gap between iterations, no \
             cached tokens",
        )
        .source(ITERATION);
pub(super) static STEP_MIXED: IntervalField = IntervalField::rate(
    SERVER,
    "context tokens / iteration elapsed time, beside generation",
    States::PromptRate,
)
.over(Over::Step)
.counting(&[NewPrompt])
.note("iterations that also generate: what generation takes of them is inside")
.source(ITERATION);
pub(super) static STEP_GENERATION: IntervalField =
    IntervalField::rate(SERVER, "generation tokens / iteration elapsed time", States::OutputRate)
        .over(Over::Step)
        .counting(&[Output])
        .note("iterations without context: of all requests together")
        .source(ITERATION);

/// Derived where a log has lines of both kinds: it tells which tokens the prompt throughput counts.
pub(super) static OVER_CONTEXT: IntervalField = IntervalField::rate(
    SERVER,
    "Avg prompt throughput over context tokens",
    States::Ratio,
)
.note(
    "derived: tokens of the interval over those that its iterations computed; 1 where cached tokens do not count, what \
     they make of it where they do; stamps of whole seconds make each uncertain by a tenth",
)
.source(ITERATION);

/// All of them.
pub(super) static ALL: [&IntervalField; 18] = [
    &OVER_CONTEXT,
    &PROMPT_RATE,
    &PROMPT_RATE_ALL,
    &PROMPT_RATE_NEW,
    &OUTPUT_RATE,
    &RUNNING,
    &WAITING,
    &DEFERRED,
    &SWAPPED,
    &PREEMPTIONS,
    &CACHE_USE,
    &HIT,
    &HIT_OLD,
    &HIT_EXTERNAL,
    &HIT_INPUTS,
    &STEP_CONTEXT,
    &STEP_MIXED,
    &STEP_GENERATION,
];
