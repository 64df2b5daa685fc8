//! The JSON that carries an answer, streamed and whole.

use serde_json::{Value, json};

use super::asked::Api;

/// Which field carries a streamed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Content,
    Reasoning,
}

/// The events of one request.
///
/// What is the same in all events of a request is written once; of a token, its text alone is added.
#[derive(Debug, Clone)]
pub(super) struct Frames {
    api: Api,
    id: String,
    model: String,
    created: i64,
    /// An event up to its text, and what follows the text.
    content: Vec<u8>,
    reasoning: Vec<u8>,
    after: &'static [u8],
}

impl Frames {
    /// The events of request `number`.
    pub(super) fn new(api: Api, number: u64, model: &str, created: i64) -> Self {
        let id = match api {
            Api::Chat => format!("chatcmpl-{number}"),
            Api::Completions => format!("cmpl-{number}"),
        };
        let mut frames = Self {
            api,
            id,
            model: model.to_owned(),
            created,
            content: Vec::new(),
            reasoning: Vec::new(),
            after: match api {
                Api::Chat => b"\"},\"finish_reason\":null}]}\n\n",
                Api::Completions => b"\",\"logprobs\":null,\"finish_reason\":null}]}\n\n",
            },
        };
        frames.created_at(created);
        frames
    }

    /// Sets the wall time that each event names, in seconds since 1970.
    pub(super) fn created_at(&mut self, created: i64) {
        self.created = created;
        let start = self.start();
        let (content, reasoning) = match self.api {
            Api::Chat => ("\"delta\":{\"content\":\"", "\"delta\":{\"reasoning_content\":\""),
            Api::Completions => ("\"text\":\"", "\"text\":\""),
        };
        self.content = format!("{start}\"choices\":[{{\"index\":0,{content}").into_bytes();
        self.reasoning = format!("{start}\"choices\":[{{\"index\":0,{reasoning}").into_bytes();
    }

    /// An event with text, which is appended to `out`; the text needs no escape in JSON.
    pub(super) fn text(&self, field: Field, text: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(match field {
            Field::Content => &self.content,
            Field::Reasoning => &self.reasoning,
        });
        out.extend_from_slice(text.as_bytes());
        out.extend_from_slice(self.after);
    }

    /// An event without text before the first token: the role, with `content` as it is given.
    pub(super) fn opening(&self, content: &Value) -> Vec<u8> {
        let choice = match self.api {
            Api::Chat => json!({
                "index": 0, "delta": {"role": "assistant", "content": content}, "finish_reason": null,
            }),
            Api::Completions => json!({"index": 0, "text": content, "finish_reason": null}),
        };
        self.event(&[("choices", json!([choice]))])
    }

    /// An event that tells how far prefill is, as llama.cpp does.
    pub(super) fn progress(&self, total: u64, cached: u64, processed: u64) -> Vec<u8> {
        let delta = json!({"index": 0, "delta": {"role": "assistant", "content": null}, "finish_reason": null});
        let progress = json!({"total": total, "cache": cached, "processed": processed});
        self.event(&[("choices", json!([delta])), ("prompt_progress", progress)])
    }

    /// The event that tells why the answer ended.
    pub(super) fn finish(&self, reason: &str) -> Vec<u8> {
        let choice = match self.api {
            Api::Chat => json!({"index": 0, "delta": {}, "finish_reason": reason}),
            Api::Completions => json!({"index": 0, "text": "", "finish_reason": reason}),
        };
        self.event(&[("choices", json!([choice]))])
    }

    /// The event behind the last one: counts of tokens, and the server's own rates where it tells them.
    pub(super) fn counts(&self, usage: Option<Value>, timings: Option<Value>) -> Option<Vec<u8>> {
        let told: Vec<(&str, Value)> = [("usage", usage), ("timings", timings)]
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
            .collect();
        let mut fields = vec![("choices", json!([]))];
        (!told.is_empty()).then(|| {
            fields.extend(told);
            self.event(&fields)
        })
    }

    /// The reply to a request that is not streamed.
    pub(super) fn whole(
        &self,
        texts: (&str, &str),
        reason: &str,
        usage: Option<Value>,
        timings: Option<Value>,
    ) -> Vec<u8> {
        let (reasoning, content) = texts;
        let (object, choice) = match self.api {
            Api::Chat => {
                let mut message = json!({"role": "assistant", "content": content});
                if !reasoning.is_empty() {
                    message["reasoning_content"] = json!(reasoning);
                }
                (
                    "chat.completion",
                    json!({"index": 0, "message": message, "finish_reason": reason}),
                )
            }
            Api::Completions => (
                "text_completion",
                json!({"index": 0, "text": format!("{reasoning}{content}"), "finish_reason": reason}),
            ),
        };
        let mut body = json!({
            "id": self.id, "object": object, "created": self.created, "model": self.model,
            "choices": [choice],
        });
        for (name, value) in [("usage", usage), ("timings", timings)] {
            if let Some(value) = value {
                body[name] = value;
            }
        }
        body.to_string().into_bytes()
    }

    /// An event's bytes up to its own fields.
    fn start(&self) -> String {
        let object = match self.api {
            Api::Chat => "chat.completion.chunk",
            Api::Completions => "text_completion",
        };
        let model = json!(self.model);
        format!(
            "data: {{\"id\":\"{}\",\"object\":\"{object}\",\"created\":{},\"model\":{model},",
            self.id, self.created
        )
    }

    fn event(&self, fields: &[(&str, Value)]) -> Vec<u8> {
        let fields: Vec<String> =
            fields.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        format!("{}{}}}\n\n", self.start(), fields.join(",")).into_bytes()
    }
}

/// The line that ends a stream.
pub(super) const DONE: &[u8] = b"data: [DONE]\n\n";

/// A body that says what went wrong.
pub(super) fn error_body(status: u16, kind: &str, message: &str) -> Value {
    json!({"error": {"message": message, "type": kind, "code": status}})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(event: &[u8]) -> Value {
        let text = std::str::from_utf8(event).unwrap();
        let data = text.strip_prefix("data: ").and_then(|t| t.strip_suffix("\n\n")).expect(text);
        serde_json::from_str(data).expect(data)
    }

    #[test]
    fn every_event_is_one_line_of_json_that_names_its_request() {
        for api in [Api::Chat, Api::Completions] {
            let frames = Frames::new(api, 7, "a \"quoted\" model", 1_700_000_000);
            let mut token = Vec::new();
            frames.text(Field::Content, " abcd", &mut token);
            let events = [
                token,
                frames.opening(&Value::Null),
                frames.progress(10, 2, 5),
                frames.finish("stop"),
                frames.counts(Some(json!({"prompt_tokens": 1})), None).unwrap(),
            ];
            for event in events {
                let event = parsed(&event);
                assert!(event["id"].as_str().unwrap().ends_with("cmpl-7"), "{event}");
                assert_eq!(event["model"], "a \"quoted\" model");
                assert_eq!(event["created"], 1_700_000_000);
            }
            assert_eq!(frames.counts(None, None), None);
        }
    }

    #[test]
    fn text_stands_where_the_interface_has_it() {
        let text = |api, field| {
            let mut out = Vec::new();
            Frames::new(api, 1, "m", 0).text(field, " abcd", &mut out);
            parsed(&out)["choices"][0].clone()
        };
        assert_eq!(text(Api::Chat, Field::Content)["delta"]["content"], " abcd");
        assert_eq!(text(Api::Chat, Field::Reasoning)["delta"]["reasoning_content"], " abcd");
        assert_eq!(text(Api::Completions, Field::Content)["text"], " abcd");
    }
}
