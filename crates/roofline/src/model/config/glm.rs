//! GLM-4.5 and its Air: grouped attention, experts after some dense layers.

use super::fields::Fields;
use super::grouped::{Biases, Grouped};
use super::limit::{HEAD_DIM, HEADS, LAYERS, SOME_LAYERS, VOCABULARY, WIDTH};
use super::site::Site;
use super::{deepseek, moe, mtp, pace};
use crate::model::{LayerKind, ModelError, Role};

pub(super) fn build(fields: &mut Fields<'_>, site: &mut Site) -> Result<(), ModelError> {
    let library = "Glm4MoeConfig";
    let hidden = fields.required("hidden_size", WIDTH)?;
    let layers = fields.required("num_hidden_layers", LAYERS)?;
    let heads = fields.required("num_attention_heads", HEADS)?;
    let kv_heads = fields.required("num_key_value_heads", HEADS)?;
    let head_dim = fields.required("head_dim", HEAD_DIM)?;
    let vocabulary = fields.required("vocab_size", VOCABULARY)?;
    let tied = fields.flag("tie_word_embeddings", false, library)?;
    let biased = fields.flag("attention_bias", false, library)?;
    let attention = Grouped {
        biases: if biased { Biases::Qkv } else { Biases::None },
        head_norms: fields.flag("use_qk_norm", false, library)?,
        ..Grouped::plain(hidden, heads, kv_heads, head_dim)
    };
    let (dense, sparse) = pace::dense_first(fields, layers)?;
    let width = fields.required("intermediate_size", WIDTH)?;
    let mixture = deepseek::mixture(fields, hidden)?;
    let ahead = fields.optional("num_nextn_predict_layers", SOME_LAYERS)?.unwrap_or(0);

    site.ends(hidden, vocabulary, tied)?;
    let kind = LayerKind::Full { heads, kv_heads, head_dim };
    let mixer = site.blocks(kind, layers);
    attention.add(site, mixer)?;
    site.add(mixer, Role::Norm, "input_layernorm.weight", &[hidden])?;
    let block = site.blocks(LayerKind::DenseFfn { width }, dense);
    site.add(block, Role::Norm, "post_attention_layernorm.weight", &[hidden])?;
    moe::dense(site, block, hidden, width)?;
    let block = site.blocks(mixture.kind(), sparse);
    site.add(block, Role::Norm, "post_attention_layernorm.weight", &[hidden])?;
    mixture.add(site, block)?;
    if ahead > 0 {
        let block = Site::mtp(ahead);
        attention.add(site, block)?;
        mixture.add(site, block)?;
        mtp::norms(site, block, hidden)?;
        mtp::add(site, block, hidden, vocabulary)?;
    }
    Ok(())
}
