//! Events of SGLang's `/generate`.

use std::fmt;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use trueline_core::TokenCounts;

use super::fields::{Count, Extent, Word};
use super::said::Said;

/// An event, or a whole reply, of SGLang's `/generate`.
///
/// # Shape
/// `text` is all of the answer so far, unless the server is told to stream what is new alone.
///
/// # Source
/// SGLang 0.5.23, `tokenizer_manager.py`.
#[derive(Deserialize)]
pub(super) struct Sglang<'a> {
    #[serde(default)]
    pub(super) text: Extent,
    /// In place of `text` where the server has no tokenizer.
    #[serde(default)]
    pub(super) output_ids: Extent,
    #[serde(borrow, default)]
    pub(super) meta_info: Option<MetaInfo<'a>>,
    #[serde(default)]
    pub(super) error: Said,
}

#[derive(Deserialize)]
pub(super) struct MetaInfo<'a> {
    #[serde(borrow, default)]
    pub(super) id: Word<'a>,
    #[serde(default)]
    prompt_tokens: Count,
    #[serde(default)]
    cached_tokens: Count,
    #[serde(default)]
    pub(super) completion_tokens: Count,
    #[serde(borrow, default)]
    pub(super) finish_reason: Reason<'a>,
}

impl MetaInfo<'_> {
    pub(super) fn counts(&self) -> TokenCounts {
        TokenCounts {
            prompt: self.prompt_tokens.0,
            cached: self.cached_tokens.0,
            output: self.completion_tokens.0,
        }
    }
}

/// A reason as a text, or as the `type` of an object.
#[derive(Debug, Default)]
pub(super) struct Reason<'a>(pub(super) Word<'a>);

#[derive(Deserialize)]
struct Typed<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Word<'a>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Reason<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ReasonVisitor)
    }
}

struct ReasonVisitor;

impl<'de> Visitor<'de> for ReasonVisitor {
    type Value = Reason<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a reason, or an object with its type")
    }

    fn visit_unit<E>(self) -> Result<Reason<'de>, E> {
        Ok(Reason::default())
    }

    fn visit_str<E>(self, text: &str) -> Result<Reason<'de>, E> {
        Ok(Reason(Word(Some(text.to_owned().into()))))
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Reason<'de>, A::Error> {
        let object = serde::de::value::MapAccessDeserializer::new(object);
        Typed::deserialize(object).map(|typed| Reason(typed.kind))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<Reason<'de>, A::Error> {
        Err(serde::de::Error::custom("the reason is a list"))
    }
}
