//! What a sequence keeps between steps: keys and values, and states of fixed size.

use serde::{Deserialize, Serialize};
use trueline_core::Tokens;

use super::{LayerKind, LayerRun, Model, Stored};
use crate::units::real;
use crate::{Bytes, Mixer};

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
    /// Bytes of the state that one sequence keeps in one layer, whatever its length.
    ///
    /// # Formula
    /// Recurrent state `value_heads x key_dim x value_dim x 4`, and of the short convolution
    /// `channels x (conv_width - 1) x 2` with `2 x key_heads x key_dim + value_heads x value_dim`
    /// channels; Kimi Linear has as many key heads as value heads.
    ///
    /// # Assumptions
    /// The state is kept as f32, the convolution's as bf16, as vLLM and `SGLang` do by default.
    pub fn state_bytes(&self) -> Bytes {
        match *self {
            Self::LinearState {
                key_heads, value_heads, key_dim, value_dim, conv_width, ..
            } => {
                let values = real(value_heads) * real(value_dim);
                let channels = values + 2.0 * real(key_heads) * real(key_dim);
                let convolution = channels * real(conv_width.saturating_sub(1)) * 2.0;
                Bytes::from_count(4).product(values * real(key_dim))
                    + Bytes::from_count(1).product(convolution)
            }
            _ => Bytes::from_count(0),
        }
    }
}

impl Model {
    /// Bytes of keys and values that one decode step reads for a sequence of this length.
    ///
    /// Layers with a window read the window however much an engine keeps; sparse attention reads
    /// the chosen keys, and its indexer one fp8 key of every token.
    pub fn kv_read(&self, context: Tokens, kv: Stored) -> Bytes {
        self.cached(|run, mixer| mixer.kv_bytes_read(context, kv.bits_per_weight()) * run)
    }

    /// Bytes of keys and values that an engine keeps for a sequence of this length.
    ///
    /// # Source
    /// Engines without a cache manager for mixed layers keep windows whole: hf-mem issue 60, tt-xla
    /// issue 5727, ollama pull request 16958 (4 to 19 times as much).
    pub fn kv_held(&self, context: Tokens, kv: Stored, storage: KvStorage) -> Bytes {
        self.cached(|run, mixer| {
            // Sparse attention keeps every key: any of them may be chosen.
            let kept = match (mixer, storage) {
                (Mixer::Grouped { reach, .. }, KvStorage::Window) => reach.of(context),
                _ => context,
            };
            mixer.kv_bytes_per_token(kv.bits_per_weight()) * kept.as_f64() * run
        })
    }

    /// Bytes of keys and values that one more token adds while every layer still grows, the
    /// indexer's apart.
    ///
    /// # Examples
    /// ```
    /// use trueline_roofline::{Bytes, Model, Stored};
    /// let model = Model::from_hf_config(
    ///     r#"{"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
    ///         "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
    ///         "intermediate_size": 14336, "vocab_size": 128256,
    ///         "tie_word_embeddings": false, "torch_dtype": "bfloat16"}"#,
    /// )?;
    /// assert_eq!(model.kv_per_token(Stored::Bf16), Bytes::from_count(131_072));
    /// # Ok::<(), trueline_roofline::ModelError>(())
    /// ```
    pub fn kv_per_token(&self, kv: Stored) -> Bytes {
        self.cached(|run, mixer| {
            let all = mixer.kv_bytes_per_token(kv.bits_per_weight());
            (all - mixer.indexer_bytes()) * run
        })
    }

    /// Bytes of fixed-size state that a sequence keeps; each step reads and writes them.
    pub fn state(&self) -> Bytes {
        self.layers.iter().map(|run| run.kind.state_bytes().product(real(run.count))).sum()
    }

    /// A sum over the runs of layers: how many layers, and what mixes tokens in each.
    fn cached(&self, of: impl Fn(f64, &Mixer) -> f64) -> Bytes {
        let each = |run: &LayerRun| of(real(run.count), &run.kind.mixer());
        self.layers.iter().map(|run| Bytes::new(each(run)).unwrap_or(Bytes::MOST)).sum()
    }
}
