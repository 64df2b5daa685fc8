//! What a server says went wrong, in its own words.

use std::borrow::Cow;
use std::fmt;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::fields::Word;

/// The most characters of a server's words that are kept.
const MAX_SAID_CHARS: usize = 240;

/// An `error`: an object with a message, or a text; nothing where it is `null` or `false`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Said(pub(super) Option<String>);

/// The fields of an error, or of a whole reply that is one.
#[derive(Deserialize)]
struct Fields<'a> {
    #[serde(borrow, default)]
    message: Word<'a>,
    #[serde(borrow, default, rename = "type")]
    kind: Word<'a>,
    #[serde(borrow, default)]
    code: Word<'a>,
    #[serde(borrow, default)]
    detail: Word<'a>,
    #[serde(default)]
    error: Said,
}

impl Fields<'_> {
    fn words(self) -> Option<String> {
        if let Said(Some(said)) = self.error {
            return Some(said);
        }
        let message = told(self.message).or_else(|| told(self.detail));
        let kinds = [self.kind, self.code].into_iter().filter_map(told);
        let kind: Vec<String> = kinds.map(|kind| shortened(&kind)).collect();
        match (message, kind.is_empty()) {
            (Some(message), true) => Some(shortened(&message)),
            (Some(message), false) => {
                Some(format!("{} ({})", shortened(&message), kind.join(", ")))
            }
            (None, false) => Some(kind.join(", ")),
            (None, true) => None,
        }
    }
}

/// The server's words in the body of a refusal; `None` where it is none of the forms known.
pub(crate) fn parse_refusal(body: &[u8]) -> Option<String> {
    serde_json::from_slice::<Fields<'_>>(body).ok()?.words()
}

fn told(word: Word<'_>) -> Option<Cow<'_, str>> {
    word.0.filter(|text| !text.is_empty())
}

fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(MAX_SAID_CHARS) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}

impl<'de> Deserialize<'de> for Said {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SaidVisitor)
    }
}

struct SaidVisitor;

impl<'de> Visitor<'de> for SaidVisitor {
    type Value = Said;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an error")
    }

    fn visit_unit<E>(self) -> Result<Said, E> {
        Ok(Said(None))
    }

    fn visit_bool<E>(self, error: bool) -> Result<Said, E> {
        Ok(Said(error.then(|| "no words".to_owned())))
    }

    fn visit_u64<E>(self, code: u64) -> Result<Said, E> {
        Ok(Said(Some(format!("code {code}"))))
    }

    fn visit_i64<E>(self, code: i64) -> Result<Said, E> {
        Ok(Said(Some(format!("code {code}"))))
    }

    fn visit_f64<E>(self, code: f64) -> Result<Said, E> {
        Ok(Said(Some(format!("code {code}"))))
    }

    fn visit_str<E>(self, text: &str) -> Result<Said, E> {
        Ok(Said(Some(shortened(text))))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Said, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Said(Some("a list".to_owned())))
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Said, A::Error> {
        let fields = Fields::deserialize(serde::de::value::MapAccessDeserializer::new(object))?;
        Ok(Said(Some(fields.words().unwrap_or_else(|| "no words".to_owned()))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_of_several_servers_are_read() {
        for (body, expected) in [
            // OpenAI's form: vLLM, llama.cpp, the simulator.
            (
                r#"{"error":{"message":"too many requests","type":"rate_limit_exceeded","code":429}}"#,
                Some("too many requests (rate_limit_exceeded, 429)"),
            ),
            // Older vLLM: at the top.
            (
                r#"{"object":"error","message":"no such model","type":"NotFoundError","code":404}"#,
                Some("no such model (NotFoundError, 404)"),
            ),
            // FastAPI.
            (r#"{"detail":"Not Found"}"#, Some("Not Found")),
            // A list repeats the request: it is left out.
            (r#"{"detail":[{"loc":["body"],"input":{"prompt":"x"}}]}"#, None),
            (r#"{"error":"model is loading"}"#, Some("model is loading")),
            (r#"{"error":{"type":"overloaded"}}"#, Some("overloaded")),
            (r#"{"error":null}"#, None),
            ("<html>", None),
            ("", None),
        ] {
            assert_eq!(parse_refusal(body.as_bytes()).as_deref(), expected, "{body}");
        }
    }

    #[test]
    fn words_are_one_line_of_bounded_length() {
        let body = serde_json::json!({"error": {"message": "ä".repeat(1_000)}}).to_string();
        assert_eq!(parse_refusal(body.as_bytes()).map(|t| t.chars().count()), Some(241));
        let body = serde_json::json!({"error": {"message": "first\nsecond"}}).to_string();
        assert_eq!(parse_refusal(body.as_bytes()).as_deref(), Some("first"));
        let body = serde_json::json!({"type": "a\nb", "code": "x".repeat(1_000)}).to_string();
        let said = format!("a, {}…", "x".repeat(240));
        assert_eq!(parse_refusal(body.as_bytes()), Some(said));
    }
}
