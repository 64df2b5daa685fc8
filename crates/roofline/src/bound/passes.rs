//! A workload as passes through the model.

use trueline_core::Tokens;

use super::work::Latent;
use super::workload::{Pass, Span};
use super::{LogitRows, Part, Prefix, Workload, real};

/// As many requests in flight as no engine holds: the weights are read for free.
pub(super) const MANY: u64 = 1 << 20;

/// Whether a pass has to read the weights for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weights {
    /// It has.
    Own,
    /// They may be read along with another pass: a prompt in chunks between decode steps.
    Alongside,
}

impl Weights {
    /// Whether the bytes of a part count.
    pub(super) fn are_read_by(self, part: Part) -> bool {
        self == Self::Own || matches!(part, Part::Attention | Part::State)
    }
}

/// A workload as passes, each so many times.
#[derive(Debug, Clone)]
pub(super) struct Passes {
    /// Pass, how many times, whose weights.
    pub(super) list: Vec<(Pass, f64, Weights)>,
    /// Tokens that count, if each drafted one is refused.
    pub(super) tokens_at_least: f64,
    /// Tokens that count, if each is accepted.
    pub(super) tokens_at_most: f64,
    /// Whether somebody said how many requests are in flight.
    alternative: Option<Workload>,
}

impl Passes {
    /// The passes of a workload, with one request in flight where nobody said; `None` of an empty workload.
    pub(super) fn of(workload: &Workload) -> Option<Self> {
        Self::with_concurrency(workload, 1)
    }

    /// As [`Passes::of`], with so many requests in flight where nobody said.
    pub(super) fn with_concurrency(workload: &Workload, otherwise: u64) -> Option<Self> {
        match *workload {
            Workload::Prefill { new, cached, batch, logits, prefix } => {
                if new.get() == 0 || batch == 0 {
                    return None;
                }
                let logit_rows = match logits {
                    LogitRows::Last => 1,
                    LogitRows::All => new.get(),
                };
                let span = Span::Prefill { new, cached };
                let pass = Pass { sequences: batch, rows: new.get(), logit_rows, span, prefix };
                Some(Self::one(pass, new.as_f64() * real(batch), new.as_f64() * real(batch)))
            }
            Workload::Decode { batch, context, speculation, prefix } => {
                if batch == 0 || context.get() == 0 {
                    return None;
                }
                let rows = speculation.rows();
                let span = Span::Decode { rows, context };
                let pass = Pass { sequences: batch, rows, logit_rows: rows, span, prefix };
                Some(Self::one(pass, real(batch), real(batch) * real(rows)))
            }
            Workload::Mixed { isl, osl, concurrency } => {
                let sequences = concurrency.unwrap_or(otherwise);
                if isl.get() == 0 || osl.get() == 0 || sequences == 0 {
                    return None;
                }
                let mut passes = Self::request(isl, osl, sequences);
                if concurrency.is_none() {
                    passes.alternative = Some(*workload);
                }
                Some(passes)
            }
        }
    }

    /// The ways in which the best case may come about: where nobody said how many requests are in flight,
    /// one and many.
    pub(super) fn best_cases(&self) -> Vec<Self> {
        let many = self.alternative.and_then(|w| Self::with_concurrency(&w, MANY));
        std::iter::once(self.clone()).chain(many).collect()
    }

    fn one(pass: Pass, at_least: f64, at_most: f64) -> Self {
        Self {
            list: vec![(pass, 1.0, Weights::Own)],
            tokens_at_least: at_least,
            tokens_at_most: at_most,
            alternative: None,
        }
    }

    /// One request: its prompt, from which the first token comes, and its share of the decode steps.
    fn request(isl: Tokens, osl: Tokens, sequences: u64) -> Self {
        let (new, cached) = (isl, Tokens::new(0));
        let prompt = Pass {
            sequences: 1,
            rows: isl.get(),
            logit_rows: 1,
            span: Span::Prefill { new, cached },
            prefix: Prefix::Own,
        };
        let mut list = vec![(prompt, 1.0, Weights::Alongside)];
        let steps = Tokens::new(osl.get() - 1);
        if steps.get() > 0 {
            let span = Span::Mean { steps, prompt: isl };
            let step = Pass { sequences, rows: 1, logit_rows: 1, span, prefix: Prefix::Own };
            list.push((step, steps.as_f64() / real(sequences), Weights::Own));
        }
        let tokens = osl.as_f64();
        Self { list, tokens_at_least: tokens, tokens_at_most: tokens, alternative: None }
    }
}

impl Pass {
    /// How latent attention is usually done in such a pass.
    pub(super) fn usual_latent(&self) -> Latent {
        match self.span {
            Span::Prefill { .. } => Latent::ExpandedAgain,
            Span::Decode { .. } | Span::Mean { .. } => Latent::Absorbed,
        }
    }
}
