//! What the reader of GuideLLM makes of made-up reports.

use trueline_core::{Load, Metric, Outcome, Statistic, Total, Why};
use trueline_logs::{ResultFile, ResultRun, read_results_from};

/// Two benchmarks: one of two answered requests, one in which every request failed.
pub(super) const REPORT: &str = include_str!("../data/results/made-up/guidellm.json");
const YAML: &str = include_str!("../data/results/made-up/guidellm.yaml");
const CSV: &str = include_str!("../data/results/made-up/guidellm.csv");
const CONSOLE: &str = include_str!("../data/results/made-up/guidellm.console.txt");

fn read(text: &str) -> ResultFile {
    read_results_from("test", text.as_bytes()).expect("the text holds results")
}

fn value(run: &ResultRun, metric: Metric, statistic: &str) -> Option<f64> {
    run.run.reported.value(metric, Some(statistic.parse().unwrap()))
}

#[test]
fn each_benchmark_is_a_run_with_its_load() {
    let file = read(REPORT);
    let loads: Vec<_> = file.runs.iter().map(|r| r.run.plan.load).collect();
    assert_eq!(loads, [Some(Load::Rate(2.0)), Some(Load::Concurrency(4))]);
    assert_eq!(file.runs[0].run.label, "test#1");
    for run in &file.runs {
        assert_eq!(run.unknown, [""; 0]);
        assert_eq!(run.missing, []);
        assert_eq!(run.rejected, [""; 0]);
    }
    assert_eq!(file.runs[0].refused, [""; 0]);
    assert_eq!(file.runs[1].refused, ["generation_delay_ttft: slow data"]);
}

#[test]
fn an_empty_group_is_not_known_and_its_failures_are() {
    let run = &read(REPORT).runs[1];
    let reported = &run.run.reported;
    assert!(reported.figures.len() > 20);
    for figure in &reported.figures {
        assert_eq!(figure.value.why(), Some(Why::ZeroForNone), "{}", figure.name());
    }
    assert_eq!(reported.total(Total::CompletedRequests), Some(0));
    assert_eq!(reported.total(Total::FailedRequests), Some(3));
    assert_eq!(reported.total(Total::CancelledRequests), Some(1));
    assert_eq!(reported.total(Total::OutputTokens), None);
    assert_eq!(run.run.failures(), Some(2));
}

#[test]
fn a_mean_gap_of_a_request_lands_as_time_per_token() {
    let run = &read(REPORT).runs[0];
    // 20 ms is (last - first) / (n - 1); the report calls it inter-token latency.
    assert_eq!(value(run, Metric::TpotS, "mean"), Some(0.02));
    assert_eq!(run.run.reported.figures_of(Metric::ItlS).count(), 0);
    assert_eq!(value(run, Metric::E2ePerTokenS, "mean"), Some(0.032));
    // p001 is the 0.1 percentile, p999 the 99.9.
    assert_eq!(value(run, Metric::TtftS, "p0.1"), Some(0.1));
    assert_eq!(value(run, Metric::TtftS, "p99.9"), Some(0.3));
    assert_eq!(run.run.reported.value(Metric::OutputTokPerS, None), Some(10.0));
    assert_eq!(run.run.reported.value(Metric::PeakConcurrency, None), Some(2.0));
}

#[test]
fn requests_outside_the_window_are_warm_up() {
    let run = &read(REPORT).runs[0].run;
    let outcomes: Vec<_> = run.requests.iter().map(|r| (r.outcome, r.warmup)).collect();
    assert_eq!(
        outcomes,
        [(Outcome::Ok, true), (Outcome::Ok, false), (Outcome::Ok, false), (Outcome::Ok, true)]
    );
    let first = &run.requests[1];
    assert_eq!(first.any_ttft().unwrap().took.as_millis(), 100);
    // To the last token, 0.72 s, not to the end of the request, 0.75 s.
    assert_eq!(first.any_e2e().unwrap().took.as_millis(), 720);
    assert_eq!(first.tokens.cached.value().map(trueline_core::Tokens::get), Some(4));
    assert_eq!(first.started.value().unwrap().as_nanos(), 1_000_001_000_000_000);
}

#[test]
fn a_ttft_of_zero_is_no_ttft() {
    let text = REPORT.replace("\"mean\": 200.0", "\"mean\": 0.0");
    let run = &read(&text).runs[0];
    let ttft = run.run.reported.figures.iter().find(|f| f.metric == Metric::TtftS).unwrap();
    assert_eq!((ttft.statistic, ttft.value.why()), (Some(Statistic::Mean), Some(Why::ZeroForNone)));
    // A deviation of zero is one: both requests have 32 tokens.
    assert_eq!(value(run, Metric::OutputTokens, "std"), Some(0.0));
}

#[test]
fn yaml_says_what_json_says() {
    let (json, yaml) = (read(REPORT), read(YAML));
    assert_eq!(json.runs.len(), yaml.runs.len());
    for (a, b) in json.runs.iter().zip(&yaml.runs) {
        assert_eq!(a.run.reported, b.run.reported);
        assert_eq!((&a.run.plan, &a.run.conditions), (&b.run.plan, &b.run.conditions));
        assert_eq!(a.run.requests, b.run.requests);
    }
}

#[test]
fn a_csv_row_of_another_width_is_rejected() {
    let file = read(CSV);
    assert_eq!(file.runs.len(), 2);
    assert_eq!(file.runs[0].unknown, [""; 0]);
    assert_eq!(value(&file.runs[0], Metric::TtftS, "p99.9"), Some(0.3));
    // The second benchmark has an empty cell where nothing was answered.
    assert_eq!(value(&file.runs[1], Metric::TtftS, "mean"), None);
    assert_eq!(file.runs[1].run.reported.total(Total::FailedRequests), Some(3));
    assert_eq!(file.runs[1].run.plan.load, Some(Load::Concurrency(4)));
    let short = CSV.trim_end().rsplit_once(',').unwrap().0;
    let file = read(short);
    assert_eq!(file.runs.len(), 1);
    assert_eq!(file.runs[0].rejected, ["row 5: expected 20 cells, found 19"]);
}

#[test]
fn rows_of_every_table_belong_to_their_benchmark() {
    let file = read(CONSOLE);
    let loads: Vec<_> = file.runs.iter().map(|r| r.run.plan.load).collect();
    assert_eq!(loads, [Some(Load::Rate(2.0)), Some(Load::Concurrency(4))]);
    assert_eq!(value(&file.runs[0], Metric::TtftS, "mean"), Some(0.2));
    let ttft = file.runs[0].run.reported.figure(Metric::TtftS, Some(Statistic::Mean)).unwrap();
    // Written to a tenth of a millisecond.
    assert!((ttft.step - 1e-4).abs() < 1e-12);
    // 0.0 ms is no first token; 0.0 s may be a short latency.
    assert_eq!(value(&file.runs[1], Metric::TtftS, "mean"), None);
    assert_eq!(value(&file.runs[1], Metric::E2eLatencyS, "mean"), Some(0.0));
    assert_eq!(value(&file.runs[1], Metric::TpotS, "mean"), None);
    let twice = format!("{CONSOLE}\n{CONSOLE}");
    let loads: Vec<_> = read(&twice).runs.iter().map(|r| r.run.plan.load).collect();
    assert_eq!(loads.len(), 4);
    assert_eq!(loads[0], loads[2]);
}

#[test]
fn a_report_without_benchmarks_says_so() {
    let file =
        read(r#"{"metadata": {"version": 2, "guidellm_version": "0.8.1"}, "benchmarks": []}"#);
    assert_eq!(file.runs[0].refused, ["the report holds no benchmark"]);
}
