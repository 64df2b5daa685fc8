//! One tensor, or a run of equal ones, and what it serves.

use serde::{Deserialize, Serialize};

use super::stored::elements;
use super::{Parameters, Stored};
use crate::Bytes;
use crate::units::real;

/// What a tensor does in the model.
///
/// A scale that belongs to a weight is part of that weight's tensor; [`Role::Scale`] is one that
/// belongs to none, such as that of an activation or of the key-value cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Role {
    /// The table of token vectors: looked up, not multiplied.
    Embed,
    /// Other tables that single rows are taken from: positions, inputs of each layer.
    Lookup,
    /// The projection to the vocabulary.
    Head,
    /// Projections of softmax attention, their biases and sinks.
    Attn,
    /// The lightning indexer of sparse attention.
    Indexer,
    /// A linear-attention or state-space mixer.
    State,
    /// A feed-forward block that every token passes.
    FfnDense,
    /// A routed expert; one copy is one expert of one layer.
    Expert,
    /// An expert that every token passes.
    Shared,
    /// The choice of experts, its correction bias included.
    Router,
    /// A normalisation.
    Norm,
    /// A scale that belongs to no weight.
    Scale,
    /// None of these.
    Other,
}

/// Which part of the whole a tensor belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ModelPart {
    /// The language model that every token passes.
    Text,
    /// Layers that predict further tokens (multi-token prediction); idle without speculation.
    Mtp,
    /// Towers for images or sound; idle for text.
    Vision,
}

/// A run of equal tensors: same role, part, shape and storage.
///
/// # Shape
/// `shape` is that of one copy, output rows first; `copies` is one per layer, and for routed
/// experts one per layer and expert. The name holds a `*` for each number that runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tensor {
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) part: ModelPart,
    pub(super) shape: Vec<u64>,
    pub(super) stored: Stored,
    pub(super) copies: u64,
    pub(super) run: Option<usize>,
    /// Bytes of one copy, scales included.
    #[serde(rename = "bytes_each")]
    pub(super) bytes: u64,
    /// Scale values of one copy.
    #[serde(rename = "scales_each")]
    pub(super) scales: u64,
}

impl Tensor {
    /// Its name in the source, numbers that run replaced by `*`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it does.
    pub const fn role(&self) -> Role {
        self.role
    }

    /// Which part it belongs to.
    pub const fn part(&self) -> ModelPart {
        self.part
    }

    /// The shape of one copy, output rows first.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// How it is stored.
    pub const fn stored(&self) -> Stored {
        self.stored
    }

    /// How many there are.
    pub const fn copies(&self) -> u64 {
        self.copies
    }

    /// Which of [`Model::layers`](super::Model::layers) it belongs to; `None` for tensors outside
    /// the layers and where the source does not tell.
    pub const fn run(&self) -> Option<usize> {
        self.run
    }

    /// Whether tokens are multiplied with it: it has at least two sides that count.
    ///
    /// A convolution over a few positions, `[channels, 1, width]`, is none.
    pub fn is_matrix(&self) -> bool {
        is_matrix(&self.shape)
    }

    /// Parameters of all copies; values of [`Role::Scale`] and of opaque tables are none.
    pub fn parameters(&self) -> Parameters {
        if self.role == Role::Scale || matches!(self.stored, Stored::Opaque { .. }) {
            return Parameters::default();
        }
        Parameters::new(elements(&self.shape).unwrap_or(u64::MAX)).times(self.copies)
    }

    /// Scale values of all copies, which are no parameters.
    pub fn scales(&self) -> u64 {
        let own = if self.role == Role::Scale { elements(&self.shape).unwrap_or(0) } else { 0 };
        self.scales.saturating_add(own).saturating_mul(self.copies)
    }

    /// Bytes of one copy, scales included.
    pub const fn bytes_each(&self) -> Bytes {
        Bytes::from_count(self.bytes)
    }

    /// Bytes of all copies, scales included.
    pub fn bytes(&self) -> Bytes {
        Bytes::from_count(self.bytes).product(real(self.copies))
    }
}

pub(super) fn is_matrix(shape: &[u64]) -> bool {
    match shape {
        [_, 1, _] => false,
        sides => sides.len() >= 2,
    }
}
