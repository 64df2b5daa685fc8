//! Streamed replies kept chunk by chunk: the usage that several of them hold, put together by request.
//!
//! Some servers write the usage into every chunk, some into the last one, and some write counts of 0 into
//! the last one (`LightLLM` PR 1423): the largest count of a request is its count.

use std::collections::{BTreeMap, VecDeque};

use trueline_core::{By, Known, Outcome, RequestRecord, Side, Stretch, WallTime};

use super::chunk::{Chunk, Pieces, Timings};
use crate::adapters::{LogFormat, Reads, Table};
use crate::lines::{Line, LineReader, Seen, Told, Writer, milliseconds};
use crate::{Evidence, FieldMeaning, Holds, Reason, Unit};

/// The format.
pub(in crate::adapters) const FORMAT: LogFormat = LogFormat {
    name: "openai-chunks",
    writer: "chunks of streamed replies, one a line, with or without data: before them",
    versions: "chat completions, completions; 2026",
    evidence: Evidence::Described,
    table,
    reads: Reads::Lines {
        words: &["completion.chunk", "text_completion", "chat.completion"],
        apart: false,
        is,
        reader: || Box::<Chunks>::default(),
    },
};

/// How many replies may be under way at once.
const OPEN: usize = 4_096;

/// A reply of which some chunks were read.
#[derive(Debug)]
struct Reply {
    id: String,
    /// Who wrote its chunks down: two writers may give one id to two replies.
    writer: Writer,
    model: Option<String>,
    created: Option<f64>,
    prompt: Option<u64>,
    cached: Option<u64>,
    output: Option<u64>,
    timings: Option<Timings>,
    finished: bool,
}

/// Puts chunks together by the id of their reply.
#[derive(Debug, Default)]
struct Chunks {
    pieces: Pieces,
    /// In the order of their first chunks.
    open: VecDeque<Reply>,
}

/// What an event's line holds behind its name.
fn data(line: &str) -> &str {
    line.strip_prefix("data:").unwrap_or(line).trim()
}

fn is(lines: &[&str]) -> Option<Seen> {
    let mut reader = Pieces::default();
    let pieces: Vec<Chunk<'_>> =
        lines.iter().take(256).filter_map(|line| reader.read(data(line))).collect();
    let mut ids: BTreeMap<&str, usize> = BTreeMap::new();
    for piece in &pieces {
        *ids.entry(&*piece.id).or_default() += 1;
    }
    // Where nothing but its id tells a piece from a whole reply, several of one id are pieces.
    let several =
        |piece: &&Chunk<'_>| !piece.named_whole || ids.get(&*piece.id).is_some_and(|n| *n > 1);
    let n = pieces.iter().filter(several).count();
    let evidence = format!("{n} chunks of completions among its first lines");
    (n > 0).then_some(Seen { lines: n, evidence })
}

impl LineReader for Chunks {
    fn line(&mut self, line: &Line<'_>, told: &mut Told) {
        let text = data(line.text);
        if text == "[DONE]" {
            // Where replies follow each other, the last one is whole.
            if self.open.len() == 1 {
                self.end(told);
            }
            return;
        }
        match self.pieces.read(text) {
            Some(chunk) => self.take(&chunk, line.writer, told),
            None if !text.starts_with('{') => told.other += 1,
            None if serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() => told.other += 1,
            None if line.unended => told.broken = true,
            None => told.rejected.push((Reason::NotJson, 1)),
        }
    }

    fn end(&mut self, told: &mut Told) {
        told.requests.extend(self.open.drain(..).map(Reply::record));
    }
}

impl Chunks {
    fn take(&mut self, chunk: &Chunk<'_>, writer: &str, told: &mut Told) {
        let id = &*chunk.id;
        let known = self.open.iter().rposition(|reply| reply.id == id && reply.writer.is(writer));
        let place = known.unwrap_or_else(|| {
            if self.open.len() == OPEN {
                told.requests.extend(self.open.pop_front().map(Reply::record));
            }
            let (id, writer) = (id.to_owned(), Writer::of(writer));
            self.open.push_back(Reply::of(id, writer));
            self.open.len() - 1
        });
        if let Some(reply) = self.open.get_mut(place) {
            reply.add(chunk);
        }
    }
}

impl Reply {
    /// One of which nothing was read.
    fn of(id: String, writer: Writer) -> Self {
        Self {
            id,
            writer,
            model: None,
            created: None,
            prompt: None,
            cached: None,
            output: None,
            timings: None,
            finished: false,
        }
    }

    fn add(&mut self, chunk: &Chunk<'_>) {
        if self.model.is_none() {
            self.model = chunk.model.as_deref().map(ToOwned::to_owned);
        }
        self.created = self.created.or(chunk.created);
        self.finished |= chunk.finished;
        self.prompt = self.prompt.max(chunk.prompt);
        self.cached = self.cached.max(chunk.cached);
        self.output = self.output.max(chunk.output);
        // The last ones are those of the whole reply.
        self.timings = chunk.timings.or(self.timings);
    }

    fn record(self) -> RequestRecord {
        let mut record = RequestRecord::default();
        record.id = Some(self.id);
        record.model = self.model;
        if let Some(created) = self.created.and_then(WallTime::from_secs_f64) {
            record.started = Known::is(created, By::Measured);
        }
        let tokens = &mut record.tokens;
        for (count, held) in [
            (self.prompt, &mut tokens.prompt),
            (self.cached, &mut tokens.cached),
            (self.output, &mut tokens.output),
        ] {
            if let Some(count) = count {
                *held = RequestRecord::counted(count);
            }
        }
        if let Some(timings) = self.timings {
            if let Some(cached) = timings.cache_n.filter(|_| !tokens.cached.is_known()) {
                tokens.cached = RequestRecord::counted(cached);
            }
            if let Some(ms) = timings.prompt_ms {
                record.spans.set(Stretch::PrefillCompute, milliseconds(ms));
            }
            // One token takes no step, and is given no time.
            if let Some(ms) = timings.predicted_ms.filter(|_| timings.predicted_n > Some(1)) {
                record.spans.set(Stretch::ServerDecode, milliseconds(ms));
            }
        }
        if self.finished {
            record.outcome = Outcome::Ok;
        }
        record
    }
}

/// The table, for its name and fields; its rows are put together by the reader above.
fn table() -> Table {
    const AT: &str = "OpenAI API reference (read 2026-11-29); LightLLM PR 1423";
    const MOST: &str = "the largest of the reply's chunks: the last one may hold 0";
    const TIMED: &str = "llama.cpp b11434, tools/server; captured streams";
    let f = |path, holds, unit| FieldMeaning::new(path, holds, unit).source(AT);
    let time = |path, holds| {
        FieldMeaning::new(path, holds, Unit::Milliseconds).clock(Side::Server).source(TIMED)
    };
    let count = |path, holds| f(path, holds, Unit::Tokens).note(MOST);
    Table {
        name: FORMAT.name.into(),
        server: None,
        fields: vec![
            f("id", Holds::Id, Unit::None).note("chunks of one id are one request"),
            f("model", Holds::Model, Unit::None),
            f("created", Holds::Started, Unit::EpochSeconds).note("in whole seconds"),
            count("usage.prompt_tokens", Holds::PromptTokens),
            count("usage.prompt_tokens_details.cached_tokens", Holds::CachedTokens),
            count("usage.completion_tokens", Holds::OutputTokens),
            f("timings.cache_n", Holds::CachedTokens, Unit::Tokens)
                .source(TIMED)
                .note("where usage does not say it"),
            time("timings.prompt_ms", Holds::PrefillCompute)
                .note("of the last chunk; waiting for a slot is outside"),
            time("timings.predicted_ms", Holds::Decode).note("of the last chunk"),
            f("choices.finish_reason", Holds::Unused, Unit::None)
                .note("a reply that has one is whole"),
        ],
        side: Side::Client,
        ok: Vec::new(),
        block: None,
        marks: &[],
    }
}
