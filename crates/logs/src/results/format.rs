//! The formats of results that are known, as data.

use super::draft::Drafts;
use super::formats::{guidellm, inference_benchmarker, inference_perf, vllm};
use super::input::Input;
use super::node::Map;

/// What is known of a format, and from where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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
    &guidellm::GUIDELLM_JSON,
    &guidellm::csv::GUIDELLM_CSV,
    &guidellm::console::GUIDELLM_CONSOLE,
    &inference_perf::prometheus::INFERENCE_PERF_PROMETHEUS,
    &inference_perf::INFERENCE_PERF_JSON,
    &inference_perf::requests::INFERENCE_PERF_REQUESTS,
    &inference_benchmarker::INFERENCE_BENCHMARKER_JSON,
    &inference_benchmarker::console::INFERENCE_BENCHMARKER_CONSOLE,
    &vllm::VLLM_JSON,
];
