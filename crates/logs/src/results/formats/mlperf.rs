//! `MLPerf` `LoadGen`, `mlperf_log_summary.txt`: labels with values, times in nanoseconds.

use std::collections::HashMap;

use trueline_core::{
    Definition, Deviation, Each, FirstToken, Load, Mark, Metric, Percentiles, Side, TokensBy,
};

use crate::results::draft::Draft;
use crate::results::drafts::Drafts;
use crate::results::format::{Evidence, Reader, ResultFormat};
use crate::results::input::{Input, Line};
use crate::results::labels::{Label, labels};
use crate::results::node::text_number;
use crate::results::quantity::NS;
use crate::results::row::Row;

const TOOL: &str = "MLPerf LoadGen";

pub(crate) static MLPERF_SUMMARY: ResultFormat = ResultFormat {
    name: "mlperf-summary",
    tool: TOOL,
    versions: "2023 to 2026",
    shape: "text, mlperf_log_summary.txt",
    evidence: Evidence::Published,
    source: "mlcommons/inference/loadgen/results.cc",
    reader: Reader::Text { is, read },
    lists: |list| list.rows("", ROWS),
};

/// From the time at which the load plan wants a query sent, so the wait in the client is in it.
const TIME: Definition = Definition::new(Mark::Intended, Mark::LastToken, Side::Client)
    .spread(Percentiles::Nearest, Deviation::NotApplicable)
    .note("from the scheduled time; a percentile is the sample at index n times p");

const TTFT: Definition = TIME.between(Mark::Intended, Mark::FirstToken);

const TPOT: Definition = TIME
    .between(Mark::FirstToken, Mark::LastToken)
    .first_token(FirstToken::Out)
    .tokens_by(TokensBy::Server);

const RATE: Definition =
    Definition::new(Mark::Intended, Mark::LastToken, Side::Client).each(Each::Run);

const TOKENS: Definition = RATE.tokens_by(TokensBy::Server);

const ROWS: &[Row] = &[
    Row::condition("SUT name", "server"),
    Row::condition("Scenario", "scenario").expected(),
    Row::condition("Mode", "mode").expected(),
    Row::elsewhere("Result is").expected(),
    Row::elsewhere("Performance constraints satisfied"),
    Row::elsewhere("Min duration satisfied"),
    Row::elsewhere("Min queries satisfied"),
    Row::elsewhere("Early stopping satisfied"),
    Row::unused("Recommendations"),
    Row::unused("Early Stopping Result"),
    Row::unused("TTFT Early Stopping Result"),
    Row::unused("TPOT Early Stopping Result"),
    Row::unused("Per-query latency"),
    Row::unused("WARNING"),
    Row::run("Completed samples per second", Metric::RequestPerS, 1.0, RATE),
    Row::run("Samples per second", Metric::RequestPerS, 1.0, RATE),
    Row::run("Samples per second (inferred)", Metric::RequestPerS, 1.0, RATE),
    Row::run("QPS w/ loadgen overhead", Metric::RequestPerS, 1.0, RATE),
    Row::unused("QPS w/o loadgen overhead"),
    Row::condition("Scheduled samples per second", "scheduled_request_per_s"),
    Row::run("Completed tokens per second", Metric::OutputTokPerS, 1.0, TOKENS),
    Row::run("Completed tokens per second (inferred)", Metric::OutputTokPerS, 1.0, TOKENS),
    Row::run("Tokens per second", Metric::OutputTokPerS, 1.0, TOKENS),
    Row::run("Tokens per second (inferred)", Metric::OutputTokPerS, 1.0, TOKENS),
    Row::run("TPS w/ loadgen overhead", Metric::OutputTokPerS, 1.0, TOKENS),
    Row::unused("TPS w/o loadgen overhead"),
    Row::spread("latency (ns)", Metric::E2eLatencyS, NS, TIME).expected(),
    Row::spread("First Token latency (ns)", Metric::TtftS, NS, TTFT),
    Row::spread("first token latency (ns)", Metric::TtftS, NS, TTFT),
    Row::spread("Time to Output Token (ns)", Metric::TpotS, NS, TPOT),
    Row::spread("time to output token (ns)", Metric::TpotS, NS, TPOT),
    Row::spread("Time per Output Token (ns)", Metric::TpotS, NS, TPOT),
    Row::spread("time per output token (ns)", Metric::TpotS, NS, TPOT),
    Row::elsewhere("target_qps"),
    Row::condition("target_latency (ns)", "latency_limit_ns"),
    Row::condition("ttft_latency (ns)", "ttft_limit_ns"),
    Row::condition("tpot_latency (ns)", "tpot_limit_ns"),
    Row::condition("samples_per_query", "samples_per_query"),
    Row::condition("max_async_queries", "max_async_queries"),
    Row::condition("min_duration (ms)", "min_duration_ms"),
    Row::condition("max_duration (ms)", "max_duration_ms"),
    Row::condition("min_query_count", "min_query_count"),
    Row::condition("max_query_count", "max_query_count"),
    Row::condition("qsl_rng_seed", "seed"),
    Row::condition("sample_index_rng_seed", "sample_index_seed"),
    Row::condition("schedule_rng_seed", "schedule_seed"),
    Row::unused("accuracy_log_rng_seed"),
    Row::unused("accuracy_log_probability"),
    Row::unused("accuracy_log_sampling_target"),
    Row::unused("print_timestamps"),
    Row::unused("performance_issue_unique"),
    Row::unused("performance_issue_same"),
    Row::unused("performance_issue_same_index"),
    Row::condition("performance_sample_count", "dataset_size"),
];

/// The line that begins a summary.
const TITLE: &str = "MLPerf Results Summary";

fn is(input: &Input) -> Option<String> {
    input.lines().any(|line| line.text.trim() == TITLE).then(|| TITLE.to_owned())
}

fn read(input: &Input, drafts: &mut Drafts) {
    let mut run: Vec<Line<'_>> = Vec::new();
    let mut begun = false;
    for line in input.lines() {
        if line.text.trim() == TITLE {
            if begun {
                read_run(&run, drafts.begin(TOOL));
            }
            begun = true;
            run.clear();
        }
        run.push(line);
    }
    if begun {
        read_run(&run, drafts.begin(TOOL));
    }
}

fn read_run(lines: &[Line<'_>], draft: &mut Draft) {
    let mut found: Vec<Label<'_>> = Vec::new();
    let mut values: HashMap<&str, &str> = HashMap::new();
    for label in labels(lines.iter().copied()).into_iter().filter(|l| is_field(l.name)) {
        // The headline of a run stands again among the additional statistics.
        match values.insert(label.name, label.value) {
            None => found.push(label),
            Some(before) if before == label.value => {}
            Some(_) => drop(draft.doubled.insert(label.name.to_owned())),
        }
    }
    draft.take_labels(&found, ROWS);
    draft.used += 1;
    let value = |name: &str| found.iter().find(|l| l.name == name).map(|l| l.value);
    let target = value("target_qps").and_then(|text| text_number(text).value());
    draft.run.plan.load = match value("Scenario") {
        // Elsewhere the target only sizes the run.
        Some("Server") => target.filter(|rate| *rate > 0.0).map(Load::Rate),
        Some("SingleStream") => Some(Load::Concurrency(1)),
        _ => None,
    };
    refusals(lines, &found, draft);
}

/// Whether a label is a field: advice and the headline of a stream, which stands again below with
/// its digits, are none.
fn is_field(label: &str) -> bool {
    !label.starts_with('*')
        && !label.contains("th percentile latency")
        && !label.contains("th first token percentile latency")
}

/// What the tool says against the run: its verdict, each constraint that is not met, its advice,
/// errors in its log.
fn refusals(lines: &[Line<'_>], found: &[Label<'_>], draft: &mut Draft) {
    for label in found {
        let refuses = match label.name {
            "Result is" => label.value != "VALID",
            name => name.ends_with(" satisfied") && label.value.eq_ignore_ascii_case("no"),
        };
        if refuses {
            draft.refused.push(format!("{}: {}", label.name, label.value));
        }
    }
    let mut advice = false;
    for line in lines.iter().map(|line| line.text.trim()) {
        match line.strip_prefix("* ") {
            Some(text) if advice => draft.refused.push(text.to_owned()),
            Some(_) => {}
            None => advice = line == "Recommendations:",
        }
        if line.contains(" ERROR") && line.contains("encountered") {
            draft.refused.push(line.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use trueline_core::{Load, Metric, Statistic};

    use crate::results::read_results_from;

    /// In the shape that the tool writes; the numbers are made up.
    const SERVER: &str = "====\nMLPerf Results Summary\n====\nSUT name : s\nScenario : Server\n\
        Mode     : PerformanceOnly\nScheduled samples per second : 10.00\nResult is : INVALID\n  \
        Performance constraints satisfied : NO\n  Min duration satisfied : Yes\n  \
        Min queries satisfied : Skipped\n  Early stopping satisfied: NO\nRecommendations:\n \
        * TTFT constrain not met: Reduce target QPS to improve latency.\n\
        TTFT Early Stopping Result:\n * Run unsuccessful.\nMean latency (ns)  : 2000000000\n\
        99.90 percentile latency (ns)   : 3000000000\nMean Time per Output Token (ns) : 20000000\n\
        target_qps : 10\n2 ERRORS encountered. See detailed log.\n";

    #[test]
    fn an_invalid_run_is_refused_with_each_reason() {
        let read = read_results_from("t", SERVER.as_bytes()).unwrap();
        let run = &read.runs[0];
        assert_eq!(
            run.refused,
            [
                "Result is: INVALID",
                "Performance constraints satisfied: NO",
                "Early stopping satisfied: NO",
                "TTFT constrain not met: Reduce target QPS to improve latency.",
                "2 ERRORS encountered. See detailed log."
            ]
        );
        assert!(run.unknown.is_empty(), "{:?}", run.unknown);
        assert_eq!(run.run.plan.load, Some(Load::Rate(10.0)));
        let mean = |metric| run.run.reported.value(metric, Some(Statistic::Mean));
        assert_eq!(mean(Metric::E2eLatencyS), Some(2.0));
        // Both names of TPOT are read.
        assert_eq!(mean(Metric::TpotS), Some(0.02));
    }

    #[test]
    fn the_target_of_an_offline_run_is_no_load() {
        let text = SERVER.replace("Server", "Offline").replace("INVALID", "VALID");
        let read = read_results_from("t", text.as_bytes()).unwrap();
        assert_eq!(read.runs[0].run.plan.load, None);
    }

    #[test]
    fn the_headline_of_a_stream_is_no_unknown_field() {
        let text = "MLPerf Results Summary\nScenario : SingleStream\nMode : PerformanceOnly\n\
            90th percentile latency (ns) : 5\nResult is : VALID\nMLPerf Results Summary\n";
        let read = read_results_from("t", text.as_bytes()).unwrap();
        assert_eq!(read.runs.len(), 2);
        assert!(read.runs[0].unknown.is_empty(), "{:?}", read.runs[0].unknown);
        assert_eq!(read.runs[0].run.plan.load, Some(Load::Concurrency(1)));
        let missing: Vec<_> = read.runs[1].missing.iter().map(|m| m.label.as_str()).collect();
        assert_eq!(missing, ["Scenario", "Mode", "Result is", "latency (ns)"]);
    }
}
