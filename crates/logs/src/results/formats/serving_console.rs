//! The console of vLLM's and SGLang's serving benchmarks: one layout, two tables of labels.

use trueline_core::{By, Known, Load, Metric, Total};

use super::printed::{Printing, SGLANG, VLLM};
use super::segments::{Segment, segments};
use super::{sglang, vllm};
use crate::results::draft::{Absent, BrokeOff, Closing, Draft, Drafts};
use crate::results::format::{Evidence, Reader, ResultFormat};
use crate::results::input::Input;
use crate::results::invalid::explains;
use crate::results::labels::split;
use crate::results::node::{text_number, whole};
use crate::results::row::{Row, Takes};

pub(crate) static SGLANG_CONSOLE: ResultFormat = ResultFormat {
    name: "sglang-bench-console",
    tool: sglang::TOOL,
    versions: "0.4.2, 0.5.3, 0.5.23 (Python and Rust), whole, crashed or filtered",
    shape: "console",
    evidence: Evidence::Captured,
    source: "sglang/bench_serving.py, later sglang/benchmark/serving.py",
    reader: Reader::Text { is: is_sglang, read: read_sglang },
};

pub(crate) static VLLM_CONSOLE: ResultFormat = ResultFormat {
    name: "vllm-bench-console",
    tool: vllm::TOOL,
    versions: "0.9.2, 0.33.0, whole or filtered",
    shape: "console",
    evidence: Evidence::Captured,
    source: "vllm/benchmarks/serve.py",
    reader: Reader::Text { is: is_vllm, read: read_vllm },
};

const MS: f64 = 1e-3;

const SGLANG_ROWS: &[Row] = &[
    Row::condition("Backend", "endpoint"),
    Row::condition("Protocol", "protocol"),
    Row::plan("Traffic request rate", Takes::Rate),
    Row::plan("Max reqeuest concurrency", Takes::Concurrency),
    Row::plan("Max request concurrency", Takes::Concurrency),
    Row::total("Successful requests", Total::CompletedRequests),
    Row::duration("Benchmark duration (s)", 1.0),
    Row::total("Total input tokens", Total::PromptTokens),
    Row::total("Total generated tokens", Total::OutputTokens),
    Row::total("Total generated tokens (retokenized)", Total::OwnOutputTokens),
    Row::run("Request throughput (req/s)", Metric::RequestPerS, 1.0, sglang::RATE),
    Row::run("Request goodput (req/s)", Metric::GoodputRequestPerS, 1.0, sglang::RATE),
    Row::run("Input token throughput (tok/s)", Metric::InputTokPerS, 1.0, sglang::TOKEN_RATE),
    Row::run("Output token throughput (tok/s)", Metric::OutputTokPerS, 1.0, sglang::TOKEN_RATE),
    Row::run("Peak output token throughput (tok/s)", Metric::PeakOutputTokPerS, 1.0, sglang::PEAK),
    Row::run("Peak concurrent requests", Metric::PeakConcurrency, 1.0, sglang::PEAK_CONCURRENCY),
    Row::run("Total token throughput (tok/s)", Metric::TotalTokPerS, 1.0, sglang::TOKEN_RATE),
    Row::run("Concurrency", Metric::Concurrency, 1.0, sglang::CONCURRENCY),
    Row::spread("E2E Latency (ms)", Metric::E2eLatencyS, MS, sglang::E2E),
    Row::spread("TTFT (ms)", Metric::TtftS, MS, sglang::TTFT),
    Row::spread("TPOT (ms)", Metric::TpotS, MS, sglang::TPOT),
    Row::spread("ITL (ms)", Metric::ItlS, MS, sglang::ITL),
    Row::unused("Total input text tokens"),
    Row::unused("Total input vision tokens"),
    Row::unused("Accept length"),
    Row::unused("SLOs (ms)"),
    Row::unused("SLO attainment (%)"),
    Row::unused("TTFT SLO attainment (%)"),
    Row::unused("TPOT SLO attainment (%)"),
    Row::unused("E2E SLO attainment (%)"),
];

const VLLM_ROWS: &[Row] = &[
    Row::plan("Traffic request rate", Takes::Rate),
    Row::plan("Request rate configured (RPS)", Takes::Rate),
    Row::plan("Maximum request concurrency", Takes::Concurrency),
    Row::unused("Burstiness factor"),
    Row::total("Successful requests", Total::CompletedRequests),
    Row::total("Failed requests", Total::FailedRequests),
    Row::duration("Benchmark duration (s)", 1.0),
    Row::total("Total input tokens", Total::PromptTokens),
    Row::total("Total generated tokens", Total::OutputTokens),
    Row::run("Request throughput (req/s)", Metric::RequestPerS, 1.0, vllm::RATE),
    Row::run("Request goodput (req/s)", Metric::GoodputRequestPerS, 1.0, vllm::RATE),
    Row::run("Input token throughput (tok/s)", Metric::InputTokPerS, 1.0, vllm::TOKEN_RATE),
    Row::run("Output token throughput (tok/s)", Metric::OutputTokPerS, 1.0, vllm::TOKEN_RATE),
    Row::run("Peak output token throughput (tok/s)", Metric::PeakOutputTokPerS, 1.0, vllm::PEAK),
    Row::run("Peak concurrent requests", Metric::PeakConcurrency, 1.0, vllm::PEAK_CONCURRENCY),
    Row::run("Total Token throughput (tok/s)", Metric::TotalTokPerS, 1.0, vllm::TOKEN_RATE),
    Row::run("Total token throughput (tok/s)", Metric::TotalTokPerS, 1.0, vllm::TOKEN_RATE),
    Row::spread("TTFT (ms)", Metric::TtftS, MS, vllm::TTFT),
    Row::spread("TPOT (ms)", Metric::TpotS, MS, vllm::TPOT),
    Row::spread("ITL (ms)", Metric::ItlS, MS, vllm::ITL),
    Row::spread("E2EL (ms)", Metric::E2eLatencyS, MS, vllm::E2E),
    Row::spread("Client Queue Time (ms)", Metric::SendDelayS, MS, vllm::SEND_DELAY),
    Row::unused("RTFx (Inverse Real-Time Factor)"),
    Row::unused("Acceptance rate (%)"),
    Row::unused("Acceptance length"),
    Row::unused("Drafts"),
    Row::unused("Draft tokens"),
    Row::unused("Accepted tokens"),
];

/// What only SGLang prints.
const ONLY_SGLANG: &[&str] =
    &["Backend", "Max reqeuest concurrency", "Max request concurrency", "Mean E2E Latency (ms)"];

fn is_sglang(input: &Input) -> Option<String> {
    input.lines().find_map(|line| {
        let text = line.text.trim();
        let label = split(text).map_or("", |(label, _)| label);
        let plan = matches!(label, "#Input tokens" | "#Output tokens");
        let echo = text.contains("Namespace(backend=") && text.contains("sharegpt_output_len");
        let what = if echo { "the echo of its arguments" } else { label };
        (plan || echo || ONLY_SGLANG.contains(&label))
            .then(|| format!("line {}: {what}", line.number))
    })
}

fn is_vllm(input: &Input) -> Option<String> {
    if is_sglang(input).is_some() {
        return None;
    }
    input.lines().find_map(|line| {
        let result = "Serving Benchmark Result";
        let label = split(line.text.trim()).map(|(label, _)| label);
        let label = label.filter(|label| is_known(label, VLLM_ROWS, &VLLM));
        let what = if line.text.contains(result) { Some(result) } else { label };
        what.map(|what| format!("line {}: {what}", line.number))
    })
}

fn is_known(label: &str, rows: &[Row], printing: &Printing) -> bool {
    printing.has(label)
        || rows.iter().any(|row| row.key == label && !matches!(row.takes, Takes::Spread(..)))
        || crate::results::row::spread_of(label, rows).is_some()
}

fn read_sglang(input: &Input, drafts: &mut Drafts) {
    read(input, drafts, SGLANG_ROWS, &SGLANG);
}

fn read_vllm(input: &Input, drafts: &mut Drafts) {
    read(input, drafts, VLLM_ROWS, &VLLM);
}

fn read(input: &Input, drafts: &mut Drafts, rows: &'static [Row], printing: &'static Printing) {
    // Inside a whole result every label counts; outside only those that are known.
    let is_label = |label: &str, inside: bool| {
        is_known(label, rows, printing) || (inside && label.ends_with(')') && label.contains(" ("))
    };
    for segment in segments(input.lines(), is_label) {
        let draft = drafts.begin(printing.tool);
        take(draft, &segment, rows, printing);
    }
}

fn take(draft: &mut Draft, segment: &Segment<'_>, rows: &[Row], printing: &Printing) {
    for (value, total, label) in [
        (segment.planned[0], Total::PlannedPromptTokens, "#Input tokens"),
        (segment.planned[1], Total::PlannedOutputTokens, "#Output tokens"),
    ] {
        if let Some(text) = value {
            let count = text_number(text).value().map_or(Known::default(), whole);
            draft.total(total, count, label);
        }
    }
    draft.take_arguments(&segment.arguments);
    draft.take_labels(&segment.plan, rows);
    draft.take_labels(&segment.result, rows);
    if let Some((failed, of)) = segment.failed {
        draft.total(Total::FailedRequests, Known::is(failed, By::Reported), "requests failed");
        draft.total(Total::PlannedRequests, Known::is(of, By::Reported), "requests failed");
        draft.run.plan.requests.get_or_insert(of);
    }
    if draft.run.plan.load.is_none() {
        draft.run.plan.load = segment.echo.and_then(load_in);
    }
    draft.closing = match () {
        () if segment.is_closed => Closing::Seen,
        () if segment.started || segment.has_heading => Closing::Absent,
        () => Closing::Filtered,
    };
    if let Some(line) = segment.crash {
        let because = explains(&draft.arguments, line.text);
        draft.broke_off =
            Some(BrokeOff { what: line.text.trim().to_owned(), because, line: line.number });
    }
    let labels: Vec<&str> = segment.result.iter().map(|l| l.label).collect();
    let Some((oldest, newest)) = printing.versions_of(&labels).filter(|_| !labels.is_empty())
    else {
        return;
    };
    note_version(draft, printing, oldest, newest);
    note_absent(draft, &labels, printing, oldest, newest);
}

fn note_version(draft: &mut Draft, printing: &Printing, oldest: usize, newest: usize) {
    let Some(from) = printing.versions.get(oldest) else { return };
    let text = match printing.versions.get(newest + 1) {
        Some(next) => format!("{from} to before {next}"),
        None => format!("{from} or later"),
    };
    draft.version(text, By::Derived);
}

/// Notes quantities that every version fitting the labels prints and that are not there.
fn note_absent(
    draft: &mut Draft,
    there: &[&str],
    printing: &Printing,
    oldest: usize,
    newest: usize,
) {
    let mut quantities: Vec<Metric> = Vec::new();
    for printed in printing.of(oldest) {
        let Some(metric) = printed.metric else { continue };
        let always = (oldest..=newest).all(|v| printing.of(v).any(|p| p.metric == Some(metric)));
        if always && !quantities.contains(&metric) {
            quantities.push(metric);
        }
    }
    for metric in quantities {
        if draft.run.reported.figures.iter().any(|f| f.metric == metric) {
            continue;
        }
        let label = printing.of(oldest).find(|p| p.metric == Some(metric)).map_or("", |p| p.line);
        draft.missing.push(Absent::new(label.trim_end_matches(':'), Some(metric), there));
    }
}

/// The level in a script's own heading, `Concurrency 8` or `rate=4`.
fn load_in(echo: &str) -> Option<Load> {
    let lower = echo.to_ascii_lowercase();
    let number: String = lower
        .chars()
        .skip_while(|c| !c.is_ascii_digit())
        .take_while(|c| c.is_ascii_digit() || *c == '.')
        .collect();
    if ["conc", "parallel", "users", "c="].iter().any(|word| lower.contains(word)) {
        number.parse().ok().map(Load::Concurrency)
    } else if lower.contains("rate") || lower.contains("qps") || lower.contains("rps") {
        number.parse().ok().filter(|r| *r > 0.0).map(Load::Rate)
    } else {
        None
    }
}
