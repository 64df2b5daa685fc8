//! SGLang's own log: text lines of requests, rows of JSON between them, and what its scheduler says of batches.

use super::batch::{self, Batches};
use super::finish::{self, Said};
use super::{export, requests};
use crate::adapters::{LogFormat, Reads, Table};
use crate::layout::{Layout, Names, Tells, Texts};
use crate::lines::{Line, LineReader, Seen, Told, Words};
use crate::repair::repair;
use crate::row::{Numbers, RowView};
use crate::scalar::Scalar;
use crate::scan::scan;
use crate::shape::{Shape, Slots};
use crate::slow_row::{Found, Row};
use crate::{Evidence, FieldMeaning, Holds, Reason, Unit};

/// The text that the server writes.
pub(crate) const TEXT: LogFormat = LogFormat {
    name: "sglang",
    writer: "SGLang's log, --log-requests",
    versions: super::VERSIONS,
    evidence: Evidence::Described,
    table,
    reads: Reads::Lines { words: &["obj=", "#running-req: "], apart: false, is, reader },
};

/// The table: `meta_info` as in the exporter's rows, and the stamp in brackets.
fn table() -> Table {
    let mut table = export();
    table.name = TEXT.name.into();
    table.marks = &[];
    table.fields.retain(|field| !field.path.starts_with("request_parameters"));
    table.fields.push(
        FieldMeaning::new(STAMP, Holds::Finished, Unit::Iso8601)
            .note("in brackets before the line; local time without a zone, whole seconds")
            .source(super::AT),
    );
    table.fields.extend(batch::FIELDS.iter().map(|field| field.meaning()));
    table
}

static EVENT: Words = Words::new("\"event\"");

/// The stamp's name among the fields.
const STAMP: &str = "[time]";

fn is(lines: &[&str]) -> Option<Seen> {
    let (mut requests, mut batches, mut rows) = (0, 0, 0);
    for line in lines {
        let (_, text) = unstamped(line);
        requests += usize::from(finish::is_of_request(text));
        batches += usize::from(batch::is_one(text));
        rows += usize::from(text.starts_with('{') && text.contains("\"event\": \"request."));
    }
    if requests + batches == 0 {
        return None;
    }
    let evidence = match requests + rows {
        0 => format!("{batches} lines of batches, none of a request (--log-requests)"),
        n => format!("{n} lines of requests (Receive: obj=, Finish: obj=), {batches} of batches"),
    };
    Some(Seen { lines: requests + batches + rows, evidence })
}

fn reader() -> Box<dyn LineReader> {
    Box::new(Reader {
        text: Rows::new(table()),
        json: Rows::new(requests()),
        batches: Batches::default(),
    })
}

/// A line without its brackets, and what they hold: a time, and ranks behind it.
pub(super) fn unstamped(line: &str) -> (Option<&str>, &str) {
    let Some((inside, text)) = line.strip_prefix('[').and_then(|rest| rest.split_once("] ")) else {
        return (None, line);
    };
    let is_stamp = inside.len() >= 19 && inside.as_bytes().first().is_some_and(u8::is_ascii_digit);
    if is_stamp && inside.is_char_boundary(19) { (Some(inside), text) } else { (None, line) }
}

#[derive(Debug)]
struct Reader {
    text: Rows,
    json: Rows,
    batches: Batches,
}

impl LineReader for Reader {
    fn line(&mut self, line: &Line<'_>, told: &mut Told) {
        let (inside, text) = unstamped(line.text);
        let stamp = inside.and_then(|inside| inside.get(..19));
        match finish::read(text) {
            Said::Received => {
                told.began += 1;
                told.other += 1;
            }
            Said::Ended(json) => self.text.take(&json, stamp, told),
            Said::Torn if line.unended => told.broken = true,
            Said::Torn => {
                told.counted.torn += 1;
                told.rejected.push((Reason::Torn, 1));
            }
            Said::Else if text.starts_with('{') && EVENT.are_in(text) => {
                self.json(text, line.unended, told);
            }
            Said::Else => {
                if batch::is_one(text) {
                    self.batches.take(line.writer, inside, text, told);
                }
                told.other += 1;
            }
        }
    }

    fn end(&mut self, _: &mut Told) {}
}

impl Reader {
    /// A row of the JSON log among lines of text.
    fn json(&mut self, text: &str, unended: bool, told: &mut Told) {
        if !text.ends_with('}') {
            if unended {
                told.broken = true;
            } else {
                told.counted.torn += 1;
                told.rejected.push((Reason::Torn, 1));
            }
            return;
        }
        self.json.take(&repair(text).0, None, told);
    }
}

/// Rows of one table, read one at a time.
#[derive(Debug)]
struct Rows {
    layout: Layout,
    shape: Shape,
    numbers: Numbers,
    /// The slot of the stamp, where the table has one.
    stamp: Option<usize>,
}

impl Rows {
    fn new(table: Table) -> Self {
        let stamp = table.fields.iter().position(|field| field.path == STAMP);
        let layout = Layout::new(table);
        Self { shape: layout.shape.clone(), layout, numbers: Numbers::default(), stamp }
    }

    /// Takes an object; `stamp` stands for the field of that name.
    fn take(&mut self, json: &str, stamp: Option<&str>, told: &mut Told) {
        let (mut slots, mut values) = (Slots::of(&self.shape), Found::default());
        slots.begin();
        if scan(json, &mut self.shape, &mut slots).is_none() {
            let mut from = serde_json::Deserializer::from_str(json);
            let row = Row { shape: &mut self.shape, found: &mut values };
            if serde::de::DeserializeSeed::deserialize(row, &mut from).is_err() {
                told.rejected.push((Reason::NotJson, 1));
                return;
            }
            slots = Slots::default();
            values.fill(&mut slots);
        }
        if let (Some(slot), Some(stamp)) = (self.stamp, stamp) {
            slots.set(slot, Scalar::Text(stamp));
        }
        self.told(&slots, told);
    }

    fn told(&mut self, slots: &Slots<'_>, told: &mut Told) {
        let tells = self.layout.tells(slots);
        if tells != Tells::Ended {
            told.began += u64::from(tells == Tells::Began);
            told.other += 1;
            return;
        }
        self.numbers.fill(&self.layout, &self.shape, slots);
        let reading = self.numbers.decode_reading;
        self.layout.note_generation(slots, reading, &mut told.generations);
        told.counted.duplicate_keys += u64::from(slots.doubled() > 0);
        told.counted.clamped_cached += u64::from(self.numbers.clamped);
        told.counted.zoneless += u64::from(self.numbers.zoneless);
        let row = RowView {
            record: &self.numbers.record,
            reported: &self.numbers.reported,
            blocks: None,
            texts: Texts::Line(&self.layout, slots),
            names: Names::Line(&self.layout, self.shape.open_names()),
            line: 0,
        };
        let mut record = row.keep();
        record.warmup |= self.layout.is_health_check(record.id.as_deref());
        told.requests.push(record);
    }
}
