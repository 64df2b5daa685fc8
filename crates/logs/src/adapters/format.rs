//! What is known of the formats of request logs, and how each is read.

use super::{
    Table, azure, bailian, burstgpt, dynamo, halogen, litellm, llama_cpp, lmdeploy, mlx_lm,
    mooncake, mtplx, ollama, otlp, own_jsonl, sglang, tgi, tracelab, trtllm, usage, vllm, weka,
};
use crate::lines::{LineReader, Seen};
use crate::{Error, Evidence, FieldMeaning};
use trueline_core::RequestRecord;

/// A format of request logs.
#[derive(Debug)]
#[non_exhaustive]
pub struct LogFormat {
    /// Its name in options and reports.
    pub name: &'static str,
    /// Which server, gateway or trace writes it.
    pub writer: &'static str,
    /// The versions that it was read from.
    pub versions: &'static str,
    /// What is known of it, and from where.
    pub evidence: Evidence,
    pub(crate) table: fn() -> Table,
    pub(crate) reads: Reads,
}

/// How a format's content is known and read.
#[derive(Debug)]
pub(crate) enum Reads {
    /// Objects on lines, by the names of their keys. `fits` looks at the first objects where keys do not
    /// decide: what it says is evidence for or against.
    Rows { fits: Option<fn(&[String]) -> Fit> },
    /// Cells on lines, by the names of their columns, of which some `must` be there.
    Columns { must: &'static [&'static str] },
    /// Lines of text that say something only together. `is` looks at the first lines, where one of them holds
    /// one of some `words`: without them nothing is of the format. Lines that say what they say `apart` from each
    /// other are read on several threads.
    Lines {
        words: &'static [&'static str],
        apart: bool,
        is: fn(&[&str]) -> Option<Seen>,
        reader: fn() -> Box<dyn LineReader>,
    },
    /// One document. `is` says why a head of text begins one.
    Document { is: fn(&str) -> Option<String>, read: fn(&str, &[u8]) -> Result<Whole, Error> },
}

/// What the first objects say of a format beyond their keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fit {
    /// Nothing.
    Silent,
    /// They are of it, and why.
    Fits(String),
    /// They only look like it, and why.
    Misfit(String),
}

/// The requests of a document.
pub(crate) struct Whole {
    /// Made as they are taken: a record is large, and a document has as many as it has requests.
    pub(crate) records: Box<dyn Iterator<Item = RequestRecord>>,
    /// How many of its entries cannot be read.
    pub(crate) rejected: u64,
}

/// The formats of request logs that are known without a mapping file.
pub static LOG_FORMATS: &[LogFormat] = &[
    own_jsonl::FORMAT,
    mtplx::FORMAT,
    vllm::FORMAT,
    vllm::REPLIES,
    sglang::EXPORT,
    sglang::REQUESTS,
    sglang::TEXT,
    tgi::TEXT,
    tgi::HEADERS,
    trtllm::FORMAT,
    lmdeploy::FORMAT,
    llama_cpp::LOG,
    llama_cpp::ROWS,
    ollama::LOG,
    ollama::ROWS,
    mlx_lm::FORMAT,
    halogen::FORMAT,
    otlp::LINES,
    otlp::DOCUMENT,
    litellm::FORMAT,
    usage::OPENAI,
    usage::ANTHROPIC,
    usage::CHUNKS,
    dynamo::FORMAT,
    mooncake::FORMAT,
    bailian::FORMAT,
    tracelab::FORMAT,
    azure::FORMAT,
    burstgpt::FORMAT,
    weka::FORMAT,
];

impl LogFormat {
    /// What each of its fields means.
    pub fn fields(&self) -> Vec<FieldMeaning> {
        (self.table)().fields
    }

    /// The format of a name.
    ///
    /// # Errors
    /// A name that is none; the error lists the formats.
    pub fn named(name: &str) -> Result<&'static Self, Error> {
        LOG_FORMATS.iter().find(|format| format.name == name).ok_or_else(|| {
            Error::new(
                crate::ErrorKind::UnknownWord,
                "",
                format!(
                    "expected a format, one of {}; found {name:?}; any other needs a mapping file",
                    names().join(", ")
                ),
            )
        })
    }
}

/// The names of all formats.
fn names() -> Vec<&'static str> {
    LOG_FORMATS.iter().map(|format| format.name).collect()
}
