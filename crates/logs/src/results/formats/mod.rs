//! One file a format.

pub(super) mod aiperf;
mod arrays;
mod distribution;
pub(super) mod genai_bench;
pub(super) mod genai_perf;
pub(super) mod guidellm;
pub(super) mod inference_benchmarker;
pub(super) mod inference_perf;
pub(super) mod inferencex;
pub(super) mod llama_bench;
pub(super) mod llama_bench_text;
pub(super) mod llama_benchy;
pub(super) mod llmeter;
pub(super) mod llmperf;
pub(super) mod llmperf_console;
pub(super) mod locust;
pub(super) mod mlperf;
pub(in crate::results) mod printed;
mod segments;
pub(super) mod serving_console;
pub(super) mod sglang;
pub(super) mod trtllm;
pub(super) mod trtllm_console;
pub(super) mod vllm;
