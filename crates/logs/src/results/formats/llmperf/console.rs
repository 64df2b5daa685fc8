//! The console of `llmperf`: a metric's name, its statistics below, then counts.

use trueline_core::{By, Metric, TokensBy, Total};

use super::{METRICS, RATE, TOOL, take_one};
use crate::results::drafts::Drafts;
use crate::results::format::{Evidence, Reader, ResultFormat};
use crate::results::input::{Input, Line};
use crate::results::labels::{Label, labels};
use crate::results::node::text_number;
use crate::results::quantity::PER_MINUTE;
use crate::results::row::Row;

pub(crate) static LLMPERF_CONSOLE: ResultFormat = ResultFormat {
    name: "llmperf-console",
    tool: TOOL,
    versions: "2023-12 to 2024-12",
    shape: "console",
    evidence: Evidence::Described,
    source: "llmperf/token_benchmark_ray.py",
    reader: Reader::Text { is, read },
    lists: |list| {
        super::list(list, |name| format!("{name} STATISTIC"));
        list.rows("", ROWS);
    },
};

const ROWS: &[Row] = &[
    Row::total("Number Of Errored Requests", Total::FailedRequests).expected(),
    Row::run("Overall Output Throughput", Metric::OutputTokPerS, 1.0, {
        RATE.tokens_by(TokensBy::Tool)
    })
    .expected(),
    Row::total("Number Of Completed Requests", Total::CompletedRequests).expected(),
    Row::run("Completed Requests Per Minute", Metric::RequestPerS, PER_MINUTE, RATE).expected(),
];

/// The line on which the statistics of a run begin.
const FIRST: &str = "inter_token_latency_s";

fn is(input: &Input) -> Option<String> {
    let begins = input.lines().any(|line| line.text.trim() == FIRST);
    let quantile = input.lines().any(|line| line.text.trim().starts_with("p25 ="));
    (begins && quantile).then(|| format!("the line {FIRST}, p25 ="))
}

fn read(input: &Input, drafts: &mut Drafts) {
    let lines: Vec<Line<'_>> = input.lines().collect();
    let starts: Vec<usize> = (0..lines.len())
        .filter(|i| lines.get(*i).is_some_and(|line| line.text.trim() == FIRST))
        .collect();
    let mut before = 0;
    for (nth, start) in starts.iter().enumerate() {
        let end = starts.get(nth + 1).copied().unwrap_or(lines.len());
        let above = lines.get(before..*start).unwrap_or_default();
        read_run(above, lines.get(*start..end).unwrap_or_default(), drafts);
        before = *start;
    }
}

fn read_run(above: &[Line<'_>], lines: &[Line<'_>], drafts: &mut Drafts) {
    let draft = drafts.begin(TOOL);
    // Above the statistics: "…Results for token benchmark for MODEL queried with the openai api."
    let title = above.iter().rev().find_map(|line| line.text.split_once("token benchmark for "));
    if let Some((model, rest)) = title.and_then(|(_, rest)| rest.split_once(" queried with the ")) {
        draft.run.conditions.set("model", model, By::Reported);
        let endpoint = rest.trim_end().trim_end_matches('.').trim_end_matches(" api");
        draft.run.conditions.set("endpoint", endpoint, By::Reported);
    }
    let mut name = "";
    for line in lines {
        let text = line.text.trim();
        if METRICS.iter().any(|(of, ..)| *of == text) {
            name = text;
        } else if let Some((stat, value)) = text.split_once(" = ") {
            take_one(draft, name, stat, text_number(value), &format!("{name} {stat}"));
        }
    }
    let known: Vec<Label<'_>> = labels(lines.iter().copied())
        .into_iter()
        .filter(|label| ROWS.iter().any(|row| row.key == label.name))
        .collect();
    draft.take_labels(&known, ROWS);
}

#[cfg(test)]
mod tests {
    use trueline_core::{Metric, Statistic, Total};

    use crate::results::read_results_from;

    /// In the shape that the tool prints; the numbers are made up.
    const TEXT: &str = "\\Results for token benchmark for m/x queried with the openai api.\n\n\
        inter_token_latency_s\n    p25 = 0.02\n    p99 = 0.04\n    mean = 0.03\n    stddev = nan\n\
        ttft_s\n    p25 = 0.5\n    mean = 0.6\nNumber Of Errored Requests: 1\nError Code Frequency\n\
        {429: 1}\nOverall Output Throughput: 50.0\nNumber Of Completed Requests: 4\n";

    #[test]
    fn statistics_belong_to_the_name_above_them() {
        let read = read_results_from("t", TEXT.as_bytes()).unwrap();
        let [run] = &read.runs[..] else { panic!("one run") };
        let reported = &run.run.reported;
        assert_eq!(reported.value(Metric::ItlS, Some(Statistic::Mean)), Some(0.03));
        assert_eq!(reported.value(Metric::TtftS, Some(Statistic::Mean)), Some(0.6));
        assert_eq!(reported.value(Metric::OutputTokPerS, None), Some(50.0));
        assert_eq!(reported.total(Total::FailedRequests), Some(1));
        assert_eq!(run.run.conditions.get("model"), Some("m/x"));
        assert_eq!(run.run.conditions.get("endpoint"), Some("openai"));
        let missing: Vec<_> = run.missing.iter().map(|m| m.label.as_str()).collect();
        assert_eq!(missing, ["Completed Requests Per Minute"]);
    }

    #[test]
    fn two_runs_on_one_console_are_two() {
        let read = read_results_from("t", TEXT.repeat(2).as_bytes()).unwrap();
        assert_eq!(read.runs.len(), 2);
        assert_eq!(read.runs[1].run.conditions.get("model"), Some("m/x"));
    }
}
