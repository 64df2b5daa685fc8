//! From the values of a row to a request record, by the table of its format.

use trueline_core::{
    By, Known, Outcome, PromptBlocks, ReportedRate, RequestRecord, Side, Stretch, Tokens,
    TokensPerSecond, Why,
};

use crate::generations::DecodeReading;
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
    /// Whether the stated new tokens are not prompt minus cached.
    pub(crate) new_differs: bool,
    /// Whether the cached tokens were brought down to the prompt's by the rules of the format.
    pub(crate) clamped: bool,
    /// Whether its start rests on a stamp without a zone.
    pub(crate) zoneless: bool,
    /// How many cache commits of other sessions were dropped for it.
    pub(crate) dropped_commits: Known<u64>,
    /// How its stated decode rate counts, where that shows.
    pub(crate) decode_reading: Option<DecodeReading>,
}

impl Numbers {
    /// The numbers of a record at hand, its texts with them.
    pub(crate) fn of(record: RequestRecord) -> Self {
        let reported = record.reported.iter().enumerate().map(|(i, r)| (i, r.rate)).collect();
        let mut numbers = Self { record, reported, ..Self::default() };
        let tokens = &numbers.record.tokens;
        let counts = [tokens.prompt, tokens.cached, tokens.output].map(|known| known.why());
        let spans = Stretch::ALL.map(|stretch| numbers.record.spans.get(stretch).why());
        for why in counts.into_iter().chain(spans).chain([numbers.record.started.why()]).flatten() {
            numbers.impossible += u32::from(why == Why::Impossible);
            numbers.non_finite += u32::from(why == Why::NonFinite);
        }
        numbers.settle(&Beside::default());
        numbers
    }

    /// Fills it from the slots of a line.
    pub(crate) fn fill(&mut self, layout: &Layout, shape: &Shape, slots: &Slots<'_>) {
        self.record.clear();
        self.reported.clear();
        self.hashes.clear();
        self.block = Known::Not(Why::Absent);
        (self.impossible, self.non_finite, self.new_differs) = (0, 0, false);
        (self.clamped, self.zoneless, self.decode_reading) = (false, false, None);
        self.dropped_commits = Known::Not(Why::Absent);
        let side = match layout.side.and_then(|slot| slots.get(slot)) {
            Some(Scalar::Text("client")) => Side::Client,
            Some(Scalar::Text("server")) => Side::Server,
            _ => layout.table.side,
        };
        let mut beside = Beside::of(layout, side);
        let mut decode_rate = Known::Not(Why::Absent);
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
                Fills::Streamed => {
                    beside.moments.streamed = beside.moments.streamed.or(value.flag());
                }
                Fills::FromReplyStore => beside.moments.stored |= value.flag() == Some(true),
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
                    let started = self.stamp(value, unit, self.record.started.is_known());
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
                Fills::Finished(unit) => self.fill_end(value, unit, &mut beside.moments),
                Fills::ScheduledAt(unit) => {
                    self.fill_moment(value, unit, &mut beside.moments, |m| &mut m.scheduled);
                }
                Fills::PrefilledAt(unit) => {
                    self.fill_moment(value, unit, &mut beside.moments, |m| &mut m.prefilled);
                }
                Fills::FirstToken(unit) => {
                    self.fill_moment(value, unit, &mut beside.moments, |m| &mut m.first_token);
                }
                Fills::DecodeRate => decode_rate = self.note(value.rate()),
                Fills::Rate => {
                    let rate = self.note(value.rate());
                    self.reported.push((step.slot, rate));
                }
                Fills::Outcome => self.record.outcome = outcome(value, &layout.table.ok),
                Fills::Warmup => {
                    self.record.warmup = matches!(value, Scalar::Bool(true) | Scalar::Whole(1));
                }
                Fills::Preemptions => self.fill_count(value, |n| &mut n.record.preemptions),
                Fills::DroppedCommits => self.fill_count(value, |n| &mut n.dropped_commits),
                Fills::Gaps(unit) => {
                    if let Err(Why::Impossible) = value.durations(unit, &mut self.record.gaps) {
                        self.impossible += 1;
                    }
                }
            }
        }
        self.push_open_rates(shape, slots);
        if layout.is_last(slots) == Some(true) {
            self.record.outcome = Outcome::Ok;
        }
        if !self.hashes.is_empty() {
            self.settle_blocks(layout.table.block);
        }
        self.settle(&beside);
        self.decode_reading = self.reading_of(decode_rate);
        self.push_quotient(layout);
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

    /// The stated rates whose names the table leaves open.
    fn push_open_rates(&mut self, shape: &Shape, slots: &Slots<'_>) {
        for slot in (shape.fixed()..).take(shape.open_names().len()) {
            if let Some(value) = slots.get(slot) {
                let rate = self.note(value.rate());
                self.reported.push((slot, rate));
            }
        }
    }

    /// The quotient that is taken for a prefill rate, where the format has one.
    fn push_quotient(&mut self, layout: &Layout) {
        if let Some(slot) = layout.quotient
            && let (Some(prompt), Some(compute)) = (
                self.record.tokens.prompt.value(),
                self.record.spans.get(Stretch::PrefillCompute).value(),
            )
            && let Some(rate) = prompt.per(compute)
        {
            self.reported.push((slot, Known::is(rate, By::Derived)));
        }
    }

    /// How a stated decode rate counts tokens.
    fn reading_of(&self, rate: Known<TokensPerSecond>) -> Option<DecodeReading> {
        let took = self.record.decode_time().value()?.as_secs_f64();
        let tokens = self.record.tokens.output.value()?.as_f64();
        DecodeReading::of(rate.value()?.get(), took, tokens)
    }

    /// A whole number that counts no tokens.
    fn fill_count(&mut self, value: &Scalar<'_>, of: fn(&mut Self) -> &mut Known<u64>) {
        let count = match self.note(value.tokens()) {
            Known::Is { value, by } => Known::is(value.get(), by),
            Known::Not(why) => Known::Not(why),
        };
        first(of(self), count);
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
pub(crate) fn first<T: Copy>(held: &mut Known<T>, next: Known<T>) {
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
