//! Qwen 2, 2.5 and 3, dense and with experts.

use super::fields::Fields;
use super::grouped::{Biases, Grouped};
use super::limit::{EXPERTS, HEAD_DIM, HEADS, LAYERS, SOME_LAYERS, TOKENS, VOCABULARY, WIDTH};
use super::moe::{self, Choice, Mixture};
use super::pace::{self, Mixers};
use super::site::Site;
use crate::model::{LayerKind, ModelError, Role};

pub(super) fn build(fields: &mut Fields<'_>, site: &mut Site) -> Result<(), ModelError> {
    let second = site.family() == "qwen2";
    let experts = site.family() == "qwen3_moe";
    let library = if second { "Qwen2Config" } else { "Qwen3Config" };
    let hidden = fields.required("hidden_size", WIDTH)?;
    let layers = fields.required("num_hidden_layers", LAYERS)?;
    let heads = fields.required("num_attention_heads", HEADS)?;
    let kv_heads = fields.required("num_key_value_heads", HEADS)?;
    // hidden / heads is wrong for Qwen3: 64 instead of 128 for the 30B.
    let head_dim = if second {
        fields.head_dim(hidden, heads)?
    } else {
        fields.required("head_dim", HEAD_DIM)?
    };
    let vocabulary = fields.required("vocab_size", VOCABULARY)?;
    let tied = fields.flag("tie_word_embeddings", false, library)?;
    let biases = if second {
        Biases::Qkv
    } else if fields.flag("attention_bias", false, library)? {
        Biases::All
    } else {
        Biases::None
    };
    let attention = Grouped {
        biases,
        head_norms: !second,
        ..Grouped::plain(hidden, heads, kv_heads, head_dim)
    };
    site.ends(hidden, vocabulary, tied)?;

    let (mixers, window) = mixers(fields, layers)?;
    let full = LayerKind::Full { heads, kv_heads, head_dim };
    let windowed = LayerKind::Window { heads, kv_heads, head_dim, window };
    for (kind, count) in [(full, mixers.full), (windowed, mixers.window)] {
        let block = site.blocks(kind, count);
        attention.add(site, block)?;
        site.add(block, Role::Norm, "input_layernorm.weight", &[hidden])?;
    }

    let (dense, mixed) = if experts { pace::sparse_step(fields, layers)? } else { (layers, 0) };
    let width = fields.optional("intermediate_size", WIDTH)?;
    if dense > 0 {
        let width = width.map_or_else(|| fields.required("intermediate_size", WIDTH), Ok)?;
        let block = site.blocks(LayerKind::DenseFfn { width }, dense);
        site.add(block, Role::Norm, "post_attention_layernorm.weight", &[hidden])?;
        moe::dense(site, block, hidden, width)?;
    }
    if mixed > 0 {
        let mixture = mixture(fields, hidden)?;
        let block = site.blocks(mixture.kind(), mixed);
        site.add(block, Role::Norm, "post_attention_layernorm.weight", &[hidden])?;
        mixture.add(site, block)?;
    }
    Ok(())
}

fn mixture(fields: &mut Fields<'_>, hidden: u64) -> Result<Mixture, ModelError> {
    Ok(Mixture {
        hidden,
        experts: fields.required("num_experts", EXPERTS)?,
        top_k: fields.required("num_experts_per_tok", EXPERTS)?,
        width: fields.required("moe_intermediate_size", WIDTH)?,
        shared: 0,
        shared_gate: false,
        choice: Choice::Plain,
    })
}

/// Windows are used only where `use_sliding_window` says so, from layer `max_window_layers` on.
fn mixers(fields: &mut Fields<'_>, layers: u64) -> Result<(Mixers, u64), ModelError> {
    let listed = pace::listed(fields, layers)?;
    let window = fields.optional("sliding_window", TOKENS)?;
    let used = fields.switch("use_sliding_window")?;
    let from = fields.optional("max_window_layers", SOME_LAYERS)?;
    let mixers = match (listed, window) {
        (Some(listed), _) => listed,
        (None, Some(_)) if used => {
            let full = from.unwrap_or(0).min(layers);
            Mixers { full, window: layers - full, linear: 0 }
        }
        _ => Mixers { full: layers, ..Mixers::default() },
    };
    if mixers.window > 0 {
        return Ok((mixers, fields.required("sliding_window", TOKENS)?));
    }
    Ok((mixers, 1))
}
