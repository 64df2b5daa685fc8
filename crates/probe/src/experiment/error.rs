//! Why an experiment cannot be planned.

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PlanErrorKind {
    /// A word that is none of those accepted.
    UnknownWord,
    /// A number that cannot be meant.
    Number,
    /// The same thing twice where it can only be once.
    Twice,
    /// Nothing to send.
    Empty,
    /// Something that the plan rests on was not given.
    Missing,
}

/// Why an experiment cannot be planned: what was expected, what was found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PlanError {
    kind: PlanErrorKind,
    message: String,
}

impl PlanError {
    pub(super) fn new(kind: PlanErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// What is wrong.
    pub const fn kind(&self) -> PlanErrorKind {
        self.kind
    }
}
