//! Why a model description could not be read.

use std::fmt;

/// What sort of failure a [`ModelError`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ModelErrorKind {
    /// The text is not JSON, or not an object.
    NotJson,
    /// The bytes are not of the expected file format, or of a version that is not known.
    UnknownFormat,
    /// A `model_type` or architecture that is not known.
    UnknownModel,
    /// A quantisation that is not known.
    UnknownQuantisation,
    /// A field that the family needs is missing or null.
    Missing,
    /// A field of another type than expected.
    WrongType,
    /// A size that is negative, zero or beyond any model.
    OutOfRange,
    /// Fields that contradict each other.
    Contradiction,
    /// A header that ends early.
    Truncated,
    /// A header larger, or with more entries, than any real one.
    TooLarge,
    /// Offsets and sizes of a header that do not fit together.
    Layout,
    /// The reader failed.
    Io,
}

/// Why a model description could not be read.
///
/// The text says what was expected, what was found and what to do; it is not API, the
/// [`ModelErrorKind`] is.
#[derive(Debug)]
pub struct ModelError {
    kind: ModelErrorKind,
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl ModelError {
    pub(crate) fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    pub(crate) fn caused(
        kind: ModelErrorKind,
        message: impl Into<String>,
        source: impl std::error::Error + Send + Sync + 'static,
    ) -> Self {
        Self { kind, message: message.into(), source: Some(Box::new(source)) }
    }

    /// What sort of failure it is.
    pub const fn kind(&self) -> ModelErrorKind {
        self.kind
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ModelError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

/// Text of a hostile source as it may stand in a message: short, and without control characters.
pub(super) fn shown(text: &str) -> String {
    let mut out: String = text.chars().take(60).flat_map(char::escape_debug).collect();
    if text.chars().nth(60).is_some() {
        out.push('…');
    }
    out
}
