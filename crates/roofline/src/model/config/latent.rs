//! Attention over a compressed cache (multi-head latent attention), with its indexer.

use super::fields::Fields;
use super::limit::{HEAD_DIM, HEADS, TOKENS};
use super::site::{Block, Site};
use crate::model::{KeyIndexer, LayerKind, ModelError, Role};

/// The sizes of latent attention.
#[derive(Debug, Clone, Copy)]
pub(super) struct Latent {
    hidden: u64,
    heads: u64,
    /// Width of the compressed query; `None` where the query is projected at once.
    query_rank: Option<u64>,
    rank: u64,
    nope_dim: u64,
    rope_dim: u64,
    value_dim: u64,
    indexer: Option<KeyIndexer>,
}

impl Latent {
    /// Reads the sizes; all are required but those of the indexer, which stand together.
    pub(super) fn read(fields: &mut Fields<'_>, hidden: u64) -> Result<Self, ModelError> {
        let indexer = match fields.optional("index_topk", TOKENS)? {
            Some(top_k) => Some(KeyIndexer {
                heads: fields.required("index_n_heads", HEADS)?,
                head_dim: fields.required("index_head_dim", HEAD_DIM)?,
                top_k,
            }),
            None => None,
        };
        // Latent attention has no head_dim of its own; some configs state one of its parts.
        let _ = (fields.optional("head_dim", HEAD_DIM)?, fields.optional("qk_head_dim", HEAD_DIM)?);
        let _ = fields.optional("num_key_value_heads", HEADS)?;
        Ok(Self {
            hidden,
            heads: fields.required("num_attention_heads", HEADS)?,
            query_rank: fields.optional("q_lora_rank", HEAD_DIM)?,
            rank: fields.required("kv_lora_rank", HEAD_DIM)?,
            nope_dim: fields.required("qk_nope_head_dim", HEAD_DIM)?,
            rope_dim: fields.required("qk_rope_head_dim", HEAD_DIM)?,
            value_dim: fields.required("v_head_dim", HEAD_DIM)?,
            indexer,
        })
    }

    pub(super) const fn kind(&self) -> LayerKind {
        LayerKind::Mla {
            heads: self.heads,
            rank: self.rank,
            nope_dim: self.nope_dim,
            rope_dim: self.rope_dim,
            value_dim: self.value_dim,
            indexer: self.indexer,
        }
    }

    pub(super) fn add(&self, site: &mut Site, block: Block) -> Result<(), ModelError> {
        let (hidden, rank) = (self.hidden, self.rank);
        let queries = self.heads * (self.nope_dim + self.rope_dim);
        let mut add = |role, name: &str, shape: &[u64]| {
            site.add(block, role, &format!("self_attn.{name}"), shape)
        };
        match self.query_rank {
            Some(q) => {
                add(Role::Attn, "q_a_proj.weight", &[q, hidden])?;
                add(Role::Norm, "q_a_layernorm.weight", &[q])?;
                add(Role::Attn, "q_b_proj.weight", &[queries, q])?;
            }
            None => add(Role::Attn, "q_proj.weight", &[queries, hidden])?,
        }
        add(Role::Attn, "kv_a_proj_with_mqa.weight", &[rank + self.rope_dim, hidden])?;
        add(Role::Norm, "kv_a_layernorm.weight", &[rank])?;
        let expanded = self.heads * (self.nope_dim + self.value_dim);
        add(Role::Attn, "kv_b_proj.weight", &[expanded, rank])?;
        add(Role::Attn, "o_proj.weight", &[hidden, self.heads * self.value_dim])?;
        if let Some(indexer) = self.indexer {
            self.add_indexer(site, block, indexer)?;
        }
        Ok(())
    }

    /// The indexer's tensors; the projection of its weights is never quantised.
    ///
    /// # Source
    /// The published total of DeepSeek-V3.2, whose scales are counted exactly so.
    fn add_indexer(
        &self,
        site: &mut Site,
        block: Block,
        indexer: KeyIndexer,
    ) -> Result<(), ModelError> {
        let KeyIndexer { heads, head_dim, .. } = indexer;
        let from = self.query_rank.unwrap_or(self.hidden);
        let name = |what: &str| format!("self_attn.indexer.{what}");
        site.add(block, Role::Indexer, &name("wq_b.weight"), &[heads * head_dim, from])?;
        site.add(block, Role::Indexer, &name("wk.weight"), &[head_dim, self.hidden])?;
        site.add(block, Role::Norm, &name("k_norm.weight"), &[head_dim])?;
        site.add(block, Role::Norm, &name("k_norm.bias"), &[head_dim])?;
        let plain = site.plain();
        let weights = [heads, self.hidden];
        site.add_as(block, Role::Indexer, &name("weights_proj.weight"), &weights, plain)
    }
}
