//! What a server has counted since it started.

use serde::{Deserialize, Serialize};

use crate::{Known, WallTime};

/// What a server has counted since it started, read at one moment.
///
/// # Shape
/// Sums over all engines and models of one server. A server that does not keep a count has it
/// `Absent`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ServerCounters {
    /// The serving engine, as its metrics name it.
    pub server: String,
    /// When they were read.
    pub at: Known<WallTime>,
    /// When the server's process started; another start is another count.
    pub started: Known<WallTime>,
    /// Requests that finished, aborted ones not among them.
    pub requests: Known<u64>,
    /// Requests that were aborted.
    pub aborted: Known<u64>,
    /// Prompt tokens, cached ones included.
    pub prompt_tokens: Known<u64>,
    /// Prompt tokens that were computed, cached ones left out.
    pub new_tokens: Known<u64>,
    /// Generated tokens.
    pub output_tokens: Known<u64>,
    /// Requests being served.
    pub running: Known<u64>,
    /// Requests that wait.
    pub waiting: Known<u64>,
}
