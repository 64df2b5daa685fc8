//! What is wrong with a load that was asked for.

/// What kind of thing is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LoadErrorKind {
    /// The arrival schedule.
    Arrival,
    /// The budget.
    Budget,
    /// Parts that do not go together.
    Contradiction,
}

/// What is wrong with a load that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct LoadError {
    kind: LoadErrorKind,
    message: String,
}

impl LoadError {
    pub(crate) fn new(kind: LoadErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// What kind of thing is wrong.
    pub const fn kind(&self) -> LoadErrorKind {
        self.kind
    }
}
