//! The kinds of layers of a GGUF file, from its keys and its tensors.

use super::metadata::Metadata;
use crate::model::{Indexer, LayerKind, LayerRun, Model, Part, Recurrence, Tensor, Warning};

/// Architectures whose windows are not listed in the file: how many layers to one that is full.
///
/// # Source
/// `llama-model.cpp` of llama.cpp (`set_swa_pattern`), read for gemma2, gemma3, gpt-oss, cohere2.
const WINDOWS: [(&str, u64); 4] = [("gemma2", 2), ("gemma3", 6), ("gpt-oss", 2), ("cohere2", 4)];

/// The layers; what is missing, in words, where they cannot be told.
pub(super) fn layers(
    metadata: &Metadata,
    model: &Model,
) -> Result<(Vec<LayerRun>, Vec<Warning>), String> {
    let architecture = metadata.architecture().ok_or("general.architecture")?;
    let mut runs = Vec::new();
    let mut warnings = Vec::new();
    let mixers = softmax(metadata, model, architecture, &mut runs, &mut warnings)?;
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

fn key(architecture: &str, name: &str) -> String {
    format!("the key {architecture}.{name}")
}

/// Text tensors of one name, over all shapes.
fn named<'a>(model: &'a Model, name: &'a str) -> impl Iterator<Item = &'a Tensor> {
    let whole = format!("blk.*.{name}");
    model.tensors.iter().filter(move |t| t.part == Part::Text && t.name == whole)
}

fn copies(model: &Model, name: &str) -> u64 {
    named(model, name).map(|t| t.copies).fold(0, u64::saturating_add)
}

/// Layers with softmax attention; returns how many there are.
fn softmax(
    metadata: &Metadata,
    model: &Model,
    architecture: &str,
    runs: &mut Vec<LayerRun>,
    warnings: &mut Vec<Warning>,
) -> Result<u64, String> {
    let need = |name: &str| metadata.number(name).ok_or_else(|| key(architecture, name));
    let latent = copies(model, "attn_kv_a_mqa.weight");
    if latent > 0 {
        runs.push(LayerRun { kind: mla(metadata, &need)?, count: latent });
        return Ok(latent);
    }
    let states = copies(model, "ssm_conv1d.weight");
    // Layers with a state may also hold a fused projection, which is no attention then.
    let fused = if states == 0 { copies(model, "attn_qkv.weight") } else { 0 };
    let count = copies(model, "attn_k.weight").saturating_add(fused);
    if count == 0 {
        return if states > 0 { Ok(0) } else { Err("tensors of attention".to_owned()) };
    }
    let heads = need("attention.head_count")?;
    let kv_heads = metadata.number("attention.head_count_kv").unwrap_or(heads);
    for name in ["attention.head_count", "attention.head_count_kv"] {
        let differ = |list: &[u64]| list.iter().any(|n| *n > 0 && Some(n) != list.iter().max());
        if metadata.list(name).is_some_and(differ) {
            let key = key(architecture, name);
            let what = format!("{key} differs by layer; the largest counts for all");
            warnings.push(Warning::Disagrees { what });
        }
    }
    let head_dim = match (metadata.number("attention.key_length"), model.hidden) {
        (Some(given), _) => given,
        (None, Some(hidden)) if heads > 0 && hidden.is_multiple_of(heads) => {
            warnings.push(Warning::MissingHeadDim { assumed: hidden / heads });
            hidden / heads
        }
        _ => return Err(key(architecture, "attention.key_length")),
    };
    let window = metadata.number("attention.sliding_window").filter(|w| *w > 0);
    let windowed = window.map_or(0, |_| windows(metadata, architecture, count, warnings));
    let full = LayerKind::Full { heads, kv_heads, head_dim };
    runs.push(LayerRun { kind: full, count: count - windowed });
    if let Some(window) = window {
        let kind = LayerKind::Window { heads, kv_heads, head_dim, window };
        runs.push(LayerRun { kind, count: windowed });
    }
    runs.retain(|run| run.count > 0);
    Ok(count)
}

/// How many layers have a window.
fn windows(
    metadata: &Metadata,
    architecture: &str,
    layers: u64,
    warnings: &mut Vec<Warning>,
) -> u64 {
    if let Some(list) = metadata.list("attention.sliding_window_pattern") {
        return (list.iter().filter(|is| **is != 0).count() as u64).min(layers);
    }
    let known = WINDOWS.iter().find(|(name, _)| *name == architecture).map(|(_, every)| *every);
    let every = metadata.number("attention.sliding_window_pattern").or(known).filter(|n| *n > 0);
    if let Some(every) = every {
        return layers - layers / every;
    }
    // A key that the runtime does not use for this architecture: windows would be a guess.
    warnings.push(Warning::UnknownField { field: key(architecture, "attention.sliding_window") });
    0
}

/// Files differ in which keys hold the widths of a head: with `_mla` keys those are of the head,
/// the others of the compressed cache; without, the others are of the head.
fn mla(
    metadata: &Metadata,
    need: &impl Fn(&str) -> Result<u64, String>,
) -> Result<LayerKind, String> {
    let rope_dim = need("rope.dimension_count")?;
    let or = |name: &str, older: &str| metadata.number(name).map_or_else(|| need(older), Ok);
    let key_length = or("attention.key_length_mla", "attention.key_length")?;
    let indexer = match metadata.number("attention.indexer.top_k") {
        Some(top_k) => Some(Indexer {
            heads: need("attention.indexer.head_count")?,
            head_dim: need("attention.indexer.key_length")?,
            top_k,
        }),
        None => None,
    };
    Ok(LayerKind::Mla {
        heads: need("attention.head_count")?,
        rank: need("attention.kv_lora_rank")?,
        nope_dim: key_length.saturating_sub(rope_dim),
        rope_dim,
        value_dim: or("attention.value_length_mla", "attention.value_length")?,
        indexer,
    })
}

/// Layers with a state; returns how many there are.
fn state(
    metadata: &Metadata,
    model: &Model,
    architecture: &str,
    runs: &mut Vec<LayerRun>,
) -> Result<u64, String> {
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
