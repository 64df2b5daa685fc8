//! Gemma 4, dense text: full layers with wider heads of their own, values taken from keys.

use super::fields::Fields;
use super::gemma;
use super::grouped::{Biases, Grouped, Values};
use super::limit::{HEAD_DIM, HEADS, LAYERS, TOKENS, VOCABULARY, WIDTH};
use super::moe;
use super::site::Site;
use crate::model::{LayerKind, ModelError, ModelErrorKind, Role};

const LIBRARY: &str = "Gemma4TextConfig";

/// Builds a dense member.
///
/// # Source
/// The config of gemma-4-31B and `modeling_gemma4.py` of transformers 5. Keys carry the position
/// and values do not, so a cache holds both though one projection makes them.
pub(super) fn build(fields: &mut Fields<'_>, site: &mut Site) -> Result<(), ModelError> {
    refuse_others(fields)?;
    let hidden = fields.required("hidden_size", WIDTH)?;
    let layers = fields.required("num_hidden_layers", LAYERS)?;
    let heads = fields.required("num_attention_heads", HEADS)?;
    let kv_heads = fields.required("num_key_value_heads", HEADS)?;
    let head_dim = fields.required("head_dim", HEAD_DIM)?;
    let wide_dim = fields.required("global_head_dim", HEAD_DIM)?;
    let width = fields.required("intermediate_size", WIDTH)?;
    let vocabulary = fields.required("vocab_size", VOCABULARY)?;
    let window = fields.required("sliding_window", TOKENS)?;
    let tied = fields.flag("tie_word_embeddings", true, LIBRARY)?;
    let biased = fields.flag("attention_bias", false, LIBRARY)?;
    let values = if fields.flag("attention_k_eq_v", false, LIBRARY)? {
        Values::FromKeys
    } else {
        Values::Projected
    };
    let wide_kv_heads = match fields.optional("num_global_key_value_heads", HEADS)? {
        Some(given) if values == Values::FromKeys => given,
        _ => kv_heads,
    };
    let mixers = gemma::mixers(fields, layers)?;
    let _ = fields.optional("vocab_size_per_layer_input", VOCABULARY)?;

    site.ends(hidden, vocabulary, tied)?;
    let narrow = Grouped {
        biases: if biased { Biases::All } else { Biases::None },
        head_norms: true,
        ..Grouped::plain(hidden, heads, kv_heads, head_dim)
    };
    let wide = Grouped { kv_heads: wide_kv_heads, head_dim: wide_dim, values, ..narrow };
    let full = LayerKind::Full { heads, kv_heads: wide_kv_heads, head_dim: wide_dim };
    let windowed = LayerKind::Window { heads, kv_heads, head_dim, window };
    for (kind, attention, count) in [(full, wide, mixers.full), (windowed, narrow, mixers.window)] {
        let block = site.blocks(kind, count);
        attention.add(site, block)?;
        site.add(block, Role::Norm, "input_layernorm.weight", &[hidden])?;
        site.add(block, Role::Norm, "post_attention_layernorm.weight", &[hidden])?;
    }
    let ffn = site.blocks(LayerKind::DenseFfn { width }, layers);
    site.add(ffn, Role::Norm, "pre_feedforward_layernorm.weight", &[hidden])?;
    site.add(ffn, Role::Norm, "post_feedforward_layernorm.weight", &[hidden])?;
    site.add(ffn, Role::Other, "layer_scalar", &[1])?;
    moe::dense(site, ffn, hidden, width)
}

/// Members of the family with tensors that are not known here.
fn refuse_others(fields: &mut Fields<'_>) -> Result<(), ModelError> {
    let sizes = ["hidden_size_per_layer_input", "num_kv_shared_layers"];
    let mut found = None;
    for name in sizes {
        let any = super::limit::Limit { low: 0, ..WIDTH };
        found = found.or(fields.optional(name, any)?.filter(|n| *n > 0).map(|_| name));
    }
    for name in ["enable_moe_block", "use_double_wide_mlp"] {
        found = found.or(fields.switch(name)?.then_some(name));
    }
    // What a dense member writes as null.
    for name in
        ["num_experts", "top_k_experts", "moe_intermediate_size", "expert_intermediate_size"]
    {
        let _ = fields.optional(name, WIDTH)?;
    }
    match found {
        None => Ok(()),
        Some(name) => Err(ModelError::new(
            ModelErrorKind::UnknownModel,
            format!("expected a dense Gemma 4, found {name}, whose tensors are not known"),
        )),
    }
}
