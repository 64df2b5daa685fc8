//! One file a format.

pub(super) mod aiperf;
mod arrays;
pub(super) mod genai_perf;
pub(super) mod vllm;
