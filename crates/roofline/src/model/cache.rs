//! What a sequence keeps between steps: keys and values, and states of fixed size.

use serde::{Deserialize, Serialize};
use trueline_core::Tokens;

use super::{ByteCount, LayerKind, Model, Stored};

/// How an engine keeps the keys and values of layers with a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KvStorage {
    /// Only the window.
    Window,
    /// Every token, as in any other layer.
    Whole,
}

impl LayerKind {
    /// Values that one token adds to the cache of one layer.
    ///
    /// # Formula
    /// Full and window: `2 x kv_heads x head_dim`. Latent: `rank + rope`. The indexer's key
    /// is not among them. Zero for the others.
    pub const fn kv_values(&self) -> u64 {
        match *self {
            Self::Full { kv_heads, head_dim, .. } | Self::Window { kv_heads, head_dim, .. } => {
                kv_heads.saturating_mul(head_dim).saturating_mul(2)
            }
            Self::Mla { rank, rope_dim, .. } => rank.saturating_add(rope_dim),
            Self::LinearState { .. } | Self::DenseFfn { .. } | Self::Moe { .. } => 0,
        }
    }

    /// Bytes of the state that one sequence keeps in one layer, whatever its length.
    ///
    /// # Formula
    /// Recurrent state `value_heads x key_dim x value_dim x 4`, and of the short convolution
    /// `channels x (conv_width - 1) x 2` with `2 x key_heads x key_dim + value_heads x value_dim`
    /// channels; Kimi Linear has as many key heads as value heads.
    ///
    /// # Assumptions
    /// The state is kept as f32, the convolution's as bf16, as vLLM and `SGLang` do by default.
    pub const fn state_bytes(&self) -> ByteCount {
        match *self {
            Self::LinearState {
                key_heads, value_heads, key_dim, value_dim, conv_width, ..
            } => {
                let values = value_heads.saturating_mul(value_dim);
                let channels = key_heads.saturating_mul(key_dim).saturating_mul(2);
                let convolution = ByteCount::new(channels.saturating_add(values))
                    .times(conv_width.saturating_sub(1))
                    .times(2);
                let state = ByteCount::new(values).times(key_dim).times(4);
                ByteCount::new(state.get().saturating_add(convolution.get()))
            }
            _ => ByteCount::new(0),
        }
    }
}

impl Model {
    /// Bytes of keys and values that one decode step reads for a sequence of this length.
    ///
    /// Layers with a window read the window however much an engine keeps; sparse attention reads
    /// the chosen keys, and its indexer one fp8 key of every token.
    pub fn kv_read(&self, context: Tokens, kv: Stored) -> ByteCount {
        self.layers
            .iter()
            .map(|run| {
                let seen = match run.kind {
                    LayerKind::Window { window, .. } => context.get().min(window),
                    LayerKind::Mla { indexer: Some(i), .. } => context.get().min(i.top_k),
                    _ => context.get(),
                };
                kv_bytes(&run.kind, seen, kv).times(run.count)
                    + indexer_bytes(&run.kind, context.get()).times(run.count)
            })
            .sum()
    }

    /// Bytes of keys and values that an engine keeps for a sequence of this length.
    ///
    /// # Source
    /// Engines without a cache manager for mixed layers keep windows whole: hf-mem issue 60, tt-xla
    /// issue 5727, ollama pull request 16958 (4 to 19 times as much).
    pub fn kv_held(&self, context: Tokens, kv: Stored, storage: KvStorage) -> ByteCount {
        self.layers
            .iter()
            .map(|run| {
                let kept = match (run.kind, storage) {
                    (LayerKind::Window { window, .. }, KvStorage::Window) => {
                        context.get().min(window)
                    }
                    _ => context.get(),
                };
                kv_bytes(&run.kind, kept, kv).times(run.count)
                    + indexer_bytes(&run.kind, context.get()).times(run.count)
            })
            .sum()
    }

    /// Bytes of keys and values that one more token adds while every layer still grows, the
    /// indexer's apart.
    ///
    /// # Examples
    /// ```
    /// use trueline_roofline::{Model, Stored};
    /// let model = Model::from_hf_config(
    ///     r#"{"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
    ///         "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
    ///         "intermediate_size": 14336, "vocab_size": 128256,
    ///         "tie_word_embeddings": false, "torch_dtype": "bfloat16"}"#,
    /// )?;
    /// assert_eq!(model.kv_per_token(Stored::Bf16).get(), 131_072);
    /// # Ok::<(), trueline_roofline::ModelError>(())
    /// ```
    pub fn kv_per_token(&self, kv: Stored) -> ByteCount {
        self.layers.iter().map(|run| kv_bytes(&run.kind, 1, kv).times(run.count)).sum()
    }

    /// Bytes of fixed-size state that a sequence keeps; each step reads and writes them.
    pub fn state(&self) -> ByteCount {
        self.layers.iter().map(|run| run.kind.state_bytes().times(run.count)).sum()
    }
}

/// Bytes of `tokens` cached tokens in one layer, stored as `kv`.
fn kv_bytes(kind: &LayerKind, tokens: u64, kv: Stored) -> ByteCount {
    let values = u128::from(kind.kv_values()) * u128::from(tokens);
    // A 1,024th of a bit holds the width of every format exactly.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a width of at most 64 bits, times 1,024"
    )]
    let width = (kv.bits_per_weight() * 1024.0).round() as u128;
    let bytes = values.saturating_mul(width).div_ceil(8 * 1024);
    ByteCount::new(u64::try_from(bytes).unwrap_or(u64::MAX))
}

/// The indexer's keys of `tokens` tokens in one layer: fp8 with one f32 scale each.
fn indexer_bytes(kind: &LayerKind, tokens: u64) -> ByteCount {
    match kind {
        LayerKind::Mla { indexer: Some(i), .. } => {
            ByteCount::new(i.head_dim.saturating_add(4)).times(tokens)
        }
        _ => ByteCount::new(0),
    }
}
