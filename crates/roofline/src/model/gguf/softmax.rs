//! Layers with softmax attention of a GGUF file: full, windowed, over a compressed cache.

use super::kinds::{copies, key};
use super::metadata::Metadata;
use crate::model::{KeyIndexer, LayerKind, LayerRun, Model, Warning};

/// Architectures whose windows are not listed in the file: how many layers to one that is full.
///
/// # Source
/// `llama-model.cpp` of llama.cpp (`set_swa_pattern`), read for gemma2, gemma3, gpt-oss, cohere2.
const WINDOWS: [(&str, u64); 4] = [("gemma2", 2), ("gemma3", 6), ("gpt-oss", 2), ("cohere2", 4)];

/// Adds the layers to the runs and returns how many there are; what is missing, in words, where
/// they cannot be told.
pub(super) fn layers(
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
    let window = metadata.number("attention.sliding_window").filter(|w| *w > 0);
    let windowed = window.map_or(0, |_| windows(metadata, architecture, count, warnings));
    let sort = |is_window: bool| -> Result<[u64; 2], String> {
        let heads = by_sort(metadata, "attention.head_count", is_window)
            .ok_or_else(|| key(architecture, "attention.head_count"))?;
        let kv_heads = by_sort(metadata, "attention.head_count_kv", is_window).unwrap_or(heads);
        Ok([heads, kv_heads])
    };
    let [heads, kv_heads] = sort(false)?;
    warn_of_defaults(metadata, architecture, heads, warnings);
    let head_dim = match (metadata.number("attention.key_length"), model.hidden) {
        (Some(given), _) => given,
        (None, Some(hidden)) if heads > 0 && hidden.is_multiple_of(heads) => {
            warnings.push(Warning::MissingHeadDim { assumed: hidden / heads });
            hidden / heads
        }
        _ => return Err(key(architecture, "attention.key_length")),
    };
    if count > windowed {
        let kind = LayerKind::Full { heads, kv_heads, head_dim };
        runs.push(LayerRun { kind, count: count - windowed });
    }
    if let Some(window) = window.filter(|_| windowed > 0) {
        let [heads, kv_heads] = sort(true)?;
        let head_dim = metadata.number("attention.key_length_swa").unwrap_or(head_dim);
        let kind = LayerKind::Window { heads, kv_heads, head_dim, window };
        runs.push(LayerRun { kind, count: windowed });
    }
    Ok(count)
}

/// A number of the layers with a window, or of those without: the largest in a list of layers.
fn by_sort(metadata: &Metadata, name: &str, is_window: bool) -> Option<u64> {
    let (list, pattern) = (metadata.list(name), metadata.list("attention.sliding_window_pattern"));
    if let (Some(list), Some(pattern)) = (list, pattern) {
        let of = list.iter().zip(pattern).filter(|(_, flag)| (**flag != 0) == is_window);
        if let Some(most) = of.map(|(n, _)| *n).max() {
            return Some(most);
        }
    }
    metadata.number(name)
}

/// What stands in for keys that are missing or that no single number can stand for.
fn warn_of_defaults(
    metadata: &Metadata,
    architecture: &str,
    heads: u64,
    warnings: &mut Vec<Warning>,
) {
    let listed = metadata.list("attention.sliding_window_pattern").is_some();
    for name in ["attention.head_count", "attention.head_count_kv"] {
        let differ = |list: &[u64]| list.iter().any(|n| *n > 0 && Some(n) != list.iter().max());
        if !listed && metadata.list(name).is_some_and(differ) {
            let key = key(architecture, name);
            let what = format!("{key} differs by layer; the largest counts for all");
            warnings.push(Warning::Disagrees { what });
        }
    }
    if metadata.number("attention.head_count_kv").is_none() {
        warnings.push(Warning::Defaulted {
            field: format!("{architecture}.attention.head_count_kv"),
            value: heads.to_string(),
            because: "as many as query heads, as llama.cpp takes it".to_owned(),
        });
    }
    // Layers that read the cache of others keep none of their own.
    if metadata.number("attention.shared_kv_layers").is_some_and(|n| n > 0) {
        let field = key(architecture, "attention.shared_kv_layers");
        warnings.push(Warning::UnknownField { field });
    }
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
        Some(top_k) => Some(KeyIndexer {
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
