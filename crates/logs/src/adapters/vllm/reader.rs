//! Reads vLLM's log line by line.

use std::collections::HashMap;
use std::time::Duration;

use memchr::memmem;
use trueline_core::{Share, Tokens};

use super::interval::{self, Interval};
use super::record::{Record, Stamp};
use super::{field, iteration, record, version};
use crate::IntervalField;
use crate::intervals::Said;
use crate::lines::{Line, LineReader, Told};

/// How many engines are told apart; lines of others have no gap before them.
const ENGINES: usize = 1_024;

/// What one of them must hold to be of interest.
const NEEDLES: [&str; 5] = [
    "Avg prompt throughput",
    "Iteration(",
    "Prefix cache hit rate: GPU: ",
    "vLLM API server version ",
    "LLM engine (v",
];

/// The reader.
#[derive(Debug)]
pub(super) struct Reader {
    needles: Vec<memmem::Finder<'static>>,
    /// The prompt throughput as the version that was stated means it.
    prompt_rate: &'static IntervalField,
    engines: HashMap<String, Engine>,
    /// The key of the engine that a line is about: writer, process and engine.
    key: String,
}

/// What is begun of one engine.
#[derive(Debug, Default)]
struct Engine {
    last: Option<Stamp>,
    /// Context tokens of its iterations since then; `None` without any.
    context: Option<u64>,
    /// A prompt rate of the engine before V1, whose hit rate comes in the next line.
    pending: Option<(f64, Option<Duration>)>,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            needles: NEEDLES.iter().map(memmem::Finder::new).collect(),
            prompt_rate: &field::PROMPT_RATE,
            engines: HashMap::new(),
            key: String::new(),
        }
    }
}

impl LineReader for Reader {
    fn line(&mut self, line: &Line<'_>, told: &mut Told) {
        // No line is of a request.
        told.other += 1;
        if !self.needles.iter().any(|needle| needle.find(line.text.as_bytes()).is_some()) {
            return;
        }
        let Some(record) = record::parse(line.text) else { return };
        if let Some(version) = version::version(&record.message) {
            self.prompt_rate = version::prompt_rate(version);
            told.versions.push(version.to_owned());
        } else if let Some(interval) = interval::parse(&record.message) {
            told.intervals.line();
            self.interval(line.writer, &record, &interval, told);
        } else if let Some(step) = iteration::parse(&record.message) {
            told.intervals.line();
            take_step(&step, told);
            if let Some(engine) =
                self.engine(line.writer, &record, iteration::engine(&record.message))
                && !step.dummy
            {
                let before = engine.context.unwrap_or(0);
                engine.context = Some(before.saturating_add(step.context_tokens.get()));
            }
        } else if let Some(hit) = interval::parse_old_hit(&record.message) {
            told.intervals.line();
            self.old_hit(line.writer, &record, hit, told);
        } else if interval::begins(&record.message) || iteration::begins(&record.message) {
            told.intervals.unreadable_line();
        }
    }

    fn end(&mut self, told: &mut Told) {
        for mut engine in std::mem::take(&mut self.engines).into_values() {
            engine.settle(None, told);
        }
    }
}

impl Reader {
    fn interval(
        &mut self,
        writer: &str,
        record: &Record<'_>,
        interval: &Interval<'_>,
        told: &mut Told,
    ) {
        let old = interval.is_old();
        let prompt_rate = if old { &field::PROMPT_RATE_ALL } else { self.prompt_rate };
        let mut after = None;
        let engine = self.engine(writer, record, interval.engine);
        let mut pending = None;
        if let Some(engine) = engine {
            after = record.stamp.zip(engine.last).and_then(|(now, last)| now.since(last));
            engine.last = record.stamp;
            let context = engine.context.take();
            if let Some(ratio) = over_context(interval.prompt_rate, after, context) {
                let said = Said { value: ratio, after, hit: None };
                told.intervals.say(&field::OVER_CONTEXT, said);
            }
            engine.settle(None, told);
            pending = old.then_some(&mut engine.pending);
        }
        let mut say = |field: &'static IntervalField, value: Option<f64>| {
            if let Some(value) = value {
                told.intervals.say(field, Said { value, after, hit: interval.hit });
            }
        };
        match pending {
            Some(pending) => *pending = Some((interval.prompt_rate, after)),
            None => say(prompt_rate, Some(interval.prompt_rate)),
        }
        say(&field::OUTPUT_RATE, Some(interval.output_rate));
        say(&field::RUNNING, interval.running);
        say(&field::WAITING, interval.waiting);
        say(&field::DEFERRED, interval.deferred);
        say(&field::SWAPPED, interval.swapped);
        say(&field::CACHE_USE, interval.cache_use.map(Share::get));
        say(&field::HIT, interval.hit.map(Share::get));
        say(&field::HIT_EXTERNAL, interval.hit_external.map(Share::get));
        say(&field::HIT_INPUTS, interval.hit_inputs.map(Share::get));
        if let Some(preemptions) = interval.preemptions {
            told.intervals.count(&field::PREEMPTIONS, preemptions);
        }
    }

    /// A hit rate of the engine before V1: it belongs to the rates of the line before.
    fn old_hit(&mut self, writer: &str, record: &Record<'_>, hit: Share, told: &mut Told) {
        told.intervals.say(&field::HIT_OLD, Said { value: hit.get(), after: None, hit: None });
        if let Some(engine) = self.engine(writer, record, "") {
            let beside = (engine.last == record.stamp).then_some(hit);
            engine.settle(beside, told);
        }
    }

    fn engine(&mut self, writer: &str, record: &Record<'_>, engine: &str) -> Option<&mut Engine> {
        self.key.clear();
        for part in [writer, &record.process, engine] {
            self.key.push_str(part);
            self.key.push('\0');
        }
        if !self.engines.contains_key(&self.key) {
            if self.engines.len() >= ENGINES {
                return None;
            }
            self.engines.insert(self.key.clone(), Engine::default());
        }
        self.engines.get_mut(&self.key)
    }
}

impl Engine {
    /// Tells the prompt rate that waits, with the hit rate beside it where there is one.
    fn settle(&mut self, hit: Option<Share>, told: &mut Told) {
        if let Some((value, after)) = self.pending.take() {
            told.intervals.say(&field::PROMPT_RATE_ALL, Said { value, after, hit });
        }
    }
}

/// The tokens that a rate over an interval counts over those that the iterations in it computed: 1 where it counts
/// computed tokens alone. Its stamps are whole seconds, so an interval under 5 s tells nothing; nor does one over
/// 15 s, before which an idle server left lines out.
fn over_context(rate: f64, after: Option<Duration>, context: Option<u64>) -> Option<f64> {
    let (after, context) = (after?.as_secs_f64(), context?);
    let tells = context > 0 && (5.0..=15.0).contains(&after);
    tells.then(|| rate * after / Tokens::new(context).as_f64())
}

fn take_step(step: &iteration::Iteration, told: &mut Told) {
    let (context, generation) = (step.context_tokens, step.generation_tokens);
    let none = Tokens::new(0);
    match (context > none, generation > none) {
        _ if step.dummy => {}
        (true, false) => told.intervals.step(&field::STEP_CONTEXT, context, step.took),
        (true, true) => told.intervals.step(&field::STEP_MIXED, context, step.took),
        (false, true) => told.intervals.step(&field::STEP_GENERATION, generation, step.took),
        (false, false) => {}
    }
}
