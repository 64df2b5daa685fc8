//! What the reader of inference-benchmarker makes of made-up results.

use trueline_core::{Load, Metric, Statistic, Total};
use trueline_logs::{ResultFile, read_results_from};

/// A warm-up, a run of virtual users and one at a rate in which nothing was answered.
pub(super) const RESULTS: &str = r#"{"config": {"max_vus": 4, "duration_secs": 5, "tokenizer": "t", "model_name": "m",
  "prompt_options": {"num_tokens": 8, "variance": 0}, "decode_options": {"num_tokens": 32, "variance": 10}},
 "results": [
  {"id": "warmup", "executor_type": "ConstantVUs", "config": {"max_vus": 1, "rate": null}, "total_requests": 1},
  {"id": "throughput", "executor_type": "ConstantVUs", "config": {"max_vus": 4, "rate": null},
   "total_requests": 3, "total_tokens": 64, "token_throughput_secs": 32.0, "duration_ms": 2000,
   "time_to_first_token_ms": {"p50": 100.0, "avg": 110.0}, "inter_token_latency_ms": {"p50": 20.0, "avg": 21.0},
   "e2e_latency_ms": {"p50": 900.0, "avg": 910.0}, "failed_requests": 1, "successful_requests": 2,
   "request_rate": 1.0, "total_tokens_sent": 16},
  {"id": "constant@2.00req/s", "executor_type": "ConstantArrivalRate", "config": {"max_vus": 4, "rate": 2.0},
   "total_requests": 3, "total_tokens": 0, "token_throughput_secs": 0.0, "duration_ms": 2000,
   "time_to_first_token_ms": {"p50": 0.0, "avg": 0.0}, "inter_token_latency_ms": {"p50": 0.0, "avg": 0.0},
   "e2e_latency_ms": {"p50": 0.0, "avg": 0.0}, "failed_requests": 3, "successful_requests": 0,
   "request_rate": 0.0, "total_tokens_sent": 0}],
 "start_time": "2026-11-29T12:01:46Z", "end_time": "2026-11-29T12:01:53Z", "system": {"cpu": ["c"]}}"#;

const CONSOLE: &str = "\
│ Max VUs         │ 4                                                          │
│ Prompt Options  │ num_tokens=Some(8),min_tokens=8,max_tokens=8,variance=0    │
│ Decode Options  │ num_tokens=Some(32),min_tokens=2,max_tokens=64,variance=10 │

│ Benchmark          │ QPS        │ E2E Latency (avg) │ TTFT (avg) │ ITL (avg) │ Throughput       │ Error Rate │ Successful Requests │ Prompt tokens per req (avg) │ Decoded tokens per req (avg) │
│ warmup             │ 2.02 req/s │ 0.49 sec          │ 148.86 ms  │ 11.14 ms  │ 64.69 tokens/sec │ 25.00%     │ 3/4                 │ 64.00                       │ 32.00                        │
│ constant@2.00req/s │ 1.66 req/s │ 1.10 sec          │ 210.42 ms  │ 28.68 ms  │ 53.09 tokens/sec │ 18.18%     │ 9/11                │ 64.00                       │ NaN                          │
│ broken             │ 1.66 req/s │
";

fn read(text: &str) -> ResultFile {
    read_results_from("test", text.as_bytes()).expect("the text holds results")
}

#[test]
fn the_warm_up_is_no_run() {
    let file = read(RESULTS);
    let loads: Vec<_> = file.runs.iter().map(|r| r.run.plan.load).collect();
    assert_eq!(loads, [Some(Load::Concurrency(4)), Some(Load::Rate(2.0))]);
    let run = &file.runs[0];
    assert_eq!((&run.missing[..], &run.unknown[..]), (&[][..], &[][..]));
    assert_eq!(run.run.plan.prompt_tokens.map(trueline_core::Tokens::get), Some(8));
    assert_eq!(run.run.plan.output_tokens, None);
    assert_eq!(run.run.conditions.get("model"), Some("m"));
    let alone = r#"{"config": {"max_vus": 4}, "results": [{"id": "warmup"}], "start_time": "", "end_time": ""}"#;
    assert_eq!(read(alone).runs[0].refused, ["the file holds no result beside the warm-up"]);
}

#[test]
fn first_to_last_token_over_the_rest_is_time_per_token() {
    let run = &read(RESULTS).runs[0].run;
    assert_eq!(run.reported.value(Metric::TpotS, Some(Statistic::Mean)), Some(0.021));
    assert_eq!(run.reported.figures_of(Metric::ItlS).count(), 0);
    assert_eq!(run.reported.total(Total::PromptTokens), Some(16));
    assert_eq!(run.reported.duration.value().unwrap().as_secs(), 2);
}

#[test]
fn a_run_without_an_answer_has_no_times() {
    let run = &read(RESULTS).runs[1].run;
    assert_eq!(run.reported.figures.len(), 8);
    assert!(run.reported.figures.iter().all(|figure| !figure.value.is_known()));
    assert_eq!(run.reported.total(Total::FailedRequests), Some(3));
}

#[test]
fn rows_of_the_console_are_runs_and_short_ones_are_rejected() {
    let file = read(CONSOLE);
    assert_eq!(file.runs.len(), 1);
    let run = &file.runs[0];
    assert_eq!(run.run.plan.load, Some(Load::Rate(2.0)));
    assert_eq!(run.run.plan.max_concurrency, Some(4));
    assert_eq!(run.run.plan.output_tokens, None);
    assert_eq!(run.run.reported.total(Total::FailedRequests), Some(2));
    let ttft = run.run.reported.figure(Metric::TtftS, Some(Statistic::Mean)).unwrap();
    assert!((ttft.value.value().unwrap() - 0.210_42).abs() < 1e-12);
    assert!((ttft.step - 1e-5).abs() < 1e-12);
    assert_eq!(run.run.reported.value(Metric::OutputTokens, Some(Statistic::Mean)), None);
    assert_eq!(run.rejected, ["line 8: expected 10 cells, found 2"]);
}
