//! The formats of results that are known, as data.

use super::drafts::Drafts;
use super::formats::{
    aiperf, genai_bench, genai_perf, guidellm, inference_benchmarker, inference_perf, inferencex,
    llama_bench, llama_benchy, llmeter, llmperf, locust, mlperf, sglang, trtllm, vllm,
};
use super::input::Input;
use super::meaning::Meanings;
use super::node::Map;
use super::own;

/// What is known of a format, and from where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Evidence {
    /// Known from a description alone; not called supported.
    Described,
    /// Read from a file that somebody published.
    Published,
    /// Read from what the tool itself wrote when it was run.
    Captured,
}

impl Evidence {
    /// Its name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Captured => "captured",
            Self::Published => "published",
            Self::Described => "described",
        }
    }
}

/// How a format's content is read.
pub(crate) enum Reader {
    /// JSON or YAML documents, one by one. `is` says why a document is one of the format.
    Documents { is: fn(&Map) -> Option<String>, read: fn(&Map, &mut Drafts) },
    /// Anything else. `is` says why the text is of the format.
    Text { is: fn(&Input) -> Option<String>, read: fn(&Input, &mut Drafts) },
    /// Documents that a tool writes beside its results and that hold none: inputs, manifests. They
    /// are known and yield no run.
    Beside { is: fn(&Map) -> Option<String> },
}

/// What the formats of one tool have in common.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Origin {
    /// The tool that writes them.
    pub(crate) tool: &'static str,
    /// The versions they were read from.
    pub(crate) versions: &'static str,
    /// What is known of them, and from where.
    pub(crate) evidence: Evidence,
    /// Where the description stands.
    pub(crate) source: &'static str,
}

impl Origin {
    /// One of the formats.
    pub(crate) const fn format(
        self,
        name: &'static str,
        shape: &'static str,
        reader: Reader,
        lists: fn(&mut Meanings),
    ) -> ResultFormat {
        let Self { tool, versions, evidence, source } = self;
        ResultFormat { name, tool, versions, shape, evidence, source, reader, lists }
    }
}

/// A format of results.
#[non_exhaustive]
pub struct ResultFormat {
    /// Its name.
    pub name: &'static str,
    /// The tool that writes it.
    pub tool: &'static str,
    /// The versions it was read from.
    pub versions: &'static str,
    /// What it looks like: JSON, JSON lines, CSV, console.
    pub shape: &'static str,
    /// What is known of it, and from where.
    pub evidence: Evidence,
    /// Where the description stands: the document in which somebody can look the fields up.
    pub source: &'static str,
    pub(crate) reader: Reader,
    /// Lists what its figures and totals mean, from the tables of the reader.
    pub(crate) lists: fn(&mut Meanings),
}

impl std::fmt::Debug for ResultFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ResultFormat({})", self.name)
    }
}

impl PartialEq for ResultFormat {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// All of them. What is most particular about its content comes first.
pub static RESULT_FORMATS: &[&ResultFormat] = &[
    &own::OWN_JSONL,
    &aiperf::AIPERF_JSON,
    &aiperf::AIPERF_RECORDS,
    &aiperf::AIPERF_CSV,
    &aiperf::AIPERF_CONSOLE,
    &aiperf::AIPERF_BESIDE,
    &genai_perf::GENAI_PERF_JSON,
    &genai_perf::GENAI_PERF_REQUESTS,
    &genai_perf::GENAI_PERF_CSV,
    &genai_perf::GENAI_PERF_CONSOLE,
    &genai_bench::GENAI_BENCH_JSON,
    &inferencex::INFERENCEX_JSON,
    &inferencex::INFERENCEX_AGGREGATE,
    &llama_bench::json::LLAMA_BENCH_JSON,
    &llama_bench::text::LLAMA_BENCH_CSV,
    &llama_bench::text::LLAMA_BENCH_TABLE,
    &llama_benchy::LLAMA_BENCHY_JSON,
    &llmeter::LLMETER_STATS,
    &llmeter::LLMETER_RESPONSES,
    &llmperf::json::LLMPERF_SUMMARY,
    &llmperf::json::LLMPERF_REQUESTS,
    &llmperf::console::LLMPERF_CONSOLE,
    &locust::LOCUST_JSON,
    &locust::LOCUST_CSV,
    &mlperf::MLPERF_SUMMARY,
    &trtllm::json::TRTLLM_JSON,
    &trtllm::console::TRTLLM_CONSOLE,
    &guidellm::json::GUIDELLM_JSON,
    &guidellm::csv::GUIDELLM_CSV,
    &guidellm::console::GUIDELLM_CONSOLE,
    &inference_perf::prometheus::INFERENCE_PERF_PROMETHEUS,
    &inference_perf::lifecycle::INFERENCE_PERF_JSON,
    &inference_perf::requests::INFERENCE_PERF_REQUESTS,
    &inference_benchmarker::json::INFERENCE_BENCHMARKER_JSON,
    &inference_benchmarker::console::INFERENCE_BENCHMARKER_CONSOLE,
    &sglang::steady::SGLANG_STEADY,
    &sglang::json::SGLANG_JSONL,
    &vllm::json::VLLM_JSON,
    &sglang::console::SGLANG_CONSOLE,
    &vllm::console::VLLM_CONSOLE,
];
