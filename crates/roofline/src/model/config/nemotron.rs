//! Nemotron-H and Nemotron 3: one block a layer, by a pattern of letters.

use super::fields::Fields;
use super::grouped::{Biases, Grouped};
use super::limit::{EXPERTS, HEAD_DIM, HEADS, LAYERS, SOME_EXPERTS, VOCABULARY, WIDTH};
use super::linear::Linear;
use super::site::Site;
use crate::model::error::shown;
use crate::model::{LayerKind, ModelError, ModelErrorKind, Recurrence, Role, Stored, Warning};

const LIBRARY: &str = "NemotronHConfig";

/// Layers by letter: `M` Mamba-2, `*` attention, `-` feed-forward, `E` experts.
#[derive(Debug, Default)]
struct Letters {
    mamba: u64,
    attention: u64,
    dense: u64,
    experts: u64,
}

pub(super) fn build(fields: &mut Fields<'_>, site: &mut Site) -> Result<(), ModelError> {
    let hidden = fields.required("hidden_size", WIDTH)?;
    let layers = fields.required("num_hidden_layers", LAYERS)?;
    let vocabulary = fields.required("vocab_size", VOCABULARY)?;
    let tied = fields.flag("tie_word_embeddings", false, LIBRARY)?;
    let letters = letters(fields, layers)?;
    for name in ["mlp_bias", "mamba_proj_bias", "use_bias"] {
        if fields.switch(name)? {
            fields.warn(Warning::NotCounted { what: format!("biases of {name}") });
        }
    }
    // Windows are in no published member of the family.
    if fields.optional("sliding_window", super::limit::TOKENS)?.is_some() {
        fields.warn(Warning::UnknownField { field: "sliding_window".to_owned() });
    }

    site.ends(hidden, vocabulary, tied)?;
    if letters.mamba > 0 {
        let mamba = mamba(fields, hidden)?;
        let biased = fields.flag("use_conv_bias", true, LIBRARY)?;
        let block = site.blocks(mamba.kind(), letters.mamba);
        site.add(block, Role::Norm, "norm.weight", &[hidden])?;
        mamba.add_mamba(site, block, biased)?;
    }
    if letters.attention > 0 {
        let heads = fields.required("num_attention_heads", HEADS)?;
        let kv_heads = fields.required("num_key_value_heads", HEADS)?;
        let head_dim = match fields.optional("attention_head_dim", HEAD_DIM)? {
            Some(head_dim) => head_dim,
            None => fields.required("head_dim", HEAD_DIM)?,
        };
        let biased = fields.flag("attention_bias", false, LIBRARY)?;
        let kind = LayerKind::Full { heads, kv_heads, head_dim };
        let block = site.blocks(kind, letters.attention);
        site.add(block, Role::Norm, "norm.weight", &[hidden])?;
        Grouped {
            biases: if biased { Biases::All } else { Biases::None },
            module: "mixer",
            ..Grouped::plain(hidden, heads, kv_heads, head_dim)
        }
        .add(site, block)?;
    }
    let _ = fields.optional("head_dim", HEAD_DIM)?;
    if letters.dense > 0 {
        let width = fields.required("intermediate_size", WIDTH)?;
        let block = site.blocks(LayerKind::DenseFfn { width }, letters.dense);
        site.add(block, Role::Norm, "norm.weight", &[hidden])?;
        // Squared ReLU has no gate: two matrices, not three.
        site.add(block, Role::FfnDense, "mixer.up_proj.weight", &[width, hidden])?;
        site.add(block, Role::FfnDense, "mixer.down_proj.weight", &[hidden, width])?;
    }
    let _ = fields.optional("intermediate_size", WIDTH)?;
    if letters.experts > 0 {
        experts(fields, site, hidden, letters.experts)?;
    }
    Ok(())
}

fn experts(
    fields: &mut Fields<'_>,
    site: &mut Site,
    hidden: u64,
    layers: u64,
) -> Result<(), ModelError> {
    let experts = fields.required("n_routed_experts", EXPERTS)?;
    let top_k = fields.required("num_experts_per_tok", EXPERTS)?;
    let width = fields.required("moe_intermediate_size", WIDTH)?;
    let shared = match fields.optional("n_shared_experts", SOME_EXPERTS)?.unwrap_or(0) {
        0 => 0,
        n => n * fields.required("moe_shared_expert_intermediate_size", WIDTH)?,
    };
    let block = site.blocks(LayerKind::Moe { experts, top_k, width, shared }, layers);
    site.add(block, Role::Norm, "norm.weight", &[hidden])?;
    site.add(block, Role::Router, "mixer.gate.weight", &[experts, hidden])?;
    let bias = "mixer.gate.e_score_correction_bias";
    site.add_as(block, Role::Router, bias, &[experts], Stored::F32)?;
    let names = [("up_proj", [width, hidden]), ("down_proj", [hidden, width])];
    for (name, shape) in names {
        site.add_experts(block, experts, &format!("mixer.experts.*.{name}.weight"), &shape)?;
    }
    if shared > 0 {
        for (name, shape) in [("up_proj", [shared, hidden]), ("down_proj", [hidden, shared])] {
            let name = format!("mixer.shared_experts.{name}.weight");
            site.add(block, Role::Shared, &name, &shape)?;
        }
    }
    Ok(())
}

fn mamba(fields: &mut Fields<'_>, hidden: u64) -> Result<Linear, ModelError> {
    Ok(Linear {
        hidden,
        rule: Recurrence::Mamba2,
        key_heads: fields.required("n_groups", HEADS)?,
        value_heads: fields.required("mamba_num_heads", HEADS)?,
        key_dim: fields.required("ssm_state_size", HEAD_DIM)?,
        value_dim: fields.required("mamba_head_dim", HEAD_DIM)?,
        conv_width: fields.required("conv_kernel", HEADS)?,
    })
}

fn letters(fields: &mut Fields<'_>, layers: u64) -> Result<Letters, ModelError> {
    let Some(pattern) = fields.text("hybrid_override_pattern")? else {
        return Err(ModelError::new(
            ModelErrorKind::Missing,
            "expected letters of M, *, - and E in hybrid_override_pattern, found none",
        ));
    };
    let mut letters = Letters::default();
    for letter in pattern.chars() {
        match letter {
            'M' => letters.mamba += 1,
            '*' => letters.attention += 1,
            '-' => letters.dense += 1,
            'E' => letters.experts += 1,
            other => {
                return Err(ModelError::new(
                    ModelErrorKind::OutOfRange,
                    format!(
                        "expected letters of M, *, - and E in hybrid_override_pattern, found {:?}",
                        shown(&other.to_string())
                    ),
                ));
            }
        }
    }
    let found = letters.mamba + letters.attention + letters.dense + letters.experts;
    if found != layers {
        return Err(ModelError::new(
            ModelErrorKind::Contradiction,
            format!("expected {layers} letters in hybrid_override_pattern, found {found}"),
        ));
    }
    Ok(letters)
}
