//! What one pass computes and reads, part by part.

use serde::Serialize;

use super::workload::Pass;
use super::{LatentForm, LayerShape, Matmul, Mixer, ModelShape, real};
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
}

impl PartWork {
    fn new(kind: &str, part: Part) -> Self {
        Self { kind: kind.to_owned(), part, flops: Vec::new(), bytes: 0.0 }
    }

    fn compute(&mut self, paths: &[MathPath], flops: f64) {
        if flops > 0.0 {
            self.flops.push((paths.to_vec(), flops));
        }
    }

    fn multiply(&mut self, matmul: &Matmul, rows: f64, copies: f64) {
        self.compute(&matmul.paths, matmul.flops_per_token() * rows);
        self.bytes += matmul.bytes() * copies;
    }
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

    const fn form(self) -> LatentForm {
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

/// The parts of a pass, in the order of the layers, the head last.
pub(super) fn parts(model: &ModelShape, pass: &Pass, case: Case, latent: Latent) -> Vec<PartWork> {
    let mut parts: Vec<PartWork> = model
        .layers
        .iter()
        .flat_map(|layer| layer_parts(model, layer, pass, case, latent))
        .collect();
    let mut head = PartWork::new("output", Part::Head);
    head.multiply(&model.head, real(pass.sequences) * real(pass.logit_rows), 1.0);
    parts.push(head);
    parts
}

fn layer_parts(
    model: &ModelShape,
    layer: &LayerShape,
    pass: &Pass,
    case: Case,
    latent: Latent,
) -> Vec<PartWork> {
    let rows = real(pass.tokens());
    let mut parts = Vec::new();
    if !layer.linear.is_empty() {
        let mut linear = PartWork::new(&layer.kind, Part::Linear);
        for matmul in &layer.linear {
            linear.multiply(matmul, rows, 1.0);
        }
        parts.push(linear);
    }
    if let Some(experts) = &layer.experts {
        let routing = experts.routing;
        let read = match case {
            Case::Best => real(routing.fewest(pass.tokens())),
            Case::Usual => routing.expected(pass.tokens()),
        };
        let mut work = PartWork::new(&layer.kind, Part::Experts);
        work.multiply(&experts.each, rows * real(routing.per_token()), read);
        parts.push(work);
    }
    parts.extend(mixer_part(model, layer, pass, case, latent));
    for part in &mut parts {
        part.bytes *= real(layer.repeated);
        for (_, flops) in &mut part.flops {
            *flops *= real(layer.repeated);
        }
    }
    parts
}

fn mixer_part(
    model: &ModelShape,
    layer: &LayerShape,
    pass: &Pass,
    case: Case,
    latent: Latent,
) -> Option<PartWork> {
    let sequences = real(pass.sequences);
    match &layer.mixer {
        Mixer::None => None,
        Mixer::State { bytes, flops_per_token } => {
            let mut work = PartWork::new(&layer.kind, Part::State);
            work.compute(&model.attention_paths, flops_per_token.get() * real(pass.tokens()));
            work.bytes = 2.0 * sequences * bytes.get();
            Some(work)
        }
        mixer @ (Mixer::Grouped { .. } | Mixer::Latent { .. }) => {
            let mut work = PartWork::new(&layer.kind, Part::Attention);
            // Sequences may share a cached prompt; what they read once they expand once.
            let readers = real(match case {
                Case::Best => pass.prefix.fewest_reads(pass.sequences),
                Case::Usual => pass.prefix.usual_reads(pass.sequences),
            });
            let form = latent.form();
            let mut core = sequences * mixer.flops_per_pair(form) * pass.pairs(mixer);
            let mut kept = 1.0;
            match latent {
                Latent::Absorbed => {}
                Latent::ExpandedAgain => {
                    core += readers * mixer.expansion_flops(form) * pass.cached(mixer);
                }
                Latent::KeptExpanded => kept = mixer.expanded_over_latent(),
            }
            work.compute(&model.attention_paths, core);
            if let Some(indexer) = mixer.indexer() {
                let per_pair = 2.0 * real(indexer.heads) * real(indexer.dim);
                work.compute(&indexer.paths, sequences * per_pair * pass.all_pairs());
            }
            let read = pass.kv_read(mixer, model.kv_bits);
            let written = pass.kv_written(mixer, model.kv_bits);
            work.bytes = kept * (readers * read + sequences * written);
            Some(work)
        }
    }
}
