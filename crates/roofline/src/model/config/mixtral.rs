//! Mixtral: grouped attention, a mixture of experts in every layer.

use super::fields::Fields;
use super::grouped::Grouped;
use super::limit::{EXPERTS, HEADS, LAYERS, TOKENS, VOCABULARY, WIDTH};
use super::moe::{Choice, Mixture};
use super::site::Site;
use crate::model::{LayerKind, ModelError, Role};

pub(super) fn build(fields: &mut Fields<'_>, site: &mut Site) -> Result<(), ModelError> {
    let hidden = fields.required("hidden_size", WIDTH)?;
    let layers = fields.required("num_hidden_layers", LAYERS)?;
    let heads = fields.required("num_attention_heads", HEADS)?;
    let kv_heads = fields.required("num_key_value_heads", HEADS)?;
    let head_dim = fields.head_dim(hidden, heads)?;
    let vocabulary = fields.required("vocab_size", VOCABULARY)?;
    let tied = fields.flag("tie_word_embeddings", false, "MixtralConfig")?;
    let window = fields.optional("sliding_window", TOKENS)?;
    let mixture = Mixture {
        hidden,
        experts: fields.required("num_local_experts", EXPERTS)?,
        top_k: fields.required("num_experts_per_tok", EXPERTS)?,
        width: fields.required("intermediate_size", WIDTH)?,
        shared: 0,
        shared_gate: false,
        choice: Choice::Plain,
    };

    site.ends(hidden, vocabulary, tied)?;
    let kind = match window {
        Some(window) => LayerKind::Window { heads, kv_heads, head_dim, window },
        None => LayerKind::Full { heads, kv_heads, head_dim },
    };
    let mixer = site.blocks(kind, layers);
    Grouped::plain(hidden, heads, kv_heads, head_dim).add(site, mixer)?;
    site.add(mixer, Role::Norm, "input_layernorm.weight", &[hidden])?;
    let ffn = site.blocks(mixture.kind(), layers);
    site.add(ffn, Role::Norm, "post_attention_layernorm.weight", &[hidden])?;
    mixture.add(site, ffn)
}
