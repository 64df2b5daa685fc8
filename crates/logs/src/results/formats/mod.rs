//! One file a format.

mod arrays;
pub(super) mod inferencex;
pub(super) mod llmperf;
pub(super) mod llmperf_console;
pub(super) mod vllm;
