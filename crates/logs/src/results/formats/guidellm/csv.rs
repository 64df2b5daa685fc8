//! GuideLLM, `benchmarks.csv`: three rows of headings (group, name, unit), then a row a benchmark.
//!
//! A column whose figures are zero in every benchmark is left out of the file, and a benchmark
//! without it has an empty cell, so a missing column is no fault of the file.

use csv::StringRecord;
use trueline_core::{Figure, Known, Metric, Statistic, Total, Why};

use super::meaning::{
    CONCURRENCY, E2E, E2E_PER_TOKEN, LENGTH, QUANTILES, RATE, SEND_DELAY, TOKEN_RATE, TPOT, TTFT,
    quantile,
};
use super::{TOOL, plan};
use crate::results::draft::Draft;
use crate::results::drafts::Drafts;
use crate::results::format::{Evidence, Reader, ResultFormat};
use crate::results::formats::distribution::{takes_time, zeros_are_nothing};
use crate::results::input::Input;
use crate::results::meaning::{Meanings, Statistics};
use crate::results::node::{Map, Node, counted, text_number};
use crate::results::quantity::{MS, scaled, seconds};
use crate::results::records::records;
use crate::results::row::{Row, Takes};

pub(crate) static GUIDELLM_CSV: ResultFormat = ResultFormat {
    name: "guidellm-csv",
    tool: TOOL,
    versions: "0.8.1",
    shape: "CSV with three rows of headings",
    evidence: Evidence::Captured,
    source: "guidellm/benchmark/outputs/csv.py",
    reader: Reader::Text { is, read },
    lists: list,
};

/// The figures: group and name of their columns with the row of what they hold.
const FIGURES: &[(&str, &str, Row)] = &[
    ("Request Latency", "Successful Sec", Row::run("", Metric::E2eLatencyS, 1.0, E2E)),
    ("Dispatch Delay", "Successful Sec", Row::run("", Metric::SendDelayS, 1.0, SEND_DELAY)),
    ("Time to First Token", "Successful ms", Row::run("", Metric::TtftS, MS, TTFT)),
    (
        "Time per Output Token",
        "Successful ms",
        Row::run("", Metric::E2ePerTokenS, MS, E2E_PER_TOKEN),
    ),
    ("Inter Token Latency", "Successful ms", Row::run("", Metric::TpotS, MS, TPOT)),
    ("Token Metrics", "Successful Input Tokens", Row::run("", Metric::PromptTokens, 1.0, LENGTH)),
    ("Token Metrics", "Successful Output Tokens", Row::run("", Metric::OutputTokens, 1.0, LENGTH)),
];

/// The rates, of which only the mean is one of the run.
const RATES: &[(&str, &str, Row)] = &[
    ("Server Throughput", "Successful Requests/Sec", Row::run("", Metric::RequestPerS, 1.0, RATE)),
    (
        "Server Throughput",
        "Successful Concurrency",
        Row::run("", Metric::Concurrency, 1.0, CONCURRENCY),
    ),
    (
        "Server Throughput",
        "Successful Goodput/Sec",
        Row::run("", Metric::GoodputRequestPerS, 1.0, RATE),
    ),
    (
        "Token Throughput",
        "Successful Input Tokens/Sec",
        Row::run("", Metric::InputTokPerS, 1.0, TOKEN_RATE),
    ),
    (
        "Token Throughput",
        "Successful Output Tokens/Sec",
        Row::run("", Metric::OutputTokPerS, 1.0, TOKEN_RATE),
    ),
    (
        "Token Throughput",
        "Successful Total Tokens/Sec",
        Row::run("", Metric::TotalTokPerS, 1.0, TOKEN_RATE),
    ),
];

const TOTALS: &[(&str, Total)] = &[
    ("Successful", Total::CompletedRequests),
    ("Errored", Total::FailedRequests),
    ("Incomplete", Total::CancelledRequests),
];

fn list(list: &mut Meanings) {
    for (group, name, row) in FIGURES {
        list.row(format!("{group} / {name} / STATISTIC"), row, Statistics::Any);
    }
    for (group, name, row) in RATES {
        list.row(format!("{group} / {name} / Mean"), row, Statistics::None);
    }
    for (name, total) in TOTALS {
        list.total(format!("Request Counts / {name}"), *total);
    }
    list.totals(&[plan::PLANNED]);
}

/// Groups that are known and not used, or looked at by name.
const OTHER_GROUPS: &[&str] = &[
    "Run Info",
    "Benchmark",
    "Timings",
    "Request Counts",
    "Streaming Iterations",
    "Time to First Output Token",
    "Time To Last Round Trip",
    "Avg Round Trip Time",
    "Turn Predecessor Delay",
    "Turn Scheduling Delay",
    "Scheduled Latency",
    "Server Throughput",
    "Token Metrics",
    "Token Throughput",
    "Token Streaming",
    "Scheduler State",
    "Scheduler Metrics",
    "Generation Delay",
    "Runtime Info",
    "Measurement Uncertainty",
];

/// What the groups of a modality begin with.
const MODALITIES: &[&str] = &["Text ", "Image ", "Video ", "Audio ", "Tool Call "];

/// A column by its three headings.
#[derive(Debug)]
struct Column<'a> {
    group: &'a str,
    name: &'a str,
    unit: &'a str,
}

fn is(input: &Input) -> Option<String> {
    let mut lines = input.text().lines();
    let mut has = |wanted: &[&str]| {
        let line = lines.next().unwrap_or_default();
        let cells: Vec<&str> = line.split(',').map(|cell| cell.trim_matches('"').trim()).collect();
        wanted.iter().all(|cell| cells.contains(cell))
    };
    (has(&["Run Info", "Request Counts"]) && has(&["Strategy", "Successful", "Errored"]))
        .then(|| "headings Run Info and Request Counts over Strategy".to_owned())
}

fn read(input: &Input, drafts: &mut Drafts) {
    let mut records = records(input.text());
    let headings: Vec<StringRecord> = records.by_ref().take(3).filter_map(Result::ok).collect();
    let [groups, names, units] = headings.as_slice() else { return };
    let at = |row: &StringRecord, i: usize| row.get(i).unwrap_or_default().trim().to_owned();
    let columns: Vec<[String; 3]> =
        (0..groups.len()).map(|i| [at(groups, i), at(names, i), at(units, i)]).collect();
    let columns: Vec<Column<'_>> =
        columns.iter().map(|[group, name, unit]| Column { group, name, unit }).collect();
    for (i, record) in records.enumerate() {
        let wrong = match record {
            Ok(record) if record.len() == columns.len() => {
                take_row(drafts.begin(TOOL), &columns, &record);
                continue;
            }
            Ok(record) => format!("expected {} cells, found {}", columns.len(), record.len()),
            Err(error) => error.to_string(),
        };
        drafts.current(TOOL).rejected.push(format!("row {}: {wrong}", i + 4));
    }
}

fn take_row(draft: &mut Draft, columns: &[Column<'_>], record: &StringRecord) {
    draft.used += 1;
    for (column, cell) in columns.iter().zip(record) {
        if is_at(column, FIGURES) || is_at(column, RATES) {
            take_figure(draft, column, cell);
        } else if !take_other(draft, column, cell) && !is_known(column) {
            draft.unknown.insert(format!("{} / {} / {}", column.group, column.name, column.unit));
        }
    }
    for (group, name, row) in FIGURES.iter().chain(RATES) {
        let there = columns.iter().any(|c| c.group == *group && c.name == *name);
        if let (Takes::Run(metric, meaning), false) = (row.takes, there)
            && !matches!(metric, Metric::SendDelayS | Metric::GoodputRequestPerS)
        {
            let source = format!("{group} / {name}");
            draft.figure(metric, Some(Statistic::Mean), Known::Not(Why::Absent), meaning, &source);
        }
    }
    zeros_are_nothing(draft, takes_time);
}

fn is_at(column: &Column<'_>, table: &[(&str, &str, Row)]) -> bool {
    table.iter().any(|(group, name, _)| column.group == *group && column.name == *name)
}

fn is_known(column: &Column<'_>) -> bool {
    OTHER_GROUPS.contains(&column.group)
        || MODALITIES.iter().any(|m| column.group.starts_with(m))
        || ["Incomplete ", "Errored "].iter().any(|status| column.name.starts_with(status))
}

/// One cell of a figure: a mean, a median, a deviation, or all percentiles as a list.
fn take_figure(draft: &mut Draft, column: &Column<'_>, cell: &str) {
    let of = |table: &'static [(&str, &str, Row)]| {
        table.iter().find(|(group, name, _)| column.group == *group && column.name == *name)
    };
    let source = format!("{} / {} / {}", column.group, column.name, column.unit);
    let mut set = |row: &Row, statistic: Option<Statistic>, text: &str| {
        let Takes::Run(metric, meaning) = row.takes else { return };
        let value = scaled(text_number(text), row.unit);
        draft.run.reported.figures.push(Figure::new(metric, statistic, value, meaning, &source));
    };
    if let Some((_, _, row)) = of(RATES) {
        if column.unit.eq_ignore_ascii_case("mean") {
            set(row, None, cell);
        }
    } else if let Some((_, _, row)) = of(FIGURES) {
        match column.unit {
            "Mean" => set(row, Some(Statistic::Mean), cell),
            "Median" => set(row, Some(Statistic::Median), cell),
            "Std Dev" => set(row, Some(Statistic::Deviation), cell),
            "Percentiles" => {
                let list = cell.trim().trim_start_matches('[').trim_end_matches(']');
                let values: Vec<&str> = list.split(',').collect();
                if values.len() == QUANTILES.len() {
                    for (name, value) in QUANTILES.into_iter().zip(values) {
                        set(row, quantile(name), value);
                    }
                }
            }
            _ => {}
        }
    }
}

/// A cell that is no figure; whether it was one of those.
fn take_other(draft: &mut Draft, column: &Column<'_>, cell: &str) -> bool {
    let count = || counted(text_number(cell));
    match (column.group, column.name) {
        ("Timings", "Duration") => draft.run.reported.duration = seconds(text_number(cell)),
        ("Benchmark", "Strategy") => plan::take_strategy_name(draft, cell),
        ("Request Counts", name) => {
            let Some((_, total)) = TOTALS.iter().find(|(known, _)| *known == name) else {
                return false;
            };
            draft.total(*total, count(), &format!("Request Counts / {name}"));
        }
        ("Benchmark", "Constraints") => with_object(cell, |map| plan::take_constraints(draft, map)),
        ("Run Info", "Backend") => with_object(cell, |map| plan::take_backend(draft, map)),
        ("Runtime Info", "Arguments") => with_object(cell, |map| {
            if let Some(spec) = map.get("spec").and_then(Node::map) {
                plan::take_spec(draft, spec);
            }
        }),
        ("Runtime Info", "Metadata") => {
            with_object(cell, |map| draft.take_version(map, &["guidellm_version"]));
        }
        _ => return false,
    }
    true
}

/// The object that a cell holds as JSON, if it does.
fn with_object(cell: &str, mut take: impl FnMut(&Map)) {
    if let Ok(Node::Map(map)) = serde_json::from_str::<Node>(cell) {
        take(&map);
    }
}
