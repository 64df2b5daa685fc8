//! One file a format.

mod arrays;
mod distribution;
pub(super) mod guidellm;
pub(super) mod inference_benchmarker;
pub(super) mod inference_perf;
pub(super) mod vllm;
