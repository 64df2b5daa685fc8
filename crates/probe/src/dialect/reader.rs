//! Reads the events of one reply, whatever the interface.

use trueline_core::{ReportedRate, TokenCounts, Tokens};

use super::Api;
use super::counts::{Timings, first_known};
use super::fields::{Extent, Word};
use super::llama_cpp::LlamaCpp;
use super::openai::OpenAi;
use super::said::parse_refusal;
use super::sglang::Sglang;

/// What one event holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Seen {
    /// Whether it carries a token.
    pub(crate) token: bool,
    /// The output tokens so far, where the event says.
    pub(crate) output: Option<u64>,
    /// Whether it says that the answer has ended: by a reason, or by usage without an answer's part.
    pub(crate) finish: bool,
}

/// Why an event is none of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unread {
    /// It is no event of the interface: what was found, without any of its text.
    Malformed(String),
    /// It says that the answer has failed, in these words.
    Failed(String),
}

/// Reads the events of one reply and keeps what they say of the whole.
#[derive(Debug)]
pub(crate) struct Reader {
    api: Api,
    pub(crate) id: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) rate: Option<ReportedRate>,
    counts: TokenCounts,
    /// Counts of llama.cpp's `timings`, which stand where there is no other count.
    timed: TokenCounts,
    /// How long the text of SGLang was, and how many tokens had come.
    text: Extent,
    output: Option<u64>,
}

impl Reader {
    pub(crate) fn new(api: Api) -> Self {
        Self {
            api,
            id: None,
            model: None,
            rate: None,
            counts: TokenCounts::default(),
            timed: TokenCounts::default(),
            text: Extent::default(),
            output: None,
        }
    }

    /// The tokens as the server counts them.
    pub(crate) fn tokens(&self) -> TokenCounts {
        first_known(self.counts, self.timed)
    }

    /// Reads one event, or a whole reply.
    pub(crate) fn read(&mut self, data: &[u8]) -> Result<Seen, Unread> {
        match self.api {
            Api::OpenAiChat | Api::OpenAiCompletions => self.openai(data),
            Api::Sglang => self.sglang(data),
            Api::LlamaCpp => self.llama_cpp(data),
        }
    }

    fn openai(&mut self, data: &[u8]) -> Result<Seen, Unread> {
        let event: OpenAi<'_> = self.parse(data)?;
        failed(event.error.0)?;
        if event.object.0.as_deref() == Some("error") {
            failed(parse_refusal(data).or_else(|| Some("no words".to_owned())))?;
        }
        keep(&mut self.id, &event.id);
        keep(&mut self.model, &event.model);
        let mut seen = Seen { token: event.choices.token, ..Seen::default() };
        if let Some(usage) = event.usage {
            self.counts = first_known(usage.counts(), self.counts);
            seen.output = usage.counts().output.value().map(Tokens::get);
            seen.finish = seen.output.is_some() && event.choices.is_empty;
        }
        if let Some(timings) = event.timings {
            self.timed(&timings);
            seen.output = seen.output.or(timings.counts().output.value().map(Tokens::get));
        }
        seen.finish |= ended(&event.choices.finish)?;
        Ok(seen)
    }

    fn sglang(&mut self, data: &[u8]) -> Result<Seen, Unread> {
        let event: Sglang<'_> = self.parse(data)?;
        failed(event.error.0)?;
        let mut seen = Seen::default();
        if let Some(meta) = event.meta_info {
            keep(&mut self.id, &meta.id);
            self.counts = first_known(meta.counts(), self.counts);
            seen.output = meta.completion_tokens.0.value().map(Tokens::get);
            seen.finish = ended(&meta.finish_reason.0)?;
        }
        let text = if event.text.is_some() { event.text } else { event.output_ids };
        // The last event repeats the text before it. Where text comes piece by piece, a piece may be as
        // long as the one before it, and the count tells that it is another one.
        let more = !seen.finish && seen.output > self.output;
        seen.token = text.is_some() && (text != self.text || more);
        (self.text, self.output) = (text, seen.output);
        Ok(seen)
    }

    fn llama_cpp(&mut self, data: &[u8]) -> Result<Seen, Unread> {
        let mut event: LlamaCpp<'_> = self.parse(data)?;
        failed(event.error.0.take())?;
        keep(&mut self.model, &event.model);
        self.counts = first_known(event.counts(), self.counts);
        if let Some(timings) = &event.timings {
            self.timed(timings);
        }
        let output = event.tokens_predicted.0.value().map(Tokens::get);
        Ok(Seen { token: event.content.is_some(), output, finish: event.stop })
    }

    fn timed(&mut self, timings: &Timings) {
        self.timed = first_known(timings.counts(), self.timed);
        self.rate = timings.rate().or_else(|| self.rate.take());
    }

    fn parse<'a, T: serde::Deserialize<'a>>(&self, data: &'a [u8]) -> Result<T, Unread> {
        if data.trim_ascii_start().first() != Some(&b'{') {
            return Err(self.malformed(data, "no JSON object"));
        }
        // The parser's own message may quote the text.
        serde_json::from_slice(data).map_err(|error| {
            let what = match error.classify() {
                serde_json::error::Category::Eof => "JSON that breaks off",
                serde_json::error::Category::Data => "a field that does not hold what it should",
                _ => "no JSON",
            };
            self.malformed(data, what)
        })
    }

    fn malformed(&self, data: &[u8], what: &str) -> Unread {
        Unread::Malformed(format!(
            "expected an event of {}, found {what} in {} bytes",
            self.api,
            data.len()
        ))
    }
}

fn failed(said: Option<String>) -> Result<(), Unread> {
    said.map_or(Ok(()), |said| Err(Unread::Failed(said)))
}

/// Whether there is a reason for the end; an end that is none of an answer is a failure.
fn ended(reason: &Word<'_>) -> Result<bool, Unread> {
    match reason.0.as_deref() {
        None | Some("") => Ok(false),
        Some(reason @ ("abort" | "error")) => {
            Err(Unread::Failed(format!("the server ended the answer with the reason {reason:?}")))
        }
        Some(_) => Ok(true),
    }
}

fn keep(kept: &mut Option<String>, word: &Word<'_>) {
    if kept.is_none()
        && let Some(word) = word.0.as_deref().filter(|word| !word.is_empty())
    {
        *kept = Some(word.to_owned());
    }
}

#[cfg(test)]
mod tests;
