//! What the reader of inference-perf makes of made-up reports.

use trueline_core::{Load, Metric, Outcome, Side, Thresholds, Total, Why};
use trueline_logs::{ResultFile, ResultRun, read_results_from, result_set};

/// A stage of four requests, one of which failed, in the fields of 0.7.
pub(super) const STAGE: &str = r#"{"benchmark_time_seconds": 2.0,
 "load_summary": {"count": 4, "schedule_delay": {"mean": 0.5, "min": -0.001, "median": 0.4, "p99.9": 0.9},
  "send_duration": 1.5, "requested_rate": 8.0, "achieved_rate": 2.6, "concurrency": 2},
 "successes": {"count": 3,
  "latency": {"request_latency": {"mean": 0.5, "max": 0.6}, "normalized_time_per_output_token": {"mean": 0.05, "min": 0.0},
   "time_per_output_token": {"mean": 0.04}, "time_to_first_token": {"mean": 0.1, "p0.1": 0.09},
   "inter_token_latency": {"mean": 0.04, "min": 0.0}},
  "throughput": {"input_tokens_per_sec": 12.0, "output_tokens_per_sec": 14.5, "total_tokens_per_sec": 26.5,
   "requests_per_sec": 1.5, "images_per_sec": 0.0, "videos_per_sec": 0.0, "audios_per_sec": 0.0},
  "prompt_tokens": {"total": 24.0, "cached": 6.0, "uncached": 18.0, "mean": 8.0},
  "output_len": {"mean": 9.666666666666666}, "output_tokens": {"total": 30.0, "mean": 10.0},
  "token_count_mismatches": 1, "client_fallback_requests": {"prompt": 0, "output": 0},
  "goodput_metrics": {"goodput_percentage": 50.0, "request_goodput": 0.75}},
 "failures": {"count": 1, "request_latency": {"mean": 0.1}, "prompt_tokens": {"total": 8.0}, "by_label": {}}}"#;

/// A stage in which nothing was answered, as the tool writes it.
const ALL_FAILED: &str = r#"{"benchmark_time_seconds": 2.0,
 "load_summary": {"count": 4, "schedule_delay": null, "requested_rate": 8.0},
 "successes": {"count": 0,
  "latency": {"request_latency": null, "normalized_time_per_output_token": null,
   "time_per_output_token": null, "time_to_first_token": null, "inter_token_latency": null},
  "throughput": {"input_tokens_per_sec": 0.0, "output_tokens_per_sec": 0.0, "total_tokens_per_sec": 0.0,
   "requests_per_sec": 0.0},
  "prompt_tokens": {"total": 0.0, "cached": 0.0, "uncached": 0.0}, "output_len": null,
  "output_tokens": {"total": 0.0}},
 "failures": {"count": 4, "request_latency": {"mean": 0.1}}}"#;

/// Three requests: two chunks at one moment, a failure, one that was not streamed.
pub(super) const REQUESTS: &str = r#"[
 {"start_time": 10.0, "end_time": 11.0, "request": "x", "response": "x", "error": null,
  "info": {"request_metrics": {"text": {"input_tokens": 8}}, "response_metrics": {"output_tokens": 3,
   "server_usage": {"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 2}},
   "output_token_times": [10.25, 10.5, 10.5, 10.75]}}},
 {"start_time": 10.5, "end_time": 10.75, "error": {"error_type": "HTTP Error 500", "error_msg": "x"},
  "info": {"request_metrics": {"text": {"input_tokens": 8}}, "response_metrics": null}},
 {"start_time": 11.0, "end_time": 11.5, "error": null,
  "info": {"request_metrics": {"text": {"input_tokens": 8}}, "response_metrics": {"output_tokens": 5}}}]"#;

/// What the server's metrics said; a query without an answer is 0.
pub(super) const PROMETHEUS: &str = r#"{"load_summary": {}, "failures": {}, "benchmark_time_seconds": 0.0,
 "successes": {"count": 9, "rate": 3.0, "prompt_len": {"mean": 0, "rate": 24.0}, "output_len": {"mean": 8.0, "rate": 0},
  "queue_len": {"mean": 1}, "request_latency": {"mean": 0.5, "p99": 0.0}, "num_preemptions_total": {"mean": 0},
  "prefix_cache_hit_percent": {"mean": 25.0}, "request_queue_time": {"mean": 0.2}}}"#;

fn read(text: &str) -> ResultFile {
    read_results_from("test", text.as_bytes()).expect("the text holds results")
}

fn value(run: &ResultRun, metric: Metric, statistic: &str) -> Option<f64> {
    run.run.reported.value(metric, Some(statistic.parse().unwrap()))
}

#[test]
fn a_held_concurrency_is_the_load_and_not_the_nominal_rate() {
    let run = &read(STAGE).runs[0];
    assert_eq!(run.run.plan.load, Some(Load::Concurrency(2)));
    let delay = run.run.reported.figures_of(Metric::SendDelayS).next().unwrap();
    assert!(delay.definition.note.contains("nominal rate"));
    let open = STAGE.replace(", \"concurrency\": 2", "");
    assert_eq!(read(&open).runs[0].run.plan.load, Some(Load::Rate(8.0)));
}

#[test]
fn the_servers_tokens_win_and_the_own_ones_stand_beside() {
    let run = &read(STAGE).runs[0];
    assert_eq!((&run.missing[..], &run.unknown[..]), (&[][..], &[][..]));
    let total = |which| run.run.reported.total(which);
    assert_eq!(total(Total::OutputTokens), Some(30));
    // 3 x 9.667 = 29.
    assert_eq!(total(Total::OwnOutputTokens), Some(29));
    assert_eq!((total(Total::PromptTokens), total(Total::CachedTokens)), (Some(24), Some(6)));
    assert_eq!((total(Total::CompletedRequests), total(Total::FailedRequests)), (Some(3), Some(1)));
    assert_eq!(value(run, Metric::OutputTokens, "mean"), Some(10.0));
    assert_eq!(run.run.reported.value(Metric::GoodputRequestPerS, None), Some(0.75));
}

#[test]
fn a_gap_of_zero_is_one_and_a_latency_of_zero_is_none() {
    let run = &read(STAGE).runs[0];
    assert_eq!(value(run, Metric::ItlS, "min"), Some(0.0));
    assert_eq!(value(run, Metric::E2ePerTokenS, "min"), None);
    assert_eq!(value(run, Metric::SendDelayS, "min"), Some(-0.001));
}

#[test]
fn a_run_without_an_answer_has_no_figures() {
    let run = &read(ALL_FAILED).runs[0];
    assert!(run.run.reported.figures.len() > 9);
    for figure in &run.run.reported.figures {
        assert!(!figure.value.is_known(), "{}", figure.name());
    }
    assert_eq!(run.run.reported.total(Total::FailedRequests), Some(4));
    assert_eq!(run.run.reported.total(Total::PromptTokens), None);
    assert_eq!(run.run.reported.total(Total::OwnOutputTokens), None);
}

#[test]
fn requests_are_read_from_the_stamps_of_their_chunks() {
    let file = read(REQUESTS);
    assert_eq!(file.runs.len(), 1);
    let run = &file.runs[0];
    assert_eq!((run.used, &run.unknown[..]), (3, &[][..]));
    let [streamed, failed, whole] = run.run.requests.as_slice() else { panic!("three requests") };
    let count = |known: trueline_core::Known<trueline_core::Tokens>| {
        known.value().map(trueline_core::Tokens::get)
    };
    assert_eq!(count(streamed.tokens.prompt), Some(9));
    assert_eq!((count(streamed.tokens.cached), count(streamed.tokens.output)), (Some(2), Some(4)));
    assert_eq!(streamed.any_ttft().unwrap().took.as_millis(), 250);
    assert_eq!(streamed.any_e2e().unwrap().took.as_millis(), 750);
    assert_eq!(
        streamed.gaps.iter().map(std::time::Duration::as_millis).collect::<Vec<_>>(),
        [250, 250]
    );
    assert_eq!(streamed.started.why(), Some(Why::Absent));
    assert_eq!(streamed.sent_after.value().unwrap().as_secs(), 10);
    assert_eq!((failed.outcome, failed.any_e2e()), (Outcome::Failed, None));
    assert_eq!((whole.any_ttft(), count(whole.tokens.output)), (None, Some(5)));
    assert_eq!(whole.any_e2e().unwrap().took.as_millis(), 500);
    // The last request has the tool's count alone.
    assert_eq!(run.run.reported.total(Total::OwnOutputTokens), Some(3));
}

#[test]
fn zeros_of_the_servers_metrics_are_not_known() {
    let run = &read(PROMETHEUS).runs[0];
    assert_eq!(run.run.side, Side::Server);
    let known: Vec<String> = run
        .run
        .reported
        .figures
        .iter()
        .filter(|figure| figure.value.is_known())
        .map(|figure| format!("{}={}", figure.name(), figure.value.value().unwrap()))
        .collect();
    assert_eq!(
        known,
        [
            "e2e_latency_s.mean=0.5",
            "queue_s.mean=0.2",
            "request_per_s=3",
            "input_tok_per_s=24",
            "cache_hit_share=0.25",
            "output_tokens.mean=8",
        ]
    );
    assert_eq!(run.run.reported.total(Total::CompletedRequests), Some(9));
    assert_eq!(run.run.reported.total(Total::Preemptions), None);
    assert_eq!(run.run.reported.duration.value(), None);
}

#[test]
fn one_stage_and_the_sum_over_it_are_one_run() {
    // The tool's sum names no load.
    let load = r#"
  "send_duration": 1.5, "requested_rate": 8.0, "achieved_rate": 2.6, "concurrency": 2"#;
    let sum = STAGE.replace(&format!(",{load}"), "");
    assert_ne!(sum, STAGE);
    let other = STAGE
        .replace(r#"{"mean": 0.5, "max": 0.6}"#, r#"{"mean": 0.7, "max": 0.8}"#)
        .replace(r#""output_tokens_per_sec": 14.5"#, r#""output_tokens_per_sec": 12.5"#);
    let runs = |files: &[(&str, &str)]| {
        let of =
            |(name, text): &(&str, &str)| (name.into(), read_results_from(name, text.as_bytes()));
        let set = result_set(files.iter().map(of).collect(), None, &Thresholds::default());
        set.unwrap().value.runs.len()
    };
    let (stage, sum) = (("stage_0.json", STAGE), ("summary.json", &*sum));
    assert_eq!(runs(&[stage, sum]), 1);
    assert_eq!(runs(&[stage, ("stage_1.json", &other)]), 2);
}

#[test]
fn validation_and_configuration_are_no_results() {
    for text in [
        r#"{"global": {"warnings": [], "errors": []}, "reports": {"summary_lifecycle_metrics.json": {}}}"#,
        "api:\n  type: completion\ndata:\n  type: random\nload:\n  type: concurrent\n",
    ] {
        assert!(read_results_from("test", text.as_bytes()).is_err(), "{text}");
    }
}
