//! A run while it is being read: figures, totals and plan taken from a table of fields; what no
//! table knows is kept by name.

use std::collections::BTreeSet;

use trueline_core::{
    BenchRun, By, Definition, Figure, Known, Load, Metric, Side, Statistic, Tokens, Tool, Total,
    Why,
};

use super::absent::{Absent, nearest};
use super::arguments::Arguments;
use super::ending::{BrokeOff, Closing};
use super::labels::{Label, step_of};
use super::node::{Map, known_number, text_number, whole};
use super::plan::{set_load, take_plan};
use super::quantity::{scaled, seconds};
use super::row::{Row, Takes, spread_of, statistic};
use super::{Part, ResultRun};

/// The runs of one format in one file, in their order.
#[derive(Debug)]
pub(crate) struct Drafts {
    /// What the file is called: the label of its first run.
    pub(crate) name: String,
    /// The runs.
    pub(crate) runs: Vec<Draft>,
}

impl Drafts {
    /// Begins another run of a tool.
    pub(crate) fn begin(&mut self, tool: &str) -> &mut Draft {
        self.runs.push(Draft::new(&self.name, tool));
        let last = self.runs.len() - 1;
        &mut self.runs[last]
    }

    /// The run that is being read; begun where there is none yet.
    pub(crate) fn current(&mut self, tool: &str) -> &mut Draft {
        if self.runs.is_empty() {
            self.begin(tool);
        }
        let last = self.runs.len() - 1;
        &mut self.runs[last]
    }
}

/// One run while it is being read.
#[derive(Debug)]
pub(crate) struct Draft {
    /// The run as far as it is known.
    pub(crate) run: BenchRun,
    /// What is expected and not there.
    pub(crate) missing: Vec<Absent>,
    /// Fields that no table knows.
    pub(crate) unknown: BTreeSet<String>,
    /// Keys that stand twice with different values.
    pub(crate) doubled: BTreeSet<String>,
    /// What the tool itself says against the run: INVALID, cancelled, incomplete.
    pub(crate) refused: Vec<String>,
    /// How the run broke off, if it did.
    pub(crate) broke_off: Option<BrokeOff>,
    /// Whether its text comes to an end.
    pub(crate) closing: Closing,
    /// What the tool was called with, as it echoes it.
    pub(crate) arguments: Arguments,
    /// How it stands in its file.
    pub(crate) part: Part,
    /// Rows or records that could not be used, with why.
    pub(crate) rejected: Vec<String>,
    /// Rows or records that were used.
    pub(crate) used: u64,
    /// Means over what the requests of the run state.
    averages: Vec<Average>,
}

/// A mean over values that the requests of a run state one by one.
#[derive(Debug)]
struct Average {
    metric: Metric,
    meaning: Definition,
    source: &'static str,
    sum: f64,
    n: u32,
}

impl Draft {
    pub(crate) fn new(name: &str, tool: &str) -> Self {
        let mut run = BenchRun::new(name, Side::Client, Vec::new());
        run.reported.tool = Some(Tool { name: tool.to_owned(), version: Known::default() });
        Self {
            run,
            missing: Vec::new(),
            unknown: BTreeSet::new(),
            doubled: BTreeSet::new(),
            refused: Vec::new(),
            broke_off: None,
            closing: Closing::default(),
            arguments: Arguments::default(),
            part: Part::default(),
            rejected: Vec::new(),
            used: 0,
            averages: Vec::new(),
        }
    }

    /// Takes one request's statement into the mean of a metric, a derived figure of the run: for
    /// what a request record has no place for. What is not known is left out.
    pub(crate) fn average(
        &mut self,
        metric: Metric,
        value: Known<f64>,
        meaning: Definition,
        source: &'static str,
    ) {
        let Some(value) = value.value() else { return };
        match self.averages.iter_mut().find(|a| a.metric == metric && a.source == source) {
            Some(average) => {
                average.sum += value;
                average.n += 1;
            }
            None => self.averages.push(Average { metric, meaning, source, sum: value, n: 1 }),
        }
    }

    /// Notes the tool's version, stated or pointed to by its fields.
    pub(crate) fn version(&mut self, version: impl Into<String>, by: By) {
        if let Some(tool) = &mut self.run.reported.tool {
            tool.version = Known::is(version.into(), by);
        }
    }

    /// Records a figure.
    pub(crate) fn figure(
        &mut self,
        metric: Metric,
        statistic: Option<Statistic>,
        value: Known<f64>,
        meaning: Definition,
        source: &str,
    ) {
        self.stepped(Figure::new(metric, statistic, value, meaning, source), 0.0);
    }

    /// Records a figure that is written in steps.
    pub(crate) fn stepped(&mut self, figure: Figure, step: f64) {
        self.run.reported.figures.push(figure.in_steps_of(step));
    }

    /// Records a total.
    pub(crate) fn total(&mut self, total: Total, value: Known<u64>, source: &str) {
        self.run.reported.set_total(total, value, source);
    }

    /// Takes a document's keys by a table. A key that no row knows is noted; one that stands twice
    /// counts as impossible.
    pub(crate) fn take(&mut self, map: &Map, rows: &[Row]) {
        self.take_under("", map, rows);
    }

    /// The same for an object inside a document: its keys are told apart as `under.key`.
    pub(crate) fn take_under(&mut self, under: &str, map: &Map, rows: &[Row]) {
        let path =
            |key: &str| if under.is_empty() { key.to_owned() } else { format!("{under}.{key}") };
        self.doubled.extend(map.doubled().into_iter().map(path));
        let mut found = BTreeSet::new();
        for (key, node) in map.iter() {
            let known = rows.iter().find(|r| r.key == key && !matches!(r.takes, Takes::Spread(..)));
            let (row, stat) = match (known, spread_of(key, rows)) {
                (Some(row), _) => (row, None),
                (None, Some((stat, row))) => (row, Some(stat)),
                (None, None) => {
                    self.unknown.insert(path(key));
                    continue;
                }
            };
            if !found.insert(key) {
                continue;
            }
            let source = path(key);
            let twice = self.doubled.contains(&source);
            let value = if twice { Known::Not(Why::Impossible) } else { known_number(Some(node)) };
            self.set(row, stat, value, 0.0, node.text(), &source);
        }
        let there: Vec<&str> = map.iter().map(|(key, _)| key).collect();
        self.note_missing(rows, &there, |row, key| {
            key == row.key || spread_of(key, std::slice::from_ref(row)).is_some()
        });
    }

    /// Takes a console's labels by a table: those of the result, not what stands around it. A label
    /// that no row knows is noted.
    pub(crate) fn take_labels(&mut self, labels: &[Label<'_>], rows: &[Row]) {
        for label in labels {
            let known =
                rows.iter().find(|r| r.key == label.name && !matches!(r.takes, Takes::Spread(..)));
            let (row, stat) = match (known, spread_of(label.name, rows)) {
                (Some(row), _) => (row, None),
                (None, Some((stat, row))) => (row, Some(stat)),
                (None, None) => {
                    self.unknown.insert(label.name.to_owned());
                    continue;
                }
            };
            let number = label.value.split_whitespace().next().unwrap_or_default();
            let value = text_number(number);
            self.set(row, stat, value, step_of(number), Some(label.value), label.name);
        }
        let there: Vec<&str> = labels.iter().map(|l| l.name).collect();
        self.note_missing(rows, &there, |row, label| {
            label == row.key || spread_of(label, std::slice::from_ref(row)).is_some()
        });
    }

    /// Takes an object of statistics, such as `{"avg": 3, "p50": 2}`, for one metric. `known` are
    /// its keys that are no statistics.
    pub(crate) fn take_spread(
        &mut self,
        source: &str,
        map: &Map,
        (metric, unit, meaning): (Metric, f64, Definition),
        known: &[&str],
    ) {
        for (key, node) in map.iter() {
            let name = key.strip_prefix("quantiles_").unwrap_or(key);
            match statistic(name) {
                Some(stat) => {
                    let value = scaled(known_number(Some(node)), unit);
                    self.figure(metric, Some(stat), value, meaning, &format!("{source}.{key}"));
                }
                None if known.contains(&key) => {}
                None => drop(self.unknown.insert(format!("{source}.{key}"))),
            }
        }
    }

    /// Takes what a tool was called with.
    pub(crate) fn take_arguments(&mut self, arguments: &Arguments) {
        if self.arguments.is_empty() {
            self.arguments = arguments.clone();
        }
        take_plan(&mut self.run, arguments);
    }

    /// Notes the expected rows that no key or label of a place is.
    pub(crate) fn note_missing(
        &mut self,
        rows: &[Row],
        there: &[&str],
        is: impl Fn(&Row, &str) -> bool,
    ) {
        for row in rows.iter().filter(|row| row.expected) {
            if there.iter().any(|key| is(row, key)) {
                continue;
            }
            self.note_absent(row.key, row.takes, there);
        }
    }

    /// Notes something expected that is not among what is there.
    pub(crate) fn note_absent(&mut self, label: &str, takes: Takes, there: &[&str]) {
        let metric = match takes {
            Takes::Run(metric, _) | Takes::Spread(metric, _) => Some(metric),
            _ => None,
        };
        let nearest = nearest(label, there);
        self.missing.push(Absent { label: label.to_owned(), metric, nearest });
    }

    fn set(
        &mut self,
        row: &Row,
        stat: Option<Statistic>,
        value: Known<f64>,
        step: f64,
        text: Option<&str>,
        source: &str,
    ) {
        let count = || match value {
            Known::Is { value, .. } => whole(value * row.unit),
            Known::Not(why) => Known::Not(why),
        };
        let tokens = || count().value().map(Tokens::new);
        match row.takes {
            Takes::Run(metric, meaning) | Takes::Spread(metric, meaning) => {
                let figure = Figure::new(metric, stat, scaled(value, row.unit), meaning, source);
                self.stepped(figure, step * row.unit);
            }
            Takes::Total(total) => self.total(total, count(), source),
            Takes::Duration => {
                self.run.reported.duration = seconds(scaled(value, row.unit));
                self.run.reported.duration_step_s = step * row.unit;
            }
            Takes::Condition(name) => {
                let plain = value.value().map(|x| x.to_string());
                if let Some(value) = text.map(str::to_owned).or(plain).filter(|v| !v.is_empty()) {
                    self.run.conditions.set(name, value, By::Reported);
                }
            }
            Takes::PlannedRequests => {
                self.run.plan.requests = count().value();
                self.total(Total::PlannedRequests, count(), source);
            }
            Takes::Concurrency => {
                // Zero in flight is how some tools write that there is no cap.
                let cap = count().value().and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0);
                self.run.plan.max_concurrency = cap.or(self.run.plan.max_concurrency);
                set_load(&mut self.run.plan);
            }
            Takes::Rate => {
                if value.why() == Some(Why::NonFinite) {
                    // No rate: all at once, or as soon as the cap allows.
                    self.run.conditions.set("request_rate", "inf", By::Reported);
                }
                self.run.plan.load =
                    value.value().filter(|r| *r > 0.0).map(Load::Rate).or(self.run.plan.load);
                set_load(&mut self.run.plan);
            }
            Takes::PromptLength => self.run.plan.prompt_tokens = tokens(),
            Takes::OutputLength => self.run.plan.output_tokens = tokens(),
            Takes::Elsewhere | Takes::Unused => {}
        }
    }

    /// Made-up results of the unit tests hold it too: no figure has a meaning that its format does
    /// not list, and no total is one that it does not.
    #[cfg(test)]
    fn holds_only_what_is_listed(&self, format: &super::ResultFormat) {
        let (figures, totals) = (format.figures(), format.totals());
        let reported = &self.run.reported;
        for figure in &reported.figures {
            let listed = figures.iter().any(|meaning| meaning.is_of(figure));
            assert!(listed, "{}: {} is not listed: {}", format.name, figure.source, figure.name());
        }
        for total in &reported.totals {
            let listed = totals.iter().any(|meaning| meaning.total == total.total);
            assert!(listed, "{}: {} is not listed", format.name, total.source);
        }
    }

    /// The finished run.
    pub(crate) fn finish(
        mut self,
        format: &'static super::ResultFormat,
        evidence: &str,
    ) -> ResultRun {
        for a in std::mem::take(&mut self.averages) {
            let mean = Known::is(a.sum / f64::from(a.n), By::Derived);
            self.figure(a.metric, Some(Statistic::Mean), mean, a.meaning, a.source);
        }
        #[cfg(test)]
        self.holds_only_what_is_listed(format);
        ResultRun {
            run: self.run,
            format,
            recognised_by: evidence.to_owned(),
            missing: self.missing,
            unknown: self.unknown.into_iter().collect(),
            doubled: self.doubled.into_iter().collect(),
            refused: self.refused,
            broke_off: self.broke_off,
            closing: self.closing,
            arguments: self.arguments,
            part: self.part,
            rejected: self.rejected,
            used: self.used,
            also_in: Vec::new(),
        }
    }
}
