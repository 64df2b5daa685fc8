//! Console tables of AIPerf and genai-perf: a title, a heading, one row a metric, long names wrapped
//! over two lines.

use std::collections::BTreeSet;

use super::Printed;
use super::csv::{finish, printed};
use super::stated::Stated;
use crate::results::drafts::Drafts;
use crate::results::input::Input;
use crate::results::table::cells;

/// What a table's title says behind the tool's name, if a line is the title of a table of metrics.
pub(in crate::results::formats) fn title<'l>(line: &'l str, tool: &Printed) -> Option<&'l str> {
    let name = line.trim().strip_prefix(tool.title)?.trim();
    name.contains("Metrics").then_some(name)
}

/// Reads the tables. One run prints each of its tables once: a title that comes again begins
/// another run.
pub(in crate::results::formats) fn read(input: &Input, drafts: &mut Drafts, tool: &Printed) {
    let mut titles: BTreeSet<&str> = BTreeSet::new();
    let mut table = Table::default();
    let mut stated: Vec<Stated> = Vec::new();
    let lines = input.lines().map(|line| line.text).chain([""]);
    for line in lines {
        if let Some(row) = cells(line) {
            table.push(&row);
            continue;
        }
        if is_rule(line) {
            continue;
        }
        // Text ends a table.
        let draft = drafts.current(tool.tool);
        for row in std::mem::take(&mut table).rows {
            draft.used += 1;
            let pairs = row.cells.iter().map(|(name, text)| (name.as_str(), text.as_str()));
            stated.extend(printed(draft, &row.label, pairs, tool));
        }
        if let Some(name) = title(line, tool) {
            if titles.contains(name) {
                finish(draft, &stated, tool);
                stated.clear();
                titles.clear();
                drafts.begin(tool.tool);
            }
            titles.insert(name);
            table.titled = true;
        }
    }
    finish(drafts.current(tool.tool), &stated, tool);
}

/// A line that only draws.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty()
        && line.chars().all(|c| ('\u{2500}'..='\u{257f}').contains(&c) || "+-=|".contains(c))
}

/// The rows of a table while its lines are read.
#[derive(Debug, Default)]
struct Table {
    /// Whether it stands under a title of metrics.
    titled: bool,
    /// The names of the columns behind the first; empty until the heading is read.
    columns: Vec<String>,
    /// What was read.
    rows: Vec<Printout>,
}

/// One row: its label and its cells with the name of their column.
#[derive(Debug)]
struct Printout {
    label: String,
    cells: Vec<(String, String)>,
}

impl Table {
    /// Takes a line of cells. One with a first cell alone goes on with the label above it.
    fn push(&mut self, line: &[&str]) {
        let Some((label, rest)) = line.split_first().filter(|_| self.titled) else { return };
        if self.columns.is_empty() {
            if matches!(*label, "Metric" | "Statistic") {
                self.columns = rest.iter().map(|column| (*column).to_owned()).collect();
            }
            return;
        }
        if rest.iter().all(|cell| cell.is_empty()) {
            if let Some(above) = self.rows.last_mut() {
                above.label.push(' ');
                above.label.push_str(label);
            }
            return;
        }
        let cells = self.columns.iter().zip(rest);
        let cells = cells.map(|(name, cell)| (name.clone(), (*cell).to_owned())).collect();
        self.rows.push(Printout { label: (*label).to_owned(), cells });
    }
}
