//! A workload as passes through the model.

use trueline_core::Tokens;

use super::pass::{Pass, Span};
use super::{BoundError, LogitRows, Part, Prefix, Workload, real};

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

/// A pass, and how often it is done.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) pass: Pass,
    /// How often, if each drafted token is accepted.
    pub(super) at_best: f64,
    /// How often, if each is refused.
    pub(super) at_worst: f64,
    /// Whose weights it reads.
    pub(super) weights: Weights,
}

/// A workload as passes, each so many times.
#[derive(Debug, Clone)]
pub(super) struct Passes {
    pub(super) list: Vec<Step>,
    /// Tokens that count, if each drafted one is refused.
    pub(super) tokens_at_least: f64,
    /// Tokens that count, if each is accepted.
    pub(super) tokens_at_most: f64,
    /// Whether somebody said how many requests are in flight.
    alternative: Option<Workload>,
}

/// Whole requests, as [`Workload::Mixed`] has them.
#[derive(Clone, Copy)]
struct Request {
    isl: Tokens,
    cached: Tokens,
    osl: Tokens,
    sequences: u64,
    rows: u64,
    prefix: Prefix,
}

impl Passes {
    /// The passes of a workload, with one request in flight where nobody said.
    ///
    /// # Errors
    /// An empty workload, and one with more cached tokens than its prompt leaves.
    pub(super) fn of(workload: &Workload) -> Result<Self, BoundError> {
        Self::with_concurrency(workload, 1)
    }

    /// As [`Passes::of`], with so many requests in flight where nobody said.
    pub(super) fn with_concurrency(
        workload: &Workload,
        otherwise: u64,
    ) -> Result<Self, BoundError> {
        match *workload {
            Workload::Prefill { new, cached, batch, logits, prefix } => {
                if new.get() == 0 || batch == 0 {
                    return Err(BoundError::EmptyWorkload);
                }
                let logit_rows = match logits {
                    LogitRows::Last => 1,
                    LogitRows::All => new.get(),
                };
                let span = Span::Prefill { new, cached };
                let pass = Pass { sequences: batch, rows: new.get(), logit_rows, span, prefix };
                Ok(Self::one(pass, new.as_f64() * real(batch), new.as_f64() * real(batch)))
            }
            Workload::Decode { batch, context, speculation, prefix } => {
                if batch == 0 || context.get() == 0 {
                    return Err(BoundError::EmptyWorkload);
                }
                let rows = speculation.rows();
                let span = Span::Decode { rows, context };
                let pass = Pass { sequences: batch, rows, logit_rows: rows, span, prefix };
                Ok(Self::one(pass, real(batch), real(batch) * real(rows)))
            }
            Workload::Mixed { isl, cached, osl, concurrency, speculation, prefix } => {
                let sequences = concurrency.unwrap_or(otherwise);
                if isl.get() == 0 || osl.get() == 0 || sequences == 0 {
                    return Err(BoundError::EmptyWorkload);
                }
                if cached >= isl {
                    return Err(BoundError::NothingNew);
                }
                let rows = speculation.rows();
                let mut passes = Request { isl, cached, osl, sequences, rows, prefix }.passes();
                if concurrency.is_none() {
                    passes.alternative = Some(*workload);
                }
                Ok(passes)
            }
        }
    }

    /// The ways in which the best case may come about: where nobody said how many requests are in flight,
    /// one and many.
    pub(super) fn best_cases(&self) -> Vec<Self> {
        let many = self.alternative.and_then(|w| Self::with_concurrency(&w, MANY).ok());
        std::iter::once(self.clone()).chain(many).collect()
    }

    fn one(pass: Pass, at_least: f64, at_most: f64) -> Self {
        Self {
            list: vec![Step { pass, at_best: 1.0, at_worst: 1.0, weights: Weights::Own }],
            tokens_at_least: at_least,
            tokens_at_most: at_most,
            alternative: None,
        }
    }
}

impl Request {
    /// One request: its prompt, from which the first token comes, and its share of the decode steps.
    fn passes(self) -> Passes {
        let Self { isl, cached, osl, sequences, rows, prefix } = self;
        let new = Tokens::new(isl.get().saturating_sub(cached.get()));
        let span = Span::Prompt { new, cached };
        let pass = Pass { sequences: 1, rows: new.get(), logit_rows: 1, span, prefix };
        let mut list =
            vec![Step { pass, at_best: 1.0, at_worst: 1.0, weights: Weights::Alongside }];
        let steps = Tokens::new(osl.get().saturating_sub(1));
        if steps.get() > 0 {
            let span = Span::Mean { steps, prompt: isl, cached, rows };
            let pass = Pass { sequences, rows, logit_rows: rows, span, prefix };
            let at_worst = steps.as_f64() / real(sequences);
            // What is drafted beyond the last token saves nothing.
            let at_best = (steps.as_f64() / real(rows)).max(1.0) / real(sequences);
            list.push(Step { pass, at_best, at_worst, weights: Weights::Own });
        }
        let tokens = osl.as_f64();
        Passes { list, tokens_at_least: tokens, tokens_at_most: tokens, alternative: None }
    }
}
