//! CSV of AIPerf and genai-perf: several tables in one file, names with their unit in brackets.

use trueline_core::Known;

use super::Printed;
use super::field::Field;
use super::stated::{Metrics, Stated, Value};
use crate::results::draft::Draft;
use crate::results::drafts::Drafts;
use crate::results::input::Input;
use crate::results::labels::step_of;
use crate::results::node::text_number;
use crate::results::records::records;

/// The columns of a file's first row that says anything.
pub(in crate::results::formats) fn first_columns(input: &Input) -> Option<Vec<String>> {
    // Only CSV begins its very first line with this word.
    let first = input.lines().next().filter(|line| line.text.starts_with("Metric,"))?;
    Some(first.text.split(',').map(|column| column.trim().to_owned()).collect())
}

/// Reads a file's tables. Each table with statistics begins a run; the table of single values
/// behind it belongs to the same; telemetry of the accelerators is left out.
pub(in crate::results::formats) fn read(input: &Input, drafts: &mut Drafts, tool: &Printed) {
    let mut table = Table::Other;
    let mut stated: Vec<Stated> = Vec::new();
    for (i, row) in records(input.text()).enumerate() {
        let row = match row {
            Ok(row) => row,
            Err(error) => {
                let reason = format!("row {}: {error}", i + 1);
                drafts.current(tool.tool).rejected.push(reason);
                continue;
            }
        };
        let cells: Vec<&str> = row.iter().map(str::trim).collect();
        if let Some(next) = Table::headed(&cells) {
            let begins = matches!(&next, Table::Metrics(columns) if columns.len() > 1);
            if begins && !stated.is_empty() {
                finish(drafts.current(tool.tool), &stated, tool);
                stated.clear();
                drafts.begin(tool.tool);
            }
            table = next;
            continue;
        }
        let (Table::Metrics(columns), Some((name, values))) = (&table, cells.split_first()) else {
            continue;
        };
        let draft = drafts.current(tool.tool);
        if values.len() != columns.len() {
            draft.reject(name, format!("{} cells", columns.len() + 1), cells.len());
            continue;
        }
        draft.used += 1;
        let pairs = columns.iter().map(String::as_str).zip(values.iter().copied());
        stated.extend(printed(draft, name, pairs, tool));
    }
    finish(drafts.current(tool.tool), &stated, tool);
}

/// A table of the file.
enum Table {
    /// Metrics with these columns behind their name.
    Metrics(Vec<String>),
    /// Anything else.
    Other,
}

impl Table {
    /// The table that a row is the heading of, if it is one.
    fn headed(cells: &[&str]) -> Option<Self> {
        match cells {
            // In the table of single values the value is what a mean would be.
            ["Metric", "Value"] => Some(Self::Metrics(vec!["avg".to_owned()])),
            ["Metric", "avg", rest @ ..] => {
                let rest = rest.iter().map(|column| (*column).to_owned());
                Some(Self::Metrics(std::iter::once("avg".to_owned()).chain(rest).collect()))
            }
            ["Metric" | "Endpoint", ..] => Some(Self::Other),
            _ => None,
        }
    }
}

/// The metrics of a run to its figures and totals.
pub(super) fn finish(draft: &mut Draft, stated: &[Stated], tool: &Printed) {
    let metrics = Metrics(stated);
    metrics.take(draft);
    metrics.take_outcomes(draft, None, 0);
    metrics.note_missing(draft, tool.expected_fields(), |field| field.name);
}

/// A printed row as a metric; a name that nobody knows is noted.
pub(super) fn printed<'c>(
    draft: &mut Draft,
    label: &str,
    cells: impl IntoIterator<Item = (&'c str, &'c str)>,
    tool: &Printed,
) -> Option<Stated> {
    let Some((field, unit)) = field_of(label, tool) else {
        if !(tool.is_known)(label) {
            draft.unknown.insert(label.to_owned());
        }
        return None;
    };
    let value = |(name, text): (&str, &str)| {
        let is = text_number(text);
        let step = if is.is_known() { step_of(text) } else { 0.0 };
        Value { name: name.to_owned(), is, step }
    };
    // A cell with nothing in it is a statistic that the metric does not have.
    let has = |(_, text): &(&str, &str)| text_number(text) != Known::default();
    let values = cells.into_iter().filter(has).map(value).collect();
    let (source, unit) = (label.to_owned(), unit.to_owned());
    Some(Stated { field, source, unit, values, count: None })
}

/// A printed name's metric and unit: `Request Latency (ms)`. Some names end in brackets of their
/// own, and counts have no unit.
fn field_of<'l>(label: &'l str, tool: &Printed) -> Option<(&'static Field, &'l str)> {
    let named = |name: &str| tool.fields.iter().find(|field| field.name == name);
    if let Some(field) = named(label) {
        return Some((field, ""));
    }
    let (name, unit) = label.strip_suffix(')')?.rsplit_once(" (")?;
    Some((named(name)?, unit))
}
