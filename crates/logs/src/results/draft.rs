//! A run while it is being read: figures, totals and plan taken from a table of fields; what no
//! table knows is kept by name.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use trueline_core::{
    BenchRun, By, Definition, Figure, Known, Load, Metric, Plan, Side, Statistic, Tokens, Tool,
    Total, Why,
};

use super::ResultRun;
use super::arguments::Arguments;
use super::labels::{Label, step_of};
use super::node::{Map, Node, known_number, text_number, whole};
use super::row::{Row, Takes, spread_of, statistic};
use super::secret::scrubbed;

/// Something that a tool and version writes and that is not there.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Absent {
    /// The key or label expected.
    pub label: String,
    /// The quantity, if it is one.
    pub metric: Option<Metric>,
    /// The lines or keys most like it that are there.
    pub nearest: Vec<String>,
}

impl Absent {
    /// Something expected, with what is there most like it.
    pub(crate) fn new(label: &str, metric: Option<Metric>, there: &[&str]) -> Self {
        Self { label: label.to_owned(), metric, nearest: nearest(label, there) }
    }
}

/// Whether a run's text comes to an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Closing {
    /// The result's closing line is there.
    Seen,
    /// The text is whole and has no result, or one that breaks off.
    Absent,
    /// A filter may have taken it.
    Filtered,
    /// The format has none.
    #[default]
    NotApplicable,
}

/// The runs of one format in one file, in their order.
#[derive(Debug)]
pub(crate) struct Drafts {
    /// What the file is called: the label of its first run.
    pub(crate) name: String,
    /// The runs.
    pub(crate) runs: Vec<Draft>,
    /// Places of runs by what their records call them, where records of several runs are mixed.
    pub(crate) places: HashMap<String, usize>,
}

impl Drafts {
    /// No run yet.
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), runs: Vec::new(), places: HashMap::new() }
    }

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

/// How a run broke off.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BrokeOff {
    /// The last line of a traceback, or what is missing.
    pub what: String,
    /// The argument that explains it, if one does.
    pub because: Option<String>,
    /// The line of the input.
    pub line: usize,
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
                rows.iter().find(|r| r.key == label.label && !matches!(r.takes, Takes::Spread(..)));
            let (row, stat) = match (known, spread_of(label.label, rows)) {
                (Some(row), _) => (row, None),
                (None, Some((stat, row))) => (row, Some(stat)),
                (None, None) => {
                    self.unknown.insert(label.label.to_owned());
                    continue;
                }
            };
            let number = label.value.split_whitespace().next().unwrap_or_default();
            let value = text_number(number);
            self.set(row, stat, value, step_of(number), Some(label.value), label.label);
        }
        let there: Vec<&str> = labels.iter().map(|l| l.label).collect();
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
                self.run.plan.load =
                    value.value().filter(|r| *r > 0.0).map(Load::Rate).or(self.run.plan.load);
                set_load(&mut self.run.plan);
            }
            Takes::PromptLength => self.run.plan.prompt_tokens = tokens(),
            Takes::OutputLength => self.run.plan.output_tokens = tokens(),
            Takes::Elsewhere | Takes::Unused => {}
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
        self.leave_out_what_cannot_be();
        self.leave_out_secrets();
        ResultRun {
            run: self.run,
            format,
            recognised_by: scrubbed(evidence),
            missing: self.missing,
            unknown: self.unknown.into_iter().collect(),
            doubled: self.doubled.into_iter().collect(),
            refused: self.refused,
            broke_off: self.broke_off,
            closing: self.closing,
            arguments: self.arguments,
            rejected: self.rejected,
            used: self.used,
            also_in: Vec::new(),
        }
    }
}

/// Fills a run's plan from what a tool was called with, and conditions that no file holds.
pub(super) fn take_plan(run: &mut BenchRun, arguments: &Arguments) {
    let plan = &mut run.plan;
    let cap = arguments.count("max_concurrency").or_else(|| arguments.count("concurrency"));
    plan.max_concurrency = plan.max_concurrency.or(cap.and_then(|n| u32::try_from(n).ok()));
    let planned = ["num_prompts", "num_requests", "request_count"];
    let planned = planned.into_iter().find_map(|name| arguments.count(name));
    plan.requests = plan.requests.or(planned);
    let rate = arguments.number("request_rate").filter(|rate| *rate > 0.0);
    plan.load = plan.load.or(rate.map(Load::Rate));
    let random = arguments.get("dataset_name").is_some_and(|d| d.starts_with("random"));
    if random && arguments.number("random_range_ratio") == Some(1.0) {
        let length = |name| arguments.count(name).map(Tokens::new);
        plan.prompt_tokens = plan.prompt_tokens.or(length("random_input_len"));
        plan.output_tokens = plan.output_tokens.or(length("random_output_len"));
    }
    set_load(plan);
    for (name, condition) in [
        ("model", "model"),
        ("dataset_name", "dataset"),
        ("seed", "seed"),
        ("backend", "endpoint"),
        ("tokenizer", "tokenizer"),
    ] {
        if let (Some(value), None) = (arguments.get(name), run.conditions.get(condition)) {
            run.conditions.set(condition, value, By::Reported);
        }
    }
}

/// A finite rate is the load; else the cap of requests in flight is.
fn set_load(plan: &mut Plan) {
    if !matches!(plan.load, Some(Load::Rate(_))) {
        plan.load = plan.max_concurrency.map(Load::Concurrency).or(plan.load);
    }
}

/// A value in another unit.
pub(crate) fn scaled(value: Known<f64>, unit: f64) -> Known<f64> {
    match value {
        Known::Is { value, by } => Known::is(value * unit, by),
        Known::Not(why) => Known::Not(why),
    }
}

/// A number of seconds as a duration; impossible where it is negative or beyond any run.
pub(crate) fn seconds(value: Known<f64>) -> Known<Duration> {
    match value {
        Known::Is { value, by } => match Duration::try_from_secs_f64(value) {
            Ok(duration) if value < 1e8 => Known::is(duration, by),
            _ => Known::Not(Why::Impossible),
        },
        Known::Not(why) => Known::Not(why),
    }
}

/// The number at a key as a duration.
pub(crate) fn duration_at(node: Option<&Node>, unit: f64) -> Known<Duration> {
    seconds(scaled(known_number(node), unit))
}

/// The names most like one, by the words that they share; at most three.
fn nearest(wanted: &str, there: &[&str]) -> Vec<String> {
    fn words(text: &str) -> impl Iterator<Item = &str> {
        text.split(|c: char| !c.is_alphanumeric()).filter(|w| w.len() > 1)
    }
    let wanted: BTreeSet<String> = words(wanted).map(str::to_ascii_lowercase).collect();
    let shared = |name: &str| {
        wanted.iter().filter(|word| words(name).any(|w| w.eq_ignore_ascii_case(word))).count()
    };
    let mut scored: Vec<(usize, &str)> =
        there.iter().map(|name| (shared(name), *name)).filter(|(shared, _)| *shared > 0).collect();
    scored.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
    scored.into_iter().take(3).map(|(_, name)| name.to_owned()).collect()
}
