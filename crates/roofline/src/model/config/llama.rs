//! Llama and Mistral: grouped attention, a gated feed-forward block.

use super::fields::Fields;
use super::grouped::{Biases, Grouped};
use super::limit::{HEADS, LAYERS, TOKENS, VOCABULARY, WIDTH};
use super::moe;
use super::site::Site;
use crate::model::{LayerKind, ModelError, Role};

pub(super) fn build(fields: &mut Fields<'_>, site: &mut Site) -> Result<(), ModelError> {
    let mistral = site.family() == "mistral";
    let library = if mistral { "MistralConfig" } else { "LlamaConfig" };
    let hidden = fields.required("hidden_size", WIDTH)?;
    let layers = fields.required("num_hidden_layers", LAYERS)?;
    let heads = fields.required("num_attention_heads", HEADS)?;
    let kv_heads = fields.or("num_key_value_heads", HEADS, heads, library)?;
    let head_dim = fields.head_dim(hidden, heads)?;
    let width = fields.required("intermediate_size", WIDTH)?;
    let vocabulary = fields.required("vocab_size", VOCABULARY)?;
    let tied = fields.flag("tie_word_embeddings", false, library)?;
    let window = fields.optional("sliding_window", TOKENS)?.filter(|_| mistral);
    let mut attention = Grouped::plain(hidden, heads, kv_heads, head_dim);
    if !mistral && fields.flag("attention_bias", false, library)? {
        attention.biases = Biases::All;
    }
    let biased_ffn = !mistral && fields.flag("mlp_bias", false, library)?;

    site.ends(hidden, vocabulary, tied)?;
    let kind = match window {
        Some(window) => LayerKind::Window { heads, kv_heads, head_dim, window },
        None => LayerKind::Full { heads, kv_heads, head_dim },
    };
    let mixer = site.blocks(kind, layers);
    attention.add(site, mixer)?;
    site.add(mixer, Role::Norm, "input_layernorm.weight", &[hidden])?;
    let ffn = site.blocks(LayerKind::DenseFfn { width }, layers);
    site.add(ffn, Role::Norm, "post_attention_layernorm.weight", &[hidden])?;
    moe::dense(site, ffn, hidden, width)?;
    if biased_ffn {
        for (name, rows) in [("gate_proj", width), ("up_proj", width), ("down_proj", hidden)] {
            site.add(ffn, Role::FfnDense, &format!("mlp.{name}.bias"), &[rows])?;
        }
    }
    Ok(())
}
