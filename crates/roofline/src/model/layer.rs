//! The kinds of layers that a model is made of.

use serde::{Deserialize, Serialize};

/// The indexer of sparse attention: it scores every key and lets the core see the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct KeyIndexer {
    /// Its heads.
    pub heads: u64,
    /// Width of a head; one key of this width is cached for each token.
    pub head_dim: u64,
    /// Keys that the attention core sees of those scored.
    pub top_k: u64,
}

/// How a layer with a fixed-size state updates it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Recurrence {
    /// The gated delta rule with one decay a head (Qwen3-Next, Qwen3.5).
    GatedDelta,
    /// The gated delta rule with one decay a channel (Kimi Linear).
    KimiDelta,
    /// Selective state space with one decay a head.
    Mamba2,
}

/// One kind of block: either mixes tokens (attention, state) or transforms each (feed-forward).
///
/// A transformer layer is two blocks, one of each sort, so a model of L layers has L mixers and at
/// most L feed-forward blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
#[non_exhaustive]
pub enum LayerKind {
    /// Softmax attention over every earlier token.
    Full {
        /// Query heads.
        heads: u64,
        /// Key and value heads.
        kv_heads: u64,
        /// Width of a head; not `hidden / heads` in general.
        head_dim: u64,
    },
    /// Softmax attention over the last `window` tokens.
    Window {
        /// Query heads.
        heads: u64,
        /// Key and value heads.
        kv_heads: u64,
        /// Width of a head.
        head_dim: u64,
        /// Tokens that are seen, the newest included.
        window: u64,
    },
    /// Attention over a compressed cache (multi-head latent attention), absorbed or not.
    Mla {
        /// Query heads.
        heads: u64,
        /// Width of the compressed key and value.
        rank: u64,
        /// Width of a query or key head without position.
        nope_dim: u64,
        /// Width of the part of a query or key that carries the position, cached once.
        rope_dim: u64,
        /// Width of a value head.
        value_dim: u64,
        /// The indexer, where attention is sparse.
        indexer: Option<KeyIndexer>,
    },
    /// A state of fixed size for each sequence, read and written at every step.
    LinearState {
        /// How it is updated.
        rule: Recurrence,
        /// Key heads (groups of a state-space model).
        key_heads: u64,
        /// Value heads.
        value_heads: u64,
        /// Width of a key head (the state size of a state-space model).
        key_dim: u64,
        /// Width of a value head.
        value_dim: u64,
        /// Positions that the short convolution sees, the newest included.
        conv_width: u64,
    },
    /// A feed-forward block that every token passes.
    DenseFfn {
        /// Its inner width.
        width: u64,
    },
    /// A mixture of experts.
    Moe {
        /// Routed experts.
        experts: u64,
        /// Routed experts that a token passes.
        top_k: u64,
        /// Inner width of one.
        width: u64,
        /// Inner width of all shared experts together; 0 where there are none.
        shared: u64,
    },
}

impl LayerKind {
    /// A short name: `full`, `window`, `mla`, `state`, `ffn` or `moe`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Full { .. } => "full",
            Self::Window { .. } => "window",
            Self::Mla { .. } => "mla",
            Self::LinearState { .. } => "state",
            Self::DenseFfn { .. } => "ffn",
            Self::Moe { .. } => "moe",
        }
    }

    /// Whether tokens see each other in it.
    pub const fn mixes_tokens(&self) -> bool {
        !matches!(self, Self::DenseFfn { .. } | Self::Moe { .. })
    }
}

/// Equal blocks of a model, wherever in it they stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LayerRun {
    /// What each is.
    #[serde(flatten)]
    pub kind: LayerKind,
    /// How many there are.
    pub count: u64,
}
