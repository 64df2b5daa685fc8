//! How long the prompts and answers are and how many there are of them.

use trueline_core::Tokens;

use super::{PlanError, PlanErrorKind};
use crate::Ending;

/// How long the prompts and answers are, how many there are of them, and what they are drawn from.
///
/// # Shape
/// The seed decides every word: a second run of the same seed finds in the server's cache what the first
/// one left there. Whoever wants it cold gives each run a seed of its own.
///
/// # Examples
/// The benchmark of the first origin story, three cold prefills with one output token each:
/// ```
/// use trueline_core::Tokens;
/// use trueline_probe::{Prefix, Ruler, Workload};
/// let naive = Workload::new(Tokens::new(24_750), Tokens::new(1), 1).with_requests(3).with_warmup(0);
/// let experiment = Prefix::Cold.experiment(&naive)?;
/// let stage = experiment.stages.first().ok_or("one")?;
/// assert_eq!(stage.askings(&Ruler::default(), 0).count(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Workload {
    /// The length of a prompt.
    pub prompt: Tokens,
    /// The most tokens of an answer.
    pub output: Tokens,
    /// Whether the model may end an answer of itself.
    pub ending: Ending,
    /// How many requests are measured, in all parts together, or at each level of a sweep; `None` for as
    /// many as are asked for.
    pub requests: Option<u64>,
    /// How many requests go before them and are not measured.
    pub warmup: u64,
    /// What the words and all orders are drawn from.
    pub seed: u64,
}

impl Workload {
    /// 100 requests of these lengths after 3 of warm-up, answers to their maximum.
    pub const fn new(prompt: Tokens, output: Tokens, seed: u64) -> Self {
        let ending = Ending::AtTheMaximum;
        Self { prompt, output, ending, requests: Some(100), warmup: 3, seed }
    }

    /// The same with so many requests.
    #[must_use]
    pub const fn with_requests(self, requests: u64) -> Self {
        Self { requests: Some(requests), ..self }
    }

    /// The same with as many requests as are asked for.
    #[must_use]
    pub const fn endless(self) -> Self {
        Self { requests: None, ..self }
    }

    /// The same with so many requests before them.
    #[must_use]
    pub const fn with_warmup(self, warmup: u64) -> Self {
        Self { warmup, ..self }
    }

    /// The same with other words and orders.
    #[must_use]
    pub const fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// The same with answers that end so.
    #[must_use]
    pub const fn with_ending(self, ending: Ending) -> Self {
        Self { ending, ..self }
    }

    pub(super) fn check(&self) -> Result<(), PlanError> {
        let empty = [
            ("a prompt of at least one token", self.prompt.get()),
            ("an answer of at least one token", self.output.get()),
            ("at least one request", self.requests.unwrap_or(1)),
        ];
        match empty.iter().find(|(_, count)| *count == 0) {
            Some((expected, _)) => {
                Err(PlanError::new(PlanErrorKind::Empty, format!("expected {expected}, found 0")))
            }
            None => Ok(()),
        }
    }
}
