//! The bodies of requests.

use serde::{Serialize, Serializer};

use super::Api;
use crate::{Asking, Ending, Message, Prompt};

/// A conversation as an interface takes it that knows none: a line for each turn, and the start of the
/// answer's.
struct Lined<'a>(&'a Prompt);

impl Serialize for Lined<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Prompt::Text(text) => serializer.serialize_str(text),
            Prompt::Messages(messages) => {
                let mut text = String::new();
                for Message { role, content } in messages {
                    text.push_str(role);
                    text.push_str(": ");
                    text.push_str(content);
                    text.push('\n');
                }
                text.push_str("assistant:");
                serializer.serialize_str(&text)
            }
        }
    }
}

#[derive(Serialize)]
struct Turn<'a> {
    role: &'a str,
    content: &'a str,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
struct OpenAi<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<Vec<Turn<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<Lined<'a>>,
    max_tokens: u64,
    temperature: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    ignore_eos: Option<bool>,
    stream: bool,
    stream_options: StreamOptions,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<&'a str>,
}

#[derive(Serialize)]
struct Sampling {
    max_new_tokens: u64,
    temperature: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    ignore_eos: Option<bool>,
}

#[derive(Serialize)]
struct Sglang<'a> {
    text: Lined<'a>,
    sampling_params: Sampling,
    stream: bool,
}

#[derive(Serialize)]
struct LlamaCpp<'a> {
    prompt: Lined<'a>,
    n_predict: u64,
    temperature: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    ignore_eos: Option<bool>,
    stream: bool,
}

/// The body that asks for an answer, streamed, at temperature 0, with usage where that is asked for.
///
/// # Shape
/// A text asked of a chat interface is one turn of the user's. A conversation asked of another one is a
/// line `role: text` for each turn and `assistant:`. `ignore_eos` stands where the answer shall run to
/// its maximum; a session is the `user` of OpenAI's interfaces and said nowhere else.
pub(crate) fn body(api: Api, model: &str, asking: &Asking) -> Vec<u8> {
    let ignore_eos = match asking.ending {
        Ending::AtTheMaximum => Some(true),
        Ending::OfItself => None,
    };
    let (output, temperature) = (asking.output.get(), 0);
    let written = match api {
        Api::OpenAiChat | Api::OpenAiCompletions => {
            let (messages, prompt) = if api == Api::OpenAiChat {
                (Some(turns(&asking.prompt)), None)
            } else {
                (None, Some(Lined(&asking.prompt)))
            };
            serde_json::to_vec(&OpenAi {
                model,
                messages,
                prompt,
                max_tokens: output,
                temperature,
                ignore_eos,
                stream: true,
                stream_options: StreamOptions { include_usage: true },
                user: asking.session.as_deref(),
            })
        }
        Api::Sglang => serde_json::to_vec(&Sglang {
            text: Lined(&asking.prompt),
            sampling_params: Sampling { max_new_tokens: output, temperature, ignore_eos },
            stream: true,
        }),
        Api::LlamaCpp => serde_json::to_vec(&LlamaCpp {
            prompt: Lined(&asking.prompt),
            n_predict: output,
            temperature,
            ignore_eos,
            stream: true,
        }),
    };
    written.expect("texts and integers are JSON, and memory takes all that is written to it")
}

fn turns(prompt: &Prompt) -> Vec<Turn<'_>> {
    match prompt {
        Prompt::Text(content) => vec![Turn { role: "user", content }],
        Prompt::Messages(messages) => {
            messages.iter().map(|Message { role, content }| Turn { role, content }).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use trueline_core::Tokens;

    use super::*;

    fn asked(api: Api, asking: &Asking) -> Value {
        serde_json::from_slice(&body(api, "m", asking)).unwrap()
    }

    fn talk() -> Asking {
        let turn =
            |role: &str, content: &str| Message { role: role.into(), content: content.into() };
        let prompt = Prompt::Messages(vec![turn("system", "be\nbrief"), turn("user", "hi")]);
        let mut asking = Asking::new(0, prompt, Tokens::new(9));
        asking.ending = Ending::OfItself;
        asking.session = Some("s1".to_owned());
        asking
    }

    #[test]
    fn a_text_is_asked_as_each_interface_takes_it() {
        let asking = Asking::new(0, Prompt::Text("a \"b\"".to_owned()), Tokens::new(7));
        assert_eq!(
            asked(Api::OpenAiChat, &asking),
            json!({"model": "m", "messages": [{"role": "user", "content": "a \"b\""}], "max_tokens": 7,
                "temperature": 0, "ignore_eos": true, "stream": true,
                "stream_options": {"include_usage": true}})
        );
        assert_eq!(
            asked(Api::OpenAiCompletions, &asking),
            json!({"model": "m", "prompt": "a \"b\"", "max_tokens": 7, "temperature": 0,
                "ignore_eos": true, "stream": true, "stream_options": {"include_usage": true}})
        );
        assert_eq!(
            asked(Api::Sglang, &asking),
            json!({"text": "a \"b\"", "stream": true, "sampling_params":
                {"max_new_tokens": 7, "temperature": 0, "ignore_eos": true}})
        );
        assert_eq!(
            asked(Api::LlamaCpp, &asking),
            json!({"prompt": "a \"b\"", "n_predict": 7, "temperature": 0, "ignore_eos": true,
                "stream": true})
        );
    }

    #[test]
    fn a_conversation_is_turns_or_lines_and_may_end_of_itself() {
        let chat = asked(Api::OpenAiChat, &talk());
        assert_eq!(chat["messages"][0], json!({"role": "system", "content": "be\nbrief"}));
        assert_eq!((&chat["user"], chat.get("ignore_eos")), (&json!("s1"), None));
        let lines = "system: be\nbrief\nuser: hi\nassistant:";
        assert_eq!(asked(Api::OpenAiCompletions, &talk())["prompt"], lines);
        assert_eq!(asked(Api::Sglang, &talk())["text"], lines);
        assert_eq!(asked(Api::LlamaCpp, &talk())["prompt"], lines);
    }
}
