//! Replies kept as JSON lines: their usage objects in the shapes of `OpenAI`'s and Anthropic's interfaces.
//!
//! The two count prompts apart: `prompt_tokens` holds what came from the cache, Anthropic's `input_tokens`
//! holds neither what was read from it nor what was written to it. Neither shape has a time but the second
//! of its start.

mod anthropic;
mod chunk;
mod chunks;
mod openai;

pub(super) use anthropic::FORMAT as ANTHROPIC;
pub(super) use chunk::are_pieces;
pub(super) use chunks::FORMAT as CHUNKS;
pub(super) use openai::FORMAT as OPENAI;
