//! The kinds of layers of a GGUF file, from its keys and its tensors.

use super::metadata::Metadata;
use super::softmax;
use crate::model::{LayerKind, LayerRun, Model, ModelPart, Recurrence, Tensor, Warning};

/// The layers; what is missing, in words, where they cannot be told.
pub(super) fn layers(
    metadata: &Metadata,
    model: &Model,
) -> Result<(Vec<LayerRun>, Vec<Warning>), String> {
    let architecture = metadata.architecture().ok_or("general.architecture")?;
    let mut runs = Vec::new();
    let mut warnings = Vec::new();
    let mixers = softmax::layers(metadata, model, architecture, &mut runs, &mut warnings)?;
    let states = state(metadata, model, architecture, &mut runs)?;
    feed_forward(metadata, model, &mut runs)?;
    let ahead = metadata.number("nextn_predict_layers").unwrap_or(0);
    let layers = metadata.number("block_count").ok_or_else(|| key(architecture, "block_count"))?;
    let layers = layers.saturating_sub(ahead);
    let per_layer = runs.iter().filter(|run: &&LayerRun| !run.kind.mixes_tokens()).map(|r| r.count);
    let blocks = per_layer.fold(mixers.saturating_add(states), u64::saturating_add);
    // Either every layer mixes and transforms, or it does one of both.
    if mixers.saturating_add(states) != layers && blocks != layers {
        warnings.push(Warning::Disagrees {
            what: format!(
                "block_count says {layers} layers; {mixers} with attention and {states} with a \
                 state were found"
            ),
        });
    }
    Ok((runs, warnings))
}

pub(super) fn key(architecture: &str, name: &str) -> String {
    format!("the key {architecture}.{name}")
}

/// Text tensors of one name, over all shapes.
fn named<'a>(model: &'a Model, name: &'a str) -> impl Iterator<Item = &'a Tensor> {
    let whole = format!("blk.*.{name}");
    model.tensors.iter().filter(move |t| t.part == ModelPart::Text && t.name == whole)
}

pub(super) fn copies(model: &Model, name: &str) -> u64 {
    named(model, name).map(|t| t.copies).fold(0, u64::saturating_add)
}

/// Layers with a state; returns how many there are.
fn state(
    metadata: &Metadata,
    model: &Model,
    architecture: &str,
    runs: &mut Vec<LayerRun>,
) -> Result<u64, String> {
    if copies(model, "ssm_conv1d_q.weight") > 0 {
        return Err("a description of the delta layers beside the file".to_owned());
    }
    let count = copies(model, "ssm_conv1d.weight");
    if count == 0 {
        return Ok(0);
    }
    let need = |name: &str| metadata.number(name).ok_or_else(|| key(architecture, name));
    let value_heads = need("ssm.time_step_rank")?.max(1);
    let gated = architecture.starts_with("qwen3");
    runs.push(LayerRun {
        kind: LayerKind::LinearState {
            rule: if gated { Recurrence::GatedDelta } else { Recurrence::Mamba2 },
            key_heads: need("ssm.group_count")?,
            value_heads,
            key_dim: need("ssm.state_size")?,
            value_dim: need("ssm.inner_size")? / value_heads,
            conv_width: need("ssm.conv_kernel")?,
        },
        count,
    });
    Ok(count)
}

/// Feed-forward blocks, from the tensors: their widths and counts are in the shapes.
fn feed_forward(
    metadata: &Metadata,
    model: &Model,
    runs: &mut Vec<LayerRun>,
) -> Result<(), String> {
    let rows = |tensor: &Tensor| tensor.shape.first().copied().unwrap_or(0);
    for tensor in named(model, "ffn_up.weight") {
        // A fused gate and up projection has twice the rows of the block's width.
        let fused = named(model, "ffn_gate.weight").next().is_none()
            && named(model, "ffn_down.weight")
                .next()
                .and_then(|down| down.shape.last())
                .is_some_and(|inner| inner.saturating_mul(2) == rows(tensor));
        let width = if fused { rows(tensor) / 2 } else { rows(tensor) };
        runs.push(LayerRun { kind: LayerKind::DenseFfn { width }, count: tensor.copies });
    }
    let shared = named(model, "ffn_up_shexp.weight").map(rows).max().unwrap_or(0);
    let experts = named(model, "ffn_down_exps.weight");
    for tensor in experts.chain(named(model, "ffn_down.*.weight")) {
        let experts = metadata.number("expert_count").filter(|n| *n > 0);
        let top_k = metadata.number("expert_used_count").filter(|n| *n > 0);
        let (Some(experts), Some(top_k)) = (experts, top_k) else {
            return Err("the keys expert_count and expert_used_count".to_owned());
        };
        let width = tensor.shape.last().copied().unwrap_or(0);
        runs.push(LayerRun {
            kind: LayerKind::Moe { experts, top_k, width, shared },
            count: tensor.copies / experts,
        });
    }
    // Quantised mixes store equal blocks differently; they are one run.
    let mut merged: Vec<LayerRun> = Vec::new();
    for run in runs.drain(..).filter(|run| run.count > 0) {
        match merged.iter_mut().find(|other| other.kind == run.kind) {
            Some(other) => other.count = other.count.saturating_add(run.count),
            None => merged.push(run),
        }
    }
    *runs = merged;
    Ok(())
}
