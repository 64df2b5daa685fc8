//! What the crate does with whole inputs.

#![allow(clippy::float_cmp, reason = "small numbers worked by hand are exact")]
#![allow(clippy::format_collect, reason = "made-up rows, a few thousand")]

mod blocks;
mod checks;
mod corpus;
mod damage;
mod damaged_results;
mod formats;
mod gaps;
mod gateways;
mod guidellm;
mod inference_benchmarker;
mod inference_perf;
mod interleaved_runs;
mod large_inputs;
mod llama_cpp;
mod lmdeploy;
mod meanings;
mod merging;
mod ollama;
mod otlp;
mod prefix;
mod prefix_corpus;
mod production;
mod recognised;
mod result_formats;
mod result_judgement;
mod results;
mod results_aiperf;
mod results_at_size;
mod results_genai_perf;
mod results_privacy;
mod run_writer;
mod runs;
mod server_logs;
mod server_metrics;
mod several_files;
mod sglang;
mod tgi;
mod traffic;
mod trtllm;
mod vllm;

use trueline_logs::{LogSummary, ReadOptions, read_log_from};

/// Reads a text that must be readable.
fn read(text: &str) -> LogSummary {
    read_with(text, &ReadOptions::default())
}

fn read_with(text: &str, options: &ReadOptions) -> LogSummary {
    read_log_from("test", text.as_bytes(), options).expect("the text is a log").value
}
