//! The console of SGLang `bench_serving`: labels under headings, whole, crashed or filtered.

use trueline_core::{Metric, Total};

use super::{CONCURRENCY, E2E, ITL, PEAK, PEAK_CONCURRENCY, RATE, TOKEN_RATE, TOOL, TPOT, TTFT};
use crate::results::drafts::Drafts;
use crate::results::format::{Evidence, Reader, ResultFormat};
use crate::results::formats::serving::console;
use crate::results::formats::serving::printed::{Printing, any, since, until};
use crate::results::input::Input;
use crate::results::labels::split;
use crate::results::quantity::MS;
use crate::results::row::{Row, Takes};

pub(crate) static SGLANG_CONSOLE: ResultFormat = ResultFormat {
    name: "sglang-bench-console",
    tool: TOOL,
    versions: "0.4.2, 0.5.3, 0.5.23 (Python and Rust), whole, crashed or filtered",
    shape: "console",
    evidence: Evidence::Captured,
    source: "sglang/bench_serving.py, later sglang/benchmark/serving.py",
    reader: Reader::Text { is, read },
    lists: |list| {
        list.totals(&console::PLANNED);
        list.rows("", ROWS);
        list.totals(&console::FAILURES);
    },
};

const ROWS: &[Row] = &[
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
    Row::run("Request throughput (req/s)", Metric::RequestPerS, 1.0, RATE),
    Row::run("Request goodput (req/s)", Metric::GoodputRequestPerS, 1.0, RATE),
    Row::run("Input token throughput (tok/s)", Metric::InputTokPerS, 1.0, TOKEN_RATE),
    Row::run("Output token throughput (tok/s)", Metric::OutputTokPerS, 1.0, TOKEN_RATE),
    Row::run("Peak output token throughput (tok/s)", Metric::PeakOutputTokPerS, 1.0, PEAK),
    Row::run("Peak concurrent requests", Metric::PeakConcurrency, 1.0, PEAK_CONCURRENCY),
    Row::run("Total token throughput (tok/s)", Metric::TotalTokPerS, 1.0, TOKEN_RATE),
    Row::run("Concurrency", Metric::Concurrency, 1.0, CONCURRENCY),
    Row::spread("E2E Latency (ms)", Metric::E2eLatencyS, MS, E2E),
    Row::spread("TTFT (ms)", Metric::TtftS, MS, TTFT),
    Row::spread("TPOT (ms)", Metric::TpotS, MS, TPOT),
    Row::spread("ITL (ms)", Metric::ItlS, MS, ITL),
    Row::unused("Total input text tokens"),
    Row::unused("Total input vision tokens"),
    Row::unused("Accept length"),
    Row::unused("SLOs (ms)"),
    Row::unused("SLO attainment (%)"),
    Row::unused("TTFT SLO attainment (%)"),
    Row::unused("TPOT SLO attainment (%)"),
    Row::unused("E2E SLO attainment (%)"),
];

/// What only SGLang prints.
const ONLY_SGLANG: &[&str] =
    &["Backend", "Max reqeuest concurrency", "Max request concurrency", "Mean E2E Latency (ms)"];

/// By what a text is one of this tool.
pub(in crate::results::formats) fn is(input: &Input) -> Option<String> {
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

fn read(input: &Input, drafts: &mut Drafts) {
    console::read(input, drafts, ROWS, &PRINTED);
}

const OF_TTFT: Option<Metric> = Some(Metric::TtftS);
const OF_TPOT: Option<Metric> = Some(Metric::TpotS);
const OF_ITL: Option<Metric> = Some(Metric::ItlS);
const OF_E2E: Option<Metric> = Some(Metric::E2eLatencyS);
const OF_OUTPUT: Option<Metric> = Some(Metric::OutputTokPerS);

/// SGLang: run at 0.4.2, 0.5.3 and 0.5.23; the places in between are from its sources.
pub(crate) static PRINTED: Printing = Printing {
    tool: TOOL,
    versions: &["0.4.2", "0.4.3.post4", "0.5.3", "0.5.6", "0.5.8", "0.5.15"],
    lines: &[
        any("Backend:", None),
        any("Traffic request rate:", None),
        until(1, "Max reqeuest concurrency:", None),
        since(2, "Max request concurrency:", None),
        any("Successful requests:", None),
        any("Benchmark duration (s):", None),
        any("Total input tokens:", None),
        any("Total generated tokens:", None),
        any("Total generated tokens (retokenized):", None),
        any("Request throughput (req/s):", Some(Metric::RequestPerS)),
        any("Input token throughput (tok/s):", Some(Metric::InputTokPerS)),
        any("Output token throughput (tok/s):", OF_OUTPUT),
        since(3, "Peak output token throughput (tok/s):", Some(Metric::PeakOutputTokPerS)),
        since(3, "Peak concurrent requests:", Some(Metric::PeakConcurrency)),
        any("Total token throughput (tok/s):", Some(Metric::TotalTokPerS)),
        any("Concurrency:", Some(Metric::Concurrency)),
        any("End-to-End Latency", None),
        any("Mean E2E Latency (ms):", OF_E2E),
        any("Median E2E Latency (ms):", OF_E2E),
        since(4, "P90 E2E Latency (ms):", OF_E2E),
        since(5, "P95 E2E Latency (ms):", OF_E2E),
        since(4, "P99 E2E Latency (ms):", OF_E2E),
        any("Time to First Token", None),
        any("Mean TTFT (ms):", OF_TTFT),
        any("Median TTFT (ms):", OF_TTFT),
        since(5, "P90 TTFT (ms):", OF_TTFT),
        since(5, "P95 TTFT (ms):", OF_TTFT),
        any("P99 TTFT (ms):", OF_TTFT),
        until(0, "Time per Output Token (excl. 1st token)", None),
        until(0, "Mean TPOT (ms):", OF_TPOT),
        until(0, "Median TPOT (ms):", OF_TPOT),
        until(0, "P99 TPOT (ms):", OF_TPOT),
        since(3, "Time per Output Token (excl. 1st token)", None),
        since(3, "Mean TPOT (ms):", OF_TPOT),
        since(3, "Median TPOT (ms):", OF_TPOT),
        since(5, "P90 TPOT (ms):", OF_TPOT),
        since(5, "P95 TPOT (ms):", OF_TPOT),
        since(3, "P99 TPOT (ms):", OF_TPOT),
        until(0, "Inter-token Latency", None),
        since(1, "Inter-Token Latency", None),
        any("Mean ITL (ms):", OF_ITL),
        any("Median ITL (ms):", OF_ITL),
        since(5, "P90 ITL (ms):", OF_ITL),
        since(1, "P95 ITL (ms):", OF_ITL),
        any("P99 ITL (ms):", OF_ITL),
        since(1, "Max ITL (ms):", OF_ITL),
    ],
};
