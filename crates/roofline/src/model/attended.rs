//! Which keys a query sees, and what that costs.

use serde::{Deserialize, Serialize};
use trueline_core::Tokens;

use super::{FlopCount, LayerKind};

/// Whether the projections of latent attention are folded into the query (decode) or the cache is
/// expanded to heads (prefill).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MlaForm {
    /// Scores and values are taken in the compressed space.
    Absorbed,
    /// Scores and values are taken a head at a time.
    Expanded,
}

impl LayerKind {
    /// Pairs of query and key that `new` tokens after `cached` ones make in one layer, causal.
    ///
    /// # Formula
    /// `sum over i = 1..new of min(cached + i, limit)`, in closed form; the limit is the window,
    /// the indexer's choice, or none. Without a limit: `new x cached + new (new + 1) / 2`, not `new²`.
    /// Zero for layers without softmax attention.
    ///
    /// # Examples
    /// ```
    /// use trueline_core::Tokens;
    /// use trueline_roofline::LayerKind;
    /// let full = LayerKind::Full { heads: 32, kv_heads: 8, head_dim: 128 };
    /// assert_eq!(full.pairs(Tokens::new(3), Tokens::new(0)), 6);
    /// ```
    pub fn pairs(&self, new: Tokens, cached: Tokens) -> u128 {
        match self.limit() {
            Some(limit) => pairs_within(new.get(), cached.get(), limit),
            None => 0,
        }
    }

    /// Operations of the attention core in one layer: scores and weighted values.
    ///
    /// # Formula
    /// Full and window: `4 x heads x head_dim` a pair. Latent, expanded:
    /// `2 x heads x (nope + rope + value)` a pair; absorbed: `2 x heads x (2 x rank + rope)`. The
    /// indexer adds `2 x heads x head_dim` for every key, chosen or not.
    ///
    /// # Assumptions
    /// Softmax is not counted; expanding the cache to heads is a projection and not counted here.
    pub fn core_flops(&self, new: Tokens, cached: Tokens, form: MlaForm) -> FlopCount {
        let each = match *self {
            Self::Full { heads, head_dim, .. } | Self::Window { heads, head_dim, .. } => {
                product([4, heads, head_dim])
            }
            Self::Mla { heads, rank, nope_dim, rope_dim, value_dim, .. } => {
                let width = match form {
                    MlaForm::Absorbed => rank.saturating_mul(2).saturating_add(rope_dim),
                    MlaForm::Expanded => {
                        nope_dim.saturating_add(rope_dim).saturating_add(value_dim)
                    }
                };
                product([2, heads, width])
            }
            Self::LinearState { .. } | Self::DenseFfn { .. } | Self::Moe { .. } => 0,
        };
        let core = self.pairs(new, cached).saturating_mul(each);
        let indexer = match *self {
            Self::Mla { indexer: Some(i), .. } => pairs_within(new.get(), cached.get(), u64::MAX)
                .saturating_mul(product([2, i.heads, i.head_dim])),
            _ => 0,
        };
        FlopCount::new(core.saturating_add(indexer))
    }

    /// The most keys that one query sees; `None` for layers without softmax attention.
    fn limit(&self) -> Option<u64> {
        match *self {
            Self::Full { .. } | Self::Mla { indexer: None, .. } => Some(u64::MAX),
            Self::Window { window, .. } => Some(window),
            Self::Mla { indexer: Some(i), .. } => Some(i.top_k),
            Self::LinearState { .. } | Self::DenseFfn { .. } | Self::Moe { .. } => None,
        }
    }
}

fn product(factors: [u64; 3]) -> u128 {
    factors.into_iter().fold(1, |all, factor| all.saturating_mul(u128::from(factor)))
}

/// `sum over i = 1..new of min(cached + i, limit)`.
fn pairs_within(new: u64, cached: u64, limit: u64) -> u128 {
    // Queries that see everything before them, then queries that see `limit` keys each.
    let growing = u128::from(limit.saturating_sub(cached).min(new));
    let rest = u128::from(new) - growing;
    let ramp = growing * (growing + 1) / 2;
    let seen = growing.saturating_mul(u128::from(cached)).saturating_add(ramp);
    seen.saturating_add(rest.saturating_mul(u128::from(limit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walked(new: u64, cached: u64, limit: u64) -> u128 {
        let mut pairs = 0;
        for query in cached..cached + new {
            for key in 0..=query {
                if query - key < limit {
                    pairs += 1;
                }
            }
        }
        pairs
    }

    #[test]
    fn pairs_are_those_of_a_walk_over_every_query_and_key() {
        for new in 0..12 {
            for cached in 0..9 {
                for limit in [1, 2, 3, 5, 8, 100] {
                    let found = pairs_within(new, cached, limit);
                    assert_eq!(found, walked(new, cached, limit), "{new} {cached} {limit}");
                }
            }
        }
    }

    #[test]
    fn a_causal_prompt_of_three_makes_six_pairs_not_nine() {
        let full = LayerKind::Full { heads: 1, kv_heads: 1, head_dim: 1 };
        for (new, pairs) in [(1, 1), (2, 3), (3, 6)] {
            assert_eq!(full.pairs(Tokens::new(new), Tokens::new(0)), pairs);
        }
    }

    #[test]
    fn counts_at_the_edge_of_64_bits_do_not_wrap() {
        let full = LayerKind::Full { heads: 1, kv_heads: 1, head_dim: 1 };
        let most = Tokens::new(u64::MAX);
        assert!(full.core_flops(most, most, MlaForm::Absorbed).get() > u128::from(u64::MAX));
    }

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
        let of = |form| mla.core_flops(Tokens::new(1), Tokens::new(4095), form).as_f64() * 61.0;
        assert!((of(MlaForm::Expanded) / 1e9 - 20.5).abs() < 0.05);
        assert!((of(MlaForm::Absorbed) / 1e9 - 69.6).abs() < 0.05);
    }
}
