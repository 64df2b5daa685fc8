//! GuideLLM on the console: tables under three rows of headings, a row a benchmark.

use trueline_core::{By, Figure, Metric, Statistic, Total};

use super::meaning::{
    CONCURRENCY, E2E, E2E_PER_TOKEN, LENGTH, RATE_OF_ALL, TOKEN_RATE_OF_ALL, TPOT, TTFT,
};
use super::{TOOL, plan};
use crate::results::draft::Draft;
use crate::results::drafts::Drafts;
use crate::results::format::{Evidence, Reader, ResultFormat};
use crate::results::formats::distribution::zeros_are_nothing;
use crate::results::input::Input;
use crate::results::labels::step_of;
use crate::results::meaning::{Meanings, Statistics};
use crate::results::node::{counted, text_number};
use crate::results::quantity::{MS, scaled, seconds};
use crate::results::row::{Row, Takes, statistic};
use crate::results::table::cells;

pub(crate) static GUIDELLM_CONSOLE: ResultFormat = ResultFormat {
    name: "guidellm-console",
    tool: TOOL,
    versions: "0.8.1",
    shape: "console tables",
    evidence: Evidence::Captured,
    source: "guidellm/benchmark/outputs/console.py",
    reader: Reader::Text { is, read },
    lists: list,
};

/// Columns by group, name and what they hold; a spread has its statistic in the third heading.
const COLUMNS: &[(&str, &str, Row)] = &[
    ("Timings", "Dur", Row::duration("Sec", 1.0)),
    ("Requests", "Comp", Row::total("Tot", Total::CompletedRequests)),
    ("Requests", "Inc", Row::total("Tot", Total::CancelledRequests)),
    ("Requests", "Err", Row::total("Tot", Total::FailedRequests)),
    ("Input Tokens", "Comp", Row::total("Tot", Total::PromptTokens)),
    ("Output Tokens", "Comp", Row::total("Tot", Total::OutputTokens)),
    ("Input Tok", "Per Req", Row::spread("", Metric::PromptTokens, 1.0, LENGTH)),
    ("Output Tok", "Per Req", Row::spread("", Metric::OutputTokens, 1.0, LENGTH)),
    ("Request Latency", "Sec", Row::spread("", Metric::E2eLatencyS, 1.0, E2E)),
    ("TTFT", "ms", Row::spread("", Metric::TtftS, MS, TTFT)),
    ("ITL", "ms", Row::spread("", Metric::TpotS, MS, TPOT)),
    ("TPOT", "ms", Row::spread("", Metric::E2ePerTokenS, MS, E2E_PER_TOKEN)),
    ("Requests", "Concurrency", Row::run("Mean", Metric::Concurrency, 1.0, CONCURRENCY)),
    ("Requests", "Per Sec", Row::run("Mean", Metric::RequestPerS, 1.0, RATE_OF_ALL)),
    ("Input Tokens", "Per Sec", Row::run("Mean", Metric::InputTokPerS, 1.0, TOKEN_RATE_OF_ALL)),
    ("Output Tokens", "Per Sec", Row::run("Mean", Metric::OutputTokPerS, 1.0, TOKEN_RATE_OF_ALL)),
    ("Total Tokens", "Per Sec", Row::run("Mean", Metric::TotalTokPerS, 1.0, TOKEN_RATE_OF_ALL)),
    ("Goodput", "Per Sec", Row::run("Mean", Metric::GoodputRequestPerS, 1.0, RATE_OF_ALL)),
];

fn list(list: &mut Meanings) {
    for (group, name, row) in COLUMNS {
        let key = |unit: &str| format!("{group} / {name} / {unit}");
        match row.takes {
            Takes::Total(total) => drop(list.total(key(row.key), total)),
            Takes::Spread(..) => drop(list.row(key("STATISTIC"), row, Statistics::Any)),
            _ => drop(list.row(key(row.key), row, Statistics::None)),
        }
    }
}

/// The line before the tables that names the model.
const VALIDATED: &str = "backend validated with model ";

fn is(input: &Input) -> Option<String> {
    let mut rows = input.lines().filter_map(|line| cells(line.text));
    let mut has = false;
    while let Some(row) = rows.next() {
        if row.first() == Some(&"Benchmark") && row.contains(&"Timings") {
            has |= rows.next().is_some_and(|names| names.first() == Some(&"Strategy"));
        }
    }
    has.then(|| "table Benchmark, Timings over Strategy".to_owned())
}

/// The headings of the table that is being read, each filled from the left: a heading spans the
/// empty cells behind it.
#[derive(Debug, Default)]
struct Headings(Vec<Vec<String>>);

impl Headings {
    fn add(&mut self, row: &[&str]) {
        let mut last = "";
        let filled = row.iter().map(|cell| {
            last = if cell.is_empty() { last } else { cell };
            last.to_owned()
        });
        self.0.push(filled.collect());
    }

    fn of(&self, row: usize, column: usize) -> &str {
        self.0.get(row).and_then(|row| row.get(column)).map_or("", String::as_str)
    }
}

fn read(input: &Input, drafts: &mut Drafts) {
    let mut headings = Headings::default();
    // Where the runs of this report begin, and which row of its tables comes next.
    let (mut first, mut next) = (0, 0);
    let mut model = None;
    for line in input.lines() {
        if let Some((_, name)) = line.text.split_once(VALIDATED) {
            model = Some(name.trim().to_owned());
        }
        let Some(row) = cells(line.text) else { continue };
        if row.first() == Some(&"Benchmark") {
            headings = Headings::default();
            next = first;
            if row.contains(&"Timings") {
                first = drafts.runs.len();
                next = first;
            }
        }
        if headings.0.len() < 3 {
            headings.add(&row);
            continue;
        }
        if headings.of(1, 0) != "Strategy" {
            continue;
        }
        if next >= drafts.runs.len() {
            drafts.begin(TOOL);
        }
        let Some(draft) = drafts.runs.get_mut(next) else { continue };
        next += 1;
        take_row(draft, &headings, &row, line.number);
        if let Some(model) = &model {
            draft.run.conditions.set("model", model, By::Reported);
        }
    }
    for draft in &mut drafts.runs {
        // A latency is written to a tenth of a second, so 0.0 may be a short one.
        zeros_are_nothing(draft, |m| {
            matches!(m, Metric::TtftS | Metric::TpotS | Metric::E2ePerTokenS)
        });
    }
}

fn take_row(draft: &mut Draft, headings: &Headings, row: &[&str], line: usize) {
    let width = headings.0.first().map_or(0, Vec::len);
    if row.len() != width {
        draft.reject(format!("line {line}"), format!("{width} cells"), row.len());
        return;
    }
    for (i, cell) in row.iter().enumerate() {
        if i == 0 {
            plan::take_strategy_name(draft, cell);
            continue;
        }
        let (group, name, unit) = (headings.of(0, i), headings.of(1, i), headings.of(2, i));
        let known = |(g, n, row): &&(&str, &str, Row)| {
            *g == group && *n == name && (row.key.is_empty() || row.key == unit)
        };
        if let Some((_, _, row)) = COLUMNS.iter().find(known) {
            take_cell(draft, row, &format!("{group} / {name} / {unit}"), unit, cell);
        }
    }
    draft.used += 1;
}

/// One cell: a number, which a margin may follow or a star that says it has none.
fn take_cell(draft: &mut Draft, row: &Row, source: &str, unit: &str, cell: &str) {
    let number = cell.split_whitespace().next().unwrap_or_default().trim_end_matches('*');
    let value = text_number(if number == "--" { "" } else { number });
    let step = step_of(number) * row.unit;
    match row.takes {
        Takes::Duration => {
            draft.run.reported.duration = seconds(value);
            draft.run.reported.duration_step_s = step;
        }
        Takes::Total(total) => {
            let count = counted(value);
            draft.total(total, count, source);
        }
        Takes::Run(metric, meaning) | Takes::Spread(metric, meaning) => {
            let statistic = match row.takes {
                Takes::Spread(..) => statistic(unit).or(Some(Statistic::Mean)),
                _ => None,
            };
            let value = scaled(value, row.unit);
            let figure = Figure::new(metric, statistic, value, meaning, source);
            draft.run.reported.figures.push(figure.in_steps_of(step));
        }
        _ => {}
    }
}
