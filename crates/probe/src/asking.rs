//! One request that is to be sent.

use trueline_core::Tokens;

/// What the server is given to read.
///
/// Its text is sent and never kept in a result.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Prompt {
    /// A text.
    Text(String),
    /// A conversation.
    Messages(Vec<Message>),
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Who says it: `system`, `user` or `assistant`.
    pub role: String,
    /// What is said.
    pub content: String,
}

/// Whether the model may end an answer of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Ending {
    /// The answer runs to its maximum where the server can be told so.
    #[default]
    AtTheMaximum,
    /// The model ends it.
    OfItself,
}

/// One request that is to be sent.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Asking {
    /// Its place in the run, from 0, warm-up included.
    pub number: u64,
    /// What the server is given to read.
    pub prompt: Prompt,
    /// The most tokens of the answer.
    pub output: Tokens,
    /// Whether the model may end the answer of itself.
    pub ending: Ending,
    /// The conversation that it belongs to.
    pub session: Option<String>,
    /// Which part of an experiment it belongs to, such as `control` or `hit 0.5`.
    pub part: Option<String>,
    /// Whether it only warms up.
    pub warmup: bool,
}

impl Asking {
    /// A request of the measurement itself.
    pub fn new(number: u64, prompt: Prompt, output: Tokens) -> Self {
        Self {
            number,
            prompt,
            output,
            ending: Ending::default(),
            session: None,
            part: None,
            warmup: false,
        }
    }
}
