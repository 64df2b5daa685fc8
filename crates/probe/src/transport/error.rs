//! Why a server cannot be asked.

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TransportErrorKind {
    /// An address that is no URL of a server.
    Url,
    /// TLS without the feature for it, or TLS that cannot be set up.
    Tls,
    /// A key that cannot stand in the head of a request.
    Key,
    /// A header that cannot stand in the head of a request, or that the client sets itself.
    Header,
    /// An interface there is not.
    Api,
}

/// Why a server cannot be asked.
///
/// What became of a request is no error: see [`Failure`](crate::Failure).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TransportError {
    kind: TransportErrorKind,
    message: String,
}

impl TransportError {
    pub(crate) fn new(kind: TransportErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// What is wrong.
    pub const fn kind(&self) -> TransportErrorKind {
        self.kind
    }
}
