//! The formats that are read, one file each, with their fields as tables.

mod azure;
mod bailian;
mod burstgpt;
mod dynamo;
mod format;
mod halogen;
mod litellm;
mod llama_cpp;
mod lmdeploy;
mod mapped;
mod mlx_lm;
mod mooncake;
mod mtplx;
mod ollama;
mod otlp;
mod own_jsonl;
mod own_row;
mod own_stated;
mod own_writer;
mod rules;
mod run_writer;
mod sglang;
mod tgi;
mod tracelab;
mod trtllm;
mod usage;
mod vllm;
mod weka;

use std::borrow::Cow;

use trueline_core::{Side, Tokens};

use crate::FieldMeaning;

pub use format::{LOG_FORMATS, LogFormat};
pub use mapped::Mapping;
pub use own_jsonl::{LogHeader, Role};
pub use own_stated::Stated;
pub use own_writer::{write_log, write_run};
pub use run_writer::RunWriter;
pub(crate) use {
    format::{Fit, Reads, Whole},
    own_jsonl::{own, parse_header},
    rules::{Generation, Rules, rules},
};

/// The name of our own format.
pub(crate) const OWN: &str = "trueline";

/// A format whose rows are JSON lines, as data.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) name: Cow<'static, str>,
    pub(crate) server: Option<String>,
    pub(crate) fields: Vec<FieldMeaning>,
    /// Who recorded a row that does not say.
    pub(crate) side: Side,
    /// Outcome values that mean success; empty where outcomes are our own words.
    pub(crate) ok: Vec<String>,
    /// How many tokens a block of a prompt has, where its rows do not say.
    pub(crate) block: Option<Tokens>,
    /// Keys that only this format has, among those known here.
    pub(crate) marks: &'static [&'static str],
}
