//! The console of `vllm bench serve`: labels under headings, whole or filtered.

use trueline_core::{Metric, Total};

use super::{E2E, ITL, PEAK, PEAK_CONCURRENCY, RATE, SEND_DELAY, TOKEN_RATE, TOOL, TPOT, TTFT};
use crate::results::drafts::Drafts;
use crate::results::format::{Evidence, Reader, ResultFormat};
use crate::results::formats::serving::console::{self, is_known};
use crate::results::formats::serving::printed::{Printing, any, since, until};
use crate::results::formats::sglang;
use crate::results::input::Input;
use crate::results::labels::split;
use crate::results::quantity::MS;
use crate::results::row::{Row, Takes};

pub(crate) static VLLM_CONSOLE: ResultFormat = ResultFormat {
    name: "vllm-bench-console",
    tool: TOOL,
    versions: "0.9.2, 0.33.0, whole or filtered",
    shape: "console",
    evidence: Evidence::Captured,
    source: "vllm/benchmarks/serve.py",
    reader: Reader::Text { is, read },
    lists: |list| list.rows("", ROWS),
};

const ROWS: &[Row] = &[
    Row::plan("Traffic request rate", Takes::Rate),
    Row::plan("Request rate configured (RPS)", Takes::Rate),
    Row::plan("Maximum request concurrency", Takes::Concurrency),
    Row::unused("Burstiness factor"),
    Row::total("Successful requests", Total::CompletedRequests),
    Row::total("Failed requests", Total::FailedRequests),
    Row::duration("Benchmark duration (s)", 1.0),
    Row::total("Total input tokens", Total::PromptTokens),
    Row::total("Total generated tokens", Total::OutputTokens),
    Row::run("Request throughput (req/s)", Metric::RequestPerS, 1.0, RATE),
    Row::run("Request goodput (req/s)", Metric::GoodputRequestPerS, 1.0, RATE),
    Row::run("Input token throughput (tok/s)", Metric::InputTokPerS, 1.0, TOKEN_RATE),
    Row::run("Output token throughput (tok/s)", Metric::OutputTokPerS, 1.0, TOKEN_RATE),
    Row::run("Peak output token throughput (tok/s)", Metric::PeakOutputTokPerS, 1.0, PEAK),
    Row::run("Peak concurrent requests", Metric::PeakConcurrency, 1.0, PEAK_CONCURRENCY),
    Row::run("Total Token throughput (tok/s)", Metric::TotalTokPerS, 1.0, TOKEN_RATE),
    Row::run("Total token throughput (tok/s)", Metric::TotalTokPerS, 1.0, TOKEN_RATE),
    Row::spread("TTFT (ms)", Metric::TtftS, MS, TTFT),
    Row::spread("TPOT (ms)", Metric::TpotS, MS, TPOT),
    Row::spread("ITL (ms)", Metric::ItlS, MS, ITL),
    Row::spread("E2EL (ms)", Metric::E2eLatencyS, MS, E2E),
    Row::spread("Client Queue Time (ms)", Metric::SendDelayS, MS, SEND_DELAY),
    Row::unused("RTFx (Inverse Real-Time Factor)"),
    Row::unused("Acceptance rate (%)"),
    Row::unused("Acceptance length"),
    Row::unused("Drafts"),
    Row::unused("Draft tokens"),
    Row::unused("Accepted tokens"),
];

fn is(input: &Input) -> Option<String> {
    if sglang::console::is(input).is_some() {
        return None;
    }
    input.lines().find_map(|line| {
        let result = "Serving Benchmark Result";
        let label = split(line.text.trim()).map(|(label, _)| label);
        let label = label.filter(|label| is_known(label, ROWS, &PRINTED));
        let what = if line.text.contains(result) { Some(result) } else { label };
        what.map(|what| format!("line {}: {what}", line.number))
    })
}

fn read(input: &Input, drafts: &mut Drafts) {
    console::read(input, drafts, ROWS, &PRINTED);
}

const OF_TTFT: Option<Metric> = Some(Metric::TtftS);
const OF_TPOT: Option<Metric> = Some(Metric::TpotS);
const OF_ITL: Option<Metric> = Some(Metric::ItlS);
const OF_OUTPUT: Option<Metric> = Some(Metric::OutputTokPerS);

/// vLLM: run at 0.9.2 and 0.33.0; the places in between are from its sources.
pub(crate) static PRINTED: Printing = Printing {
    tool: TOOL,
    versions: &["0.9.2", "0.11.0", "0.20.0"],
    lines: &[
        any("Successful requests:", None),
        since(2, "Failed requests:", None),
        any("Benchmark duration (s):", None),
        any("Total input tokens:", None),
        any("Total generated tokens:", None),
        any("Request throughput (req/s):", Some(Metric::RequestPerS)),
        any("Output token throughput (tok/s):", OF_OUTPUT),
        since(1, "Peak output token throughput (tok/s):", Some(Metric::PeakOutputTokPerS)),
        since(1, "Peak concurrent requests:", Some(Metric::PeakConcurrency)),
        until(1, "Total Token throughput (tok/s):", Some(Metric::TotalTokPerS)),
        since(2, "Total token throughput (tok/s):", Some(Metric::TotalTokPerS)),
        any("Time to First Token", None),
        any("Mean TTFT (ms):", OF_TTFT),
        any("Median TTFT (ms):", OF_TTFT),
        any("Time per Output Token (excl. 1st token)", None),
        any("Mean TPOT (ms):", OF_TPOT),
        any("Median TPOT (ms):", OF_TPOT),
        any("Inter-token Latency", None),
        any("Mean ITL (ms):", OF_ITL),
        any("Median ITL (ms):", OF_ITL),
    ],
};
