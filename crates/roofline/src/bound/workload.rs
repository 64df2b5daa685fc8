//! What an engine is asked to do.

use serde::{Deserialize, Serialize};
use trueline_core::Tokens;

use super::Speculation;

/// Which rows of logits a prefill computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogitRows {
    /// That of the last token of each sequence: the next token is drawn from it.
    Last,
    /// Those of all new tokens: the log probabilities of the prompt are asked for.
    All,
}

/// Whether the sequences of a batch have their cached tokens in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Prefix {
    /// Each has its own: its keys and values are read for it alone.
    Own,
    /// They share them all, and an engine may read them once for all.
    Shared,
    /// Nobody said: the strict bound reads them once, the model bound for each.
    Unknown,
}

impl Prefix {
    /// How often a pass reads the cached tokens, at least.
    pub(super) fn fewest_reads(self, sequences: u64) -> u64 {
        match self {
            Self::Own => sequences,
            Self::Shared | Self::Unknown => sequences.min(1),
        }
    }

    /// How often a pass usually reads them.
    pub(super) fn usual_reads(self, sequences: u64) -> u64 {
        match self {
            Self::Shared => sequences.min(1),
            Self::Own | Self::Unknown => sequences,
        }
    }
}

/// What an engine is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Workload {
    /// New tokens of a prompt after cached ones. Its rate is in new tokens.
    Prefill {
        /// Tokens of each sequence that are not cached.
        new: Tokens,
        /// Tokens of each sequence that are.
        cached: Tokens,
        /// Sequences in one pass.
        batch: u64,
        /// Which rows of logits are computed.
        logits: LogitRows,
        /// Whether the cached tokens are the same for all sequences.
        prefix: Prefix,
    },
    /// Output tokens at one context length. Its rate is over all sequences.
    Decode {
        /// Sequences in one pass.
        batch: u64,
        /// Tokens whose keys a query sees, its own included.
        context: Tokens,
        /// Whether tokens are drafted.
        speculation: Speculation,
        /// Whether the context is the same for all sequences.
        prefix: Prefix,
    },
    /// Whole requests, prefill and decode on the same device. Its rate is in output tokens.
    Mixed {
        /// Tokens of a prompt, the cached ones included.
        isl: Tokens,
        /// Those of them that are cached: fewer than all, since the last one is computed anyway.
        cached: Tokens,
        /// Tokens of an answer.
        osl: Tokens,
        /// Requests in flight; `None` where nobody said: the model bound reaches from one to many.
        concurrency: Option<u64>,
        /// Whether tokens are drafted.
        speculation: Speculation,
        /// Whether the cached tokens are the same for all requests.
        prefix: Prefix,
    },
}

impl Workload {
    /// Whether tokens are drafted; never in a prefill.
    pub const fn speculation(&self) -> Speculation {
        match self {
            Self::Prefill { .. } => Speculation::None,
            Self::Decode { speculation, .. } | Self::Mixed { speculation, .. } => *speculation,
        }
    }

    /// The same with tokens drafted so; a prefill stays as it is.
    #[must_use]
    pub const fn with_speculation(mut self, drafted: Speculation) -> Self {
        match &mut self {
            Self::Prefill { .. } => {}
            Self::Decode { speculation, .. } | Self::Mixed { speculation, .. } => {
                *speculation = drafted;
            }
        }
        self
    }
}
