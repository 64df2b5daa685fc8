//! Softmax attention with grouped key and value heads.

use super::site::{Block, Site};
use crate::model::{ModelError, Role};

/// Whether a projection has a bias.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Biases {
    None,
    /// Query, key and value.
    Qkv,
    /// Query, key, value and output.
    All,
}

/// Where values come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Values {
    /// A projection of their own.
    Projected,
    /// The projection of the keys.
    FromKeys,
}

/// The sizes of grouped attention, and what a family adds to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grouped {
    pub(super) hidden: u64,
    pub(super) heads: u64,
    pub(super) kv_heads: u64,
    pub(super) head_dim: u64,
    pub(super) biases: Biases,
    /// Norms over each query and key head.
    pub(super) head_norms: bool,
    /// A gate on the output, from a second half of the query projection.
    pub(super) output_gate: bool,
    /// A learnt sink for each head.
    pub(super) sinks: bool,
    pub(super) values: Values,
    /// How the family calls the block.
    pub(super) module: &'static str,
}

impl Grouped {
    /// Plain attention without biases or norms.
    pub(super) const fn plain(hidden: u64, heads: u64, kv_heads: u64, head_dim: u64) -> Self {
        Self {
            hidden,
            heads,
            kv_heads,
            head_dim,
            biases: Biases::None,
            head_norms: false,
            output_gate: false,
            sinks: false,
            values: Values::Projected,
            module: "self_attn",
        }
    }

    pub(super) fn add(&self, site: &mut Site, block: Block) -> Result<(), ModelError> {
        let (queries, keys) = (self.heads * self.head_dim, self.kv_heads * self.head_dim);
        let from_queries = if self.output_gate { 2 * queries } else { queries };
        let mut add = |what: &str, role, shape: &[u64]| {
            site.add(block, role, &format!("{}.{what}", self.module), shape)
        };
        let projections = [("q_proj", from_queries), ("k_proj", keys), ("v_proj", keys)];
        let listed = if self.values == Values::FromKeys { 2 } else { 3 };
        for (name, rows) in projections.into_iter().take(listed) {
            add(&format!("{name}.weight"), Role::Attn, &[rows, self.hidden])?;
            if self.biases != Biases::None {
                add(&format!("{name}.bias"), Role::Attn, &[rows])?;
            }
        }
        add("o_proj.weight", Role::Attn, &[self.hidden, queries])?;
        if self.biases == Biases::All {
            add("o_proj.bias", Role::Attn, &[self.hidden])?;
        }
        if self.head_norms {
            add("q_norm.weight", Role::Norm, &[self.head_dim])?;
            add("k_norm.weight", Role::Norm, &[self.head_dim])?;
        }
        if self.sinks {
            add("sinks", Role::Attn, &[self.heads])?;
        }
        Ok(())
    }
}
