//! A model as the bounds see it: products of weights, experts, and what mixes tokens.

use serde::{Deserialize, Serialize};

use super::{LatentForm, Mixer, Routing, real};
use crate::{BitsPerWeight, MathPath};

/// Weights that every token is multiplied by.
///
/// How they are stored decides the bytes, on which path they are multiplied the time: four-bit weights
/// may be multiplied as `f16` and gain no compute by their size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Matmul {
    /// How many weights.
    pub weights: u64,
    /// The bits of one as stored, scales included.
    pub bits: BitsPerWeight,
    /// The paths that an engine may take for them.
    ///
    /// # Shape
    /// Any order. The strict bound takes the one on which the device is best, the model bound reaches from
    /// the worst to the best. Empty: how they are multiplied is not known.
    pub paths: Vec<MathPath>,
}

impl Matmul {
    /// So many weights, stored and multiplied so.
    pub const fn new(weights: u64, bits: BitsPerWeight, paths: Vec<MathPath>) -> Self {
        Self { weights, bits, paths }
    }

    /// The bytes of all weights.
    pub(super) fn bytes(&self) -> f64 {
        real(self.weights) * self.bits.get() / 8.0
    }

    /// The operations for one token: a multiply-add is two.
    pub(super) fn flops_per_token(&self) -> f64 {
        2.0 * real(self.weights)
    }
}

/// The routed experts of a layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Experts {
    /// How many there are and how many a token uses.
    pub routing: Routing,
    /// The weights of one expert.
    pub each: Matmul,
}

impl Experts {
    /// So many experts of this size.
    pub const fn new(routing: Routing, each: Matmul) -> Self {
        Self { routing, each }
    }
}

/// Layers that are alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LayerShape {
    /// What kind of layer, in words for people: headroom is told by it.
    pub kind: String,
    /// How many of them the model has.
    pub repeated: u64,
    /// Projections, dense feed-forward parts, shared experts and routers: what every token passes.
    pub linear: Vec<Matmul>,
    /// The routed experts.
    pub experts: Option<Experts>,
    /// What mixes tokens.
    pub mixer: Mixer,
    /// How often one of them sums over the devices of a tensor: after what mixes tokens, and after the
    /// feed-forward part.
    pub sums: u64,
}

impl LayerShape {
    /// So many layers of a kind that mix tokens so; without weights as yet. Each is taken
    /// for a whole layer, with two sums over the devices of a tensor.
    pub fn new(kind: impl Into<String>, repeated: u64, mixer: Mixer) -> Self {
        Self { kind: kind.into(), repeated, linear: Vec::new(), experts: None, mixer, sums: 2 }
    }

    /// With weights that every token passes.
    #[must_use]
    pub fn with_linear(mut self, linear: Matmul) -> Self {
        self.linear.push(linear);
        self
    }

    /// With so many sums over the devices of a tensor: one for a part of a layer.
    #[must_use]
    pub const fn with_sums(mut self, sums: u64) -> Self {
        self.sums = sums;
        self
    }

    /// With routed experts.
    #[must_use]
    pub fn with_experts(mut self, experts: Experts) -> Self {
        self.experts = Some(experts);
        self
    }
}

/// A model as the bounds see it.
///
/// The embedding is a lookup and stands nowhere here; a tied one stands as the head.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelShape {
    /// Its layers, those that are alike together.
    pub layers: Vec<LayerShape>,
    /// The output head: read once a step, multiplied once for each row of logits.
    pub head: Matmul,
    /// The bits of one number of keys and values, in the usual case.
    pub kv_bits: BitsPerWeight,
    /// The fewest bits that such a number may have: below the usual ones where nobody states them.
    pub fewest_kv_bits: BitsPerWeight,
    /// How latent attention is usually computed; `None` for what is usual in each phase.
    pub latent: Option<LatentForm>,
    /// The paths on which queries, keys and values may be multiplied.
    pub attention_paths: Vec<MathPath>,
    /// The width of what goes from layer to layer; only what is sent between devices hangs on it.
    pub hidden: Option<u64>,
    /// What nobody states and would narrow the bounds.
    pub unknown: Vec<String>,
}

impl ModelShape {
    /// Layers, a head, keys and values.
    pub const fn new(
        layers: Vec<LayerShape>,
        head: Matmul,
        kv_bits: BitsPerWeight,
        attention_paths: Vec<MathPath>,
    ) -> Self {
        Self {
            layers,
            head,
            kv_bits,
            fewest_kv_bits: kv_bits,
            latent: None,
            attention_paths,
            hidden: None,
            unknown: Vec::new(),
        }
    }

    /// With the width of what goes from layer to layer.
    #[must_use]
    pub fn with_hidden(mut self, hidden: u64) -> Self {
        self.hidden = Some(hidden);
        self
    }
}
