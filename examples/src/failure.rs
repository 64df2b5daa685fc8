//! Why a program could not do its work: one line, exit status 2.

use std::fmt;

/// Why a program could not do its work.
#[derive(Debug)]
pub struct Failure(String);

impl Failure {
    /// A failure in words: what was expected, what was found.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&trueline::report::inert(&self.0))
    }
}

impl<E: std::error::Error> From<E> for Failure {
    /// The error with its sources behind it, where they say something new.
    fn from(error: E) -> Self {
        let mut text = error.to_string();
        let mut source = error.source();
        while let Some(inner) = source {
            let more = inner.to_string();
            if !text.contains(&more) {
                text += &format!(": {more}");
            }
            source = inner.source();
        }
        Self(text)
    }
}
