//! Puts a model together, and refuses what no model is.

use super::stored::elements;
use super::{
    LayerKind, LayerRun, Model, ModelError, ModelErrorKind, ModelPart, Role, Stored, Tensor,
    Warning,
};

/// More parameters than any model has, by a factor of a hundred; below it no sum overflows.
const MOST_PARAMETERS: u128 = 1_000_000_000_000_000;

/// Tensors of one kind, before they are stored.
pub(super) struct Draft<'a> {
    pub(super) name: &'a str,
    pub(super) role: Role,
    pub(super) part: ModelPart,
    pub(super) run: Option<usize>,
    pub(super) shape: &'a [u64],
    pub(super) copies: u64,
}

/// A model that is being put together.
pub(super) struct Assembly {
    model: Model,
    parameters: u128,
}

impl Assembly {
    pub(super) fn new(family: &str) -> Self {
        Self {
            model: Model {
                family: family.to_owned(),
                hidden: None,
                vocabulary: None,
                tied: false,
                cache: None,
                layers: Vec::new(),
                tensors: Vec::new(),
                warnings: Vec::new(),
            },
            parameters: 0,
        }
    }

    /// Sets what is said once of a model.
    pub(super) fn describe(&mut self, hidden: Option<u64>, vocabulary: Option<u64>, tied: bool) {
        self.model.hidden = hidden;
        self.model.vocabulary = vocabulary;
        self.model.tied = tied;
    }

    pub(super) fn warn(&mut self, warning: Warning) {
        self.model.warnings.push(warning);
    }

    /// Adds `count` blocks of a kind; a run that is already there grows. `None` for no blocks.
    pub(super) fn layers(&mut self, kind: LayerKind, count: u64) -> Option<usize> {
        if count == 0 {
            return None;
        }
        let layers = &mut self.model.layers;
        if let Some((place, run)) = layers.iter_mut().enumerate().find(|(_, r)| r.kind == kind) {
            run.count = run.count.saturating_add(count);
            return Some(place);
        }
        layers.push(LayerRun { kind, count });
        Some(layers.len() - 1)
    }

    /// Adds tensors whose bytes follow from how they are stored.
    ///
    /// # Errors
    /// A shape that the storage cannot hold, and totals beyond any model.
    pub(super) fn add(&mut self, draft: &Draft<'_>, stored: Stored) -> Result<(), ModelError> {
        let extent = stored.extent(draft.shape).ok_or_else(|| {
            ModelError::new(
                ModelErrorKind::OutOfRange,
                format!("{stored} cannot store {} of shape {:?}", draft.name, draft.shape),
            )
        })?;
        self.add_sized(draft, stored, extent.bytes, extent.scales)
    }

    /// Adds tensors whose bytes and scales the source states.
    ///
    /// # Errors
    /// Totals beyond any model.
    pub(super) fn add_sized(
        &mut self,
        draft: &Draft<'_>,
        stored: Stored,
        bytes: u64,
        scales: u64,
    ) -> Result<(), ModelError> {
        if draft.copies == 0 {
            return Ok(());
        }
        let values =
            u128::from(elements(draft.shape).unwrap_or(u64::MAX)).max(u128::from(bytes) / 8);
        self.parameters =
            self.parameters.saturating_add(values.saturating_mul(u128::from(draft.copies)));
        if self.parameters > MOST_PARAMETERS {
            return Err(ModelError::new(
                ModelErrorKind::OutOfRange,
                format!("expected at most 10^15 parameters, found more with {}", draft.name),
            ));
        }
        self.model.tensors.push(Tensor {
            name: draft.name.to_owned(),
            role: draft.role,
            part: draft.part,
            shape: draft.shape.to_vec(),
            stored,
            copies: draft.copies,
            run: draft.run,
            bytes,
            scales,
        });
        Ok(())
    }

    pub(super) fn finish(self) -> Model {
        self.model
    }
}
