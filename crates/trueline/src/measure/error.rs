//! Why nothing was measured.

use trueline_host::WatchError;
use trueline_probe::LoadError;

/// Why nothing was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MeasureErrorKind {
    /// Parts that do not go together.
    Contradiction,
    /// The load cannot be sent as it was asked for.
    Load,
    /// The host cannot be watched.
    Watch,
    /// The runtime cannot be started.
    Runtime,
}

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct MeasureError {
    kind: MeasureErrorKind,
    message: String,
}

impl MeasureError {
    pub(super) fn new(kind: MeasureErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// Why.
    pub const fn kind(&self) -> MeasureErrorKind {
        self.kind
    }
}

impl From<LoadError> for MeasureError {
    fn from(error: LoadError) -> Self {
        Self::new(MeasureErrorKind::Load, error.to_string())
    }
}

impl From<WatchError> for MeasureError {
    fn from(error: WatchError) -> Self {
        Self::new(MeasureErrorKind::Watch, error.to_string())
    }
}
