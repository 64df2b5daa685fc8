//! The bytes of a header, read in order, within a limit.

use std::io::{BufReader, ErrorKind, Read};

use crate::model::{ModelError, ModelErrorKind};

/// More bytes than any header has; the largest vocabularies take some 20 million.
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// A reader that counts, and reads no more than a header may hold.
pub(super) struct Source<R> {
    inner: BufReader<R>,
    left: u64,
}

impl<R: Read> Source<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { inner: BufReader::new(reader), left: MOST_BYTES }
    }

    pub(super) fn bytes<const N: usize>(&mut self) -> Result<[u8; N], ModelError> {
        let mut bytes = [0; N];
        self.take(N as u64)?;
        self.inner.read_exact(&mut bytes).map_err(failed)?;
        Ok(bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, ModelError> {
        self.bytes().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, ModelError> {
        self.bytes().map(u64::from_le_bytes)
    }

    /// A text with its length before it; memory grows with what is there, not with what is claimed.
    pub(super) fn text(&mut self, longest: u64) -> Result<String, ModelError> {
        let length = self.u64()?;
        if length > longest {
            return Err(too_large(&format!("a text of at most {longest} bytes"), length));
        }
        self.take(length)?;
        let mut text = Vec::new();
        let read = (&mut self.inner).take(length).read_to_end(&mut text).map_err(failed)?;
        if (read as u64) < length {
            return Err(truncated());
        }
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Passes over bytes without keeping them.
    pub(super) fn skip(&mut self, count: u64) -> Result<(), ModelError> {
        self.take(count)?;
        let mut left = (&mut self.inner).take(count);
        let passed = std::io::copy(&mut left, &mut std::io::sink()).map_err(failed)?;
        if passed < count { Err(truncated()) } else { Ok(()) }
    }

    fn take(&mut self, count: u64) -> Result<(), ModelError> {
        self.left = self
            .left
            .checked_sub(count)
            .ok_or_else(|| too_large(&format!("a header of at most {MOST_BYTES} bytes"), count))?;
        Ok(())
    }
}

fn failed(error: std::io::Error) -> ModelError {
    if error.kind() == ErrorKind::UnexpectedEof {
        truncated()
    } else {
        ModelError::caused(ModelErrorKind::Io, "the header could not be read", error)
    }
}

fn truncated() -> ModelError {
    ModelError::new(ModelErrorKind::Truncated, "expected more of the header, found its end")
}

fn too_large(expected: &str, found: u64) -> ModelError {
    ModelError::new(ModelErrorKind::TooLarge, format!("expected {expected}, found {found} more"))
}
