//! JSON as Python writes it: with `NaN` and `Infinity`.

use std::borrow::Cow;

use serde_json::Value;

use crate::model::{ModelError, ModelErrorKind};

/// Words that Python's `json` writes for numbers that JSON does not know, longest first.
const WORDS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];

/// Reads a text; `NaN` and infinities outside of strings become null. Returns how many.
///
/// # Source
/// The published config of Nemotron-H-56B holds `"time_step_limit": [0.0, Infinity]`.
pub(super) fn parse(text: &str) -> Result<(Value, u64), ModelError> {
    let (text, replaced) = without_words(text.strip_prefix('\u{feff}').unwrap_or(text));
    let value = serde_json::from_str(&text).map_err(|e| {
        ModelError::caused(ModelErrorKind::NotJson, "expected JSON, found text that is none", e)
    })?;
    Ok((value, replaced))
}

fn without_words(text: &str) -> (Cow<'_, str>, u64) {
    if !WORDS.iter().any(|word| text.contains(word)) {
        return (Cow::Borrowed(text), 0);
    }
    let mut out = String::with_capacity(text.len());
    let mut replaced = 0;
    let mut rest = text;
    let mut quoted = false;
    while let Some(c) = rest.chars().next() {
        if !quoted && let Some(word) = WORDS.iter().find(|word| rest.starts_with(**word)) {
            out.push_str("null");
            replaced += 1;
            rest = rest.strip_prefix(word).unwrap_or_default();
            continue;
        }
        let taken = match c {
            '\\' if quoted => c.len_utf8() + rest.chars().nth(1).map_or(0, char::len_utf8),
            _ => c.len_utf8(),
        };
        if c == '"' {
            quoted = !quoted;
        }
        let (head, tail) = rest.split_at_checked(taken).unwrap_or((rest, ""));
        out.push_str(head);
        rest = tail;
    }
    (Cow::Owned(out), replaced)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn infinities_are_null_and_words_in_strings_stay() {
        let text = r#"{"a": [0.0, Infinity, -Infinity], "b": NaN, "c\"NaN": "\\Infinity \" NaN"}"#;
        let (value, replaced) = parse(text).unwrap();
        assert_eq!(replaced, 3);
        assert_eq!(
            value,
            serde_json::json!({"a": [0.0, null, null], "b": null, "c\"NaN": "\\Infinity \" NaN"})
        );
    }

    #[test]
    fn deep_nesting_is_an_error() {
        let deep = "[".repeat(100_000);
        assert_eq!(parse(&deep).unwrap_err().kind(), ModelErrorKind::NotJson);
    }
}
