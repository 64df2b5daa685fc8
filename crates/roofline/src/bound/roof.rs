//! From work and limits to the two bounds.

use std::time::Duration;

use serde::Serialize;
use trueline_core::TokensPerSecond;

use super::limits::Limits;
use super::passes::Passes;
use super::strict::Strict;
use super::usual::{Usual, model_bound};
use super::{ModelShape, Part, Workload};
use crate::{Bound, Bytes, Flops, Interval};

/// Why there is no bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BoundError {
    /// A workload without tokens, sequences or context.
    #[error(
        "expected at least one token, one sequence and one key, found none; state lengths and batch"
    )]
    EmptyWorkload,
    /// Requests whose prompts are cached as a whole: at least the last token is computed.
    #[error("expected fewer cached tokens than the prompt has, found as many or more")]
    NothingNew,
    /// Neither the rate of any path nor the bandwidth is known.
    #[error(
        "expected a device whose memory bandwidth or arithmetic is known, found neither; state them in a \
         hardware file"
    )]
    NothingKnown,
    /// Sizes whose products are no number any more.
    #[error("expected sizes of a real model and workload, found such whose work is out of range")]
    OutOfRange,
}

/// What one part of the layers of a kind takes in the usual case, at best.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PartTime {
    /// The kind of layer, or `output` for the head.
    pub kind: String,
    /// Which part.
    pub part: Part,
    /// Its operations.
    #[serde(rename = "flop")]
    pub flops: Flops,
    /// Its bytes.
    pub bytes: Bytes,
    /// How long it takes at best; `None` where its path is not known on the device.
    #[serde(rename = "took_s", serialize_with = "seconds")]
    pub took: Option<Duration>,
    /// What limits it; `None` where that is not known.
    pub bound: Option<Bound>,
}

/// The two bounds of a model on a device under a workload.
///
/// # Units
/// New tokens per second for a prefill; output tokens per second, over all sequences, for decode and mixed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Roof {
    /// What no engine exceeds: its high end, with the highest clock, the best path, the fewest experts, all
    /// transfers hidden behind arithmetic and the cache left out. Its low end is the same at usual clocks.
    #[serde(rename = "strict_tok_per_s")]
    pub strict: Interval<TokensPerSecond>,
    /// The lowest rate that verified figures alone exclude; `None` where there is none. Above
    /// `strict.high()` where what limits there is not verified.
    #[serde(rename = "impossible_above_tok_per_s")]
    pub impossible_above: Option<TokensPerSecond>,
    /// What a perfect engine of the usual kind reaches: expected experts, one part after the other. `None`
    /// where a path or the bandwidth is not known.
    #[serde(rename = "model_tok_per_s")]
    pub model: Option<Interval<TokensPerSecond>>,
    /// What limits it in the usual case; `None` where arithmetic or bandwidth is not known.
    pub bound: Option<Bound>,
    /// Where the time goes, in the order of the layers; the head is last.
    pub parts: Vec<PartTime>,
    /// What is not known and would narrow the bounds.
    pub missing: Vec<String>,
}

/// The two bounds of a model on a device under a workload.
///
/// # Formula
/// Strict: `tokens / max(sum_p F_p / pi_p, (bytes - cache) / beta)`, with `pi_p` and `beta` at most.
/// Model: `tokens / sum_ops max(F / pi, bytes / beta)`, with published or live rates. Operations of the
/// embedding, of norms and of softmax are not counted, nor is anything that launches kernels: both are
/// upper bounds. With several devices work, bytes and time are those of one of them, and the bytes that it
/// sends take their time as well: hidden in the strict bound, added in the model bound.
///
/// # Errors
/// An empty workload, a device of which nothing is known, sizes out of range.
pub fn estimate_roof(
    model: &ModelShape,
    workload: &Workload,
    limits: &Limits,
) -> Result<Roof, BoundError> {
    let passes = Passes::of(workload)?;
    let strict = Strict::of(model, workload, &passes, limits)?;
    let usual = Usual::of(model, &passes, limits);
    let bound = usual.bound();
    let model = model_bound(model, workload, limits, &passes);
    Ok(Roof {
        strict: strict.interval,
        impossible_above: strict.impossible_above,
        model,
        bound,
        parts: usual.parts,
        missing: strict.missing,
    })
}

impl PartTime {
    /// This part and the same one in another pass.
    pub(super) fn join(&mut self, other: &Self) {
        let bound = match (self.took, other.took) {
            (Some(a), Some(b)) if b > a => other.bound,
            _ => self.bound,
        };
        self.flops = Flops::new(self.flops.get() + other.flops.get()).unwrap_or(self.flops);
        self.bytes = Bytes::new(self.bytes.get() + other.bytes.get()).unwrap_or(self.bytes);
        self.took = self.took.zip(other.took).and_then(|(a, b)| a.checked_add(b));
        self.bound = bound;
    }
}

#[expect(clippy::ref_option, reason = "the shape that serde calls")]
fn seconds<S: serde::Serializer>(
    took: &Option<Duration>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    took.map(|took| took.as_secs_f64()).serialize(serializer)
}
