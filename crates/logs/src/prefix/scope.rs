//! Between which rows the hashes of a format tell.

/// Between which rows the hashes of a format tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[non_exhaustive]
pub enum HashScope {
    /// Between all rows: they are made of the prompts alone.
    #[default]
    Everywhere,
    /// Between the rows of one input: its writer has numbered the blocks that occur in it.
    Input,
    /// Between the rows of one conversation, which is one input: what conversations have in common, such as a
    /// system prompt, does not show.
    Conversation,
}

impl HashScope {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Everywhere => "all rows",
            Self::Input => "the rows of one input",
            Self::Conversation => "the rows of one conversation",
        }
    }
}
