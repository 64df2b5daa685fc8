//! The counts as servers publish them, in Prometheus text.

mod exposition;
mod llama_cpp;
mod vllm;

pub use llama_cpp::llama_cpp_metrics;
pub use vllm::vllm_metrics;
