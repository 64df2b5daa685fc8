//! Feed-forward blocks: dense, and mixtures of experts.

use super::site::{Block, Site};
use crate::model::{LayerKind, ModelError, Role, Stored};

/// A gated feed-forward block that every token passes.
pub(super) fn dense(
    site: &mut Site,
    block: Block,
    hidden: u64,
    width: u64,
) -> Result<(), ModelError> {
    gated(site, block, Role::FfnDense, "mlp", hidden, width)
}

/// Gate, up and down projections of one block.
fn gated(
    site: &mut Site,
    block: Block,
    role: Role,
    module: &str,
    hidden: u64,
    width: u64,
) -> Result<(), ModelError> {
    site.add(block, role, &format!("{module}.gate_proj.weight"), &[width, hidden])?;
    site.add(block, role, &format!("{module}.up_proj.weight"), &[width, hidden])?;
    site.add(block, role, &format!("{module}.down_proj.weight"), &[hidden, width])
}

/// What a family adds to the choice of experts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// A matrix alone.
    Plain,
    /// A correction of the scores, stored as f32.
    Corrected,
}

/// A mixture of gated experts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mixture {
    pub(super) hidden: u64,
    pub(super) experts: u64,
    pub(super) top_k: u64,
    pub(super) width: u64,
    /// Width of all shared experts together; 0 for none.
    pub(super) shared: u64,
    /// A gate on the shared expert.
    pub(super) shared_gate: bool,
    pub(super) choice: Choice,
}

impl Mixture {
    pub(super) const fn kind(&self) -> LayerKind {
        LayerKind::Moe {
            experts: self.experts,
            top_k: self.top_k,
            width: self.width,
            shared: self.shared,
        }
    }

    pub(super) fn add(&self, site: &mut Site, block: Block) -> Result<(), ModelError> {
        let (hidden, width) = (self.hidden, self.width);
        site.add(block, Role::Router, "mlp.gate.weight", &[self.experts, hidden])?;
        if self.choice == Choice::Corrected {
            let name = "mlp.gate.e_score_correction_bias";
            site.add_as(block, Role::Router, name, &[self.experts], Stored::F32)?;
        }
        let experts = "mlp.experts.*";
        for name in ["gate_proj", "up_proj"] {
            let name = format!("{experts}.{name}.weight");
            site.add_experts(block, self.experts, &name, &[width, hidden])?;
        }
        let name = format!("{experts}.down_proj.weight");
        site.add_experts(block, self.experts, &name, &[hidden, width])?;
        if self.shared > 0 {
            gated(site, block, Role::Shared, "mlp.shared_experts", hidden, self.shared)?;
        }
        if self.shared_gate {
            site.add(block, Role::Shared, "mlp.shared_expert_gate.weight", &[1, hidden])?;
        }
        Ok(())
    }
}
