//! inference-benchmarker on the console: a table of parameters and a table of results.

use trueline_core::{By, Figure, Known, Metric, Statistic, Tokens, Total, Why};

use super::{E2E, LENGTH, RATE, TOKEN_RATE, TOOL, TPOT, TTFT, WARMUP, set_load};
use crate::results::draft::Draft;
use crate::results::drafts::Drafts;
use crate::results::format::{Evidence, Reader, ResultFormat};
use crate::results::formats::distribution::{takes_time, zeros_are_nothing};
use crate::results::input::Input;
use crate::results::labels::step_of;
use crate::results::meaning::Statistics;
use crate::results::node::{counted, text_number};
use crate::results::quantity::{MS, scaled};
use crate::results::row::{Row, Takes};
use crate::results::table::cells;

pub(crate) static INFERENCE_BENCHMARKER_CONSOLE: ResultFormat = ResultFormat {
    name: "inference-benchmarker-console",
    tool: TOOL,
    versions: "1.1.0",
    shape: "console table",
    evidence: Evidence::Captured,
    source: "inference-benchmarker/src/table.rs",
    reader: Reader::Text { is, read },
    lists: |list| {
        for row in COLUMNS {
            let statistics = match row.takes {
                Takes::Spread(..) => Statistics::One(Statistic::Mean),
                _ => Statistics::None,
            };
            list.row(row.key, row, statistics);
        }
        list.totals(&COUNTS);
    },
};

/// The columns of the results; a spread is a mean.
const COLUMNS: &[Row] = &[
    Row::elsewhere("Benchmark"),
    Row::run("QPS", Metric::RequestPerS, 1.0, RATE).expected(),
    Row::spread("E2E Latency (avg)", Metric::E2eLatencyS, 1.0, E2E).expected(),
    Row::spread("TTFT (avg)", Metric::TtftS, MS, TTFT).expected(),
    Row::spread("ITL (avg)", Metric::TpotS, MS, TPOT).expected(),
    Row::run("Throughput", Metric::OutputTokPerS, 1.0, TOKEN_RATE).expected(),
    Row::unused("Error Rate"),
    Row::elsewhere("Successful Requests").expected(),
    Row::spread("Prompt tokens per req (avg)", Metric::PromptTokens, 1.0, LENGTH),
    Row::spread("Decoded tokens per req (avg)", Metric::OutputTokens, 1.0, LENGTH),
];

/// The two numbers in `8/8`: answered, and all.
const COUNTS: [(&str, Total); 2] = [
    ("Successful Requests", Total::CompletedRequests),
    ("Successful Requests", Total::FailedRequests),
];

/// What the parameters say of the plan.
#[derive(Debug, Default)]
struct Parameters {
    users: Option<u32>,
    tokenizer: Option<String>,
    prompt_tokens: Option<Tokens>,
    output_tokens: Option<Tokens>,
    version: Option<String>,
}

fn is_heading(row: &[&str]) -> bool {
    row.first() == Some(&"Benchmark") && row.contains(&"QPS") && row.contains(&"TTFT (avg)")
}

fn is(input: &Input) -> Option<String> {
    let heading = input.lines().filter_map(|line| cells(line.text)).any(|row| is_heading(&row));
    heading.then(|| "table Benchmark, QPS, TTFT (avg)".to_owned())
}

fn read(input: &Input, drafts: &mut Drafts) {
    let mut parameters = Parameters::default();
    let mut headings: Vec<String> = Vec::new();
    for line in input.lines() {
        if let Some((_, version)) = line.text.split_once("Inference Benchmark ") {
            parameters.version = version.split_whitespace().next().map(str::to_owned);
        }
        let Some(row) = cells(line.text) else { continue };
        if is_heading(&row) {
            headings = row.iter().map(|cell| (*cell).to_owned()).collect();
        } else if let ([name, value], true) = (row.as_slice(), headings.is_empty()) {
            parameters.take(name, value);
        } else if !headings.is_empty() && row.first() != Some(&WARMUP) {
            if row.len() == headings.len() {
                take_row(drafts.begin(TOOL), &headings, &row, &parameters);
            } else {
                let (place, expected) = (line.number, headings.len());
                let draft = drafts.current(TOOL);
                draft.reject(format!("line {place}"), format!("{expected} cells"), row.len());
            }
        }
    }
    if drafts.runs.is_empty() {
        drafts.begin(TOOL).refused.push("the table holds no result beside the warm-up".to_owned());
    }
}

impl Parameters {
    fn take(&mut self, name: &str, value: &str) {
        match name {
            "Max VUs" => self.users = value.parse().ok(),
            "Tokenizer" => self.tokenizer = Some(value.to_owned()),
            "Prompt Options" => self.prompt_tokens = fixed_length(value),
            "Decode Options" => self.output_tokens = fixed_length(value),
            _ => {}
        }
    }
}

/// The length in `num_tokens=Some(64),min_tokens=64,max_tokens=64,variance=0`.
fn fixed_length(options: &str) -> Option<Tokens> {
    let of = |key: &str| options.split(',').find_map(|part| part.trim().strip_prefix(key));
    let fixed = of("variance=").is_none_or(|v| v == "0");
    let count = of("num_tokens=Some(")?.strip_suffix(')')?.parse().ok()?;
    fixed.then_some(Tokens::new(count))
}

fn take_row(draft: &mut Draft, headings: &[String], row: &[&str], parameters: &Parameters) {
    draft.used += 1;
    for (heading, cell) in headings.iter().zip(row) {
        match COLUMNS.iter().find(|column| column.key == heading) {
            Some(column) => take_cell(draft, column, cell),
            None => drop(draft.unknown.insert(heading.clone())),
        }
    }
    let there: Vec<&str> = headings.iter().map(String::as_str).collect();
    draft.note_missing(COLUMNS, &there);
    zeros_are_nothing(draft, |metric| {
        takes_time(metric) || matches!(metric, Metric::RequestPerS | Metric::OutputTokPerS)
    });
    draft.run.plan.prompt_tokens = parameters.prompt_tokens;
    draft.run.plan.output_tokens = parameters.output_tokens;
    if let Some(tokenizer) = &parameters.tokenizer {
        draft.run.conditions.set("tokenizer", tokenizer, By::Reported);
    }
    if let Some(version) = &parameters.version {
        draft.version(version, By::Reported);
    }
    let id = row.first().copied().unwrap_or_default();
    draft.run.conditions.set("label", id, By::Reported);
    // A run at a rate is called `constant@2.00req/s`.
    let rate = id.split_once('@').and_then(|(_, at)| at.strip_suffix("req/s")?.parse().ok());
    set_load(draft, parameters.users, rate);
}

fn take_cell(draft: &mut Draft, column: &Row, cell: &str) {
    if COUNTS.iter().any(|(key, _)| *key == column.key) {
        let counts = cell.split_once('/').map(|(ok, all)| (count(ok), count(all)));
        let (ok, all) =
            counts.unwrap_or((Known::Not(Why::Impossible), Known::Not(Why::Impossible)));
        let failed = all.value().zip(ok.value()).and_then(|(all, ok)| all.checked_sub(ok));
        let failed = Known::derived(failed, Why::Impossible);
        for ((source, total), count) in COUNTS.into_iter().zip([ok, failed]) {
            draft.total(total, count, source);
        }
        return;
    }
    let statistic = match column.takes {
        Takes::Spread(..) => Some(Statistic::Mean),
        _ => None,
    };
    if let Takes::Run(metric, meaning) | Takes::Spread(metric, meaning) = column.takes {
        let number = cell.split_whitespace().next().unwrap_or_default();
        let value = scaled(text_number(number), column.unit);
        let figure = Figure::new(metric, statistic, value, meaning, column.key);
        draft.run.reported.figures.push(figure.in_steps_of(step_of(number) * column.unit));
    }
}

fn count(text: &str) -> Known<u64> {
    counted(text_number(text))
}
