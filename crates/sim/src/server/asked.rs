//! What a request body asks for.

use std::sync::Arc;

use serde_json::Value;
use trueline_core::Tokens;

use super::faults::Fault;
use crate::{RequestId, Token, answer_token, tokenize};

/// Which of the two interfaces a request came by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Api {
    /// `/v1/chat/completions`.
    Chat,
    /// `/v1/completions`.
    Completions,
}

/// Whether the reply comes token by token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delivery {
    Streamed,
    Whole,
}

/// Whether a stream ends with the counts of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UsageWish {
    Included,
    LeftOut,
}

/// Whether the model may end an answer of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    OfItself,
    AtTheMaximum,
}

/// One request for an answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Asked {
    pub(super) api: Api,
    /// As it was asked for, faults included.
    pub(super) model: String,
    pub(super) prompt: Vec<Token>,
    /// `None` where the client names no maximum.
    pub(super) max_output: Option<Tokens>,
    pub(super) ending: Ending,
    pub(super) delivery: Delivery,
    pub(super) usage: UsageWish,
    pub(super) session: Option<Arc<str>>,
    /// Faults that follow the model's name behind `+`.
    pub(super) faults: Vec<Fault>,
}

/// Reads a body; the error says what was expected and what was found.
pub(super) fn parse_asked(api: Api, body: &[u8]) -> Result<Asked, String> {
    let body: Value = serde_json::from_slice(body).map_err(|e| format!("expected JSON: {e}"))?;
    if !body.is_object() {
        return Err("expected a JSON object".to_owned());
    }
    let model = text(&body, "model")?.unwrap_or_default();
    let faults = model
        .split('+')
        .skip(1)
        .map(str::parse)
        .collect::<Result<_, _>>()
        .map_err(|e| format!("model: {e}"))?;
    let prompt = match api {
        Api::Chat => chat_prompt(body.get("messages"))?,
        Api::Completions => prompt_tokens(body.get("prompt"))?,
    };
    let max_output = match whole(&body, "max_completion_tokens")? {
        Some(asked) => Some(asked),
        None => whole(&body, "max_tokens")?,
    };
    let streamed = flag(&body, "stream")?;
    let wished = match body.get("stream_options") {
        Some(options) => flag(options, "include_usage")?,
        None => false,
    };
    Ok(Asked {
        api,
        model: model.to_owned(),
        prompt,
        max_output: max_output.map(Tokens::new),
        ending: if flag(&body, "ignore_eos")? { Ending::AtTheMaximum } else { Ending::OfItself },
        delivery: if streamed { Delivery::Streamed } else { Delivery::Whole },
        usage: if wished { UsageWish::Included } else { UsageWish::LeftOut },
        session: text(&body, "user")?.map(Arc::from),
        faults,
    })
}

fn text<'a>(body: &'a Value, key: &str) -> Result<Option<&'a str>, String> {
    match body.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(format!("{key}: expected text, found {other}")),
    }
}

fn whole(body: &Value, key: &str) -> Result<Option<u64>, String> {
    match body.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64() {
            Some(0) | None => {
                Err(format!("{key}: expected a whole number above zero, found {value}"))
            }
            some => Ok(some),
        },
    }
}

fn flag(body: &Value, key: &str) -> Result<bool, String> {
    match body.get(key) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(on)) => Ok(*on),
        Some(other) => Err(format!("{key}: expected true or false, found {other}")),
    }
}

/// The tokens of a conversation.
///
/// # Formula
/// Each message is its role, a colon, a space, its text and a line end; `assistant:` follows the last
/// one. A conversation that goes on begins with the tokens of the one before it.
fn chat_prompt(messages: Option<&Value>) -> Result<Vec<Token>, String> {
    let messages = messages.and_then(Value::as_array).ok_or("messages: expected a list")?;
    let mut tokens = Vec::new();
    for message in messages {
        let role = text(message, "role")?.ok_or("messages: expected a role in each")?;
        let mut line = format!("{role}:");
        match message.get("content") {
            None | Some(Value::Null) => {}
            Some(Value::String(content)) => push_content(&mut line, content),
            Some(Value::Array(parts)) => {
                for part in parts {
                    push_content(&mut line, text(part, "text")?.unwrap_or_default());
                }
            }
            Some(other) => return Err(format!("content: expected text or parts, found {other}")),
        }
        line.push('\n');
        tokens.extend(tokenize(&line));
    }
    tokens.extend(tokenize("assistant:"));
    Ok(tokens)
}

/// An answer begins with a space of its own; other texts get one.
fn push_content(line: &mut String, content: &str) {
    if !content.starts_with(' ') {
        line.push(' ');
    }
    line.push_str(content);
}

/// The tokens of a text, or those that are given by number.
fn prompt_tokens(prompt: Option<&Value>) -> Result<Vec<Token>, String> {
    match prompt {
        Some(Value::String(text)) => Ok(tokenize(text)),
        Some(Value::Array(parts)) if parts.iter().all(Value::is_u64) => {
            Ok(parts.iter().filter_map(Value::as_u64).map(numbered).collect())
        }
        Some(Value::Array(parts)) if parts.len() == 1 => prompt_tokens(parts.first()),
        Some(Value::Array(parts)) => Err(format!("prompt: expected one, found {}", parts.len())),
        _ => Err("prompt: expected text or a list of token numbers".to_owned()),
    }
}

/// The token of a number; other vocabularies' numbers stand for a token of their own each.
fn numbered(id: u64) -> Token {
    Token::from_id(id).unwrap_or_else(|| answer_token(0, RequestId(id), 0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_body_makes_it_panic(
            key in "messages|prompt|model|max_tokens|stream|stream_options|user",
            value in r#"null|-1|1e99|""|"\PC{0,8}"|\[\]|\{\}|\[\[\]\]|\[1,"a"\]|\[\{"role":"x","content":[0-9]\}\]"#,
        ) {
            let body = format!("{{\"{key}\":{value},\"prompt\":\"a\",\"messages\":[]}}");
            let _ = parse_asked(Api::Chat, body.as_bytes());
            let _ = parse_asked(Api::Completions, body.as_bytes());
        }
    }

    fn chat(body: &str) -> Result<Asked, String> {
        parse_asked(Api::Chat, body.as_bytes())
    }

    fn completion(body: &str) -> Result<Asked, String> {
        parse_asked(Api::Completions, body.as_bytes())
    }

    #[test]
    fn the_next_turn_begins_with_the_tokens_of_the_one_before_and_its_answer() {
        let first = chat(r#"{"messages":[{"role":"user","content":"hi"}]}"#).unwrap().prompt;
        let answer = tokenize(" abcd efgh");
        let next = chat(
            r#"{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":" abcd efgh"},
                {"role":"user","content":"go on"}]}"#,
        )
        .unwrap()
        .prompt;
        let start: Vec<Token> = first.into_iter().chain(answer).collect();
        assert_eq!(next.get(..start.len()), Some(start.as_slice()));
    }

    #[test]
    fn a_body_gives_what_it_says_and_nothing_else() {
        let asked = completion(
            r#"{"model":"m+stall=2+buffered","prompt":"one two","max_tokens":7,"stream":true,
                "stream_options":{"include_usage":true},"ignore_eos":true,"user":"s1"}"#,
        )
        .unwrap();
        assert_eq!((asked.max_output, asked.prompt.len()), (Some(Tokens::new(7)), 2));
        assert_eq!((asked.delivery, asked.usage), (Delivery::Streamed, UsageWish::Included));
        assert_eq!(asked.ending, Ending::AtTheMaximum);
        assert_eq!(asked.faults, ["stall=2".parse().unwrap(), Fault::Buffered]);
        let bare = completion(r#"{"prompt":[1,2,3]}"#).unwrap();
        assert_eq!((bare.max_output, bare.prompt.len()), (None, 3));
        assert_eq!((bare.delivery, bare.usage), (Delivery::Whole, UsageWish::LeftOut));
    }

    #[test]
    fn token_numbers_of_another_vocabulary_are_told_apart() {
        let prompt = completion(r#"{"prompt":[[15496,995,15496]]}"#).unwrap().prompt;
        assert_eq!(prompt.len(), 3);
        assert_eq!(prompt.first(), prompt.get(2));
        assert_ne!(prompt.first(), prompt.get(1));
    }

    #[test]
    fn a_body_that_cannot_be_meant_is_refused_in_words() {
        for (body, expected) in [
            ("", "expected JSON"),
            ("[]", "expected a JSON object"),
            (r#"{"prompt":5}"#, "prompt: expected text"),
            (r#"{"prompt":["a","b"]}"#, "prompt: expected one, found 2"),
            (r#"{"prompt":"a","max_tokens":0}"#, "max_tokens: expected a whole number above zero"),
            (r#"{"prompt":"a","max_tokens":-3}"#, "max_tokens: expected a whole number above zero"),
            (r#"{"prompt":"a","stream":"yes"}"#, "stream: expected true or false"),
            (r#"{"prompt":"a","model":"m+fast"}"#, "model: expected a fault"),
        ] {
            let refused = completion(body).unwrap_err();
            assert!(refused.starts_with(expected), "{body}: {refused}");
        }
        assert!(chat(r#"{"messages":"hi"}"#).unwrap_err().starts_with("messages: expected a list"));
        assert!(chat(r#"{"messages":[{"content":"hi"}]}"#).unwrap_err().contains("a role"));
    }
}
