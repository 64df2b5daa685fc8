//! Kimi Linear: delta layers, latent attention in every fourth, experts after a dense layer.

use super::fields::Fields;
use super::latent::Latent;
use super::limit::{EXPERTS, HEAD_DIM, HEADS, LAYERS, SOME_EXPERTS, VOCABULARY, WIDTH};
use super::linear::Linear;
use super::moe::{self, Choice, Mixture};
use super::pace;
use super::site::Site;
use crate::model::{LayerKind, ModelError, ModelErrorKind, Recurrence, Role};

/// Fields of later members of the family that change what the tensors are.
const NOT_MODELLED: [&str; 3] =
    ["routed_expert_hidden_size", "attn_res_block_size", "mla_use_output_gate"];

pub(super) fn build(fields: &mut Fields<'_>, site: &mut Site) -> Result<(), ModelError> {
    for name in NOT_MODELLED {
        if fields.has(name) {
            return Err(ModelError::new(
                ModelErrorKind::UnknownModel,
                format!("expected a Kimi-Linear-48B, found {name}, whose tensors are not known"),
            ));
        }
    }
    let hidden = fields.required("hidden_size", WIDTH)?;
    let layers = fields.required("num_hidden_layers", LAYERS)?;
    let vocabulary = fields.required("vocab_size", VOCABULARY)?;
    let tied = fields.flag("tie_word_embeddings", false, "KimiLinearConfig")?;
    let attention = Latent::read(fields, hidden)?;
    let (linear, full) = linear(fields, hidden, layers)?;
    let (dense, mixed) = pace::dense_first(fields, layers)?;
    let width = fields.required("moe_intermediate_size", WIDTH)?;
    let mixture = Mixture {
        hidden,
        experts: fields.required("num_experts", EXPERTS)?,
        top_k: fields.required("num_experts_per_token", EXPERTS)?,
        width,
        shared: fields.optional("num_shared_experts", SOME_EXPERTS)?.unwrap_or(0) * width,
        shared_gate: false,
        choice: Choice::Corrected,
    };
    let dense_width = fields.required("intermediate_size", WIDTH)?;

    site.ends(hidden, vocabulary, tied)?;
    let block = site.blocks(attention.kind(), full);
    attention.add(site, block)?;
    site.add(block, Role::Norm, "input_layernorm.weight", &[hidden])?;
    let block = site.blocks(linear.kind(), layers - full);
    linear.add_kimi_delta(site, block)?;
    site.add(block, Role::Norm, "input_layernorm.weight", &[hidden])?;
    let block = site.blocks(LayerKind::DenseFfn { width: dense_width }, dense);
    site.add(block, Role::Norm, "post_attention_layernorm.weight", &[hidden])?;
    moe::dense(site, block, hidden, dense_width)?;
    let block = site.blocks(mixture.kind(), mixed);
    site.add(block, Role::Norm, "post_attention_layernorm.weight", &[hidden])?;
    mixture.add(site, block)
}

/// The delta layers, and how many layers are full; full ones are listed, counted from one.
fn linear(fields: &mut Fields<'_>, hidden: u64, layers: u64) -> Result<(Linear, u64), ModelError> {
    let mut inner = fields.inner("linear_attn_config")?;
    let mut full = inner.sizes("full_attn_layers", LAYERS)?;
    full.sort_unstable();
    full.dedup();
    let delta = inner.sizes("kda_layers", LAYERS)?;
    let whole = delta.is_empty() || (delta.len() + full.len()) as u64 == layers;
    if !whole || full.iter().any(|layer| *layer > layers) {
        return Err(ModelError::new(
            ModelErrorKind::Contradiction,
            format!("expected full and delta layers to make {layers}, found others"),
        ));
    }
    let heads = inner.required("num_heads", HEADS)?;
    let dim = inner.required("head_dim", HEAD_DIM)?;
    let linear = Linear {
        hidden,
        rule: Recurrence::KimiDelta,
        key_heads: heads,
        value_heads: heads,
        key_dim: dim,
        value_dim: dim,
        conv_width: inner.required("short_conv_kernel_size", HEADS)?,
    };
    fields.adopt(inner);
    Ok((linear, full.len() as u64))
}
