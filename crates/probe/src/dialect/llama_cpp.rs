//! Events of llama.cpp's `/completion`.

use serde::Deserialize;
use trueline_core::TokenCounts;

use super::counts::Timings;
use super::fields::{Count, Extent, Word};
use super::said::Said;

/// An event, or a whole reply, of llama.cpp's `/completion`.
///
/// # Source
/// llama.cpp b11434, `tools/server`. `tokens_evaluated` is the whole prompt, cached tokens included,
/// against its name; `tokens_cached` is what the slot holds afterwards and no count of hits, so it is
/// not read; `timings.cache_n` counts the hits.
#[derive(Deserialize)]
pub(super) struct LlamaCpp<'a> {
    #[serde(borrow, default)]
    pub(super) model: Word<'a>,
    #[serde(default)]
    pub(super) content: Extent,
    #[serde(default)]
    pub(super) stop: bool,
    #[serde(default)]
    pub(super) tokens_predicted: Count,
    #[serde(default)]
    pub(super) tokens_evaluated: Count,
    #[serde(default)]
    pub(super) timings: Option<Timings>,
    #[serde(default)]
    pub(super) error: Said,
}

impl LlamaCpp<'_> {
    /// The counts beside `timings`.
    pub(super) fn counts(&self) -> TokenCounts {
        TokenCounts {
            prompt: self.tokens_evaluated.0,
            output: self.tokens_predicted.0,
            ..TokenCounts::default()
        }
    }
}
