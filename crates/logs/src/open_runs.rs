//! The runs of one file while it is read: lines go to the run whose header stands above them.

use std::collections::HashMap;

use memchr::memmem::Finder;
use trueline_core::{BenchRun, Plan, Side};

use crate::adapters::{LogHeader, Role, Stated, own, parse_header};
use crate::chunk::{Sink, read_block};
use crate::layout::Layout;
use crate::row::{Numbers, RowView};
use crate::source::Block;
use crate::tally::Tally;
use crate::{Error, ErrorKind, ReadOptions};

/// One run while it is read.
pub(crate) struct OpenRun {
    pub(crate) run: BenchRun,
    pub(crate) tally: Tally,
    stated: Stated,
    /// Its lines of the block at hand.
    lines: Vec<u8>,
}

/// The runs of one file, in the order in which their first headers stand.
pub(crate) struct OpenRuns<'n> {
    /// The file, for errors.
    name: &'n str,
    /// What a run without a label is called.
    label: &'n str,
    runs: Vec<OpenRun>,
    places: HashMap<String, usize>,
    /// The run to which the next line belongs.
    now: usize,
    /// Whether the first run is made of the lines before any header.
    headless: bool,
    layouts: [Layout; 2],
}

impl Sink for OpenRun {
    fn row(&mut self, row: &RowView<'_>, numbers: &Numbers) {
        let counts = &mut self.tally.production.counts;
        counts.used += 1;
        counts.impossible += u64::from(numbers.impossible > 0);
        counts.non_finite += u64::from(numbers.non_finite > 0);
        self.run.requests.push(row.keep());
    }

    fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }
}

impl<'n> OpenRuns<'n> {
    pub(crate) fn new(name: &'n str, label: &'n str) -> Self {
        Self {
            name,
            label,
            runs: Vec::new(),
            places: HashMap::new(),
            now: 0,
            headless: false,
            layouts: [Side::Client, Side::Server].map(|side| Layout::new(own(side))),
        }
    }

    /// Reads a block: its lines are sorted by run and then read run by run, so that a change of run
    /// costs one header and nothing else.
    pub(crate) fn read(&mut self, block: &Block) -> Result<(), Error> {
        let mark = Finder::new("\"trueline.requests/");
        let (mut from, mut at, mut too_long) = (0, 0, block.too_long);
        if too_long > 0 {
            self.headless();
        }
        let first = self.now;
        for line in block.bytes.split_inclusive(|byte| *byte == b'\n') {
            if let Some(header) = self.header(&mark, line)? {
                self.take(block.bytes.get(from..at).unwrap_or_default());
                self.enter(header)?;
                from = at + line.len();
            }
            at += line.len();
        }
        self.take(block.bytes.get(from..).unwrap_or_default());
        for (place, run) in self.runs.iter_mut().enumerate() {
            let skipped = if place == first { std::mem::take(&mut too_long) } else { 0 };
            if run.lines.is_empty() && skipped == 0 {
                continue;
            }
            let [client, server] = &self.layouts;
            let layout = if run.run.side == Side::Client { client } else { server };
            let part = Block {
                bytes: std::mem::take(&mut run.lines),
                last: block.last && place == self.now,
                too_long: skipped,
                number: block.number,
            };
            let lines = run.tally.lines;
            read_block(layout, &part, run);
            run.tally.lines += lines;
            run.lines = part.bytes;
            run.lines.clear();
        }
        Ok(())
    }

    /// The runs, with what their tools state; what lines before the first header were is counted in the
    /// first run with a header, where there is no request among them.
    pub(crate) fn finish(mut self) -> Vec<OpenRun> {
        let stray = self.headless && self.runs.first().is_some_and(|r| r.run.requests.is_empty());
        if stray && self.runs.len() > 1 {
            let stray = self.runs.remove(0);
            if let Some(first) = self.runs.first_mut() {
                first.tally.absorb(&stray.tally);
            }
        }
        for run in &mut self.runs {
            run.run.reported = run.stated.reported(run.run.side);
        }
        self.runs
    }

    fn header(&self, mark: &Finder<'_>, line: &[u8]) -> Result<Option<LogHeader>, Error> {
        if mark.find(line).is_none() {
            return Ok(None);
        }
        std::str::from_utf8(line).map_or(Ok(None), |text| parse_header(self.name, text))
    }

    /// Hands lines to the run at hand.
    fn take(&mut self, lines: &[u8]) {
        if self.runs.is_empty() {
            if lines.iter().all(u8::is_ascii_whitespace) {
                return;
            }
            self.headless();
        }
        if let Some(run) = self.runs.get_mut(self.now) {
            run.lines.extend_from_slice(lines);
        }
    }

    /// Begins the run of the lines before any header.
    fn headless(&mut self) {
        if self.runs.is_empty() {
            self.headless = true;
            self.begin(self.label.to_owned(), Side::Client);
        }
    }

    /// Goes to the run of a header, a new one where its label is none that is there.
    fn enter(&mut self, header: LogHeader) -> Result<(), Error> {
        if header.role != Role::Run {
            return Err(self.error(
                "expected a header with role \"run\", found role \"log\"; read it as a log",
            ));
        }
        let known = header.label.as_ref().and_then(|label| self.places.get(label));
        if let Some(place) = known {
            self.now = *place;
        } else {
            let label = header.label.clone().unwrap_or_else(|| match self.runs.len() {
                0 => self.label.to_owned(),
                n => format!("{}-{}", self.label, n + 1),
            });
            self.begin(label, header.side());
        }
        if let Some(run) = self.runs.get_mut(self.now) {
            if let Some(side) = header.side.filter(|side| *side != run.run.side) {
                let message = format!(
                    "expected the side {:?} for the run {:?}, as its first header says, found {side:?}; \
                     give the other rows a label of their own",
                    run.run.side, run.run.label
                );
                return Err(self.error(message));
            }
            run.add(header);
        }
        Ok(())
    }

    fn begin(&mut self, label: String, side: Side) {
        self.now = self.runs.len();
        self.places.entry(label.clone()).or_insert(self.now);
        self.runs.push(OpenRun {
            run: BenchRun::new(label, side, Vec::new()),
            tally: Tally::new(&ReadOptions::default()),
            stated: Stated::default(),
            lines: Vec::new(),
        });
    }

    fn error(&self, message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Header, self.name, message)
    }
}

impl OpenRun {
    /// The names among what its tool states that mean nothing here, in order.
    pub(crate) fn stated_unknown(&self) -> Vec<String> {
        self.stated.unknown().map(|name| format!("reported.{name}")).collect()
    }

    /// Adds what a header says; later values win, and what one does not know takes nothing back.
    fn add(&mut self, header: LogHeader) {
        let run = &mut self.run;
        run.arm = header.arm.or(run.arm.take());
        run.conditions = header.conditions.with_missing_from(&run.conditions);
        if let Some(plan) = header.plan {
            add_plan(&mut run.plan, &plan);
        }
        self.stated.take(header.reported);
    }
}

fn add_plan(held: &mut Plan, later: &Plan) {
    held.requests = later.requests.or(held.requests);
    held.prompt_tokens = later.prompt_tokens.or(held.prompt_tokens);
    held.output_tokens = later.output_tokens.or(held.output_tokens);
    held.load = later.load.or(held.load);
    held.max_concurrency = later.max_concurrency.or(held.max_concurrency);
    held.cold = later.cold.or(held.cold);
}
