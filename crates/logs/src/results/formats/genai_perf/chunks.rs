//! The replies to one request in the export of `perf_analyzer`: which of them carry a token, and
//! what the server says of its tokens. The text itself is looked at and not kept.

use trueline_core::{Known, Why};

use crate::results::node::{Map, Node, known_count, known_number};

/// What the replies to a request say.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Reply {
    /// When a reply came that carries a token, in nanoseconds.
    pub(super) tokens_at: Vec<f64>,
    /// Whether the reply was streamed.
    pub(super) streamed: bool,
    /// Whether the server sent an error in it.
    pub(super) failed: bool,
    /// Tokens by the server's usage: prompt, cached, output.
    pub(super) usage: [Known<u64>; 3],
}

/// What one piece of a reply is.
enum Piece {
    Token,
    Other,
    /// Nothing that can be understood here.
    Opaque,
}

impl Reply {
    /// Reads the replies to a request; `None` where there are no times of them, or other than there
    /// are replies.
    pub(super) fn of(request: &Map) -> Option<Self> {
        let times: Option<Vec<f64>> = request
            .get("response_timestamps")?
            .list()?
            .iter()
            .map(|node| known_number(Some(node)).value())
            .collect();
        let times = times?;
        let mut reply = Self::default();
        let Some(outputs) = request.get("response_outputs").and_then(Node::list) else {
            // Without the replies each of them counts as a token.
            reply.streamed = times.len() > 1;
            reply.tokens_at = times;
            return Some(reply);
        };
        if outputs.len() != times.len() {
            return None;
        }
        let pieces: Vec<Piece> = outputs.iter().map(|output| reply.piece(output)).collect();
        let opaque = !pieces.is_empty() && pieces.iter().all(|p| matches!(p, Piece::Opaque));
        let carries = |piece: &Piece| opaque || matches!(piece, Piece::Token);
        reply.streamed |= opaque && times.len() > 1;
        let with = times.into_iter().zip(&pieces).filter(|(_, piece)| carries(piece));
        reply.tokens_at = with.map(|(at, _)| at).collect();
        Some(reply)
    }

    fn piece(&mut self, output: &Node) -> Piece {
        let said = match output {
            Node::Map(map) => map.get("response").or_else(|| map.get("text_output")),
            other => Some(other),
        };
        let Some(text) = said.and_then(Node::text) else { return Piece::Opaque };
        if text.trim().is_empty() {
            return Piece::Other;
        }
        let mut found = Piece::Opaque;
        for line in text.lines() {
            let event = line.trim().strip_prefix("data:");
            self.streamed |= event.is_some();
            let said = event.unwrap_or(line).trim();
            let is_token = match serde_json::from_str::<Node>(said) {
                Ok(Node::Map(event)) => self.event(&event),
                _ if said == "[DONE]" || said.is_empty() => false,
                _ => continue,
            };
            found = match found {
                Piece::Token => Piece::Token,
                _ if is_token => Piece::Token,
                _ => Piece::Other,
            };
        }
        found
    }

    /// Takes an event of the server; whether it carries a token.
    fn event(&mut self, event: &Map) -> bool {
        self.failed |= event.get("error").is_some_and(|error| *error != Node::Null);
        if let Some(usage) = event.get("usage").and_then(Node::map) {
            let paths: [&[&str]; 3] = [
                &["prompt_tokens"],
                &["prompt_tokens_details", "cached_tokens"],
                &["completion_tokens"],
            ];
            self.usage = paths.map(|path| known_count(usage.at(path)));
        }
        let choices = event.get("choices").and_then(Node::list).unwrap_or_default();
        choices.iter().filter_map(Node::map).any(|choice| {
            let parts = ["delta", "message"].map(|key| choice.get(key).and_then(Node::map));
            let said = parts.into_iter().flatten().any(|part| {
                ["content", "reasoning_content", "reasoning", "tool_calls"]
                    .into_iter()
                    .any(|key| part.get(key).is_some_and(says_something))
            });
            said || choice.get("text").is_some_and(says_something)
        })
    }

    /// The time of the first token, and of the last one.
    pub(super) fn ends(&self) -> Option<(f64, f64)> {
        Some((*self.tokens_at.first()?, *self.tokens_at.last()?))
    }

    /// Whether no reply carried a token.
    pub(super) fn is_empty(&self) -> bool {
        self.tokens_at.is_empty()
    }
}

/// A count that may be there.
pub(super) fn usage(reply: &Reply, which: usize) -> Known<u64> {
    reply.usage.get(which).copied().unwrap_or(Known::Not(Why::Absent))
}

fn says_something(node: &Node) -> bool {
    match node {
        Node::Text(text) => !text.is_empty(),
        Node::List(list) => !list.is_empty(),
        _ => false,
    }
}
