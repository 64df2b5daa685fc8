//! What mixes tokens in a block, as the bounds see it.

use trueline_core::Tokens;

use super::{KeyIndexer, LayerKind, Recurrence};
use crate::units::real;
use crate::{BitsPerWeight, DType, Flops, Indexer, MathPath, Mixer, Reach, Routing};

/// Bits of one number of an indexer's key, and of the one f32 scale of the whole key.
const INDEXER_BITS: f64 = 8.0;
const INDEXER_SCALE_BITS: f64 = 32.0;

impl LayerKind {
    /// What mixes tokens in a block of this kind.
    ///
    /// # Formula
    /// A window, and the choice of a sparse attention, is the most keys that a query sees. An indexer keeps
    /// one fp8 key with one f32 scale for each token. The operations of a recurrence are those on its state:
    /// with `n = value_heads x key_dim x value_dim`, `8 n` a token for the delta rule (decay 1, what the key
    /// recalls 2, update 2 and its scaling 1, output 2) and `5 n` for a state-space model (decay 1, update 2,
    /// output 2).
    ///
    /// # Assumptions
    /// Kinds of feed-forward blocks mix nothing.
    ///
    /// # Examples
    /// ```
    /// use trueline_core::Tokens;
    /// use trueline_roofline::{LayerKind, Reach};
    /// let window = LayerKind::Window { heads: 64, kv_heads: 8, head_dim: 64, window: 128 };
    /// assert_eq!(window.mixer().reach(), Reach::AtMost(Tokens::new(128)));
    /// ```
    #[expect(clippy::missing_panics_doc, reason = "the product of four finite numbers is finite")]
    pub fn mixer(&self) -> Mixer {
        let grouped = |query_heads, kv_heads, dim, reach| Mixer::Grouped {
            query_heads,
            kv_heads,
            key_dim: dim,
            value_dim: dim,
            reach,
        };
        match *self {
            Self::Full { heads, kv_heads, head_dim } => {
                grouped(heads, kv_heads, head_dim, Reach::All)
            }
            Self::Window { heads, kv_heads, head_dim, window } => {
                grouped(heads, kv_heads, head_dim, Reach::AtMost(Tokens::new(window)))
            }
            Self::Mla { heads, rank, nope_dim, rope_dim, value_dim, indexer } => Mixer::Latent {
                heads,
                nope_dim,
                rope_dim,
                value_dim,
                latent_dim: rank,
                reach: indexer.map_or(Reach::All, |i| Reach::AtMost(Tokens::new(i.top_k))),
                indexer: indexer.map(KeyIndexer::bound),
            },
            Self::LinearState { rule, value_heads, key_dim, value_dim, .. } => {
                let each = match rule {
                    Recurrence::GatedDelta | Recurrence::KimiDelta => 8.0,
                    Recurrence::Mamba2 => 5.0,
                };
                let state = real(value_heads) * real(key_dim) * real(value_dim);
                Mixer::State {
                    bytes: self.state_bytes(),
                    flops_per_token: Flops::new(each * state)
                        .expect("the product of four finite numbers of at most 2^64 is finite"),
                }
            }
            Self::DenseFfn { .. } | Self::Moe { .. } => Mixer::None,
        }
    }

    /// How many experts there are and how many a token passes; `None` where there are none.
    pub const fn routing(&self) -> Option<Routing> {
        match *self {
            Self::Moe { experts, top_k, .. } => Some(Routing::new(experts, top_k)),
            _ => None,
        }
    }
}

impl KeyIndexer {
    /// As the bounds see it: one scale over the numbers of a key, scored in fp8 or in 16 bits.
    fn bound(self) -> Indexer {
        let dim = real(self.head_dim.max(1));
        let bits = BitsPerWeight::new(INDEXER_BITS + INDEXER_SCALE_BITS / dim)
            .expect("a scale over at least one number");
        let paths = [DType::Fp8, DType::Bf16, DType::F16];
        let paths = paths.map(|dtype| MathPath::dense(dtype, crate::Accumulate::F32)).to_vec();
        Indexer { heads: self.heads, dim: self.head_dim, bits, paths }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bytes, LatentForm};

    #[test]
    fn absorbed_attention_of_deepseek_costs_three_times_the_expanded_form() {
        // DeepSeek-V3 at 4,096 keys, by hand: 61 layers x 2 x 128 heads x 4,096 keys x 320 are
        // 20.5 GFLOP a token, x 1,088 are 69.6.
        let mla = LayerKind::Mla {
            heads: 128,
            rank: 512,
            nope_dim: 128,
            rope_dim: 64,
            value_dim: 128,
            indexer: None,
        };
        let of = |form| mla.mixer().flops_per_pair(form) * 4096.0 * 61.0 / 1e9;
        assert!((of(LatentForm::Expanded) - 20.5).abs() < 0.05);
        assert!((of(LatentForm::Absorbed) - 69.6).abs() < 0.05);
    }

    #[test]
    fn the_recurrence_of_qwen3_next_is_a_seventh_of_a_gigaflop() {
        // The project's notes: 8 x 32 x 128 x 128 operations a token and layer; 36 layers make 0.15 GFLOP.
        let state = LayerKind::LinearState {
            rule: Recurrence::GatedDelta,
            key_heads: 16,
            value_heads: 32,
            key_dim: 128,
            value_dim: 128,
            conv_width: 4,
        };
        let Mixer::State { bytes, flops_per_token } = state.mixer() else { panic!("a state") };
        assert!((flops_per_token.get() * 36.0 / 1e9 - 0.151).abs() < 0.001);
        assert_eq!(bytes.times(36.0), Bytes::new(77_266_944.0).ok());
    }

    #[test]
    fn an_indexer_keeps_one_fp8_key_and_its_scale() {
        // 128 bytes and 4 for the scale, as in DeepSeek-V3.2's cache.
        let indexer = KeyIndexer { heads: 64, head_dim: 128, top_k: 2048 }.bound();
        assert!((indexer.bits.get() * 128.0 / 8.0 - 132.0).abs() < 1e-9);
    }
}
