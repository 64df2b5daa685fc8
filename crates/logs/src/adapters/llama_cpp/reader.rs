//! Requests out of the lines of a llama.cpp server's log.

use std::collections::BTreeMap;

use trueline_core::{
    By, Known, Outcome, ReportedRate, RequestRecord, Stretch, Tokens, TokensPerSecond, Why,
};

use super::event::{Event, Task, Timed, event};
use super::log::RATE;
use crate::Reason;
use crate::lines::{Line, LineReader, Told, Writer};

/// How many slots are followed at once; beyond them the first is given up and counted.
const MOST_OPEN: usize = 4_096;

/// A slot of one writer.
type Place = (Writer, u64);

/// Where lines stand that name no slot.
const NO_SLOT: u64 = u64::MAX;

/// What is known so far of the task in a slot.
#[derive(Debug, Default)]
struct Open {
    task: Option<u64>,
    computed: Option<Timed>,
    generated: Option<Timed>,
    /// The whole prompt.
    prompt: Option<u64>,
    cancelled: bool,
}

/// Follows the slots of a server, or of several behind one router.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    open: BTreeMap<Place, Open>,
    /// For each writer the task whose timings follow without a name.
    last: BTreeMap<Writer, Task>,
    /// Whether the input has broken off within a line.
    broken: bool,
}

impl LineReader for Slots {
    fn line(&mut self, line: &Line<'_>, told: &mut Told) {
        match event(line.text) {
            None => told.other += 1,
            Some(Event::Torn) if line.unended => self.broken = true,
            Some(Event::Torn) => told.rejected.push((Reason::Torn, 1)),
            Some(event) => self.take(line.writer, event, told),
        }
    }

    fn end(&mut self, told: &mut Told) {
        for (_, open) in std::mem::take(&mut self.open) {
            // Its other timings stood on the lines that are missing.
            told.broken |= open.computed.is_some() != open.generated.is_some();
            close(&open, None, told);
        }
        told.broken |= self.broken;
    }
}

impl Slots {
    /// Takes what a line says.
    pub(crate) fn take(&mut self, writer: &str, event: Event, told: &mut Told) {
        match event {
            Event::Launched(task) => {
                // Whatever was in the slot is over.
                if let Some(before) = self.open.remove(&(Writer::of(writer), task.slot)) {
                    close(&before, None, told);
                }
                self.at(writer, Some(task), told);
            }
            Event::Prompt(task, tokens) => self.at(writer, Some(task), told).prompt = Some(tokens),
            Event::Head(task) => {
                self.at(writer, Some(task), told);
                let writer = Writer::of(writer);
                if self.last.len() < MOST_OPEN || self.last.contains_key(&writer) {
                    self.last.insert(writer, task);
                }
            }
            Event::Computed(task, timed) => {
                let open = self.at(writer, task, told);
                if open.computed.is_some() {
                    close(&std::mem::take(open), None, told);
                    open.task = task.map(|task| task.task);
                }
                open.computed = Some(timed);
            }
            Event::Generated(task, timed) => self.at(writer, task, told).generated = Some(timed),
            Event::Total(_) | Event::Torn => {}
            Event::Cancelled(id) => {
                let of_task = |(place, open): &(&Place, &mut Open)| {
                    place.0.is(writer) && open.task == Some(id)
                };
                if let Some((_, open)) = self.open.iter_mut().find(of_task) {
                    open.cancelled = true;
                }
            }
            Event::Released(task, held) => {
                self.at(writer, Some(task), told);
                match self.open.remove(&(Writer::of(writer), task.slot)) {
                    Some(open) if open.computed.is_some() || open.cancelled => {
                        close(&open, held, told);
                    }
                    // A task that ended without timings was none that generates: an embedding, a restored slot.
                    _ => told.other += 1,
                }
            }
        }
    }

    /// What is known of the task that a line is about: the one it names, else the one named last.
    fn at(&mut self, writer: &str, task: Option<Task>, told: &mut Told) -> &mut Open {
        let writer = Writer::of(writer);
        let task = task.or_else(|| self.last.get(&writer).copied());
        let place = (writer, task.map_or(NO_SLOT, |task| task.slot));
        if self.open.len() >= MOST_OPEN
            && !self.open.contains_key(&place)
            && let Some((_, dropped)) = self.open.pop_first()
        {
            close(&dropped, None, told);
        }
        let open = self.open.entry(place).or_default();
        let id = task.map(|task| task.task);
        if open.task != id {
            close(&std::mem::take(open), None, told);
            open.task = id;
        }
        open
    }
}

/// Tells a task that is over: with its timings a request, cancelled without them a cancelled one, else one
/// whose end the log does not hold.
fn close(open: &Open, held: Option<u64>, told: &mut Told) {
    if let Some(computed) = open.computed {
        told.requests.push(request(open, computed, held));
    } else if open.cancelled {
        let mut record = RequestRecord::default();
        record.id = open.task.map(|task| format!("task {task}"));
        record.outcome = Outcome::Cancelled;
        record.tokens.prompt = open.prompt.map_or(Known::Not(Why::Absent), RequestRecord::counted);
        told.requests.push(record);
    } else if open.task.is_some() {
        told.unfinished += 1;
    }
}

/// The request of a task.
///
/// # Formula
/// The prompt is what the log says; else, where the slot holds `held` tokens at the end and its context was
/// not shifted, `held - (output - 1)`: the last token is not fed back. Cached is prompt minus new.
///
/// # Source
/// llama.cpp b11434: held on all 69 requests of a captured log whose client recorded `cache_n`.
fn request(open: &Open, computed: Timed, held: Option<u64>) -> RequestRecord {
    let mut record = RequestRecord::default();
    record.id = open.task.map(|task| format!("task {task}"));
    record.outcome = if open.cancelled { Outcome::Cancelled } else { Outcome::Ok };
    record.spans.set(Stretch::PrefillCompute, computed.took);
    if let Some(generated) = open.generated {
        record.tokens.output = RequestRecord::counted(generated.tokens);
        // One token is no step: the server prints 0 ms for it.
        if generated.tokens > 1 {
            record.spans.set(Stretch::ServerDecode, generated.took);
        }
    }
    let fed_back = open.generated.map(|generated| generated.tokens.saturating_sub(1));
    let by_slot = || held?.checked_sub(fed_back?);
    let prompt = match open.prompt {
        Some(prompt) => RequestRecord::counted(prompt),
        None => Known::derived(by_slot().map(Tokens::new), Why::NeedsMore),
    };
    let new = Tokens::new(computed.tokens);
    match prompt.value().map(|prompt| prompt.checked_sub(new)) {
        Some(Some(cached)) => {
            record.tokens.prompt = prompt;
            record.tokens.cached = Known::is(cached, By::Derived);
        }
        // More new tokens than the prompt has: the slot did not work as supposed.
        Some(None) => {
            record.tokens.prompt = Known::Not(Why::Impossible);
            record.tokens.cached = Known::Not(Why::Impossible);
        }
        None => {
            record.tokens.prompt = Known::Not(Why::NeedsMore);
            record.tokens.cached = Known::Not(Why::NeedsMore);
        }
    }
    if let Some(rate) = computed.rate.and_then(|rate| TokensPerSecond::new(rate).ok()) {
        let rate = Known::is(rate, By::Reported);
        record.reported.push(ReportedRate { field: RATE.into(), rate });
    }
    record
}
