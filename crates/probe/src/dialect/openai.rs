//! Events of OpenAI's chat and completions.

use std::fmt;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::counts::{Timings, Usage};
use super::fields::{Extent, Word};
use super::said::Said;

/// An event, or a whole reply, of OpenAI's chat and completions.
#[derive(Deserialize)]
pub(super) struct OpenAi<'a> {
    #[serde(borrow, default)]
    pub(super) id: Word<'a>,
    #[serde(borrow, default)]
    pub(super) model: Word<'a>,
    /// `error` in older versions of vLLM, with a message beside it.
    #[serde(borrow, default)]
    pub(super) object: Word<'a>,
    #[serde(default)]
    pub(super) choices: Choices<'a>,
    #[serde(default)]
    pub(super) usage: Option<Usage>,
    #[serde(default)]
    pub(super) timings: Option<Timings>,
    #[serde(default)]
    pub(super) error: Said,
}

/// What the choices of an event hold together.
#[derive(Debug)]
pub(super) struct Choices<'a> {
    /// Whether there is any text, thought or call in them.
    pub(super) token: bool,
    /// Why the answer ended.
    pub(super) finish: Word<'a>,
    pub(super) is_empty: bool,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(default)]
    delta: Option<Part>,
    /// In place of `delta` in a whole reply.
    #[serde(default)]
    message: Option<Part>,
    #[serde(default)]
    text: Extent,
    #[serde(borrow, default)]
    finish_reason: Word<'a>,
}

/// The fields that carry tokens, under all names that servers have for them.
#[derive(Deserialize)]
struct Part {
    #[serde(default)]
    content: Extent,
    #[serde(default)]
    reasoning_content: Extent,
    #[serde(default)]
    reasoning: Extent,
    #[serde(default)]
    tool_calls: Extent,
    #[serde(default)]
    function_call: Extent,
    #[serde(default)]
    refusal: Extent,
}

impl Default for Choices<'_> {
    fn default() -> Self {
        Self { token: false, finish: Word::default(), is_empty: true }
    }
}

impl Part {
    const fn is_some(&self) -> bool {
        self.content.is_some()
            || self.reasoning_content.is_some()
            || self.reasoning.is_some()
            || self.tool_calls.is_some()
            || self.function_call.is_some()
            || self.refusal.is_some()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Choices<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ChoicesVisitor)
    }
}

struct ChoicesVisitor;

impl<'de> Visitor<'de> for ChoicesVisitor {
    type Value = Choices<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of choices")
    }

    fn visit_unit<E>(self) -> Result<Choices<'de>, E> {
        Ok(Choices::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Choices<'de>, A::Error> {
        let mut choices = Choices::default();
        while let Some(choice) = list.next_element::<Choice<'de>>()? {
            choices.is_empty = false;
            let part = |part: Option<Part>| part.is_some_and(|part| part.is_some());
            choices.token |= choice.text.is_some() || part(choice.delta) || part(choice.message);
            if choice.finish_reason.0.is_some() {
                choices.finish = choice.finish_reason;
            }
        }
        Ok(choices)
    }

    /// No server is known to send one choice without a list; it holds no token that could be timed.
    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<Choices<'de>, A::Error> {
        Err(serde::de::Error::custom("choices are no list"))
    }
}
