//! Which layers of a model are of which sort.

use super::fields::Fields;
use super::limit::{LAYERS, SOME_LAYERS};
use crate::model::error::shown;
use crate::model::{ModelError, ModelErrorKind};

/// Layers by how they mix tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Mixers {
    pub(super) full: u64,
    pub(super) window: u64,
    pub(super) linear: u64,
}

/// Counts `layer_types`; `None` where the field is absent.
///
/// # Errors
/// A word that is no sort of layer, or a list of another length than the layers.
pub(super) fn listed(fields: &mut Fields<'_>, layers: u64) -> Result<Option<Mixers>, ModelError> {
    let Some(types) = fields.texts("layer_types")? else { return Ok(None) };
    if types.len() as u64 != layers {
        return Err(ModelError::new(
            ModelErrorKind::Contradiction,
            format!("expected {layers} entries in layer_types, found {}", types.len()),
        ));
    }
    let mut mixers = Mixers::default();
    for word in types {
        match word {
            "full_attention" | "attention" => mixers.full += 1,
            "sliding_attention" => mixers.window += 1,
            "linear_attention" => mixers.linear += 1,
            _ => {
                return Err(ModelError::new(
                    ModelErrorKind::OutOfRange,
                    format!(
                        "expected full_attention, sliding_attention or linear_attention in \
                         layer_types, found {:?}",
                        shown(word)
                    ),
                ));
            }
        }
    }
    Ok(Some(mixers))
}

/// Dense and mixed feed-forward blocks of a model whose first layers are dense.
pub(super) fn dense_first(fields: &mut Fields<'_>, layers: u64) -> Result<(u64, u64), ModelError> {
    let first = fields.required("first_k_dense_replace", SOME_LAYERS)?.min(layers);
    let every = fields.optional("moe_layer_freq", LAYERS)?.unwrap_or(1);
    let mixed = (first..layers).filter(|layer| layer.is_multiple_of(every)).count() as u64;
    Ok((layers - mixed, mixed))
}

/// Dense and mixed feed-forward blocks of a model that names its dense layers and a step.
pub(super) fn sparse_step(fields: &mut Fields<'_>, layers: u64) -> Result<(u64, u64), ModelError> {
    let step = fields.or("decoder_sparse_step", LAYERS, 1, "Qwen3MoeConfig")?;
    let dense = fields.sizes("mlp_only_layers", SOME_LAYERS)?;
    let mixed = (0..layers)
        .filter(|layer| !dense.contains(layer) && (layer + 1).is_multiple_of(step))
        .count() as u64;
    Ok((layers - mixed, mixed))
}
