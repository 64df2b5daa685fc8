//! Gemma 3, text: five layers with a window to one without, four norms a layer.

use super::fields::Fields;
use super::grouped::{Biases, Grouped};
use super::limit::{HEAD_DIM, HEADS, LAYERS, TOKENS, VOCABULARY, WIDTH};
use super::moe;
use super::pace::{self, Mixers};
use super::site::Site;
use crate::model::{LayerKind, ModelError, Role};

const LIBRARY: &str = "Gemma3TextConfig";

/// Builds the text model.
///
/// Published configs leave out what equals the library's defaults, so these stand in with warnings.
///
/// # Source
/// `Gemma3TextConfig` of transformers 4.50: vocabulary 262,208, 8 heads, 4 of keys and values, head
/// width 256, window 4,096, every sixth layer full.
pub(super) fn build(fields: &mut Fields<'_>, site: &mut Site) -> Result<(), ModelError> {
    let hidden = fields.required("hidden_size", WIDTH)?;
    let layers = fields.required("num_hidden_layers", LAYERS)?;
    let heads = fields.or("num_attention_heads", HEADS, 8, LIBRARY)?;
    let kv_heads = fields.or("num_key_value_heads", HEADS, 4, LIBRARY)?;
    let head_dim = fields.or("head_dim", HEAD_DIM, 256, LIBRARY)?;
    let width = fields.required("intermediate_size", WIDTH)?;
    let vocabulary = fields.or("vocab_size", VOCABULARY, 262_208, LIBRARY)?;
    let window = fields.or("sliding_window", TOKENS, 4_096, LIBRARY)?;
    let tied = fields.flag("tie_word_embeddings", true, LIBRARY)?;
    let biased = fields.switch("attention_bias")?;
    let mixers = mixers(fields, layers)?;

    site.ends(hidden, vocabulary, tied)?;
    let attention = Grouped {
        biases: if biased { Biases::All } else { Biases::None },
        head_norms: true,
        ..Grouped::plain(hidden, heads, kv_heads, head_dim)
    };
    let full = LayerKind::Full { heads, kv_heads, head_dim };
    let windowed = LayerKind::Window { heads, kv_heads, head_dim, window };
    for (kind, count) in [(full, mixers.full), (windowed, mixers.window)] {
        let block = site.blocks(kind, count);
        attention.add(site, block)?;
        site.add(block, Role::Norm, "input_layernorm.weight", &[hidden])?;
        site.add(block, Role::Norm, "post_attention_layernorm.weight", &[hidden])?;
    }
    let ffn = site.blocks(LayerKind::DenseFfn { width }, layers);
    site.add(ffn, Role::Norm, "pre_feedforward_layernorm.weight", &[hidden])?;
    site.add(ffn, Role::Norm, "post_feedforward_layernorm.weight", &[hidden])?;
    moe::dense(site, ffn, hidden, width)
}

pub(super) fn mixers(fields: &mut Fields<'_>, layers: u64) -> Result<Mixers, ModelError> {
    let listed = pace::listed(fields, layers)?;
    let old = fields.optional("_sliding_window_pattern", LAYERS)?;
    let every = match (listed, old) {
        (Some(listed), _) => return Ok(listed),
        (None, Some(every)) => every,
        (None, None) => fields.or("sliding_window_pattern", LAYERS, 6, LIBRARY)?,
    };
    let full = layers / every;
    Ok(Mixers { full, window: layers - full, linear: 0 })
}
