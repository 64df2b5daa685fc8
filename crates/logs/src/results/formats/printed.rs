//! What the serving benchmarks print, line by line and version by version: a filter is tried against
//! it, and what is absent is known from it.

use trueline_core::Metric;

/// One line that a tool prints, between two of its known versions (places in the list of them).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Printed {
    /// The label with its colon, or the heading.
    pub(crate) line: &'static str,
    /// The quantity that it tells, if it is one.
    pub(crate) metric: Option<Metric>,
    from: usize,
    to: usize,
}

/// What one tool prints.
#[derive(Debug)]
pub(crate) struct Printing {
    /// The tool.
    pub(crate) tool: &'static str,
    /// Its versions at which the lines change, oldest first.
    pub(crate) versions: &'static [&'static str],
    lines: &'static [Printed],
}

impl Printing {
    /// The lines of one of its versions.
    pub(crate) fn of(&self, version: usize) -> impl Iterator<Item = &'static Printed> {
        self.lines.iter().filter(move |p| (p.from..=p.to).contains(&version))
    }

    /// Whether a label, without its colon, is printed by any version.
    pub(crate) fn has(&self, label: &str) -> bool {
        self.lines.iter().any(|p| p.line.strip_suffix(':') == Some(label))
    }

    /// The newest version whose lines hold all of some labels, and the oldest such.
    pub(crate) fn versions_of(&self, labels: &[&str]) -> Option<(usize, usize)> {
        let known: Vec<&str> = labels.iter().copied().filter(|l| self.has(l)).collect();
        let fits = |version: &usize| {
            known
                .iter()
                .all(|label| self.of(*version).any(|p| p.line.strip_suffix(':') == Some(label)))
        };
        let all: Vec<usize> = (0..self.versions.len()).filter(fits).collect();
        Some((*all.first()?, *all.last()?))
    }
}

/// What a tool prints, if it is known line by line.
pub(crate) fn printing(tool: &str) -> Option<&'static Printing> {
    [&SGLANG, &VLLM].into_iter().find(|printing| printing.tool == tool)
}

/// The last version, whichever it is.
const NOW: usize = usize::MAX;

const fn any(line: &'static str, metric: Option<Metric>) -> Printed {
    Printed { line, metric, from: 0, to: NOW }
}

const fn since(from: usize, line: &'static str, metric: Option<Metric>) -> Printed {
    Printed { line, metric, from, to: NOW }
}

const fn until(to: usize, line: &'static str, metric: Option<Metric>) -> Printed {
    Printed { line, metric, from: 0, to }
}

const TTFT: Option<Metric> = Some(Metric::TtftS);
const TPOT: Option<Metric> = Some(Metric::TpotS);
const ITL: Option<Metric> = Some(Metric::ItlS);
const E2E: Option<Metric> = Some(Metric::E2eLatencyS);
const OUTPUT: Option<Metric> = Some(Metric::OutputTokPerS);

/// SGLang: run at 0.4.2, 0.5.3 and 0.5.23; the places in between are from its sources.
pub(crate) static SGLANG: Printing = Printing {
    tool: super::sglang::TOOL,
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
        any("Output token throughput (tok/s):", OUTPUT),
        since(3, "Peak output token throughput (tok/s):", Some(Metric::PeakOutputTokPerS)),
        since(3, "Peak concurrent requests:", Some(Metric::PeakConcurrency)),
        any("Total token throughput (tok/s):", Some(Metric::TotalTokPerS)),
        any("Concurrency:", Some(Metric::Concurrency)),
        any("End-to-End Latency", None),
        any("Mean E2E Latency (ms):", E2E),
        any("Median E2E Latency (ms):", E2E),
        since(4, "P90 E2E Latency (ms):", E2E),
        since(5, "P95 E2E Latency (ms):", E2E),
        since(4, "P99 E2E Latency (ms):", E2E),
        any("Time to First Token", None),
        any("Mean TTFT (ms):", TTFT),
        any("Median TTFT (ms):", TTFT),
        since(5, "P90 TTFT (ms):", TTFT),
        since(5, "P95 TTFT (ms):", TTFT),
        any("P99 TTFT (ms):", TTFT),
        until(0, "Time per Output Token (excl. 1st token)", None),
        until(0, "Mean TPOT (ms):", TPOT),
        until(0, "Median TPOT (ms):", TPOT),
        until(0, "P99 TPOT (ms):", TPOT),
        since(3, "Time per Output Token (excl. 1st token)", None),
        since(3, "Mean TPOT (ms):", TPOT),
        since(3, "Median TPOT (ms):", TPOT),
        since(5, "P90 TPOT (ms):", TPOT),
        since(5, "P95 TPOT (ms):", TPOT),
        since(3, "P99 TPOT (ms):", TPOT),
        until(0, "Inter-token Latency", None),
        since(1, "Inter-Token Latency", None),
        any("Mean ITL (ms):", ITL),
        any("Median ITL (ms):", ITL),
        since(5, "P90 ITL (ms):", ITL),
        since(1, "P95 ITL (ms):", ITL),
        any("P99 ITL (ms):", ITL),
        since(1, "Max ITL (ms):", ITL),
    ],
};

/// vLLM: run at 0.9.2 and 0.33.0; the places in between are from its sources.
pub(crate) static VLLM: Printing = Printing {
    tool: super::vllm::TOOL,
    versions: &["0.9.2", "0.11.0", "0.20.0"],
    lines: &[
        any("Successful requests:", None),
        since(2, "Failed requests:", None),
        any("Benchmark duration (s):", None),
        any("Total input tokens:", None),
        any("Total generated tokens:", None),
        any("Request throughput (req/s):", Some(Metric::RequestPerS)),
        any("Output token throughput (tok/s):", OUTPUT),
        since(1, "Peak output token throughput (tok/s):", Some(Metric::PeakOutputTokPerS)),
        since(1, "Peak concurrent requests:", Some(Metric::PeakConcurrency)),
        until(1, "Total Token throughput (tok/s):", Some(Metric::TotalTokPerS)),
        since(2, "Total token throughput (tok/s):", Some(Metric::TotalTokPerS)),
        any("Time to First Token", None),
        any("Mean TTFT (ms):", TTFT),
        any("Median TTFT (ms):", TTFT),
        any("Time per Output Token (excl. 1st token)", None),
        any("Mean TPOT (ms):", TPOT),
        any("Median TPOT (ms):", TPOT),
        any("Inter-token Latency", None),
        any("Mean ITL (ms):", ITL),
        any("Median ITL (ms):", ITL),
    ],
};
