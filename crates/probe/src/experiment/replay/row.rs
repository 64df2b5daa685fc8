//! One request of a production log, as far as a replay needs it.

use std::time::Duration;

use trueline_core::Tokens;

/// One request of a production log, as far as a replay needs it. It holds no text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct LogRow {
    /// When it arrived, since any moment before all of them.
    pub arrived: Duration,
    /// The whole prompt, cached tokens included.
    pub prompt: Tokens,
    /// The part of the prompt that came from the cache; `None` where the log does not say.
    pub cached: Option<Tokens>,
    /// Output tokens; `None` where the log does not say.
    pub output: Option<Tokens>,
    /// The conversation it belongs to.
    pub session: Option<String>,
    /// Hashes of the prompt's blocks in order, the last one perhaps of a block that is not full; empty
    /// where the log has none. Equal beginnings of two lists mean equal beginnings of two prompts, so that
    /// hashes which count within a conversation alone have to be made different between conversations.
    pub blocks: Vec<u64>,
}

impl LogRow {
    /// A request that arrived then with a prompt of that length.
    pub fn new(arrived: Duration, prompt: Tokens) -> Self {
        Self { arrived, prompt, ..Self::default() }
    }
}
