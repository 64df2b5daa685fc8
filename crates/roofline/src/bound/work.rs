//! The work of one part of a pass.

use serde::Serialize;

use super::{LatentForm, Matmul};
use crate::MathPath;

/// A part of a layer, or the head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Part {
    /// Weights that every token passes.
    Linear,
    /// Routed experts.
    Experts,
    /// Scores, sums and the keys and values that they read.
    Attention,
    /// A state that is carried along.
    State,
    /// The output head.
    Head,
}

impl Part {
    /// Its name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linear => "weights",
            Self::Experts => "experts",
            Self::Attention => "attention",
            Self::State => "state",
            Self::Head => "head",
        }
    }
}

/// What one part of all layers of a kind computes and reads in a pass.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PartWork {
    /// The kind of layer.
    pub(super) kind: String,
    /// Which part.
    pub(super) part: Part,
    /// Operations, apart by the paths that an engine may take for them.
    pub(super) flops: Vec<(Vec<MathPath>, f64)>,
    /// Bytes read and written.
    pub(super) bytes: f64,
    /// Bytes sent to other devices at least: sums reduced on the way, experts that happen to be at hand.
    pub(super) sent_at_least: f64,
    /// Bytes sent to other devices usually.
    pub(super) sent: f64,
}

impl PartWork {
    pub(super) fn new(kind: &str, part: Part) -> Self {
        Self {
            kind: kind.to_owned(),
            part,
            flops: Vec::new(),
            bytes: 0.0,
            sent_at_least: 0.0,
            sent: 0.0,
        }
    }

    pub(super) fn compute(&mut self, paths: &[MathPath], flops: f64) {
        if flops > 0.0 {
            self.flops.push((paths.to_vec(), flops));
        }
    }

    /// Multiplies `rows` tokens by weights of which `copies` are read, each split over some devices.
    pub(super) fn multiply(&mut self, matmul: &Matmul, rows: f64, copies: f64, split: Split) {
        self.compute(&matmul.paths, matmul.flops_per_token() * rows / split.flops);
        self.bytes += matmul.bytes() * copies / split.bytes;
    }
}

/// Over how many devices arithmetic and bytes are split.
#[derive(Clone, Copy)]
pub(super) struct Split {
    pub(super) flops: f64,
    pub(super) bytes: f64,
}

/// How latent attention is done and what it keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Latent {
    /// Scored in the latent space.
    Absorbed,
    /// Kept latent, and expanded again in each pass that reads it.
    ExpandedAgain,
    /// Kept expanded: more bytes, nothing to expand.
    KeptExpanded,
}

impl Latent {
    /// All ways; the strict bound is that of the best of them.
    pub(super) const ALL: [Self; 3] = [Self::Absorbed, Self::ExpandedAgain, Self::KeptExpanded];

    pub(super) const fn form(self) -> LatentForm {
        match self {
            Self::Absorbed => LatentForm::Absorbed,
            Self::ExpandedAgain | Self::KeptExpanded => LatentForm::Expanded,
        }
    }
}

/// What a pass is assumed to be like where the model leaves it open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// The best case that no engine can beat: the fewest experts, a cached prefix read once unless each
    /// sequence has its own.
    Best,
    /// The usual case: expected experts, each sequence its own cache.
    Usual,
}
