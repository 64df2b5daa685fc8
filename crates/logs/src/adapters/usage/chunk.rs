//! One piece of a streamed reply: what it counts, and whether it ends the reply.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::lines::Words;
use crate::scalar::Scalar;
use crate::scan::scan;
use crate::shape::{Shape, Slots};

/// The paths of what is needed; slots are numbered by them.
const PATHS: [&str; 13] = [
    "id",
    "object",
    "model",
    "created",
    "choices",
    "usage.prompt_tokens",
    "usage.completion_tokens",
    "usage.cached_tokens",
    "usage.prompt_tokens_details.cached_tokens",
    "timings.cache_n",
    "timings.prompt_ms",
    "timings.predicted_n",
    "timings.predicted_ms",
];

/// What a whole reply is called.
const WHOLE: [&str; 2] = ["text_completion", "chat.completion"];

static REASON: Words = Words::new("\"finish_reason\"");

/// Whether most of some objects are pieces of replies. The older interface calls a piece as it calls a whole reply,
/// but a piece has not finished.
pub(in crate::adapters) fn are_pieces(objects: &[String]) -> bool {
    let goes_on = |object: &str| {
        ["\"finish_reason\":null", "\"finish_reason\": null"].iter().any(|is| object.contains(is))
    };
    let is_one = |object: &&String| {
        object.contains("completion.chunk\"")
            || (object.contains("\"text_completion\"") && goes_on(object))
    };
    objects.iter().filter(is_one).count() * 2 > objects.len()
}

/// A piece of a reply.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Chunk<'t> {
    pub(super) id: Cow<'t, str>,
    pub(super) model: Option<Cow<'t, str>>,
    pub(super) created: Option<f64>,
    pub(super) prompt: Option<u64>,
    pub(super) cached: Option<u64>,
    pub(super) output: Option<u64>,
    pub(super) timings: Option<Timings>,
    /// Whether it says why the reply ended.
    pub(super) finished: bool,
    /// Whether it has the name of a whole reply, as every piece of the older interface has, and the piece in which
    /// mlx-lm puts the usage.
    pub(super) named_whole: bool,
}

/// What llama.cpp's server adds to the last piece, or to each as it stands so far.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
pub(super) struct Timings {
    pub(super) cache_n: Option<u64>,
    pub(super) prompt_ms: Option<f64>,
    pub(super) predicted_n: Option<u64>,
    pub(super) predicted_ms: Option<f64>,
}

/// Reads pieces; those of one file have their keys in one order.
#[derive(Debug)]
pub(super) struct Pieces(Shape);

impl Default for Pieces {
    fn default() -> Self {
        Self(Shape::new(PATHS))
    }
}

impl Pieces {
    /// The piece that a text may be; only others of its id tell whether one with the name of a whole reply is one.
    pub(super) fn read<'t>(&mut self, text: &'t str) -> Option<Chunk<'t>> {
        if !text.starts_with('{') {
            return None;
        }
        let (object, mut chunk) = self.common(text).or_else(|| any_form(text))?;
        chunk.named_whole = WHOLE.contains(&&*object);
        (chunk.named_whole || object.ends_with("completion.chunk")).then_some(chunk)
    }

    /// A piece in the common form, and what it calls itself; `None` where it has to be read with care.
    fn common<'t>(&mut self, text: &'t str) -> Option<(Cow<'t, str>, Chunk<'t>)> {
        let mut slots = Slots::of(&self.0);
        slots.begin();
        scan(text, &mut self.0, &mut slots)?;
        let written = |slot| match slots.get(slot) {
            Some(Scalar::Text(text)) => Some(Some(Cow::Borrowed(*text))),
            None | Some(Scalar::Null) => Some(None),
            Some(_) => None,
        };
        let count = |slot| match slots.get(slot) {
            Some(Scalar::Whole(n)) => Some(Some(*n)),
            None | Some(Scalar::Null) => Some(None),
            Some(_) => None,
        };
        let number = |slot| match slots.get(slot) {
            None | Some(Scalar::Null) => Some(None),
            Some(value @ (Scalar::Whole(_) | Scalar::Float(_))) => Some(Some(value.number().ok()?)),
            Some(_) => None,
        };
        let finished = match slots.get(4) {
            None => false,
            Some(Scalar::List(choices)) => ends(choices)?,
            Some(_) => return None,
        };
        let timings = Timings {
            cache_n: count(9)?,
            prompt_ms: number(10)?,
            predicted_n: count(11)?,
            predicted_ms: number(12)?,
        };
        let chunk = Chunk {
            id: written(0)??,
            model: written(2)?,
            created: number(3)?,
            prompt: count(5)?,
            cached: count(8)?.or(count(7)?),
            output: count(6)?,
            timings: (timings != Timings::default()).then_some(timings),
            finished,
            named_whole: false,
        };
        Some((written(1)??, chunk))
    }
}

/// Whether a list of choices says why one of them ended.
fn ends(choices: &str) -> Option<bool> {
    if choices == "[]" {
        return Some(false);
    }
    // In most pieces the one choice says that it goes on. Within a text the name's quotes are escaped.
    let (_, reason) = REASON.split(choices)?;
    let goes_on = reason.trim_start().strip_prefix(':')?.trim_start().starts_with("null");
    if goes_on && !REASON.are_in(reason) {
        return Some(false);
    }
    let choices: Vec<Choice> = serde_json::from_str(choices).ok()?;
    Some(choices.iter().any(|choice| choice.finish_reason.is_some()))
}

#[derive(Deserialize)]
struct Whole<'t> {
    #[serde(borrow)]
    id: Option<Cow<'t, str>>,
    #[serde(borrow)]
    object: Option<Cow<'t, str>>,
    #[serde(borrow)]
    model: Option<Cow<'t, str>>,
    created: Option<f64>,
    #[serde(default)]
    choices: Vec<Choice>,
    usage: Option<Usage>,
    timings: Option<Timings>,
}

#[derive(Deserialize)]
struct Choice {
    finish_reason: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Usage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    cached_tokens: Option<u64>,
    prompt_tokens_details: Option<Details>,
}

#[derive(Deserialize)]
struct Details {
    cached_tokens: Option<u64>,
}

/// A piece in any form, and what it calls itself.
fn any_form(text: &str) -> Option<(Cow<'_, str>, Chunk<'_>)> {
    let whole: Whole<'_> = serde_json::from_str(text).ok()?;
    let usage = whole.usage;
    let usage = usage.as_ref();
    let details = usage.and_then(|usage| usage.prompt_tokens_details.as_ref()?.cached_tokens);
    let chunk = Chunk {
        id: whole.id?,
        model: whole.model,
        created: whole.created,
        prompt: usage.and_then(|usage| usage.prompt_tokens),
        cached: details.or(usage.and_then(|usage| usage.cached_tokens)),
        output: usage.and_then(|usage| usage.completion_tokens),
        timings: whole.timings.filter(|timings| *timings != Timings::default()),
        finished: whole.choices.iter().any(|choice| choice.finish_reason.is_some()),
        named_whole: false,
    };
    Some((whole.object?, chunk))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_reading_a_piece_say_the_same() {
        let head = r#""id":"a","object":"chat.completion.chunk","created":1795958298"#;
        for (rest, common) in [
            (r#","model":"m","choices":[{"delta":{"content":"x"},"finish_reason":null}]"#, true),
            (r#","choices":[{"delta":{},"finish_reason":"stop"}],"usage":null"#, true),
            (r#","choices":[{"finish_reason":null},{"finish_reason": "length"}]"#, true),
            (
                r#","choices":[{"delta":{"content":"\"finish_reason\":1"},"finish_reason": null}]"#,
                true,
            ),
            (
                r#","choices":[],"usage":{"prompt_tokens":5,"prompt_tokens_details":{"cached_tokens":3}}"#,
                true,
            ),
            (
                r#","usage":{"completion_tokens":5,"cached_tokens":2,"prompt_tokens_details":null}"#,
                true,
            ),
            (
                r#","timings":{"cache_n":3,"prompt_n":2,"prompt_ms":7.5,"predicted_n":2,"predicted_ms":9}"#,
                true,
            ),
            (r#","timings":null"#, true),
            (r#","choices":null"#, false),
            (r#","choices":[{"delta":{}}]"#, false),
            (r#","usage":{"prompt_tokens":5.0}"#, false),
            (r#","model":"\u0041""#, false),
            (r#","model":7"#, false),
        ] {
            let text = format!("{{{head}{rest}}}");
            let fast = Pieces::default().common(&text);
            assert_eq!(fast.is_some(), common, "{text}");
            if common {
                assert_eq!(fast, any_form(&text), "{text}");
            }
            assert_eq!(Pieces::default().read(&text), any_form(&text).map(|(_, chunk)| chunk));
        }
        let named = |name: &str| {
            let text = format!(r#"{{"id":"a","object":"{name}"}}"#);
            Pieces::default().read(&text).map(|chunk| chunk.named_whole)
        };
        assert_eq!(named("chat.completion"), Some(true));
        assert_eq!(named("text_completion"), Some(true));
        assert_eq!(named("chat.completion.chunk"), Some(false));
        assert_eq!(named("response"), None);
        assert_eq!(Pieces::default().read(r#"{"object":"chat.completion.chunk"}"#), None);
    }
}
