//! One block of lines, read into a summary of its own.

use std::borrow::Cow;

use memchr::memmem;
use serde::de::DeserializeSeed;
use trueline_core::RequestRecord;

use crate::censoring::Censoring;
use crate::columns::Cells;
use crate::envelope;
use crate::layout::{Layout, Names, Tells, Texts};
use crate::odd::odd_stretches;
use crate::own::OwnRows;
use crate::pieces::{Piece, PlainLine, pieces};
use crate::repair::repair;
use crate::row::{Numbers, RowView};
use crate::scan::scan;
use crate::seen::{Seen, identity};
use crate::shape::{Shape, Slots};
use crate::slow_row::{Found, Row};
use crate::source::Block;
use crate::tally::Tally;
use crate::two_logs::Counted;
use crate::{HashScope, ReadOptions, Reason};

/// What reads blocks of one format.
#[derive(Debug)]
pub(crate) struct ChunkReader<'o> {
    pub(crate) layout: &'o Layout,
    pub(crate) own: &'o OwnRows<'o>,
    pub(crate) options: &'o ReadOptions,
    /// The requests of earlier inputs, where several are read.
    pub(crate) seen: Option<&'o Seen>,
}

/// What becomes of a row that was read.
pub(crate) trait Sink {
    /// Takes a row; `numbers` hold what was odd about it.
    fn row(&mut self, row: &RowView<'_>, numbers: &Numbers);
    /// The summary that counts lines.
    fn tally(&mut self) -> &mut Tally;
}

/// The state in which one block is read.
struct Work {
    shape: Shape,
    numbers: Numbers,
    line: u64,
}

impl ChunkReader<'_> {
    /// Reads a block into a summary.
    pub(crate) fn read(&self, block: &Block) -> Tally {
        let mut into = self.sink();
        read_block(self.layout, block, &mut into);
        into.tally
    }

    /// An empty summary that takes rows.
    fn sink(&self) -> Production<'_> {
        let (own, options, seen) = (self.own, self.options, self.seen);
        let mut tally = Tally::new(options);
        tally.censoring = self.layout.rules.may_log_slow_only.then(Censoring::default);
        Production { tally, own, options, seen, hashes: self.layout.rules.hashes }
    }

    /// Takes records that are at hand whole, each with its place in a document.
    pub(crate) fn take(&self, records: impl Iterator<Item = (u64, RequestRecord)>) -> Tally {
        let mut taken = self.taken();
        taken.add(records);
        taken.into_tally()
    }

    /// No record yet.
    pub(crate) fn taken(&self) -> Taken<'_> {
        Taken(self.sink())
    }
}

/// Records that are at hand whole, summed up as they come.
pub(crate) struct Taken<'o>(Production<'o>);

impl Taken<'_> {
    /// Takes records, each with the line in which it ends or its place in a document.
    pub(crate) fn add(&mut self, records: impl Iterator<Item = (u64, RequestRecord)>) {
        for (line, record) in records {
            for stretch in odd_stretches(&record) {
                self.0.tally.odd.add(stretch, 1);
            }
            let numbers = Numbers::of(record);
            let record = &numbers.record;
            let row = RowView {
                record,
                reported: &numbers.reported,
                blocks: None,
                texts: Texts::Record(record),
                names: Names::Record(&record.reported),
                line,
            };
            self.0.row(&row, &numbers);
        }
    }

    pub(crate) fn into_tally(self) -> Tally {
        self.0.tally
    }
}

/// Sums rows up.
struct Production<'o> {
    tally: Tally,
    own: &'o OwnRows<'o>,
    options: &'o ReadOptions,
    seen: Option<&'o Seen>,
    hashes: HashScope,
}

impl Sink for Production<'_> {
    fn row(&mut self, row: &RowView<'_>, numbers: &Numbers) {
        let tally = &mut self.tally;
        if let Some(seen) = self.seen
            && let Some(identity) = identity(row)
        {
            if seen.holds(identity) {
                tally.production.counts.doubled += 1;
                return;
            }
            tally.identities.push(identity);
            if let Some((id, counted)) = Counted::of(row) {
                seen.counted.compare(id, &counted, &mut tally.two_logs);
                tally.counted.push((id, counted));
            }
        }
        tally.order.add(row.record, row.line);
        tally.production.counts.zoneless += u64::from(numbers.zoneless);
        let is_own = self.own.hold(row);
        let is_in_time = self.options.in_time(row.record.started.value());
        let is_production = !is_own && is_in_time && !row.record.warmup;
        tally.blocks.add(row, self.hashes, is_production);
        if is_own {
            tally.keep_own(row);
            return;
        }
        tally.production.overlap(row);
        if !is_in_time {
            tally.production.counts.outside += 1;
        } else if row.record.warmup {
            tally.production.counts.warmup += 1;
        } else {
            if let Some(version) = row.texts.version() {
                tally.versions.add(&version, 1);
            }
            if self.options.keep_requests {
                tally.kept.push(row.keep());
            }
            if let (Some(censoring), Some(e2e)) = (&mut tally.censoring, row.record.any_e2e()) {
                censoring.ended(e2e.took);
            }
            tally.sessions.add(row);
            tally.production.add(row, numbers);
        }
    }

    fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }
}

/// Reads the lines of a block into a sink.
pub(crate) fn read_block(layout: &Layout, block: &Block, sink: &mut dyn Sink) {
    let mut work =
        Work { shape: layout.shape.clone(), numbers: Numbers::default(), line: block.too_long };
    sink.tally().production.counts.rejected.add(Reason::TooLong, block.too_long);
    pieces(block).for_each(|piece| read_piece(layout, piece, &mut work, sink));
    sink.tally().lines = work.line;
    let (unknown, beyond) = work.shape.unknown();
    for (name, count) in unknown {
        sink.tally().unknown.add(&name, count);
    }
    sink.tally().unknown.add_more(beyond);
}

/// Reads whole lines.
fn read_piece(layout: &Layout, piece: Piece<'_>, work: &mut Work, sink: &mut dyn Sink) {
    let mut slots = Slots::of(&layout.shape);
    for PlainLine { text, unended } in piece.lines() {
        work.line += 1;
        match text {
            Cow::Borrowed(line) => plain_line(layout, line, unended, work, &mut slots, sink),
            Cow::Owned(line) => {
                sink.tally().production.counts.bad_text += 1;
                plain_line(layout, &line, unended, work, &mut Slots::default(), sink);
            }
        }
    }
}

/// A line: at once where it is one whole object, else by taking it apart.
fn plain_line<'x>(
    layout: &Layout,
    line: &'x str,
    unended: bool,
    work: &mut Work,
    slots: &mut Slots<'x>,
    sink: &mut dyn Sink,
) {
    let trimmed = line.trim_matches([' ', '\t', '\r']);
    if trimmed.is_empty() {
        sink.tally().production.counts.other += 1;
        return;
    }
    if let Some(columns) = &layout.columns {
        let counts = &mut sink.tally().production.counts;
        match columns.fill(trimmed, slots) {
            Cells::Row => object(layout, trimmed, work, slots, sink),
            Cells::Names => counts.other += 1,
            Cells::OtherWidth if unended => counts.incomplete_tail += 1,
            Cells::OtherWidth => counts.rejected.add(Reason::Torn, 1),
        }
        return;
    }
    // A stamp in brackets before the object is no damage.
    let stamped =
        trimmed.strip_prefix('[').and_then(|rest| rest.split_once("] ")).map(|(_, row)| row);
    let row = stamped.unwrap_or(trimmed);
    if row.starts_with('{') {
        slots.begin();
        if scan(row, &mut work.shape, slots).is_some() && (stamped.is_none() || slots.hits() > 0) {
            object(layout, row, work, slots, sink);
            return;
        }
        if stamped.is_none() && holds_written_object(row) && whole_line(layout, row, work, sink) {
            return;
        }
    }
    damaged_line(layout, trimmed, unended, work, sink);
}

/// Whether a text in a line begins like an object that is written as a text.
fn holds_written_object(line: &str) -> bool {
    memmem::find(line.as_bytes(), br#""{\""#).is_some()
}

/// Reads a line that is one whole object as JSON readers read it; whether it is one.
fn whole_line(layout: &Layout, line: &str, work: &mut Work, sink: &mut dyn Sink) -> bool {
    let (mut slots, mut values) = (Slots::default(), Found::default());
    let mut from = serde_json::Deserializer::from_str(line);
    let row = Row { shape: &mut work.shape, found: &mut values };
    let is_whole = row.deserialize(&mut from).is_ok() && from.end().is_ok();
    if is_whole {
        values.fill(&mut slots);
        object(layout, line, work, &slots, sink);
    }
    is_whole
}

/// A line that is no plain object.
fn damaged_line(layout: &Layout, line: &str, unended: bool, work: &mut Work, sink: &mut dyn Sink) {
    let (repaired, repairs) = repair(line);
    let known = &layout.shape;
    let found = envelope::open(&repaired, unended, &|key| known.knows(key));
    if found.broken > 0
        && found.objects.is_empty()
        && let Some(at) = envelope::hidden_record(line, &|key| known.knows(key))
    {
        let counts = &mut sink.tally().production.counts;
        counts.torn += 1;
        counts.rejected.add(Reason::Torn, 1);
        damaged_line(layout, line.get(at..).unwrap_or_default(), unended, work, sink);
        return;
    }
    let counts = &mut sink.tally().production.counts;
    counts.bad_text += u64::from(repairs.text > 0);
    counts.torn += found.torn;
    counts.joined += u64::from(found.objects.len() > 1);
    counts.incomplete_tail += u64::from(found.incomplete);
    counts.rejected.add(Reason::Torn, found.torn);
    counts.rejected.add(Reason::TooDeep, found.too_deep);
    counts.rejected.add(Reason::NotJson, found.broken);
    let nothing = found.objects.is_empty()
        && found.torn + found.too_deep + found.broken == 0
        && !found.incomplete;
    counts.other += u64::from(nothing);
    for text in found.objects {
        let (mut slots, mut values) = (Slots::default(), Found::default());
        let mut from = serde_json::Deserializer::from_str(text);
        let row = Row { shape: &mut work.shape, found: &mut values };
        if row.deserialize(&mut from).is_ok() {
            values.fill(&mut slots);
            object(layout, text, work, &slots, sink);
        } else {
            sink.tally().production.counts.rejected.add(Reason::NotJson, 1);
        }
    }
}

/// A whole object in the slots.
fn object(layout: &Layout, text: &str, work: &mut Work, slots: &Slots<'_>, sink: &mut dyn Sink) {
    let told = layout.tells(slots);
    if told != Tells::Ended {
        let tally = sink.tally();
        tally.production.counts.other += 1;
        if let (Tells::Began, Some(censoring)) = (told, &mut tally.censoring) {
            censoring.began(1);
        }
        return;
    }
    if slots.hits() == 0 || is_header(layout, text, slots) {
        if text.contains("\"schema\"") && text.contains("\"trueline.requests/") {
            let counts = &mut sink.tally().production.counts;
            counts.headers += 1;
            counts.other += 1;
        } else {
            sink.tally().production.counts.rejected.add(Reason::OtherSchema, 1);
        }
        return;
    }
    if work.shape.met_foreign() && layout.foreign.is_row(text) {
        sink.tally().production.counts.rejected.add(Reason::OtherFormat, 1);
        return;
    }
    if layout.is_last(slots) == Some(false) {
        // A piece of a reply: the counts stand in its last object.
        sink.tally().production.counts.other += 1;
        return;
    }
    sink.tally().production.counts.duplicate_keys += u64::from(slots.doubled() > 0);
    work.numbers.fill(layout, &work.shape, slots);
    if work.numbers.impossible + work.numbers.non_finite > 0 {
        layout.odd_fields(slots).for_each(|field| sink.tally().odd.add(field, 1));
    }
    let reading = work.numbers.decode_reading;
    layout.note_generation(slots, reading, &mut sink.tally().generations);
    let texts = Texts::Line(layout, slots);
    work.numbers.record.warmup |= layout.is_health_check(texts.id().as_deref());
    let row = RowView {
        record: &work.numbers.record,
        reported: &work.numbers.reported,
        blocks: work.numbers.blocks(),
        texts,
        names: Names::Line(layout, work.shape.open_names()),
        line: work.line,
    };
    sink.row(&row, &work.numbers);
}

/// A header of our format shares only `side` and `reported`, an object of open names, with its rows.
fn is_header(layout: &Layout, text: &str, slots: &Slots<'_>) -> bool {
    let shares = |slot| layout.side == Some(slot) || slots.get(slot).is_none();
    layout.side.is_some()
        && (0..layout.table.fields.len()).all(shares)
        && text.contains("\"trueline.requests/")
}
