//! Which run of layers a header's tensors belong to.

use super::{LayerKind, Model, ModelPart, Role};

impl Model {
    /// Gives each tensor its run, where its role leaves one run only.
    ///
    /// Attention of a model with windowed and full layers stays without: names do not tell them
    /// apart. So do norms.
    pub(super) fn place(&mut self) {
        let only = |fits: fn(&LayerKind) -> bool| {
            let mut runs = self.layers.iter().enumerate().filter(|(_, run)| fits(&run.kind));
            let first = runs.next().map(|(place, _)| place);
            first.filter(|_| runs.next().is_none())
        };
        let softmax =
            only(|kind| kind.mixes_tokens() && !matches!(kind, LayerKind::LinearState { .. }));
        let state = only(|kind| matches!(kind, LayerKind::LinearState { .. }));
        let dense = only(|kind| matches!(kind, LayerKind::DenseFfn { .. }));
        let mixed = only(|kind| matches!(kind, LayerKind::Moe { .. }));
        for tensor in self.tensors.iter_mut().filter(|t| t.part == ModelPart::Text) {
            tensor.run = match tensor.role {
                Role::Attn | Role::Indexer => softmax,
                Role::State => state,
                Role::FfnDense => dense,
                Role::Expert | Role::Shared | Role::Router => mixed,
                _ => None,
            };
        }
    }
}
