//! Reads vLLM's log line by line.

use std::collections::HashMap;
use std::time::Duration;

use memchr::memmem;
use trueline_core::{Share, Tokens};

use super::interval::{self, Interval};
use super::record::{Record, Stamp};
use super::{field, iteration, record};
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

/// What is known of the versions that wrote the lines so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Counted {
    #[default]
    Unknown,
    All,
    New,
}

/// The reader.
#[derive(Debug)]
pub(super) struct Reader {
    needles: Vec<memmem::Finder<'static>>,
    counted: Counted,
    engines: HashMap<(String, String, String), Engine>,
}

/// What is begun of one engine.
#[derive(Debug, Default)]
struct Engine {
    last: Option<Stamp>,
    /// A prompt rate of the engine before V1, whose hit rate comes in the next line.
    pending: Option<(f64, Option<Duration>)>,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            needles: NEEDLES.iter().map(memmem::Finder::new).collect(),
            counted: Counted::default(),
            engines: HashMap::new(),
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
        if let Some(version) = version(&record.message) {
            self.counted = counted(version);
            told.versions.push(version.to_owned());
        } else if let Some(interval) = interval::parse(&record.message) {
            told.intervals.line();
            self.interval(line.writer, &record, &interval, told);
        } else if let Some(step) = iteration::parse(&record.message) {
            told.intervals.line();
            take_step(&step, told);
        } else if let Some(hit) = interval::parse_old_hit(&record.message) {
            told.intervals.line();
            self.old_hit(line.writer, &record, hit, told);
        } else if interval::begins(&record.message) || iteration::begins(&record.message) {
            told.intervals.unreadable_line();
        }
    }

    fn end(&mut self, told: &mut Told) {
        for (_, mut engine) in self.engines.drain() {
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
        let prompt_rate = self.prompt_rate(old);
        let mut after = None;
        let engine = self.engine(writer, record, interval.engine);
        let mut pending = None;
        if let Some(engine) = engine {
            after = record.stamp.zip(engine.last).and_then(|(now, last)| now.since(last));
            engine.last = record.stamp;
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

    fn prompt_rate(&self, old: bool) -> &'static IntervalField {
        match self.counted {
            _ if old => &field::PROMPT_RATE_ALL,
            Counted::All => &field::PROMPT_RATE_ALL,
            Counted::New => &field::PROMPT_RATE_NEW,
            Counted::Unknown => &field::PROMPT_RATE,
        }
    }

    fn engine(&mut self, writer: &str, record: &Record<'_>, engine: &str) -> Option<&mut Engine> {
        let key = (writer.to_owned(), record.process.clone().into_owned(), engine.to_owned());
        if self.engines.len() >= ENGINES && !self.engines.contains_key(&key) {
            return None;
        }
        Some(self.engines.entry(key).or_default())
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

/// The version that a message states.
fn version(message: &str) -> Option<&str> {
    let stated = message
        .strip_prefix("vLLM API server version ")
        .or_else(|| message.split_once("LLM engine (v").map(|(_, after)| after))?;
    let end = stated.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '+')));
    stated.get(..end.unwrap_or(stated.len())).filter(|text| !text.is_empty())
}

/// Which tokens the prompt throughput of a version counts.
///
/// # Source
/// vLLM's PR 33290 of February 2026 left cached tokens out; the release that first has it was not found. Releases
/// up to 0.14 are older, and PR 43346 of May 2026 says that it holds.
fn counted(version: &str) -> Counted {
    let mut parts = version.split('.');
    let mut next = || parts.next().and_then(|part| part.parse::<u32>().ok());
    match (next(), next()) {
        (Some(0), Some(..=14)) => Counted::All,
        (Some(0), Some(24..)) | (Some(1..), Some(_)) => Counted::New,
        _ => Counted::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_and_those_in_between_stay_unknown() {
        for (message, stated, expected) in [
            ("vLLM API server version 0.11.0", "0.11.0", Counted::All),
            ("Initializing a V1 LLM engine (v0.33.0) with config: x", "0.33.0", Counted::New),
            (
                "vLLM API server version 0.17.1rc2.dev3+gabc",
                "0.17.1rc2.dev3+gabc",
                Counted::Unknown,
            ),
        ] {
            assert_eq!(version(message), Some(stated));
            assert_eq!(counted(stated), expected, "{stated}");
        }
        assert_eq!(version("vLLM API server version "), None);
    }
}
