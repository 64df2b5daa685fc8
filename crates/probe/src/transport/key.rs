//! What a server wants to see before it answers.

use std::fmt;

use hyper::header::HeaderValue;

use super::{TransportError, TransportErrorKind};

/// A key that a server wants to see before it answers, sent as `Authorization: Bearer`.
///
/// It is the caller's to read it, from the environment and not from an argument, which others on the
/// machine can see. It is written nowhere: not in a result, not in a message, not by `Debug`.
///
/// # Examples
/// ```
/// use trueline_probe::Key;
///
/// let key = Key::new("sk-1234")?;
/// assert_eq!(format!("{key:?}"), "Key(hidden)");
/// # Ok::<(), trueline_probe::TransportError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// A key from its text; blanks around it are left out.
    ///
    /// # Errors
    /// An empty text, and one that cannot stand in the head of a request. The message does not repeat it.
    pub fn new(text: impl AsRef<str>) -> Result<Self, TransportError> {
        let text = text.as_ref().trim();
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(TransportError::new(
                TransportErrorKind::Key,
                "expected a key of visible ASCII characters, found none or others",
            ));
        }
        Ok(Self(text.to_owned()))
    }

    /// The value of the header that carries it.
    pub(super) fn header(&self) -> HeaderValue {
        let value = HeaderValue::try_from(format!("Bearer {}", self.0));
        let mut value = value.expect("visible ASCII is the value of a header");
        value.set_sensitive(true);
        value
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_a_key_is_refused_without_being_repeated() {
        for text in ["", "  ", "a b", "a\nb", "schlüssel"] {
            let refused = Key::new(text).unwrap_err();
            assert_eq!(refused.kind(), TransportErrorKind::Key, "{text:?}");
            assert!(text.trim().is_empty() || !refused.to_string().contains(text), "{refused}");
        }
        assert_eq!(Key::new(" sk-1\n").unwrap().text(), "sk-1");
    }
}
