//! Where tensors are added: the model so far, how it is stored, which block is being built.

use super::plan::Plan;
use crate::model::assembly::{Assembly, Draft};
use crate::model::tensor::is_matrix;
use crate::model::{LayerKind, Model, ModelError, ModelPart, Role, Stored, Warning};

/// Equal blocks that tensors are added to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    part: ModelPart,
    run: Option<usize>,
    layers: u64,
}

/// A model that is being built from a config.
pub(super) struct Site {
    assembly: Assembly,
    plan: Plan,
    family: String,
}

impl Site {
    pub(super) fn new(family: &str, plan: Plan) -> Self {
        Self { assembly: Assembly::new(family), plan, family: family.to_owned() }
    }

    /// The `model_type` that is being built.
    pub(super) fn family(&self) -> &str {
        &self.family
    }

    /// Blocks of the text model.
    pub(super) fn blocks(&mut self, kind: LayerKind, count: u64) -> Block {
        Block { part: ModelPart::Text, run: self.assembly.layers(kind, count), layers: count }
    }

    /// Blocks of multi-token prediction, which are no layers of the text model.
    pub(super) const fn mtp(layers: u64) -> Block {
        Block { part: ModelPart::Mtp, run: None, layers }
    }

    /// Table, last norm and head, and what is said once of a model.
    pub(super) fn ends(
        &mut self,
        hidden: u64,
        vocabulary: u64,
        tied: bool,
    ) -> Result<(), ModelError> {
        self.assembly.describe(Some(hidden), Some(vocabulary), tied);
        let once = Block { part: ModelPart::Text, run: None, layers: 1 };
        let table = [vocabulary, hidden];
        self.put(once, Role::Embed, "model.embed_tokens.weight", &table, 1)?;
        self.put(once, Role::Norm, "model.norm.weight", &[hidden], 1)?;
        if !tied {
            self.put(once, Role::Head, "lm_head.weight", &table, 1)?;
        }
        Ok(())
    }

    /// One tensor for each layer of the block.
    pub(super) fn add(
        &mut self,
        block: Block,
        role: Role,
        name: &str,
        shape: &[u64],
    ) -> Result<(), ModelError> {
        self.put(block, role, &format!("model.layers.*.{name}"), shape, 1)
    }

    /// One tensor for each layer of the block and each of its experts.
    pub(super) fn add_experts(
        &mut self,
        block: Block,
        experts: u64,
        name: &str,
        shape: &[u64],
    ) -> Result<(), ModelError> {
        self.put(block, Role::Expert, &format!("model.layers.*.{name}"), shape, experts)
    }

    /// One tensor for each layer, stored so whatever the quantisation says.
    pub(super) fn add_as(
        &mut self,
        block: Block,
        role: Role,
        name: &str,
        shape: &[u64],
        stored: Stored,
    ) -> Result<(), ModelError> {
        let name = format!("model.layers.*.{name}");
        let Block { part, run, layers: copies } = block;
        self.assembly.add(&Draft { name: &name, role, part, run, shape, copies }, stored)
    }

    /// How unquantised tensors are stored.
    pub(super) const fn plain(&self) -> Stored {
        self.plan.plain()
    }

    pub(super) fn finish(mut self, warnings: Vec<Warning>) -> Model {
        for warning in warnings {
            self.assembly.warn(warning);
        }
        self.assembly.finish()
    }

    fn put(
        &mut self,
        block: Block,
        role: Role,
        name: &str,
        shape: &[u64],
        per_layer: u64,
    ) -> Result<(), ModelError> {
        let Block { part, run, layers } = block;
        let copies = layers.saturating_mul(per_layer);
        let stored = if is_matrix(shape) {
            self.plan.stored(name, role, copies, layers)
        } else {
            [(self.plan.plain(), copies), (self.plan.plain(), 0)]
        };
        for (stored, copies) in stored {
            self.assembly.add(&Draft { name, role, part, run, shape, copies }, stored)?;
        }
        Ok(())
    }
}
