//! Sums over the tensor list: what is held, what a token is multiplied with, what a step reads.

use serde::Serialize;

use super::{Model, ModelPart, Parameters, Role, Tensor};
use crate::units::real;
use crate::{Bytes, Routing};

/// Parameters by part. Scales are counted apart and are no parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Totals {
    /// The language model that every token passes; what "671B" counts of DeepSeek-V3.
    pub text: Parameters,
    /// Layers for multi-token prediction, with their own copies of table and head.
    pub mtp: Parameters,
    /// Towers for images or sound, where the source lists them.
    pub vision: Parameters,
    /// Scale values of quantised tensors, which some published totals count.
    pub scales: u64,
}

impl Totals {
    /// Text and multi-token prediction together.
    pub fn with_mtp(&self) -> Parameters {
        self.text + self.mtp
    }
}

/// Parameters that one token is multiplied with: matrices, without table, norms and biases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Active {
    /// All but the head: every token of a prompt passes them.
    pub linear: Parameters,
    /// The head: only tokens whose next token is asked for pass it.
    pub head: Parameters,
}

impl Active {
    /// Both together.
    pub fn total(&self) -> Parameters {
        self.linear + self.head
    }
}

/// The experts of one run of layers, for counting what a step reads.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StreamedExperts {
    /// Layers of the run.
    pub layers: u64,
    /// Experts of each layer.
    pub experts: Routing,
    /// Bytes of one expert of one layer, scales included.
    pub bytes_each: Bytes,
}

/// Bytes of weights that one decode step reads.
///
/// # Assumptions
/// Tables are left out (single rows are looked up) unless one is the head as well. Vision and
/// multi-token prediction are left out: they are idle while plain text is decoded.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Streamed {
    /// What every step reads, whatever the batch.
    pub fixed: Bytes,
    /// Routed experts by run of layers; how many of them a step reads depends on the batch.
    pub experts: Vec<StreamedExperts>,
}

impl Streamed {
    /// Bytes of the fewest experts: the strict bound, and exact for one token.
    pub fn fewest(&self) -> Bytes {
        self.with(|routing| real(routing.fewest(1)))
    }

    /// Bytes of the experts that `tokens` tokens are expected to touch ([`Routing::expected`]).
    pub fn expected(&self, tokens: u64) -> Bytes {
        self.with(|routing| routing.expected(tokens))
    }

    /// What is fixed, and so many experts of each layer.
    fn with(&self, read: impl Fn(Routing) -> f64) -> Bytes {
        let experts = self
            .experts
            .iter()
            .map(|run| run.bytes_each.product(real(run.layers) * read(run.experts)));
        self.fixed + experts.sum()
    }
}

impl Model {
    /// Parameters by part.
    pub fn totals(&self) -> Totals {
        let of =
            |part| self.tensors.iter().filter(|t| t.part == part).map(Tensor::parameters).sum();
        Totals {
            text: of(ModelPart::Text),
            mtp: of(ModelPart::Mtp),
            vision: of(ModelPart::Vision),
            scales: self.tensors.iter().map(Tensor::scales).fold(0, u64::saturating_add),
        }
    }

    /// Bytes of a part, scales included.
    pub fn bytes(&self, part: ModelPart) -> Bytes {
        self.tensors.iter().filter(|t| t.part == part).map(Tensor::bytes).sum()
    }

    /// Bytes of one role in the text part, scales included.
    pub fn bytes_of(&self, role: Role) -> Bytes {
        self.text().filter(|t| t.role == role).map(Tensor::bytes).sum()
    }

    /// Parameters that one token is multiplied with.
    ///
    /// # Formula
    /// Matrices of the text part; routed experts at `top_k / experts`; the table only where it is
    /// the head as well. `None` where there are routed experts and their routing is not known.
    pub fn active(&self) -> Option<Active> {
        let mut linear = Parameters::default();
        let mut head = Parameters::default();
        for tensor in self.text().filter(|t| t.is_matrix()) {
            match tensor.role {
                Role::Head => head = head + tensor.parameters(),
                Role::Embed if self.tied => head = head + tensor.parameters(),
                Role::Embed | Role::Lookup | Role::Norm | Role::Scale => {}
                Role::Expert => {
                    let (_, experts) = self.experts_of(tensor)?;
                    let one = tensor.parameters().get() / experts.experts().max(1);
                    linear = linear + Parameters::new(one).times(experts.fewest(1));
                }
                _ => linear = linear + tensor.parameters(),
            }
        }
        Some(Active { linear, head })
    }

    /// Bytes of weights that one decode step reads; `None` where there are routed experts and their
    /// routing is not known.
    pub fn streamed(&self) -> Option<Streamed> {
        let mut fixed = Bytes::from_count(0);
        let mut runs: Vec<(usize, StreamedExperts)> = Vec::new();
        for tensor in self.text() {
            match tensor.role {
                Role::Lookup => {}
                Role::Embed if !self.tied => {}
                Role::Expert => {
                    let (run, experts) = self.experts_of(tensor)?;
                    let layers = self.layers.get(run).map_or(1, |run| run.count.max(1));
                    let copies = real(layers) * real(experts.experts().max(1));
                    let each = tensor.bytes().product(1.0 / copies);
                    match runs.iter_mut().find(|(r, _)| *r == run) {
                        Some((_, found)) => found.bytes_each = found.bytes_each + each,
                        None => {
                            runs.push((run, StreamedExperts { layers, experts, bytes_each: each }));
                        }
                    }
                }
                _ => fixed = fixed + tensor.bytes(),
            }
        }
        Some(Streamed { fixed, experts: runs.into_iter().map(|(_, run)| run).collect() })
    }

    pub(crate) fn text(&self) -> impl Iterator<Item = &Tensor> {
        self.tensors.iter().filter(|t| t.part == ModelPart::Text)
    }

    /// The run and routing of an expert's tensor: its own run, or the only one there is.
    pub(crate) fn experts_of(&self, tensor: &Tensor) -> Option<(usize, Routing)> {
        let routing = |run: usize| Some((run, self.layers.get(run)?.kind.routing()?));
        if let Some(run) = tensor.run {
            return routing(run);
        }
        let mut all = (0..self.layers.len()).filter_map(routing);
        all.next().filter(|_| all.next().is_none())
    }
}
