//! One file a format.

pub(super) mod aiperf;
mod arrays;
pub(super) mod genai_perf;
pub(in crate::results) mod printed;
mod segments;
pub(super) mod serving_console;
pub(super) mod sglang;
pub(super) mod vllm;
