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
mod records;
pub(super) mod stated;

use self::field::Field;
use self::fields::{FIELDS, is_of_family};
use crate::results::format::{Evidence, Reader, ResultFormat};
use crate::results::input::Input;

pub(crate) const TOOL: &str = "aiperf";

const VERSIONS: &str = "0.13.0; the configuration of earlier ones known";

const SOURCE: &str = "github.com/ai-dynamo/aiperf, docs/metrics-reference.md";

const fn format(name: &'static str, shape: &'static str, reader: Reader) -> ResultFormat {
    ResultFormat {
        name,
        tool: TOOL,
        versions: VERSIONS,
        shape,
        evidence: Evidence::Captured,
        source: SOURCE,
        reader,
    }
}

pub(crate) static AIPERF_JSON: ResultFormat =
    format("aiperf-json", "JSON", Reader::Documents { is: json::is, read: json::read });

pub(crate) static AIPERF_RECORDS: ResultFormat = format(
    "aiperf-records",
    "JSON lines, one a request",
    Reader::Documents { is: records::is, read: records::read },
);

pub(crate) static AIPERF_CSV: ResultFormat = format(
    "aiperf-csv",
    "CSV of two or three tables",
    Reader::Text { is: is_csv, read: |input, drafts| csv::read(input, drafts, &PRINTED) },
);

pub(crate) static AIPERF_CONSOLE: ResultFormat = format(
    "aiperf-console",
    "console",
    Reader::Text { is: is_console, read: |input, drafts| console::read(input, drafts, &PRINTED) },
);

pub(crate) static AIPERF_BESIDE: ResultFormat = format(
    "aiperf-beside",
    "inputs, manifest of phases, raw requests, time slices: no results",
    Reader::Beside { is: beside::is },
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

const PRINTED: Printed = Printed {
    tool: TOOL,
    title: "NVIDIA AIPerf |",
    fields: FIELDS,
    is_known: is_of_family,
    expected: &["request_count", "request_latency", "request_throughput"],
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

fn is_console(input: &Input) -> Option<String> {
    input
        .lines()
        .any(|line| console::title(line.text, &PRINTED).is_some())
        .then(|| PRINTED.title.to_owned())
}
