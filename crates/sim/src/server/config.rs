//! What the server serves and how.

use trueline_core::Tokens;

use super::faults::Fault;
use crate::{ModelConfig, OutputLengths};

/// Whose names the server uses for its counts, and what it tells of its own rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Dialect {
    /// `vllm:…` in `/metrics`; no rates in a reply.
    #[default]
    Vllm,
    /// `llamacpp:…` in `/metrics`; `timings` in each reply.
    LlamaCpp,
}

/// What the server's clock is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Pace {
    /// Tokens leave when the model says, counted from the server's start.
    #[default]
    RealTime,
    /// Tokens leave as soon as they can be sent. The ledger's times are the model's all the same, but
    /// of each request's tokens it keeps the first and the last alone: millions come a second. One
    /// client that does not read holds up all.
    Flood,
}

/// Who may connect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Reach {
    /// Programs on this machine.
    #[default]
    ThisMachine,
    /// Whoever reaches the address. There is no authentication.
    Everybody,
}

/// What the server serves and how.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ServerConfig {
    /// The model that is simulated.
    pub model: ModelConfig,
    /// The name under which `/v1/models` lists it. A reply names the model as the request does, and so
    /// where the request names none.
    pub name: String,
    /// Whose names are used.
    pub dialect: Dialect,
    /// Faults of every reply; those that a request asks for come on top.
    pub faults: Vec<Fault>,
    /// Where answers end of themselves; `None` where each runs to its maximum.
    pub lengths: Option<OutputLengths>,
    /// The most output tokens of a request that names no maximum.
    pub max_output: Tokens,
    /// What the clock is.
    pub pace: Pace,
    /// Who may connect.
    pub reach: Reach,
}

impl Default for ServerConfig {
    /// The default model in real time, named `sim`, healthy, for this machine alone; 128 output tokens
    /// where a request names no maximum.
    fn default() -> Self {
        Self {
            model: ModelConfig::default(),
            name: "sim".to_owned(),
            dialect: Dialect::default(),
            faults: Vec::new(),
            lengths: None,
            max_output: Tokens::new(128),
            pace: Pace::default(),
            reach: Reach::default(),
        }
    }
}
