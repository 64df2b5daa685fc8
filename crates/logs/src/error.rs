//! Why something could not be read at all.

use std::fmt;
use std::io;
use std::path::Path;

/// What sort of failure an [`Error`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// There is no such file.
    NotFound,
    /// The file may not be read.
    NoPermission,
    /// The path is a directory.
    Directory,
    /// The input holds nothing.
    Empty,
    /// The input is not text.
    Binary,
    /// No known format fits the content.
    UnknownFormat,
    /// A word that is none of the accepted ones.
    UnknownWord,
    /// A mapping file that cannot be used.
    Mapping,
    /// A header line that cannot be used.
    Header,
    /// A document that cannot be used.
    Document,
    /// Two summaries made under different options.
    OptionsDiffer,
    /// The operating system failed to read or write.
    Io,
}

/// Why something could not be read at all.
///
/// The text says what was expected, what was found and what to do; it is not API, the
/// [`ErrorKind`] is.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    name: String,
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// What sort of failure it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The input it is about; empty where it is about none.
    pub fn input(&self) -> &str {
        &self.name
    }

    /// What it says, without the input it is about.
    pub fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn new(kind: ErrorKind, name: &str, message: impl Into<String>) -> Self {
        Self { kind, name: name.to_owned(), message: message.into(), source: None }
    }

    pub(crate) fn caused_by(
        mut self,
        source: impl std::error::Error + Send + Sync + 'static,
    ) -> Self {
        self.source = Some(Box::new(source));
        self
    }

    /// A failure to open or read a file, in words that say what to do.
    pub(crate) fn io(path: &Path, error: io::Error) -> Self {
        let name = path.display().to_string();
        let (kind, message) = match error.kind() {
            io::ErrorKind::NotFound => {
                (ErrorKind::NotFound, "expected a file, found nothing of that name; check the path")
            }
            io::ErrorKind::PermissionDenied => (
                ErrorKind::NoPermission,
                "expected a readable file, found one without read permission; change its mode or \
                 read it through a pipe",
            ),
            _ => (ErrorKind::Io, "expected to read to the end, the operating system failed"),
        };
        Self::new(kind, &name, message).caused_by(error)
    }

    pub(crate) fn directory(path: &Path) -> Self {
        Self::new(
            ErrorKind::Directory,
            &path.display().to_string(),
            "expected a file, found a directory; name the files in it",
        )
    }

    pub(crate) fn empty(name: &str) -> Self {
        Self::new(
            ErrorKind::Empty,
            name,
            "expected a request log or results, found no bytes but white space; check that it was \
             written",
        )
    }

    pub(crate) fn cut(name: &str, why: &str) -> Self {
        Self::new(
            ErrorKind::Document,
            name,
            format!(
                "expected whole JSON documents; {why}: the file was cut, or is still being written"
            ),
        )
    }

    pub(crate) fn binary(name: &str, what: &str) -> Self {
        Self::new(
            ErrorKind::Binary,
            name,
            format!(
                "expected text in UTF-8, or a gzip or zstd stream of it, found {what}; convert it first"
            ),
        )
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.name.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.name, self.message)
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|s| s as _)
    }
}
