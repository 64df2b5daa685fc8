//! What one pass through the model computes and reads.

use trueline_core::Tokens;

use super::work::{Case, Latent};
use super::{Mixer, Prefix, Reach, real};
use crate::BitsPerWeight;

/// One pass through the model.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pass {
    /// Sequences.
    pub(super) sequences: u64,
    /// Tokens of each sequence that pass through the weights.
    pub(super) rows: u64,
    /// Rows of logits of each sequence.
    pub(super) logit_rows: u64,
    /// What its queries see.
    pub(super) span: Span,
    /// Whether its sequences share what is cached.
    pub(super) prefix: Prefix,
}

/// What the queries of one sequence see.
#[derive(Debug, Clone, Copy)]
pub(super) enum Span {
    /// New tokens after cached ones, in one pass that reads the cached keys once.
    Prefill { new: Tokens, cached: Tokens },
    /// The same for one of many requests: what all of them have cached may be read along with another.
    Prompt { new: Tokens, cached: Tokens },
    /// Some tokens at once, the first of which sees `context` keys.
    Decode { rows: u64, context: Tokens },
    /// The mean pass of so many tokens after a prompt, of which some were cached; each pass computes `rows`.
    Mean { steps: Tokens, prompt: Tokens, cached: Tokens, rows: u64 },
}

impl Pass {
    /// The parts into which a pass may be cut to keep the stages of a pipeline busy: chunks of a prompt,
    /// or sequences.
    pub(super) fn batches(&self) -> u64 {
        match self.span {
            Span::Prefill { .. } | Span::Prompt { .. } => self.tokens(),
            Span::Decode { .. } | Span::Mean { .. } => self.sequences,
        }
    }

    pub(super) fn tokens(&self) -> u64 {
        self.sequences.saturating_mul(self.rows)
    }

    /// The query-key pairs of one sequence in a layer, for one head, with the reach given.
    pub(super) fn pairs(&self, mixer: &Mixer) -> f64 {
        match self.span {
            Span::Prefill { new, cached } | Span::Prompt { new, cached } => {
                mixer.pairs(new, cached)
            }
            Span::Decode { rows, context } => {
                mixer.pairs(Tokens::new(rows), Tokens::new(context.get().saturating_sub(1)))
            }
            Span::Mean { steps, prompt, rows, .. } => {
                real(rows) * mixer.pairs(steps, prompt) / steps.as_f64()
            }
        }
    }

    /// The pairs that an indexer scores: all keys, whatever the core sees.
    pub(super) fn all_pairs(&self) -> f64 {
        self.pairs(&all_keys())
    }

    /// The cached tokens whose keys are read in a layer, over all sequences; those that sequences have in
    /// common count once where the case lets them.
    ///
    /// # Formula
    /// Of a mean pass at `m` keys whose first `s` are shared: `min(m, s) + n max(m - s, 0)`. In a window
    /// that is a lower bound, since the keys shared may lie before it.
    pub(super) fn keys(&self, mixer: &Mixer, case: Case) -> f64 {
        let reads = real(match case {
            Case::Best => self.prefix.fewest_reads(self.sequences),
            Case::Usual => self.prefix.usual_reads(self.sequences),
        });
        match self.span {
            Span::Prefill { cached, .. } => reads * mixer.reach().of(cached).as_f64(),
            Span::Prompt { cached, .. } => {
                let alongside = case == Case::Best && self.prefix != Prefix::Own;
                if alongside { 0.0 } else { mixer.reach().of(cached).as_f64() }
            }
            Span::Decode { context, .. } => reads * mixer.reach().of(context).as_f64(),
            Span::Mean { cached, rows, .. } => {
                let mean = self.pairs(mixer) / real(rows.max(1));
                let shared = mean.min(cached.as_f64());
                reads * shared + real(self.sequences) * (mean - shared)
            }
        }
    }

    /// The bytes of keys and values that all sequences read in a layer.
    pub(super) fn kv_read(&self, mixer: &Mixer, kv_bits: BitsPerWeight, case: Case) -> f64 {
        let indexer = mixer.indexer_bytes();
        let core = mixer.kv_bytes_per_token(kv_bits) - indexer;
        let core = core * self.keys(mixer, case);
        if indexer > 0.0 { core + indexer * self.keys(&all_keys(), case) } else { core }
    }

    /// The bytes of keys and values that one sequence writes in a layer.
    pub(super) fn kv_written(&self, mixer: &Mixer, kv_bits: BitsPerWeight) -> f64 {
        mixer.kv_bytes_per_token(kv_bits) * real(self.rows)
    }

    /// How latent attention is usually done in such a pass.
    pub(super) fn usual_latent(&self) -> Latent {
        match self.span {
            Span::Prefill { .. } | Span::Prompt { .. } => Latent::ExpandedAgain,
            Span::Decode { .. } | Span::Mean { .. } => Latent::Absorbed,
        }
    }
}

/// A mixer that sees all keys.
fn all_keys() -> Mixer {
    Mixer::Grouped { query_heads: 0, kv_heads: 0, key_dim: 0, value_dim: 0, reach: Reach::All }
}
