//! The formats of each tool, a file or a folder a tool; `serving` and `distribution` are shared.

pub(super) mod aiperf;
mod distribution;
pub(super) mod genai_bench;
pub(super) mod genai_perf;
pub(super) mod guidellm;
pub(super) mod inference_benchmarker;
pub(super) mod inference_perf;
pub(super) mod inferencex;
pub(super) mod llama_bench;
pub(super) mod llama_benchy;
pub(super) mod llmeter;
pub(super) mod llmperf;
pub(super) mod locust;
pub(super) mod mlperf;
pub(in crate::results) mod serving;
pub(super) mod sglang;
pub(super) mod trtllm;
pub(super) mod vllm;
