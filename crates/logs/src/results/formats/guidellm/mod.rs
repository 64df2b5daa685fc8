//! GuideLLM: its report in JSON or YAML, its CSV, its console.

pub(in crate::results) mod console;
pub(in crate::results) mod csv;
pub(in crate::results) mod json;
mod meaning;
mod plan;
mod requests;

const TOOL: &str = "GuideLLM";
