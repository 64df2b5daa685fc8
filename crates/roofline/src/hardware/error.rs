//! What can be wrong with a hardware file or with a question for a device.

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HardwareErrorKind {
    /// A hardware file that cannot be understood.
    File,
    /// No part of the catalogue fits.
    UnknownDevice,
    /// Several parts fit.
    AmbiguousDevice,
    /// Nothing was said by which to find a device.
    NothingToGoBy,
}

/// A hardware file that cannot be understood, or a device that cannot be told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct HardwareError {
    kind: HardwareErrorKind,
    message: String,
    candidates: Vec<String>,
    line: Option<usize>,
}

impl HardwareError {
    pub(crate) fn file(line: Option<usize>, message: String) -> Self {
        let message = match line {
            Some(line) => format!("line {line}: {message}"),
            None => message,
        };
        Self { kind: HardwareErrorKind::File, message, candidates: Vec::new(), line }
    }

    pub(crate) fn lookup(
        kind: HardwareErrorKind,
        message: String,
        candidates: Vec<String>,
    ) -> Self {
        Self { kind, message, candidates, line: None }
    }

    /// What is wrong.
    pub const fn kind(&self) -> HardwareErrorKind {
        self.kind
    }

    /// The parts that fit, or that come near; the nearest first.
    pub fn candidates(&self) -> &[String] {
        &self.candidates
    }

    /// The line of a file, counted from 1.
    pub const fn line(&self) -> Option<usize> {
        self.line
    }
}
