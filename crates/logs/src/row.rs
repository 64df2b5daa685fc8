//! From the values of a row to a request record, by the table of its format.

use trueline_core::{
    By, Known, Outcome, PromptBlocks, ReportedRate, RequestRecord, Side, Tokens, TokensPerSecond,
    Why,
};

use crate::layout::{Fills, Layout, Names, Texts};
use crate::scalar::Scalar;
use crate::settle::Beside;
use crate::shape::{Shape, Slots};

/// One row as the summary takes it: numbers in a record, texts where they stand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowView<'r> {
    pub(crate) record: &'r RequestRecord,
    /// Stated rates by the slot of their name.
    pub(crate) reported: &'r [(usize, Known<TokensPerSecond>)],
    /// Hashes of the prompt's blocks, and how many tokens one has; `None` where the record has them itself.
    pub(crate) blocks: Option<(Tokens, &'r [u64])>,
    pub(crate) texts: Texts<'r>,
    pub(crate) names: Names<'r>,
    /// The line it stands in, from 1, within its block or document.
    pub(crate) line: u64,
}

impl RowView<'_> {
    /// The record with its texts, to be kept.
    pub(crate) fn keep(&self) -> RequestRecord {
        let mut record = self.record.clone();
        record.id = self.texts.id().map(Into::into);
        record.session = self.texts.session().map(Into::into);
        record.model = self.texts.model().map(Into::into);
        if let Some((size, hashes)) = self.blocks {
            record.blocks = PromptBlocks::new(size, hashes.to_vec()).map(Box::new);
        }
        record.reported = self
            .reported
            .iter()
            .map(|(slot, rate)| ReportedRate {
                field: self.names.get(*slot).to_owned().into(),
                rate: *rate,
            })
            .collect();
        record
    }
}

/// The numbers of one row, filled again for each.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    pub(crate) record: RequestRecord,
    pub(crate) reported: Vec<(usize, Known<TokensPerSecond>)>,
    /// Hashes of the prompt's blocks; empty where it has none.
    hashes: Vec<u64>,
    /// How many tokens a block has.
    block: Known<Tokens>,
    /// How many of its values cannot be.
    pub(crate) impossible: u32,
    /// How many of its values are not finite.
    pub(crate) non_finite: u32,
    /// Whether it is no request but an entry of another kind.
    pub(crate) other: bool,
    /// Whether a time stamp of it has no zone.
    pub(crate) zoneless: bool,
    /// Whether the stated new tokens are not prompt minus cached.
    pub(crate) new_differs: bool,
}

impl Numbers {
    /// The numbers of a record at hand.
    pub(crate) fn of(record: &RequestRecord) -> Self {
        let mut numbers = Self { record: record.clone(), ..Self::default() };
        numbers.reported = record.reported.iter().enumerate().map(|(i, r)| (i, r.rate)).collect();
        numbers.settle(&Beside::default());
        numbers
    }

    /// Fills it from the slots of a line.
    pub(crate) fn fill(&mut self, layout: &Layout, shape: &Shape, slots: &Slots<'_>) {
        self.record.clear();
        self.reported.clear();
        self.hashes.clear();
        self.block = Known::Not(Why::Absent);
        (self.impossible, self.non_finite) = (0, 0);
        (self.other, self.zoneless, self.new_differs) = (false, false, false);
        let side = match layout.side.and_then(|slot| slots.get(slot)) {
            Some(Scalar::Text("client")) => Side::Client,
            Some(Scalar::Text("server")) => Side::Server,
            _ => layout.table.side,
        };
        let mut beside = Beside::default();
        for step in &layout.steps {
            let Some(value) = slots.get(step.slot) else { continue };
            match step.fills {
                Fills::Prompt => {
                    let prompt = self.note(value.tokens());
                    first(&mut self.record.tokens.prompt, prompt);
                }
                Fills::Cached => {
                    let cached = self.note(value.tokens());
                    first(&mut self.record.tokens.cached, cached);
                }
                Fills::New => first(&mut beside.new, self.note(value.tokens())),
                Fills::Uncached => first(&mut beside.uncached, self.note(value.tokens())),
                Fills::CacheWrite => first(&mut beside.written, self.note(value.tokens())),
                Fills::FirstToken(unit) => {
                    first(&mut beside.first_token, self.note(value.wall_time(unit)));
                }
                Fills::Streamed => beside.streamed = beside.streamed.or(value.flag()),
                Fills::FromReplyStore => beside.stored |= value.flag() == Some(true),
                Fills::Kind(word) => {
                    self.other |= value.text().is_some_and(|text| text != word);
                }
                Fills::Output => {
                    let output = self.note(value.tokens());
                    first(&mut self.record.tokens.output, output);
                }
                Fills::Time { client, server, unit } => {
                    let took = self.note(value.duration(unit));
                    let stretch = if side == Side::Client { client } else { server };
                    if !self.record.spans.get(stretch).is_known() {
                        self.record.spans.set(stretch, took);
                    }
                }
                Fills::Started(unit) => {
                    self.zoneless |= value.has_no_zone(unit);
                    let started = self.note(value.wall_time(unit));
                    first(&mut self.record.started, started);
                }
                Fills::SentAfter(unit) => {
                    let after = self.note(value.elapsed(unit));
                    first(&mut self.record.sent_after, after);
                }
                Fills::BlockTokens => self.block = self.note(value.tokens()),
                Fills::BlockHashes => {
                    if let Err(Why::Impossible) = value.hashes(&mut self.hashes) {
                        self.impossible += 1;
                    }
                }
                Fills::Finished(unit) => {
                    self.zoneless |= value.has_no_zone(unit);
                    first(&mut beside.finished, self.note(value.wall_time(unit)));
                }
                Fills::Rate => {
                    let rate = self.note(value.rate());
                    self.reported.push((step.slot, rate));
                }
                Fills::Outcome => self.record.outcome = outcome(value, &layout.table.ok),
                Fills::Warmup => {
                    self.record.warmup = matches!(value, Scalar::Bool(true) | Scalar::Whole(1));
                }
                Fills::Gaps(unit) => {
                    if let Err(Why::Impossible) = value.durations(unit, &mut self.record.gaps) {
                        self.impossible += 1;
                    }
                }
            }
        }
        for slot in (shape.fixed()..).take(shape.open_names().len()) {
            if let Some(value) = slots.get(slot) {
                let rate = self.note(value.rate());
                self.reported.push((slot, rate));
            }
        }
        if !self.hashes.is_empty() {
            self.settle_blocks(layout.table.block);
        }
        beside.side = Some(side);
        self.settle(&beside);
    }

    /// The hashes of the prompt's blocks, and how many tokens one has.
    pub(crate) fn blocks(&self) -> Option<(Tokens, &[u64])> {
        let size = self.block.value().filter(|_| !self.hashes.is_empty())?;
        Some((size, &self.hashes))
    }

    /// Holds hashes against the size of a block and the length of the prompt: without a size they say
    /// nothing, and more of them than the prompt has blocks cannot be.
    fn settle_blocks(&mut self, size: Option<Tokens>) {
        let size = self.block.value().or(size).map_or(0, Tokens::get);
        let most =
            self.record.tokens.prompt.value().map(|prompt| prompt.get().div_ceil(size.max(1)));
        if size == 0 || most.is_some_and(|most| self.hashes.len() as u64 > most) {
            self.hashes.clear();
            self.impossible += 1;
        } else {
            self.block = Known::is(Tokens::new(size), By::Reported);
        }
    }

    pub(crate) fn note<T>(&mut self, known: Known<T>) -> Known<T> {
        match known.why() {
            Some(Why::Impossible) => self.impossible += 1,
            Some(Why::NonFinite) => self.non_finite += 1,
            _ => {}
        }
        known
    }
}

/// Keeps the first known value where several fields hold one.
fn first<T: Copy>(held: &mut Known<T>, next: Known<T>) {
    if !held.is_known() {
        *held = next;
    }
}

fn outcome(value: &Scalar<'_>, ok: &[String]) -> Outcome {
    let flag = |b: &bool| if *b { "true" } else { "false" };
    let text = match value {
        Scalar::Bool(b) => flag(b).into(),
        other => match other.text() {
            Some(text) => text,
            None => return Outcome::Unknown,
        },
    };
    match &*text {
        text if !ok.is_empty() => {
            if ok.iter().any(|o| o == text) {
                Outcome::Ok
            } else {
                Outcome::Failed
            }
        }
        "ok" => Outcome::Ok,
        "failed" => Outcome::Failed,
        "cancelled" => Outcome::Cancelled,
        _ => Outcome::Unknown,
    }
}
