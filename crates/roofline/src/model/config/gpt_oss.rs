//! gpt-oss: windows in every other layer, sinks, experts with biases.

use super::fields::Fields;
use super::grouped::{Biases, Grouped};
use super::limit::{EXPERTS, HEAD_DIM, HEADS, LAYERS, TOKENS, VOCABULARY, WIDTH};
use super::pace::{self, Mixers};
use super::site::{Block, Site};
use crate::model::{LayerKind, ModelError, Role, Warning};

pub(super) fn build(fields: &mut Fields<'_>, site: &mut Site) -> Result<(), ModelError> {
    let hidden = fields.required("hidden_size", WIDTH)?;
    let layers = fields.required("num_hidden_layers", LAYERS)?;
    let heads = fields.required("num_attention_heads", HEADS)?;
    let kv_heads = fields.required("num_key_value_heads", HEADS)?;
    let head_dim = fields.required("head_dim", HEAD_DIM)?;
    let width = fields.required("intermediate_size", WIDTH)?;
    let vocabulary = fields.required("vocab_size", VOCABULARY)?;
    let tied = fields.flag("tie_word_embeddings", false, "GptOssConfig")?;
    let biased = fields.flag("attention_bias", true, "GptOssConfig")?;
    let window = fields.required("sliding_window", TOKENS)?;
    let experts = fields.required("num_local_experts", EXPERTS)?;
    let top_k = match fields.optional("num_experts_per_tok", EXPERTS)? {
        Some(top_k) => top_k,
        None => fields.required("experts_per_token", EXPERTS)?,
    };
    let _ = fields.optional("experts_per_token", EXPERTS)?;
    let mixers = pace::listed(fields, layers)?.unwrap_or_else(|| {
        fields.warn(Warning::Defaulted {
            field: "layer_types".to_owned(),
            value: "a window in every other layer, the first included".to_owned(),
            because: "GptOssConfig".to_owned(),
        });
        Mixers { full: layers / 2, window: layers.div_ceil(2), linear: 0 }
    });

    site.ends(hidden, vocabulary, tied)?;
    let attention = Grouped {
        biases: if biased { Biases::All } else { Biases::None },
        sinks: true,
        ..Grouped::plain(hidden, heads, kv_heads, head_dim)
    };
    let full = LayerKind::Full { heads, kv_heads, head_dim };
    let windowed = LayerKind::Window { heads, kv_heads, head_dim, window };
    for (kind, count) in [(full, mixers.full), (windowed, mixers.window)] {
        let block = site.blocks(kind, count);
        attention.add(site, block)?;
        site.add(block, Role::Norm, "input_layernorm.weight", &[hidden])?;
    }
    let block = site.blocks(LayerKind::Moe { experts, top_k, width, shared: 0 }, layers);
    site.add(block, Role::Norm, "post_attention_layernorm.weight", &[hidden])?;
    mixture(site, block, hidden, experts, width)
}

fn mixture(
    site: &mut Site,
    block: Block,
    hidden: u64,
    experts: u64,
    width: u64,
) -> Result<(), ModelError> {
    site.add(block, Role::Router, "mlp.router.weight", &[experts, hidden])?;
    site.add(block, Role::Router, "mlp.router.bias", &[experts])?;
    let mut add = |name: &str, shape: &[u64]| {
        site.add_experts(block, experts, &format!("mlp.experts.{name}"), shape)
    };
    add("gate_up_proj", &[2 * width, hidden])?;
    add("gate_up_proj_bias", &[2 * width])?;
    add("down_proj", &[hidden, width])?;
    add("down_proj_bias", &[hidden])
}
