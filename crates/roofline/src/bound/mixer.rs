//! What mixes tokens in a layer: attention, latent attention, or a state that is carried along.

use serde::{Deserialize, Serialize};
use trueline_core::Tokens;

use super::{Reach, query_key_pairs, real, wide};
use crate::{BitsPerWeight, Bytes, Flops, MathPath};

/// How latent attention is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LatentForm {
    /// Queries are brought into the latent space; keys and values stay compressed. Usual in decode.
    Absorbed,
    /// Keys and values are expanded for each head. Usual in prefill.
    Expanded,
}

/// The part of a sparse attention that chooses the keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Indexer {
    /// Its heads.
    pub heads: u64,
    /// The width of a head.
    pub dim: u64,
    /// The bits of one number of its keys.
    pub bits: BitsPerWeight,
    /// The paths on which it may be multiplied.
    pub paths: Vec<MathPath>,
}

/// What mixes tokens in a layer.
///
/// # Units
/// Heads and widths are counts. Widths are read from the model's own field: hidden size over heads is
/// wrong for many families.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Mixer {
    /// Attention whose query heads share key and value heads; one each is plain multi-head attention.
    Grouped {
        /// Query heads.
        query_heads: u64,
        /// Key and value heads.
        kv_heads: u64,
        /// Width of a key.
        key_dim: u64,
        /// Width of a value.
        value_dim: u64,
        /// Which keys a query sees.
        reach: Reach,
    },
    /// Attention over a compressed latent of keys and values (MLA).
    Latent {
        /// Query heads.
        heads: u64,
        /// Width of a key without its rotary part.
        nope_dim: u64,
        /// Width of the rotary part, shared by all heads.
        rope_dim: u64,
        /// Width of a value.
        value_dim: u64,
        /// Width of the latent.
        latent_dim: u64,
        /// Which keys a query sees.
        reach: Reach,
        /// What chooses the keys, where the attention is sparse.
        indexer: Option<Indexer>,
    },
    /// A state of constant size (linear attention, state-space layers), read and written each step.
    State {
        /// Its size for one sequence.
        bytes: Bytes,
        /// The operations on it for one token.
        flops_per_token: Flops,
    },
    /// Nothing: a layer that holds a feed-forward part alone.
    None,
}

impl Mixer {
    /// The operations that score and sum one query-key pair over all heads.
    ///
    /// # Formula
    /// Grouped: `2 H (d_k + d_v)`, which is `4 H d` for equal widths. Latent, absorbed:
    /// `2 H (r + d_rope) + 2 H r`; expanded: `2 H (d_nope + d_rope) + 2 H d_v`. Softmax is not counted.
    pub fn flops_per_pair(&self, form: LatentForm) -> f64 {
        match (self, form) {
            (Self::Grouped { query_heads, key_dim, value_dim, .. }, _) => {
                2.0 * real(*query_heads) * (real(*key_dim) + real(*value_dim))
            }
            (Self::Latent { heads, rope_dim, latent_dim, .. }, LatentForm::Absorbed) => {
                2.0 * real(*heads) * (2.0 * real(*latent_dim) + real(*rope_dim))
            }
            (Self::Latent { heads, nope_dim, rope_dim, value_dim, .. }, LatentForm::Expanded) => {
                2.0 * real(*heads) * (real(*nope_dim) + real(*rope_dim) + real(*value_dim))
            }
            (Self::State { .. } | Self::None, _) => 0.0,
        }
    }

    /// The operations that expand the latent of one cached token again, for each chunk that reads it.
    ///
    /// # Formula
    /// `2 r H (d_nope + d_v)`; zero for what is no expanded latent attention.
    pub fn expansion_flops(&self, form: LatentForm) -> f64 {
        match (self, form) {
            (Self::Latent { heads, nope_dim, value_dim, latent_dim, .. }, LatentForm::Expanded) => {
                2.0 * real(*latent_dim) * real(*heads) * (real(*nope_dim) + real(*value_dim))
            }
            _ => 0.0,
        }
    }

    /// The size of a cache of keys and values that are kept expanded, over that of the latent one.
    ///
    /// # Formula
    /// `H (d_nope + d_rope + d_v) / (r + d_rope)`; one for what is not latent.
    pub(super) fn expanded_over_latent(&self) -> f64 {
        match self {
            Self::Latent { heads, nope_dim, rope_dim, value_dim, latent_dim, .. } => {
                let kept = real(*latent_dim) + real(*rope_dim);
                let expanded = real(*nope_dim) + real(*rope_dim) + real(*value_dim);
                if kept > 0.0 { real(*heads) * expanded / kept } else { 1.0 }
            }
            Self::Grouped { .. } | Self::State { .. } | Self::None => 1.0,
        }
    }

    /// Over how many of the tensor's devices keys and values are split: beyond the number of their heads
    /// they are copied.
    pub(super) fn kv_split(&self, tensor: u32, kept_expanded: bool) -> f64 {
        let heads = match self {
            Self::Grouped { kv_heads, .. } => *kv_heads,
            Self::Latent { heads, .. } if kept_expanded => *heads,
            Self::Latent { .. } | Self::State { .. } | Self::None => 1,
        };
        real(u64::from(tensor).min(heads.max(1)))
    }

    /// Which keys a query sees; all where the layer has no keys.
    pub fn reach(&self) -> Reach {
        match self {
            Self::Grouped { reach, .. } | Self::Latent { reach, .. } => *reach,
            Self::State { .. } | Self::None => Reach::All,
        }
    }

    /// The bytes of keys and values that one token leaves in this layer, the indexer's included.
    ///
    /// # Formula
    /// Grouped: `K (d_k + d_v) b`; latent: `(r + d_rope) b`; with `b` the bytes of one number.
    pub fn kv_bytes_per_token(&self, kv_bits: BitsPerWeight) -> f64 {
        let bytes = kv_bits.get() / 8.0;
        match self {
            Self::Grouped { kv_heads, key_dim, value_dim, .. } => {
                real(*kv_heads) * (real(*key_dim) + real(*value_dim)) * bytes
            }
            Self::Latent { rope_dim, latent_dim, .. } => {
                (real(*latent_dim) + real(*rope_dim)) * bytes + self.indexer_bytes()
            }
            Self::State { .. } | Self::None => 0.0,
        }
    }

    /// The bytes of keys and values that a query at a context reads: the window and no more.
    ///
    /// What an engine *allocates* may be the whole context; that is another number.
    pub fn kv_bytes_read(&self, context: Tokens, kv_bits: BitsPerWeight) -> f64 {
        let seen = self.reach().of(context);
        let kv = self.kv_bytes_per_token(kv_bits) - self.indexer_bytes();
        kv * seen.as_f64() + self.indexer_bytes() * context.as_f64()
    }

    /// The bytes that the indexer leaves for a token.
    pub(crate) fn indexer_bytes(&self) -> f64 {
        self.indexer().map_or(0.0, |indexer| real(indexer.dim) * indexer.bits.get() / 8.0)
    }

    pub(super) fn indexer(&self) -> Option<&Indexer> {
        match self {
            Self::Latent { indexer, .. } => indexer.as_ref(),
            _ => None,
        }
    }

    /// The query-key pairs of new tokens after cached ones, for one head.
    pub(super) fn pairs(&self, new: Tokens, cached: Tokens) -> f64 {
        wide(query_key_pairs(new, cached, self.reach()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grouped(query_heads: u64, kv_heads: u64, dim: u64, reach: Reach) -> Mixer {
        Mixer::Grouped { query_heads, kv_heads, key_dim: dim, value_dim: dim, reach }
    }

    fn deepseek_v3() -> Mixer {
        Mixer::Latent {
            heads: 128,
            nope_dim: 128,
            rope_dim: 64,
            value_dim: 128,
            latent_dim: 512,
            reach: Reach::All,
            indexer: None,
        }
    }

    fn near(got: f64, expected: f64, tolerance: f64) {
        assert!((got / expected - 1.0).abs() < tolerance, "{got} is not {expected}");
    }

    #[test]
    fn llama_attends_with_4_h_d_operations_a_pair() {
        // By hand: 4 x 32 x 128 = 16,384 a layer; 32 layers x 8,390,656 pairs / 4096 tokens = 1.07 GFLOP
        // a token, the 1.07 of the table for Llama-3.1-8B at 4096.
        let layer = grouped(32, 8, 128, Reach::All);
        near(layer.flops_per_pair(LatentForm::Absorbed), 16_384.0, 1e-12);
        let pairs = layer.pairs(Tokens::new(4096), Tokens::new(0));
        near(32.0 * 16_384.0 * pairs / 4096.0, 1.074e9, 1e-3);
    }

    #[test]
    fn absorbed_latent_attention_costs_more_than_three_times_the_expanded_one() {
        // Table of the notes: DeepSeek-V3 at a context of 4096, 61 layers: 69.6 and 20.5 GFLOP a token.
        let layer = deepseek_v3();
        near(61.0 * 4096.0 * layer.flops_per_pair(LatentForm::Absorbed), 69.6e9, 2e-3);
        near(61.0 * 4096.0 * layer.flops_per_pair(LatentForm::Expanded), 20.5e9, 3e-3);
        // By hand: 2 x 512 x 128 x 256 = 33,554,432.
        near(layer.expansion_flops(LatentForm::Expanded), 33_554_432.0, 1e-12);
        assert!(layer.expansion_flops(LatentForm::Absorbed).abs() < f64::EPSILON);
    }

    #[test]
    fn key_and_value_bytes_know_of_shared_heads_known_error_10() {
        let bf16 = BitsPerWeight::new(16.0).unwrap();
        // Table of the notes: Llama 8B 131,072; 70B 327,680; Qwen3-30B 98,304; DeepSeek-V3 70,272 B/token.
        let bytes = |layers: f64, layer: &Mixer| layers * layer.kv_bytes_per_token(bf16);
        near(bytes(32.0, &grouped(32, 8, 128, Reach::All)), 131_072.0, 1e-12);
        near(bytes(80.0, &grouped(64, 8, 128, Reach::All)), 327_680.0, 1e-12);
        near(bytes(48.0, &grouped(32, 4, 128, Reach::All)), 98_304.0, 1e-12);
        near(bytes(61.0, &deepseek_v3()), 70_272.0, 1e-12);
    }

    #[test]
    fn window_layers_stop_growing_at_their_window_known_error_13() {
        // gpt-oss-120b: 36 layers, 8 kv heads of 64, every second one with a window of 128. By hand:
        // 18 x 8 x 2 x 64 x 2 B = 36,864 each kind.
        let bf16 = BitsPerWeight::new(16.0).unwrap();
        let full = grouped(64, 8, 64, Reach::All);
        let window = grouped(64, 8, 64, Reach::AtMost(Tokens::new(128)));
        let read = |context| {
            let context = Tokens::new(context);
            18.0 * (full.kv_bytes_read(context, bf16) + window.kv_bytes_read(context, bf16))
        };
        near(read(128) - read(127), 73_728.0, 1e-9);
        near(read(4097) - read(4096), 36_864.0, 1e-9);
    }

    #[test]
    fn an_indexer_reads_all_keys_and_the_core_only_the_best() {
        let indexer = Indexer {
            heads: 64,
            dim: 128,
            bits: BitsPerWeight::new(8.0).unwrap(),
            paths: Vec::new(),
        };
        let sparse = Mixer::Latent {
            heads: 128,
            nope_dim: 128,
            rope_dim: 64,
            value_dim: 128,
            latent_dim: 512,
            reach: Reach::AtMost(Tokens::new(2048)),
            indexer: Some(indexer),
        };
        // By hand at 10,000: 2048 x 576 x 2 + 10,000 x 128 = 2,359,296 + 1,280,000.
        let bf16 = BitsPerWeight::new(16.0).unwrap();
        near(sparse.kv_bytes_read(Tokens::new(10_000), bf16), 3_639_296.0, 1e-12);
    }

    #[test]
    fn decode_attention_does_few_operations_a_byte() {
        // Notes: 2 (H/K) / b: 1 for multi-head, 4 for Llama 8B, 8 for 70B at bf16; 242 for absorbed MLA.
        let bf16 = BitsPerWeight::new(16.0).unwrap();
        let per_byte = |layer: &Mixer| {
            layer.flops_per_pair(LatentForm::Absorbed) / layer.kv_bytes_per_token(bf16)
        };
        near(per_byte(&grouped(32, 32, 128, Reach::All)), 1.0, 1e-12);
        near(per_byte(&grouped(32, 8, 128, Reach::All)), 4.0, 1e-12);
        near(per_byte(&grouped(64, 8, 128, Reach::All)), 8.0, 1e-12);
        near(per_byte(&deepseek_v3()), 242.0, 2e-3);
    }
}
