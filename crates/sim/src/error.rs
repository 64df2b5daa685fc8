//! What is wrong with a configuration.

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A model that could serve nothing.
    Model,
}

/// A configuration that cannot be simulated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

impl Error {
    pub(crate) fn model(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Model, message: message.into() }
    }

    /// What is wrong.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }
}
