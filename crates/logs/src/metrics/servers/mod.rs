//! The servers whose metrics are read, one file each.

mod llama_cpp;
mod sglang;
mod tgi;
mod vllm;

use super::table::MetricsServer;

/// The servers whose metrics are read, by name.
pub const METRICS_SERVERS: &[MetricsServer] =
    &[llama_cpp::LLAMA_CPP, sglang::SGLANG, tgi::TGI, vllm::VLLM];
