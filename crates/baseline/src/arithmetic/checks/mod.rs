//! The checks of arithmetic as data: a table, and the constants by what they are about.

mod figures;
mod load;
mod streaming;
mod work;

pub(super) use figures::{
    COARSE_CLOCK, COARSE_ROUNDING, ORDER_BROKEN, PERCENTILE_BEYOND_DATA,
    SUMMARY_CONTRADICTS_REQUESTS, UNIT_MISMATCH,
};
pub(super) use load::{CONCURRENCY_ABOVE_CAP, LITTLES_LAW_BROKEN, PEAK_BELOW_MEAN};
pub(super) use streaming::{
    BURST_DELIVERY, CHUNKS_ARE_NOT_TOKENS, ITL_IS_NOT_TPOT, LATENCY_DOES_NOT_ADD_UP,
    REASONING_NOT_COUNTED, TTFT_IN_ITL,
};
use trueline_core::CheckInfo;
pub(super) use work::{
    OUTPUT_LENGTH_OFF, PROMPT_LENGTH_OFF, REQUESTS_DO_NOT_ADD_UP, TOKENIZER_MISMATCH,
    TOKENS_DO_NOT_ADD_UP,
};

/// The checks of arithmetic: whether the numbers of one run agree with each other.
pub const ARITHMETIC_CHECKS: &[CheckInfo] = &[
    UNIT_MISMATCH,
    SUMMARY_CONTRADICTS_REQUESTS,
    ORDER_BROKEN,
    PERCENTILE_BEYOND_DATA,
    COARSE_ROUNDING,
    COARSE_CLOCK,
    TOKENS_DO_NOT_ADD_UP,
    REQUESTS_DO_NOT_ADD_UP,
    TOKENIZER_MISMATCH,
    OUTPUT_LENGTH_OFF,
    PROMPT_LENGTH_OFF,
    CONCURRENCY_ABOVE_CAP,
    LITTLES_LAW_BROKEN,
    PEAK_BELOW_MEAN,
    CHUNKS_ARE_NOT_TOKENS,
    BURST_DELIVERY,
    TTFT_IN_ITL,
    ITL_IS_NOT_TPOT,
    LATENCY_DOES_NOT_ADD_UP,
    REASONING_NOT_COUNTED,
];
