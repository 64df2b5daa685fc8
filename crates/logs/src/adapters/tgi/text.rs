//! The lines of TGI's router, as text or as JSON.

use std::collections::BTreeMap;

use trueline_core::{Side, WallTime};

use super::AT;
use super::span::Span;
use crate::adapters::{LogFormat, Reads, Table};
use crate::lines::{Line, LineReader, Seen, Told, Words};
use crate::scalar::Scalar;
use crate::{Evidence, FieldMeaning, Holds, Reason, Unit};

/// The router's log.
pub(in crate::adapters) const TEXT: LogFormat = LogFormat {
    name: "tgi",
    writer: "TGI's router log",
    versions: "1.1 to 3.3",
    evidence: Evidence::Described,
    table,
    reads: Reads::Lines { words: &["text_generation_router"], apart: false, is, reader },
};

/// How many bytes a span over several lines may have, and how many writers may have begun one.
const SPAN_BYTES: usize = 256 << 10;
const WRITERS: usize = 64;

fn table() -> Table {
    use Holds as H;
    let f = |path, holds, unit| FieldMeaning::new(path, holds, unit).source(AT);
    let time = |path, holds| f(path, holds, Unit::Nanoseconds).clock(Side::Server);
    Table {
        name: TEXT.name.into(),
        server: Some("tgi".to_owned()),
        fields: vec![
            f("timestamp", H::Finished, Unit::Iso8601),
            time("total_time", H::E2eLatency).note("a duration as Rust writes it; until the reply is whole"),
            time("queue_time", H::Queue).note("validation is before it"),
            f("validation_time", H::Unused, Unit::Nanoseconds).note("tokenizing, before the queue"),
            f("inference_time", H::Unused, Unit::Nanoseconds).note("prefill and decode together"),
            f("time_per_token", H::OutputTokens, Unit::Nanoseconds).note(
                "inference over generated tokens, prefill inside: no TPOT; the tokens are inference_time over it",
            ),
            f("seed", H::Unused, Unit::None),
        ],
        side: Side::Server,
        ok: Vec::new(),
        block: None,
        marks: &[],
    }
}

static ROUTER: Words = Words::new("text_generation_router");
static PARAMETERS: Words = Words::new("{parameters=");
static TOTAL: Words = Words::new("total_time=\"");
static PER_TOKEN: Words = Words::new("time_per_token=\"");

/// Whether a line is of the router.
fn is_routers(text: &str) -> bool {
    ROUTER.are_in(text)
}

/// Whether a line ends a span with its times.
fn has_times(text: &str) -> bool {
    TOTAL.are_in(text) && PER_TOKEN.are_in(text)
}

fn is(lines: &[&str]) -> Option<Seen> {
    let timed = lines.iter().filter(|text| {
        is_routers(text)
            && (has_times(text) || (text.starts_with('{') && text.contains("\"time_per_token\"")))
    });
    let found = timed.count();
    let all = lines.iter().filter(|text| is_routers(text)).count();
    (found > 0).then(|| Seen {
        lines: all,
        evidence: format!("{found} spans with total_time and time_per_token among {all} lines of text_generation_router"),
    })
}

fn reader() -> Box<dyn LineReader> {
    Box::new(Reader::default())
}

#[derive(Debug, Default)]
struct Reader {
    /// Spans that are begun, by writer: their parameters hold line ends.
    begun: BTreeMap<String, Begun>,
}

/// The first lines of a span.
#[derive(Debug, Default)]
struct Begun {
    stamp: String,
    text: String,
}

impl LineReader for Reader {
    fn line(&mut self, line: &Line<'_>, told: &mut Told) {
        let text = line.text;
        if text.starts_with('{') && is_routers(text) {
            match Span::of_json(text) {
                Some((span, stamp)) => {
                    let ended = stamp.and_then(|stamp| at(stamp, told));
                    told.requests.push(span.record(ended));
                }
                None if !text.ends_with('}') => torn(line.unended, told),
                None => told.other += 1,
            }
            return;
        }
        let begun = if self.begun.is_empty() { None } else { self.begun.get_mut(line.writer) };
        if let Some(begun) = begun {
            let goes_on = !begins(text) && begun.text.len() + text.len() < SPAN_BYTES;
            if goes_on && !has_times(text) {
                begun.text.push('\n');
                begun.text.push_str(text);
                return;
            }
            let Begun { stamp, text: mut whole } =
                self.begun.remove(line.writer).unwrap_or_default();
            if goes_on {
                whole.push('\n');
                whole.push_str(text);
                whole_span(&stamp, &whole, line.unended, told);
                return;
            }
            torn(false, told);
        }
        let is_timed = begins(text) && has_times(text);
        if !(is_timed || begins(text) && PARAMETERS.are_in(text)) {
            told.other += 1;
        } else if is_timed || self.begun.len() >= WRITERS {
            whole_span(line.stamp, text, line.unended, told);
        } else {
            let begun = Begun { stamp: line.stamp.to_owned(), text: text.to_owned() };
            self.begun.insert(line.writer.to_owned(), begun);
        }
    }

    fn end(&mut self, told: &mut Told) {
        for _ in std::mem::take(&mut self.begun) {
            torn(true, told);
        }
    }
}

/// Whether a line begins with a level: one without is the rest of the line before.
fn begins(text: &str) -> bool {
    let level = text.trim_start().split(' ').next().unwrap_or_default();
    ["TRACE", "DEBUG", "INFO", "WARN", "ERROR"].contains(&level)
}

/// The time of a stamp; one without a zone is taken for UTC and counted.
fn at(stamp: &str, told: &mut Told) -> Option<WallTime> {
    let value = Scalar::Text(stamp);
    let at = value.wall_time(Unit::Iso8601).value()?;
    told.counted.zoneless += u64::from(value.has_no_zone(Unit::Iso8601));
    Some(at)
}

/// A span that is there to its end, if it is.
fn whole_span(stamp: &str, text: &str, unended: bool, told: &mut Told) {
    match Span::of_text(text) {
        Some(span) => {
            let ended = at(stamp, told);
            told.requests.push(span.record(ended));
        }
        None => torn(unended, told),
    }
}

fn torn(unended: bool, told: &mut Told) {
    if unended {
        told.broken = true;
    } else {
        told.counted.torn += 1;
        told.rejected.push((Reason::Torn, 1));
    }
}
