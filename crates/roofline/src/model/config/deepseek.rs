//! DeepSeek-V3 and V3.2, Kimi K2, GLM-5: latent attention, experts after some dense layers.

use super::fields::Fields;
use super::latent::Latent;
use super::limit::{EXPERTS, LAYERS, SOME_EXPERTS, SOME_LAYERS, VOCABULARY, WIDTH};
use super::moe::{self, Choice, Mixture};
use super::site::Site;
use super::{mtp, pace};
use crate::model::{LayerKind, ModelError, Role, Warning};

pub(super) fn build(fields: &mut Fields<'_>, site: &mut Site) -> Result<(), ModelError> {
    let hidden = fields.required("hidden_size", WIDTH)?;
    let layers = fields.required("num_hidden_layers", LAYERS)?;
    let vocabulary = fields.required("vocab_size", VOCABULARY)?;
    let tied = fields.flag("tie_word_embeddings", false, "DeepseekV3Config")?;
    let attention = Latent::read(fields, hidden)?;
    let (dense, sparse) = pace::dense_first(fields, layers)?;
    let mixture = mixture(fields, hidden)?;
    let ahead = fields.optional("num_nextn_predict_layers", SOME_LAYERS)?.unwrap_or(0);
    if fields.switch("attention_bias")? {
        fields.warn(Warning::NotCounted { what: "attention's biases".to_owned() });
    }

    site.ends(hidden, vocabulary, tied)?;
    let mixer = site.blocks(attention.kind(), layers);
    attention.add(site, mixer)?;
    site.add(mixer, Role::Norm, "input_layernorm.weight", &[hidden])?;
    if dense > 0 {
        let width = fields.required("intermediate_size", WIDTH)?;
        let block = site.blocks(LayerKind::DenseFfn { width }, dense);
        site.add(block, Role::Norm, "post_attention_layernorm.weight", &[hidden])?;
        moe::dense(site, block, hidden, width)?;
    } else {
        let _ = fields.optional("intermediate_size", WIDTH)?;
    }
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

/// Routed experts of one width and shared ones of the same width each.
pub(super) fn mixture(fields: &mut Fields<'_>, hidden: u64) -> Result<Mixture, ModelError> {
    let width = fields.required("moe_intermediate_size", WIDTH)?;
    Ok(Mixture {
        hidden,
        experts: fields.required("n_routed_experts", EXPERTS)?,
        top_k: fields.required("num_experts_per_tok", EXPERTS)?,
        width,
        shared: fields.optional("n_shared_experts", SOME_EXPERTS)?.unwrap_or(0) * width,
        shared_gate: false,
        choice: Choice::Corrected,
    })
}
