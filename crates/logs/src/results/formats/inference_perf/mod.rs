//! inference-perf: reports of its stages, of its requests and of the server's metrics.

pub(in crate::results) mod lifecycle;
mod meaning;
pub(in crate::results) mod prometheus;
pub(in crate::results) mod requests;

const TOOL: &str = "inference-perf";
