//! The log of Ollama's server: lines of its web framework, its own, and those of the llama.cpp server that it
//! runs, in one file.

use std::collections::VecDeque;
use std::time::Duration;

use jiff::tz::Offset;
use trueline_core::{By, Known, Outcome, RequestRecord, Side, Spans, Stretch, Tokens};

use super::gin::{Answered, Said, moment, said, zone};
use crate::adapters::llama_cpp::{Slots, event};
use crate::adapters::{LogFormat, Reads, Table};
use crate::lines::{Line, LineReader, Seen, Told};
use crate::{Evidence, FieldMeaning, Holds, Reason, Unit};

/// How many requests may wait for the line that says they were answered.
const MOST_WAITING: usize = 1_024;

/// The format.
pub(crate) const FORMAT: LogFormat = LogFormat {
    name: "ollama-log",
    writer: "Ollama's server",
    versions: "August 2026",
    evidence: Evidence::Described,
    table,
    reads: Reads::Lines {
        words: &["[GIN] ", "msg=\"cache hit\""],
        apart: false,
        is,
        reader: || Box::new(Joining::default()),
    },
};

/// Whether the first lines are of it: its own or its framework's among them.
fn is(lines: &[&str]) -> Option<Seen> {
    let (mut own, mut answers, mut runner) = (0, 0, 0);
    for line in lines {
        match said(line) {
            Some(Said::Answered(_)) => answers += 1,
            Some(Said::OtherPath | Said::Hit { .. }) => own += 1,
            Some(Said::Torn) | None => {
                own += usize::from(line.starts_with("time=") && line.contains(".go:"));
                runner += usize::from(event(line).is_some());
            }
        }
    }
    let has_own =
        lines.iter().any(|line| matches!(said(line), Some(Said::OtherPath | Said::Hit { .. })));
    let evidence = format!(
        "{answers} answers to requests for text ([GIN] lines), {own} other lines of Ollama, {runner} of its \
         llama.cpp server"
    );
    (answers > 0 || has_own).then(|| Seen { lines: own + answers + runner, evidence })
}

/// Joins what the runner says of a request with the line that says it was answered.
#[derive(Debug, Default)]
struct Joining {
    slots: Slots,
    /// Requests that the runner has told and that were not answered yet.
    waiting: VecDeque<RequestRecord>,
    /// Requests told without their answer, because it could not be said whose is whose.
    unjoined: u64,
    /// The zone of the host's clock.
    zone: Option<Offset>,
}

impl LineReader for Joining {
    fn line(&mut self, line: &Line<'_>, told: &mut Told) {
        self.zone = zone(line.text).or(self.zone);
        match said(line.text) {
            Some(Said::Answered(answer)) => self.answered(&answer, told),
            Some(Said::OtherPath) => told.other += 1,
            Some(Said::Hit { prompt, cached }) => {
                let mut record = RequestRecord::default();
                record.tokens.prompt = RequestRecord::counted(prompt);
                record.tokens.cached = Known::is(Tokens::new(cached), By::Reported);
                self.wait(record, told);
            }
            Some(Said::Torn) if line.unended => told.broken = true,
            Some(Said::Torn) => told.rejected.push((Reason::Torn, 1)),
            None => self.of_runner(told, |slots, told| slots.line(line, told)),
        }
    }

    fn end(&mut self, told: &mut Told) {
        self.of_runner(told, LineReader::end);
        told.requests.extend(self.waiting.drain(..));
    }
}

impl Joining {
    /// What the runner tells waits for its answer.
    fn of_runner(&mut self, told: &mut Told, tell: impl FnOnce(&mut Slots, &mut Told)) {
        let waiting = std::mem::take(&mut told.requests);
        tell(&mut self.slots, told);
        for record in std::mem::replace(&mut told.requests, waiting) {
            self.wait(record, told);
        }
    }

    fn wait(&mut self, record: RequestRecord, told: &mut Told) {
        if self.waiting.len() >= MOST_WAITING
            && let Some(first) = self.waiting.pop_front()
        {
            told.requests.push(first);
            self.unjoined += 1;
        }
        self.waiting.push_back(record);
    }

    /// A request was answered: the one that waits, if it alone does.
    fn answered(&mut self, answer: &Answered, told: &mut Told) {
        if self.waiting.len() > 1 {
            // Whose answer it is cannot be said: all are told without one.
            self.unjoined += self.waiting.len() as u64;
            told.requests.extend(self.waiting.drain(..));
        }
        if self.waiting.is_empty() && self.unjoined > 0 {
            self.unjoined -= 1;
            told.other += 1;
            return;
        }
        // One whose work took longer than the answer is another request and waits on. Without a line of a
        // runner only when a request ended and how long it took is known.
        let is_its = self.waiting.front().is_some_and(|record| work(record) <= answer.took);
        let its = if is_its { self.waiting.pop_front() } else { None };
        let mut record = its.unwrap_or_default();
        if record.outcome != Outcome::Cancelled {
            record.outcome = answer.outcome;
        }
        record
            .spans
            .set(Stretch::ServerE2e, Spans::seconds(answer.took.as_secs_f64(), By::Measured));
        let ended = answer.ended.zip(self.zone).and_then(|(stamp, zone)| moment(stamp, zone));
        if let Some(started) = ended.and_then(|ended| ended.minus(answer.took)) {
            record.started = Known::is(started, By::Derived);
        }
        told.requests.push(record);
    }
}

/// How long the runner worked on a request.
fn work(record: &RequestRecord) -> Duration {
    let parts = [Stretch::PrefillCompute, Stretch::ServerDecode];
    parts.into_iter().filter_map(|stretch| record.spans.get(stretch).value()).sum()
}

/// The table, for its name and fields; its lines are read by [`Joining`].
fn table() -> Table {
    use Holds as H;
    const AT: &str = "Ollama, issues 17829, 17482 and 18123 (August 2026)";
    let f = |path, holds, unit| FieldMeaning::new(path, holds, unit).source(AT);
    let mut fields = vec![
        f("[GIN] status", H::Outcome, Unit::None),
        f("[GIN] duration", H::E2eLatency, Unit::None)
            .clock(Side::Server)
            .note("as Go writes it (1m2.3s); queue and loading of the model inside"),
        f("[GIN] stamp", H::Finished, Unit::None).note(
            "to the second, in the zone of the log's other lines; unknown where they state none",
        ),
        f("cache hit, total", H::PromptTokens, Unit::Tokens).note("of the MLX runner"),
        f("cache hit, cached", H::CachedTokens, Unit::Tokens),
        f("cache hit, left", H::NewTokens, Unit::Tokens),
    ];
    fields.extend((crate::adapters::llama_cpp::LOG.table)().fields);
    Table {
        name: FORMAT.name.into(),
        server: Some("ollama".to_owned()),
        fields,
        side: Side::Server,
        ok: Vec::new(),
        block: None,
        marks: &[],
    }
}
