//! What one pass computes, reads and sends on one device, part by part.

use super::pass::Pass;
use super::work::{Case, Latent, Part, PartWork, Split};
use super::{LayerShape, Mixer, ModelShape, Parallel, real};

/// What is the same for all parts of a pass.
#[derive(Clone, Copy)]
pub(super) struct Setting<'a> {
    pub(super) model: &'a ModelShape,
    pub(super) pass: &'a Pass,
    pub(super) case: Case,
    pub(super) latent: Latent,
    pub(super) parallel: Parallel,
}

/// Bytes of one number that goes from device to device.
const SENT_BYTES: f64 = 2.0;

impl Setting<'_> {
    /// The parts of a pass on one device, in the order of the layers, the head last.
    pub(super) fn parts(&self) -> Vec<PartWork> {
        let mut parts: Vec<PartWork> =
            self.model.layers.iter().flat_map(|layer| self.layer(layer)).collect();
        let rows = real(self.pass.sequences) * real(self.pass.logit_rows);
        let mut head = PartWork::new("output", Part::Head);
        head.multiply(&self.model.head, rows, 1.0, self.weights());
        parts.push(head);
        parts
    }

    /// Over how many groups and stages sequences are spread. In the best case a sequence itself may be
    /// split; usually it is in one group.
    fn spread(&self) -> f64 {
        let busy = self.parallel.busy(self.pass.batches());
        let groups = match self.case {
            Case::Best => self.parallel.e(),
            Case::Usual => self.parallel.e().min(real(self.pass.sequences.max(1))),
        };
        groups * busy
    }

    /// The split of weights that every token passes.
    fn weights(&self) -> Split {
        let t = self.parallel.t();
        Split { flops: t * self.spread(), bytes: t }
    }

    fn layer(&self, layer: &LayerShape) -> Vec<PartWork> {
        let mut parts = Vec::new();
        if !layer.linear.is_empty() {
            parts.push(self.linear(layer));
        }
        parts.extend(self.experts(layer));
        parts.extend(self.mixer(layer));
        let repeated = real(layer.repeated);
        for part in &mut parts {
            part.bytes *= repeated;
            part.sent *= repeated;
            part.sent_at_least *= repeated;
            for (_, flops) in &mut part.flops {
                *flops *= repeated;
            }
        }
        parts
    }

    fn linear(&self, layer: &LayerShape) -> PartWork {
        let rows = real(self.pass.tokens());
        let mut linear = PartWork::new(&layer.kind, Part::Linear);
        for matmul in &layer.linear {
            linear.multiply(matmul, rows, 1.0, self.weights());
        }
        if let Some(hidden) = self.model.hidden {
            let share = rows / self.spread() * self.parallel.reduced();
            linear.sent_at_least = real(layer.sums) * share * real(hidden) * SENT_BYTES;
            // A ring passes each sum twice: once to add it up, once to hand it round.
            linear.sent = 2.0 * linear.sent_at_least;
        }
        linear
    }

    fn experts(&self, layer: &LayerShape) -> Option<PartWork> {
        let experts = layer.experts.as_ref()?;
        let (routing, tokens) = (experts.routing, self.pass.tokens());
        let e = self.parallel.e();
        let read = match self.case {
            Case::Best => real(routing.fewest(tokens)),
            Case::Usual => routing.expected(tokens),
        };
        // Of few experts and many groups, some group has one all the same.
        let read = (read / e).max(real(routing.fewest(tokens).min(1)));
        let mut work = PartWork::new(&layer.kind, Part::Experts);
        let used = real(tokens) * real(routing.per_token());
        let t = self.parallel.t();
        let busy = self.parallel.busy(self.pass.batches());
        let split = Split { flops: t * e * busy, bytes: t };
        work.multiply(&experts.each, used, read, split);
        if let Some(hidden) = self.model.hidden {
            // There in one byte a number, back in two.
            let share = used / (e * busy) * self.parallel.elsewhere();
            work.sent = share * real(hidden) * (1.0 + SENT_BYTES);
        }
        Some(work)
    }

    fn mixer(&self, layer: &LayerShape) -> Option<PartWork> {
        let (model, pass, parallel) = (self.model, self.pass, self.parallel);
        let sequences = real(pass.sequences);
        let spread = self.spread();
        match &layer.mixer {
            Mixer::None => None,
            Mixer::State { bytes, flops_per_token } => {
                let mut work = PartWork::new(&layer.kind, Part::State);
                let flops = flops_per_token.get() * real(pass.tokens());
                work.compute(&model.attention_paths, flops / (spread * parallel.t()));
                work.bytes = 2.0 * sequences * bytes.get() / (spread * parallel.t());
                Some(work)
            }
            mixer @ (Mixer::Grouped { .. } | Mixer::Latent { .. }) => {
                let mut work = PartWork::new(&layer.kind, Part::Attention);
                let form = self.latent.form();
                let mut core = sequences * mixer.flops_per_pair(form) * pass.pairs(mixer);
                let mut kept = 1.0;
                match self.latent {
                    Latent::Absorbed => {}
                    Latent::ExpandedAgain => {
                        // Sequences may share a cached prompt; what they read once they expand once.
                        core += mixer.expansion_flops(form) * pass.keys(mixer, self.case);
                    }
                    Latent::KeptExpanded => kept = mixer.expanded_over_latent(),
                }
                work.compute(&model.attention_paths, core / (spread * parallel.t()));
                if let Some(indexer) = mixer.indexer() {
                    let per_pair = 2.0 * real(indexer.heads) * real(indexer.dim);
                    let flops = sequences * per_pair * pass.all_pairs();
                    work.compute(&indexer.paths, flops / (spread * parallel.t()));
                }
                let kv_bits = match self.case {
                    Case::Best => model.fewest_kv_bits,
                    Case::Usual => model.kv_bits,
                };
                let read = pass.kv_read(mixer, kv_bits, self.case);
                let written = pass.kv_written(mixer, kv_bits);
                let read = match self.case {
                    Case::Best => read / spread,
                    // What all share, each group reads for itself.
                    Case::Usual => {
                        let one = Pass { sequences: 1, ..*pass };
                        (read / spread).max(one.kv_read(mixer, kv_bits, self.case))
                    }
                };
                let copies = mixer.kv_split(parallel.tensor(), self.latent == Latent::KeptExpanded);
                work.bytes = kept * (read + sequences * written / spread) / copies;
                Some(work)
            }
        }
    }
}
