//! A run while it is being read. What no table knows is kept by name, what cannot be used with why.

use std::collections::BTreeSet;
use std::fmt::Display;

use trueline_core::{
    BenchRun, By, Definition, Figure, Known, Metric, Side, Statistic, Tool, Total,
};

use super::Part;
use super::absent::Absent;
use super::arguments::Arguments;
use super::ending::{BrokeOff, Closing};
use super::node::{Map, Node, text_at};
use super::plan::take_plan;
use super::sums::Average;

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
    pub(super) averages: Vec<Average>,
}

impl Draft {
    /// A run of a tool of which nothing is known yet.
    pub(crate) fn new(name: &str, tool: &str) -> Self {
        let mut run = BenchRun::new(name, Side::Client, Vec::new());
        run.reported.tool = Some(Tool::new(tool));
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

    /// Notes the tool's version, stated or pointed to by its fields.
    pub(crate) fn version(&mut self, version: impl Into<String>, by: By) {
        if let Some(tool) = &mut self.run.reported.tool {
            tool.version = Known::is(version.into(), by);
        }
    }

    /// Notes the tool's version as a document states it.
    pub(crate) fn take_version(&mut self, map: &Map, path: &[&str]) {
        if let Some(version) = text_at(map, path) {
            self.version(version, By::Reported);
        }
    }

    /// Notes the server's version as that of the tool: the tool runs inside it.
    pub(crate) fn version_of_server(&mut self) {
        if let Some(version) = self.run.conditions.get("server_version").map(str::to_owned) {
            self.version(version, By::Reported);
        }
    }

    /// Records as conditions the texts at some paths of a document, where they say anything: path and
    /// our name. The last that is there counts.
    pub(crate) fn take_conditions(&mut self, map: &Map, named: &[(&[&str], &'static str)]) {
        for (path, name) in named {
            if let Some(text) = text_at(map, path) {
                self.run.conditions.set(*name, text, By::Reported);
            }
        }
    }

    /// Notes something that cannot be used: where it stands, what belongs there and what is there.
    pub(crate) fn reject(
        &mut self,
        place: impl Display,
        expected: impl Display,
        found: impl Display,
    ) {
        self.rejected.push(format!("{place}: expected {expected}, found {found}"));
    }

    /// The object at a place; anything else is rejected.
    pub(crate) fn object<'n>(&mut self, place: impl Display, node: &'n Node) -> Option<&'n Map> {
        if node.map().is_none() {
            self.reject(place, "an object", node.brief());
        }
        node.map()
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

    /// Takes what a tool was called with.
    pub(crate) fn take_arguments(&mut self, arguments: &Arguments) {
        if self.arguments.is_empty() {
            self.arguments = arguments.clone();
        }
        take_plan(&mut self.run, arguments);
    }
}
