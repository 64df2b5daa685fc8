//! The counts as servers publish them.

use trueline_core::WallTime;

use crate::{Ledger, Load, ModelConfig};

/// The metrics text of a vLLM server that did what the ledger says.
///
/// `start` is the wall time of the simulation's start, `name` the model's name.
pub fn vllm_metrics(
    ledger: &Ledger,
    load: Load,
    model: &ModelConfig,
    name: &str,
    start: WallTime,
) -> String {
    let _ = (ledger, load, model, name, start);
    String::new()
}

/// The metrics text of a llama.cpp server that did what the ledger says.
pub fn llama_cpp_metrics(ledger: &Ledger, load: Load) -> String {
    let _ = (ledger, load);
    String::new()
}
