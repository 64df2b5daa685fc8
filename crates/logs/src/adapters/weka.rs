//! Conversations of the Weka coding traces: one JSON document a file.
//!
//! The files state no cached tokens. They are derived: the leading block ids of a request that an
//! earlier request of the file had, times the block size, at most the prompt without its last
//! token. The ids of a nested conversation share the file's scope (in `trace_0291` the second one
//! begins with the 174 blocks of the first), so its requests count as rows of the same walk, in
//! the order of the document. Hits across files cannot be seen: the shares are lower bounds.

use memchr::memmem;
use serde::Deserialize;
use serde::de::Error as _;
use serde_json::value::RawValue;
use trueline_core::{
    By, Known, PrefixTree, PromptBlocks, RequestRecord, Side, Spans, Stretch, Tokens, Why,
};

use super::{LogFormat, Reads, Table, Whole};
use crate::pieces::plain_text;
use crate::scalar::plain_hashes;
use crate::shape::DEPTH_LIMIT;
use crate::{Error, ErrorKind, Evidence, FieldMeaning, Holds, Unit};

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
    let text = plain_text(bytes);
    let conversation = serde_json::from_str::<Conversation<'_>>(&text).map_err(|error| {
        Error::new(
            ErrorKind::Document,
            name,
            "expected a Weka trace: one object with block_size and requests with hash_ids; \
             found something else or a file that is cut off",
        )
        .caused_by(error)
    })?;
    let mut entries = Entries::default();
    entries.take(&conversation.requests, ("", 0.0), 1);
    let own = own_number(conversation.id.as_deref().unwrap_or(name));
    let mut seen = PrefixTree::default();
    let record = |entry| conversation.record(entry, own, &mut seen);
    let records = entries.requests.iter().map(record).collect();
    Ok(Whole { records, rejected: entries.rejected })
}

/// A conversation.
#[derive(Debug, Deserialize)]
struct Conversation<'t> {
    id: Option<String>,
    block_size: u64,
    /// Its entries: one that cannot be read is counted and the others are taken.
    #[serde(borrow)]
    requests: Vec<&'t RawValue>,
}

#[derive(Debug, Deserialize)]
struct Request<'t> {
    t: Option<f64>,
    model: Option<String>,
    #[serde(rename = "in")]
    input: Option<u64>,
    #[serde(rename = "out")]
    output: Option<u64>,
    #[serde(default, deserialize_with = "blocks")]
    hash_ids: Vec<u64>,
    ttft: Option<f64>,
    api_time: Option<f64>,
    #[serde(borrow)]
    requests: Option<Vec<&'t RawValue>>,
}

/// The requests of a conversation, those of nested conversations included, in the order of the document.
#[derive(Debug, Default)]
struct Entries<'t> {
    requests: Vec<Entry<'t>>,
    rejected: u64,
}

/// A request and where it stands.
#[derive(Debug)]
struct Entry<'t> {
    request: Request<'t>,
    /// The nested conversation that it is of.
    within: String,
    place: String,
    /// When that conversation began.
    begun: f64,
}

impl<'t> Entries<'t> {
    /// Takes the entries of a list that stands `depth` lists deep.
    fn take(&mut self, entries: &[&'t RawValue], (within, begun): (&str, f64), depth: u32) {
        for (i, entry) in entries.iter().enumerate() {
            let place = format!("{within}/{i}");
            match serde_json::from_str::<Request<'t>>(entry.get()) {
                Ok(Request { requests: Some(nested), t, .. }) if depth < DEPTH_LIMIT => {
                    // A nested conversation's clock begins with its entry.
                    self.take(&nested, (&place, begun + t.unwrap_or(f64::NAN)), depth + 1);
                }
                Ok(request) if request.requests.is_none() => {
                    self.requests.push(Entry { request, within: within.to_owned(), place, begun });
                }
                _ => self.rejected += 1,
            }
        }
    }
}

impl Conversation<'_> {
    /// A request of it, behind those whose blocks were `seen`.
    fn record<'e>(
        &self,
        Entry { request, within, place, begun }: &'e Entry<'_>,
        own: u64,
        seen: &mut PrefixTree<'e>,
    ) -> RequestRecord {
        let conversation = self.id.as_deref().unwrap_or("conversation");
        let known: u64 = seen.add(&request.hash_ids, 0).iter().map(|run| run.blocks as u64).sum();
        let mut record = RequestRecord::default();
        record.id = Some(format!("{conversation}{place}"));
        record.session = Some(format!("{conversation}{within}"));
        record.model.clone_from(&request.model);
        let count = |n: Option<u64>| n.map_or(Known::Not(Why::Absent), RequestRecord::counted);
        record.tokens.prompt = count(request.input);
        record.tokens.output = count(request.output);
        record.tokens.cached = match request.input {
            Some(input) if !request.hash_ids.is_empty() => {
                let hit = known.saturating_mul(self.block_size).min(input.saturating_sub(1));
                Known::is(Tokens::new(hit), By::Derived)
            }
            _ => Known::Not(Why::NeedsMore),
        };
        let hashes = request.hash_ids.iter().map(|id| apart(*id, own)).collect();
        record.blocks = PromptBlocks::new(Tokens::new(self.block_size), hashes).map(Box::new);
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
}

/// A list of whole numbers: that of a long prompt has hundreds.
fn blocks<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<u64>, D::Error> {
    let list = <&RawValue>::deserialize(from)?.get();
    let mut ids = Vec::with_capacity(list.len() / 6);
    if plain_hashes(list.as_bytes(), &mut ids).is_none() {
        ids = serde_json::from_str(list).map_err(D::Error::custom)?;
    }
    Ok(ids)
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
