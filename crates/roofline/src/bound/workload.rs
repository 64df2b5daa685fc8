//! What an engine is asked to do, and what one pass of it computes and reads.

use serde::{Deserialize, Serialize};
use trueline_core::Tokens;

use super::{Mixer, Reach, Speculation, real};
use crate::BitsPerWeight;

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
        /// Tokens of a prompt, none of them cached.
        isl: Tokens,
        /// Tokens of an answer.
        osl: Tokens,
        /// Requests in flight; `None` where nobody said: the model bound reaches from one to many.
        concurrency: Option<u64>,
    },
}

/// One pass through the model.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pass {
    /// Sequences.
    pub(super) sequences: u64,
    /// Tokens of each sequence that pass through the weights.
    pub(super) rows: u64,
    /// Rows of logits of each sequence.
    pub(super) logit_rows: u64,
    /// What its queries see.
    pub(super) span: Span,
    /// Whether its sequences share what is cached.
    pub(super) prefix: Prefix,
}

/// What the queries of one sequence see.
#[derive(Debug, Clone, Copy)]
pub(super) enum Span {
    /// New tokens after cached ones, in one pass that reads the cached keys once.
    Prefill { new: Tokens, cached: Tokens },
    /// Some tokens at once, the first of which sees `context` keys.
    Decode { rows: u64, context: Tokens },
    /// The mean pass over so many single tokens after a prompt.
    Mean { steps: Tokens, prompt: Tokens },
}

impl Pass {
    /// The parts into which a pass may be cut to keep the stages of a pipeline busy: chunks of a prompt,
    /// or sequences.
    pub(super) fn batches(&self) -> u64 {
        match self.span {
            Span::Prefill { .. } => self.tokens(),
            Span::Decode { .. } | Span::Mean { .. } => self.sequences,
        }
    }

    pub(super) fn tokens(&self) -> u64 {
        self.sequences.saturating_mul(self.rows)
    }

    /// The query-key pairs of one sequence in a layer, for one head, with the reach given.
    pub(super) fn pairs(&self, mixer: &Mixer) -> f64 {
        match self.span {
            Span::Prefill { new, cached } => mixer.pairs(new, cached),
            Span::Decode { rows, context } => {
                mixer.pairs(Tokens::new(rows), Tokens::new(context.get().saturating_sub(1)))
            }
            Span::Mean { steps, prompt } => mixer.pairs(steps, prompt) / steps.as_f64(),
        }
    }

    /// The pairs that an indexer scores: all keys, whatever the core sees.
    pub(super) fn all_pairs(&self) -> f64 {
        let all = Mixer::Grouped {
            query_heads: 0,
            kv_heads: 0,
            key_dim: 0,
            value_dim: 0,
            reach: Reach::All,
        };
        self.pairs(&all)
    }

    /// The cached tokens that one sequence reads in a layer.
    pub(super) fn cached(&self, mixer: &Mixer) -> f64 {
        match self.span {
            Span::Prefill { cached, .. } => mixer.reach().of(cached).as_f64(),
            Span::Decode { context, .. } => mixer.reach().of(context).as_f64(),
            Span::Mean { .. } => self.pairs(mixer),
        }
    }

    /// The bytes of keys and values that one sequence reads in a layer.
    pub(super) fn kv_read(&self, mixer: &Mixer, kv_bits: BitsPerWeight) -> f64 {
        match self.span {
            Span::Prefill { cached, .. } => mixer.kv_bytes_read(cached, kv_bits),
            Span::Decode { context, .. } => mixer.kv_bytes_read(context, kv_bits),
            Span::Mean { .. } => {
                let indexer = mixer.indexer_bytes();
                let core = mixer.kv_bytes_per_token(kv_bits) - indexer;
                core * self.pairs(mixer) + indexer * self.all_pairs()
            }
        }
    }

    /// The bytes of keys and values that one sequence writes in a layer.
    pub(super) fn kv_written(&self, mixer: &Mixer, kv_bits: BitsPerWeight) -> f64 {
        mixer.kv_bytes_per_token(kv_bits) * real(self.rows)
    }
}
