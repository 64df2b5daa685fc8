//! Qwen3-Next and Qwen3.5: gated delta layers, and full attention with an output gate.

use super::fields::Fields;
use super::grouped::{Biases, Grouped};
use super::limit::{EXPERTS, HEAD_DIM, HEADS, LAYERS, SOME_LAYERS, VOCABULARY, WIDTH};
use super::linear::Linear;
use super::moe::{self, Choice, Mixture};
use super::mtp;
use super::pace::{self, Mixers};
use super::site::{Block, Site};
use crate::model::{LayerKind, ModelError, Recurrence, Role};

/// What follows a mixer in each layer.
#[derive(Debug, Clone, Copy)]
enum Ffn {
    Dense { width: u64 },
    Mixed(Mixture),
}

pub(super) fn build(fields: &mut Fields<'_>, site: &mut Site) -> Result<(), ModelError> {
    let library = "Qwen3NextConfig";
    let hidden = fields.required("hidden_size", WIDTH)?;
    let layers = fields.required("num_hidden_layers", LAYERS)?;
    let heads = fields.required("num_attention_heads", HEADS)?;
    let kv_heads = fields.required("num_key_value_heads", HEADS)?;
    let head_dim = fields.required("head_dim", HEAD_DIM)?;
    let vocabulary = fields.required("vocab_size", VOCABULARY)?;
    let tied = fields.flag("tie_word_embeddings", false, library)?;
    let next = site.family() == "qwen3_next";
    let attention = Grouped {
        biases: if fields.switch("attention_bias")? { Biases::All } else { Biases::None },
        head_norms: true,
        output_gate: next || fields.flag("attn_output_gate", true, "Qwen3_5TextConfig")?,
        ..Grouped::plain(hidden, heads, kv_heads, head_dim)
    };
    let linear = linear(fields, hidden)?;
    let mixers = mixers(fields, layers)?;
    let _ = fields.switch("use_sliding_window")?;

    site.ends(hidden, vocabulary, tied)?;
    let full = LayerKind::Full { heads, kv_heads, head_dim };
    let block = site.blocks(full, mixers.full);
    attention.add(site, block)?;
    site.add(block, Role::Norm, "input_layernorm.weight", &[hidden])?;
    let block = site.blocks(linear.kind(), mixers.linear);
    linear.add_gated_delta(site, block)?;
    site.add(block, Role::Norm, "input_layernorm.weight", &[hidden])?;

    let mixture =
        if site.family() == "qwen3_5_text" { None } else { Some(mixture(fields, hidden)?) };
    let (dense, mixed) = match mixture {
        None => (layers, 0),
        Some(_) if next => pace::sparse_step(fields, layers)?,
        Some(_) => (0, layers),
    };
    let width = fields.optional("intermediate_size", WIDTH)?;
    if dense > 0 {
        let width = width.map_or_else(|| fields.required("intermediate_size", WIDTH), Ok)?;
        let block = site.blocks(LayerKind::DenseFfn { width }, dense);
        add_ffn(site, block, hidden, Ffn::Dense { width })?;
    }
    if let Some(mixture) = mixture {
        let block = site.blocks(mixture.kind(), mixed);
        add_ffn(site, block, hidden, Ffn::Mixed(mixture))?;
    }

    let ahead = fields.optional("mtp_num_hidden_layers", SOME_LAYERS)?.unwrap_or(0);
    if ahead > 0 {
        let block = Site::mtp(ahead);
        attention.add(site, block)?;
        mtp::norms(site, block, hidden)?;
        match (mixture, width) {
            (Some(mixture), _) => mixture.add(site, block)?,
            (None, Some(width)) => moe::dense(site, block, hidden, width)?,
            (None, None) => {}
        }
        let once = Site::mtp(1);
        site.add(once, Role::Other, "fc.weight", &[hidden, 2 * hidden])?;
        for name in ["pre_fc_norm_embedding.weight", "pre_fc_norm_hidden.weight", "norm.weight"] {
            site.add(once, Role::Norm, name, &[hidden])?;
        }
    }
    Ok(())
}

fn add_ffn(site: &mut Site, block: Block, hidden: u64, ffn: Ffn) -> Result<(), ModelError> {
    site.add(block, Role::Norm, "post_attention_layernorm.weight", &[hidden])?;
    match ffn {
        Ffn::Dense { width } => moe::dense(site, block, hidden, width),
        Ffn::Mixed(mixture) => mixture.add(site, block),
    }
}

fn linear(fields: &mut Fields<'_>, hidden: u64) -> Result<Linear, ModelError> {
    Ok(Linear {
        hidden,
        rule: Recurrence::GatedDelta,
        key_heads: fields.required("linear_num_key_heads", HEADS)?,
        value_heads: fields.required("linear_num_value_heads", HEADS)?,
        key_dim: fields.required("linear_key_head_dim", HEAD_DIM)?,
        value_dim: fields.required("linear_value_head_dim", HEAD_DIM)?,
        conv_width: fields.required("linear_conv_kernel_dim", HEADS)?,
    })
}

fn mixture(fields: &mut Fields<'_>, hidden: u64) -> Result<Mixture, ModelError> {
    Ok(Mixture {
        hidden,
        experts: fields.required("num_experts", EXPERTS)?,
        top_k: fields.required("num_experts_per_tok", EXPERTS)?,
        width: fields.required("moe_intermediate_size", WIDTH)?,
        shared: fields.required("shared_expert_intermediate_size", WIDTH)?,
        shared_gate: true,
        choice: Choice::Plain,
    })
}

/// Every n-th layer is full unless the layers are listed.
fn mixers(fields: &mut Fields<'_>, layers: u64) -> Result<Mixers, ModelError> {
    let listed = pace::listed(fields, layers)?;
    let every = fields.optional("full_attention_interval", LAYERS)?;
    if let Some(listed) = listed {
        return Ok(listed);
    }
    let every = match every {
        Some(every) => every,
        None => fields.or("full_attention_interval", LAYERS, 4, "Qwen3NextConfig")?,
    };
    Ok(Mixers { full: layers / every, window: 0, linear: layers - layers / every })
}
