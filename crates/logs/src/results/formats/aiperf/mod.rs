//! NVIDIA AIPerf: one JSON object a run, JSON lines of its requests, CSV, console.
//!
//! genai-perf, which it replaces, has the same shapes with other tables; what both share is in
//! [`stated`], [`config`], [`csv`] and [`console`].

mod beside;
pub(super) mod config;
pub(super) mod console;
pub(super) mod csv;
pub(super) mod field;
mod fields;
pub(super) mod json;
pub(super) mod listed;
mod records;
pub(super) mod stated;

use self::field::Field;
use self::fields::{FIELDS, is_of_family};
use self::stated::CANCELLED;
use crate::results::format::{Evidence, Origin, Reader, ResultFormat};
use crate::results::input::Input;

const TOOL: &str = "aiperf";

const ORIGIN: Origin = Origin {
    tool: TOOL,
    versions: "0.13.0; the configuration of earlier ones known",
    evidence: Evidence::Captured,
    source: "github.com/ai-dynamo/aiperf, docs/metrics-reference.md",
};

pub(crate) static AIPERF_JSON: ResultFormat = ORIGIN.format(
    "aiperf-json",
    "JSON",
    Reader::Documents { is: json::is, read: json::read },
    |list| {
        listed::by_key(list, FIELDS);
        listed::counted_by_server(list, FIELDS);
        list.totals(&[CANCELLED, config::PLANNED]);
    },
);

pub(crate) static AIPERF_RECORDS: ResultFormat = ORIGIN.format(
    "aiperf-records",
    "JSON lines, one a request",
    Reader::Documents { is: records::is, read: records::read },
    records::list,
);

pub(crate) static AIPERF_CSV: ResultFormat = ORIGIN.format(
    "aiperf-csv",
    "CSV of two or three tables",
    Reader::Text { is: is_csv, read: |input, drafts| csv::read(input, drafts, &PRINTED) },
    |list| listed::by_name(list, FIELDS),
);

pub(crate) static AIPERF_CONSOLE: ResultFormat = ORIGIN.format(
    "aiperf-console",
    "console",
    Reader::Text {
        is: |input| PRINTED.is_console(input),
        read: |input, drafts| console::read(input, drafts, &PRINTED),
    },
    |list| listed::by_name(list, FIELDS),
);

pub(crate) static AIPERF_BESIDE: ResultFormat = ORIGIN.format(
    "aiperf-beside",
    "inputs, manifest of phases, raw requests, time slices: no results",
    Reader::Beside { is: beside::is },
    |_| {},
);

/// How a tool prints its metrics for people: by their names, on a console or in CSV.
pub(super) struct Printed {
    /// The tool.
    pub(super) tool: &'static str,
    /// What stands before the bar in the titles of its tables.
    pub(super) title: &'static str,
    /// Its metrics.
    pub(super) fields: &'static [Field],
    /// Whether a name is known though it is in no table.
    pub(super) is_known: fn(&str) -> bool,
    /// The tags of what every answered run has.
    pub(super) expected: &'static [&'static str],
}

impl Printed {
    /// By what a text is the tool's console: the title of a table of metrics.
    pub(super) fn is_console(&self, input: &Input) -> Option<String> {
        let titled = input.lines().any(|line| console::title(line.text, self).is_some());
        titled.then(|| self.title.to_owned())
    }

    /// Its metrics that every answered run has.
    pub(super) fn expected_fields(&self) -> impl Iterator<Item = &'static Field> {
        self.fields.iter().filter(|field| self.expected.contains(&field.tag))
    }
}

const PRINTED: Printed = Printed {
    tool: TOOL,
    title: "NVIDIA AIPerf |",
    fields: FIELDS,
    is_known: is_of_family,
    expected: json::EXPECTED,
};

fn is_csv(input: &Input) -> Option<String> {
    let columns = csv::first_columns(input)?;
    let has = |name: &str| columns.iter().any(|column| column == name);
    // A run without a single answer has only the second table.
    let counts = columns == ["Metric", "Value"]
        && input.lines().any(|line| line.text.starts_with("Completed Requests (Success + Error),"));
    let stated = has("Metric") && has("avg") && has("std");
    (stated || counts).then(|| columns.join(","))
}
