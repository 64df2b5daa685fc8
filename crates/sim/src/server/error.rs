//! Why a server cannot be started.

use std::io;

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ServerErrorKind {
    /// The address is none, or reaches further than is allowed.
    Address,
    /// A model that could serve nothing.
    Model,
    /// The operating system refused.
    Io,
}

/// Why a server cannot be started.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ServerError {
    kind: ServerErrorKind,
    message: String,
    source: Option<io::Error>,
}

impl ServerError {
    pub(super) fn new(kind: ServerErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    pub(super) fn io(message: impl Into<String>, source: io::Error) -> Self {
        Self { kind: ServerErrorKind::Io, message: message.into(), source: Some(source) }
    }

    /// What is wrong.
    pub const fn kind(&self) -> ServerErrorKind {
        self.kind
    }
}
