//! Conversations of the Weka coding traces: one JSON document a file.
//!
//! The files state no cached tokens. They are derived: the leading block ids of a request that an
//! earlier request of the file had, times the block size, at most the prompt without its last
//! token. The ids of a nested conversation share the file's scope (in `trace_0291` the second one
//! begins with the 174 blocks of the first), so its requests count as rows of the same walk, in
//! the order of the document. Hits across files cannot be seen: the shares are lower bounds.

mod document;
mod request;

use memchr::memmem;
use trueline_core::{
    By, Known, PrefixTree, PromptBlocks, RequestRecord, Side, Spans, Stretch, Tokens, Why,
};

use super::{LogFormat, Reads, Table, Whole};
use crate::pieces::plain_text;
use crate::{Error, ErrorKind, Evidence, FieldMeaning, Holds, Unit};
use document::{Conversation, Entry};

/// The format.
pub(super) const FORMAT: LogFormat = LogFormat {
    name: "weka",
    writer: "Weka's coding traces",
    versions: "kv-cache-tester, snapshot 94f6046",
    evidence: Evidence::Published,
    table,
    reads: Reads::Document { is, read },
};

/// Whether a text begins a document.
fn is(head: &str) -> Option<String> {
    let has = |key: &&str| memmem::find(head.as_bytes(), key.as_bytes()).is_some();
    let is_one = head.trim_start().starts_with('{')
        && ["\"block_size\"", "\"requests\"", "\"hash_ids\""].iter().all(has);
    is_one.then(|| "one document with block_size, requests and hash_ids".to_owned())
}

fn read(name: &str, bytes: &[u8]) -> Result<Whole, Error> {
    let conversation = Conversation::of(&plain_text(bytes)).map_err(|error| {
        Error::new(
            ErrorKind::Document,
            name,
            "expected a Weka trace: one object with block_size and requests with hash_ids; \
             found something else or a file that is cut off",
        )
        .caused_by(error)
    })?;
    let Conversation { id, block_size, entries, rejected } = conversation;
    let mut seen = PrefixTree::default();
    let known: Vec<u64> = entries
        .iter()
        .map(|entry| seen.add(&entry.request.hash_ids, 0).iter().map(|run| run.blocks as u64).sum())
        .collect();
    let own = own_number(id.as_deref().unwrap_or(name));
    let id = id.unwrap_or_else(|| "conversation".to_owned());
    let record = move |(entry, known)| record(entry, known, (&id, own), Tokens::new(block_size));
    let records = Box::new(entries.into_iter().zip(known).map(record));
    Ok(Whole { records, rejected })
}

/// A request of a conversation, of whose leading blocks so many were `known`.
fn record(entry: Entry, known: u64, (id, own): (&str, u64), block: Tokens) -> RequestRecord {
    let Entry { request, within, place, begun } = entry;
    let mut record = RequestRecord::default();
    record.id = Some(format!("{id}{within}/{place}"));
    record.session = Some(format!("{id}{within}"));
    record.model = request.model;
    let count = |n: Option<u64>| n.map_or(Known::Not(Why::Absent), RequestRecord::counted);
    record.tokens.prompt = count(request.input);
    record.tokens.output = count(request.output);
    record.tokens.cached = match request.input {
        Some(input) if !request.hash_ids.is_empty() => {
            let hit = known.saturating_mul(block.get()).min(input.saturating_sub(1));
            Known::is(Tokens::new(hit), By::Derived)
        }
        _ => Known::Not(Why::NeedsMore),
    };
    let mut hashes = request.hash_ids;
    for id in &mut hashes {
        *id = apart(*id, own);
    }
    record.blocks = PromptBlocks::new(block, hashes).map(Box::new);
    for (stretch, seconds) in
        [(Stretch::ClientTtft, request.ttft), (Stretch::ClientE2e, request.api_time)]
    {
        if let Some(seconds) = seconds {
            record.spans.set(stretch, Spans::seconds(seconds, By::Measured));
        }
    }
    if let Some(t) = request.t {
        record.sent_after = Spans::seconds(begun + t, By::Measured);
    }
    record
}

/// A number of a conversation's own (the hash FNV-1a of its name).
fn own_number(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// An id that tells within a conversation, as a hash that is another one in every conversation: different ids
/// stay different (every step of `SplitMix64`'s end can be undone).
fn apart(id: u64, own: u64) -> u64 {
    let mut hash = id ^ own;
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

/// The table, for its name and fields; its rows are read whole.
fn table() -> Table {
    Table {
        name: FORMAT.name.into(),
        server: None,
        fields: fields(),
        side: Side::Client,
        ok: Vec::new(),
        block: None,
        marks: &[],
    }
}

/// The fields with their meanings.
fn fields() -> Vec<FieldMeaning> {
    const AT: &str = "kv-cache-tester traces, snapshot 94f6046 of 2026-07-12";
    let f = |path, holds, unit| FieldMeaning::new(path, holds, unit).source(AT);
    vec![
        f("id", Holds::Session, Unit::None),
        f("requests.model", Holds::Model, Unit::None),
        f("requests.in", Holds::PromptTokens, Unit::Tokens),
        f("requests.out", Holds::OutputTokens, Unit::Tokens),
        f("requests.hash_ids", Holds::CachedTokens, Unit::Tokens)
            .note("derived: leading ids already seen in the file x block_size, at most in - 1; the ids count within it"),
        f("requests.ttft", Holds::Ttft, Unit::Seconds)
            .clock(Side::Client)
            .note("absent where the reply was not streamed"),
        f("requests.api_time", Holds::E2eLatency, Unit::Seconds).clock(Side::Client),
        f("requests.t", Holds::SentAfter, Unit::Seconds).note(
            "from the begin of the conversation, mostly in whole seconds; of a nested one from its own begin, \
             which its entry states",
        ),
        f("requests.think_time", Holds::Unused, Unit::Seconds)
            .note("from the end of the request before to t, which says the same"),
    ]
}
