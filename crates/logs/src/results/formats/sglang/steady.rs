//! The JSON lines of SGLang's steady-state report: rates over the window in which the load stood.

use trueline_core::{By, Metric, Total};

use super::{CONCURRENCY, PEAK, PEAK_CONCURRENCY, RATE, TOKEN_RATE, TOOL};
use crate::results::drafts::Drafts;
use crate::results::format::{Evidence, Reader, ResultFormat};
use crate::results::node::Map;
use crate::results::row::Row;

pub(crate) static SGLANG_STEADY: ResultFormat = ResultFormat {
    name: "sglang-steady-jsonl",
    tool: TOOL,
    versions: "0.5.20 and later",
    shape: "JSON lines, one a window",
    evidence: Evidence::Described,
    source: "sglang/benchmark",
    reader: Reader::Documents { is, read },
    lists: |list| list.rows("", ROWS),
};

/// Totals and rates are of the window, not of the whole run.
const ROWS: &[Row] = &[
    Row::duration("duration", 1.0).expected(),
    Row::total("completed", Total::CompletedRequests).expected(),
    Row::total("total_input", Total::PromptTokens).expected(),
    Row::total("total_output", Total::OutputTokens).expected(),
    Row::total("total_output_retokenized", Total::OwnOutputTokens),
    Row::run("input_throughput", Metric::InputTokPerS, 1.0, TOKEN_RATE).expected(),
    Row::run("output_throughput", Metric::OutputTokPerS, 1.0, TOKEN_RATE).expected(),
    Row::run("request_throughput", Metric::RequestPerS, 1.0, RATE),
    Row::run("average_concurrency", Metric::Concurrency, 1.0, CONCURRENCY),
    Row::run("peak_concurrency", Metric::PeakConcurrency, 1.0, PEAK_CONCURRENCY),
    Row::run("peak_output_throughput", Metric::PeakOutputTokPerS, 1.0, PEAK),
    Row::unused("output_throughput_retokenized"),
    Row::unused("concurrency_ratio"),
    Row::unused("concurrency_threshold"),
    Row::unused("window_start"),
    Row::unused("window_end"),
];

fn is(map: &Map) -> Option<String> {
    let keys = ["window_start", "window_end", "concurrency_threshold"];
    map.has_all(&keys).then(|| keys.join(", "))
}

fn read(map: &Map, drafts: &mut Drafts) {
    let draft = drafts.begin(TOOL);
    draft.take(map, ROWS);
    draft.version("0.5.20 or later", By::Derived);
}

#[cfg(test)]
mod tests {
    use trueline_core::{Metric, Total};

    use crate::read_results_from;

    #[test]
    fn a_window_is_a_run_of_its_own_length() {
        let line = r#"{"concurrency_ratio":0.9,"window_start":10.0,"window_end":70.0,"duration":60.0,
            "concurrency_threshold":14.4,"completed":600,"total_input":60000,"input_throughput":1000.0,
            "total_output":12000,"total_output_retokenized":12000,"output_throughput":200.0,
            "output_throughput_retokenized":200.0,"average_concurrency":15.7,"peak_concurrency":16,
            "peak_output_throughput":260.0}"#;
        let file = read_results_from("made up", line.as_bytes()).unwrap();
        let read = &file.runs[0];
        assert_eq!(read.format.name, "sglang-steady-jsonl");
        assert!(read.unknown.is_empty() && read.missing.is_empty());
        let reported = &read.run.reported;
        assert_eq!(reported.value(Metric::OutputTokPerS, None), Some(200.0));
        assert_eq!(reported.total(Total::OutputTokens), Some(12_000));
        assert_eq!(reported.duration.value().unwrap().as_secs(), 60);
    }
}
