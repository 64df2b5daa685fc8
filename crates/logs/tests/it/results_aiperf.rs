//! AIPerf: what its files may do. The numbers are made up and worked by hand.

use trueline_core::{Metric, Outcome, Side, Statistic, TokensBy, Total};
use trueline_logs::{ErrorKind, ResultFile, ResultRun, read_results_from};

fn file(text: &str) -> ResultFile {
    read_results_from("test", text.as_bytes()).expect("the text holds results")
}

/// The one run of a text.
pub(crate) fn only(text: &str) -> ResultRun {
    let mut runs = file(text).runs;
    assert_eq!(runs.len(), 1);
    runs.remove(0)
}

/// A total of a run, if known.
pub(crate) fn total(run: &ResultRun, total: Total) -> Option<u64> {
    run.run.reported.total(total)
}

/// A figure of a run, if known.
pub(crate) fn value(run: &ResultRun, metric: Metric, statistic: Option<Statistic>) -> Option<f64> {
    run.run.reported.value(metric, statistic)
}

/// A summary of AIPerf with more in it.
fn summary(more: &str) -> String {
    format!(
        r#"{{"aiperf_version":"0.13.0","was_cancelled":false,"error_summary":[],
        "request_latency":{{"unit":"ms","avg":200.0,"p99":300.0,"count":4}},
        "request_throughput":{{"unit":"requests/sec","avg":2.0}} {more}}}"#
    )
}

const FOUR: &str = r#", "request_count":{"unit":"requests","avg":4.0}"#;

#[test]
fn a_server_that_counted_every_request_wins_over_the_tools_tokenizer() {
    let with = |count: u32| {
        summary(&format!(
            r#"{FOUR}, "total_isl":{{"unit":"tokens","avg":160.0}},
            "input_sequence_length":{{"unit":"tokens","avg":40.0,"count":4}},
            "usage_prompt_tokens":{{"unit":"tokens","avg":9.0,"count":{count}}},
            "total_usage_prompt_tokens":{{"unit":"tokens","avg":36.0}}"#
        ))
    };
    let run = only(&with(4));
    assert_eq!(total(&run, Total::PromptTokens), Some(36));
    assert_eq!(total(&run, Total::OwnPromptTokens), Some(160));
    assert_eq!(value(&run, Metric::PromptTokens, Some(Statistic::Mean)), Some(9.0));
    // The sum over 3 of 4 requests is no total.
    let run = only(&with(3));
    assert_eq!(total(&run, Total::PromptTokens), Some(160));
    assert_eq!(total(&run, Total::OwnPromptTokens), None);
    assert_eq!(value(&run, Metric::PromptTokens, Some(Statistic::Mean)), Some(40.0));
}

#[test]
fn with_server_counts_asked_for_nothing_is_counted_by_the_tool() {
    let run = only(&summary(&format!(
        r#"{FOUR}, "total_isl":{{"unit":"tokens","avg":36.0}},
        "usage_prompt_tokens":{{"unit":"tokens","avg":9.0,"count":4}},
        "total_usage_prompt_tokens":{{"unit":"tokens","avg":36.0}},
        "input_token_throughput":{{"unit":"tokens/sec","avg":18.0}},
        "input_config":{{"endpoint":{{"use_server_token_count":true}}}}"#
    )));
    assert_eq!(total(&run, Total::OwnPromptTokens), None);
    let figure = run.run.reported.figure(Metric::InputTokPerS, None).unwrap();
    assert_eq!(figure.definition.tokens_by, TokensBy::Server);
}

#[test]
fn a_run_without_an_answer_counts_its_failures_and_misses_nothing() {
    let run = only(
        r#"{"aiperf_version":"0.13.0","was_cancelled":false,"error_summary":[],
        "completed_request_count":{"unit":"requests","avg":3.0},
        "error_request_count":{"unit":"requests","avg":3.0}}"#,
    );
    assert_eq!(total(&run, Total::CompletedRequests), Some(0));
    assert_eq!(total(&run, Total::FailedRequests), Some(3));
    assert!(run.missing.is_empty() && run.unknown.is_empty());
}

#[test]
fn what_the_tool_says_against_its_run_is_kept() {
    let text = summary(&format!(
        r#"{FOUR}, "is_complete":false, "incomplete_reason":"records stalled",
        "replay_sched_degraded":{{"unit":"count","avg":1.0}}"#
    ));
    let text = text.replace(r#""was_cancelled":false"#, r#""was_cancelled":true"#).replace(
        r#""error_summary":[]"#,
        r#""error_summary":[
            {"error_details":{"type":"RequestCancellationError","message":"m"},"count":2},
            {"error_details":{"type":"Timeout","message":"m"},"count":5}]"#,
    );
    let run = only(&text);
    assert_eq!(run.refused, ["was_cancelled", "records stalled", "replay_sched_degraded"]);
    // 7 errors, 2 of which the tool made itself.
    assert_eq!(total(&run, Total::FailedRequests), Some(5));
    assert_eq!(total(&run, Total::CancelledRequests), Some(2));
    let healthy = only(&summary(FOUR));
    assert!(healthy.refused.is_empty());
    assert_eq!(total(&healthy, Total::FailedRequests), Some(0));
}

#[test]
fn the_duration_is_the_one_that_the_rates_are_over() {
    let with = |rate: f64| {
        let text = summary(&format!(
            r#"{FOUR}, "benchmark_duration":{{"unit":"sec","avg":1.6}},
            "start_time":"2026-01-01T00:00:00.500000","end_time":"2026-01-01T00:00:02.500000""#
        ));
        let text = text.replace(r#""avg":2.0"#, &format!(r#""avg":{rate}"#));
        only(&text).run.reported.duration.value().unwrap().as_secs_f64()
    };
    // 4 requests over the 2 s of the phase, or over the 1.6 s from first request to last reply.
    assert_eq!(with(2.0), 2.0);
    assert_eq!(with(2.5), 1.6);
}

#[test]
fn the_plan_of_earlier_versions_is_read_too() {
    let run = only(&summary(&format!(
        r#"{FOUR}, "input_config":{{"endpoint":{{"model_names":["m"],"type":"chat","streaming":true}},
        "loadgen":{{"request_rate":3.5,"concurrency":8,"request_count":4}},
        "input":{{"prompt":{{"input_tokens":{{"mean":100}},"output_tokens":{{"mean":20}}}},
        "random_seed":7}},"tokenizer":{{"name":"t"}}}}"#
    )));
    let plan = &run.run.plan;
    assert_eq!(plan.load.map(|l| l.to_string()).as_deref(), Some("rate 3.5"));
    assert_eq!((plan.max_concurrency, plan.requests), (Some(8), Some(4)));
    assert_eq!(plan.prompt_tokens.map(trueline_core::Tokens::get), Some(100));
    assert_eq!(plan.output_tokens.map(trueline_core::Tokens::get), Some(20));
    let conditions = &run.run.conditions;
    let expected = [("model", "m"), ("endpoint", "chat"), ("seed", "7"), ("tokenizer", "t")];
    for (key, is) in expected {
        assert_eq!(conditions.get(key), Some(is), "{key}");
    }
    // A streamed run has a first token.
    let missing: Vec<&str> = run.missing.iter().map(|m| m.label.as_str()).collect();
    assert_eq!(missing, ["time_to_first_token", "inter_token_latency"]);
}

#[test]
fn phases_of_different_load_have_no_load_together() {
    let with = |second: u32| {
        let run = only(&summary(&format!(
            r#"{FOUR}, "input_config":{{"phases":[
            {{"kind":"warmup","type":"concurrency","concurrency":64,"requests":9}},
            {{"kind":"profiling","type":"concurrency","concurrency":2,"requests":2}},
            {{"kind":"profiling","type":"concurrency","concurrency":{second},"requests":2}}]}}"#
        )));
        assert_eq!(run.run.plan.requests, Some(4));
        run.run.plan.load.map(|load| load.to_string())
    };
    assert_eq!(with(2).as_deref(), Some("concurrency 2"));
    assert_eq!(with(4), None);
}

#[test]
fn bad_values_are_not_known_and_unknown_ones_are_named() {
    let run = only(&summary(
        r#", "request_count":null, "time_to_first_token":[1,2], "inter_token_latency":7,
        "inter_chunk_latency":{"unit":"ms","avg":0.0,"count":0},
        "goodput":{"unit":"furlongs","avg":1.0}, "brand_new":{"unit":"ms","avg":1.0},
        "http_req_new":{"unit":"ms","avg":1.0}, "input_config":[], "run_info":3,
        "output_token_throughput":{"unit":"tokens/sec","avg":[]},
        "output_token_throughput":{"unit":"tokens/sec","avg":5.0}"#,
    ));
    assert_eq!(run.unknown, ["brand_new", "goodput: furlongs"]);
    assert_eq!(run.doubled, ["output_token_throughput"]);
    for metric in [Metric::TtftS, Metric::TpotS, Metric::ItlS, Metric::OutputTokPerS] {
        assert_eq!(run.run.reported.figures_of(metric).count(), 0, "{metric}");
    }
    assert_eq!(total(&run, Total::CompletedRequests), None);
    assert_eq!(value(&run, Metric::E2eLatencyS, Some(Statistic::Mean)), Some(0.2));
}

/// A line of AIPerf's records.
fn record(metadata: &str, metrics: &str, more: &str) -> String {
    format!(
        r#"{{"metadata":{{"x_request_id":"r","worker_id":"w","request_start_ns":1700000000000000000,
        "request_end_ns":1700000001000000000{metadata}}},"metrics":{{{metrics}}}{more}}}"#
    )
    .replace('\n', "")
        + "\n"
}

const WELL: &str = r#""time_to_first_token":{"value":100.0,"unit":"ms"},
    "request_latency":{"value":0.5,"unit":"sec"},
    "inter_chunk_latency":{"value":[150.0,250.0],"unit":"ms"},
    "input_sequence_length":{"value":40,"unit":"tokens"},
    "usage_prompt_tokens":{"value":9,"unit":"tokens"},
    "usage_prompt_cache_read_tokens":{"value":8,"unit":"tokens"},
    "output_sequence_length":{"value":3,"unit":"tokens"}"#;

#[test]
fn records_say_how_each_request_went() {
    let text = record(r#","benchmark_phase":"warmup""#, WELL, "")
        + &record("", WELL, "")
        + &record("", "", r#","error":{"type":"Timeout","message":"m"}"#)
        + &record(r#","was_cancelled":true"#, "", r#","error":{"message":"m"}"#)
        + &record(
            "",
            r#""inter_chunk_latency":{"value":7,"unit":"ms"},"new":{}"#,
            r#","error":null"#,
        );
    let run = only(&text);
    let requests = &run.run.requests;
    let outcomes: Vec<Outcome> = requests.iter().map(|r| r.outcome).collect();
    assert_eq!(
        outcomes,
        [Outcome::Ok, Outcome::Ok, Outcome::Failed, Outcome::Cancelled, Outcome::Ok]
    );
    let warmups: Vec<bool> = requests.iter().map(|r| r.warmup).collect();
    assert_eq!(warmups, [true, false, false, false, false]);
    let well = &requests[1];
    assert_eq!(well.ttft(Side::Client).value().unwrap().as_secs_f64(), 0.1);
    assert_eq!(well.any_e2e().unwrap().took.as_secs_f64(), 0.5);
    assert_eq!(well.gaps.len(), 2);
    // 9 tokens by the server, 8 of them cached: 1 new. The output is the tool's own count.
    assert_eq!(well.new_tokens().value().unwrap().get(), 1);
    assert_eq!(well.tokens.output.value().unwrap().get(), 3);
    assert!(well.started.is_known() && requests[4].gaps.is_empty());
    assert_eq!(total(&run, Total::OwnPromptTokens), Some(40));
    assert_eq!(total(&run, Total::OwnOutputTokens), None);
    assert_eq!((run.used, run.unknown.as_slice()), (5, ["metrics.new".to_owned()].as_slice()));
}

#[test]
fn each_profiling_phase_is_a_run_of_its_own() {
    let of = |kind: &str, index: &str| {
        record(&format!(r#","benchmark_phase":"{kind}"{index}"#), WELL, "")
    };
    let first = || of("profiling", r#","profiling_index":0"#);
    let second = || of("profiling", r#","profiling_index":1"#);
    let text = of("warmup", "") + &first() + &second() + &first() + &second() + &second();
    let runs = file(&text).runs;
    let sizes: Vec<usize> = runs.iter().map(|run| run.run.measured().count()).collect();
    assert_eq!(sizes, [2, 3]);
    assert_eq!(runs[0].run.requests.len(), 3);
}

#[test]
fn tables_of_a_csv_are_told_apart_and_rows_of_another_width_are_not_used() {
    let one = "Metric,avg,min,max,sum,p50,std\nRequest Latency (ms),\"1,500.25\",1.00,2.00,3.00,,0.50\n\
        Time to First Token (ms),1.00,2.00\nBrand New (ms),1.00,1.00,1.00,1.00,1.00,1.00\n\
        HTTP New (ms),1.00,1.00,1.00,1.00,1.00,1.00\n\nMetric,Value\nRequest Count,4.00\n\
        Completed Requests (Success + Error),5.00\nRequest Throughput (requests/sec),0.25\n\n\n\
        Endpoint,GPU_Index,Metric,avg\nhttp://a,0,Power,7\n";
    let runs = file(&(one.to_owned() + one)).runs;
    assert_eq!(runs.len(), 2);
    for run in &runs {
        assert_eq!(value(run, Metric::E2eLatencyS, Some(Statistic::Mean)), Some(1.50025));
        assert_eq!(run.run.reported.figures_of(Metric::E2eLatencyS).count(), 4);
        assert_eq!(run.run.reported.figures_of(Metric::TtftS).count(), 0);
        assert_eq!(total(run, Total::FailedRequests), Some(1));
        assert_eq!((run.rejected.len(), run.used), (1, 6));
        assert_eq!(run.unknown, ["Brand New (ms)"]);
        let step = run.run.reported.figure(Metric::RequestPerS, None).unwrap().step;
        assert_eq!(step, 0.01);
    }
}

#[test]
fn wrapped_names_of_a_console_are_put_together() {
    let table = "   NVIDIA AIPerf | LLM Metrics\n┏━━━━┳━━━━┳━━━━┓\n┃ Metric ┃ avg ┃ p99 ┃\n┡━━━━╇━━━━╇━━━━┩\n\
        │ Request Latency (ms) │ 1,500.25 │ 2,000.00 │\n\
        │ Output Token Throughput Per User │ 21.08 │ 43.77 │\n│ (tokens/sec/user) │ │ │\n\
        │ Request Count (requests) │ 8.00 │ N/A │\n└────┴────┴────┘\n";
    let other = "│ Metric │ avg │\n│ GPU Power (W) │ 300 │\n";
    let run = only(&format!("log line\n{table}\n{other}"));
    assert_eq!(value(&run, Metric::E2eLatencyS, Some(Statistic::Mean)), Some(1.50025));
    assert_eq!(value(&run, Metric::DecodeTokPerS, Some(Statistic::Mean)), Some(21.08));
    assert_eq!(total(&run, Total::CompletedRequests), Some(8));
    let missing: Vec<&str> = run.missing.iter().map(|m| m.label.as_str()).collect();
    assert_eq!(missing, ["Request Throughput"]);
    assert!(run.unknown.is_empty(), "{:?}", run.unknown);
    // The same title again is another run.
    assert_eq!(file(&format!("{table}\n{table}")).runs.len(), 2);
}

#[test]
fn what_stands_beside_results_yields_no_run_and_no_error() {
    for text in [
        r#"{"phases":[{"phase_index":0,"phase_kind":"warmup","start_ns":1}],"schema_version":1}"#,
        r#"{"data":[{"session_id":"s","payloads":[{}]}]}"#,
        r#"{"data":[{"payload":[{}]}]}"#,
        r#"{"timeslices":[{"start_ns":1,"end_ns":2}],"input_config":{}}"#,
        r#"{"metadata":{"request_start_ns":1},"responses":[]}"#,
    ] {
        let read = file(text);
        assert!(read.runs.is_empty() && read.strange.is_empty(), "{text}");
        assert_eq!(read.beside, ["aiperf-beside"], "{text}");
    }
    for strange in [r#"{"data":[]}"#, r#"{"data":[1]}"#, r#"{"phases":[{}]}"#] {
        let error = read_results_from("test", strange.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnknownFormat, "{strange}");
    }
}

#[test]
fn no_file_of_another_tool_is_taken_for_one_of_aiperf() {
    let Some(corpus) = super::corpus::corpus() else { return };
    let mut folders = vec![corpus.join("bench-results"), corpus.join("measured")];
    let mut read = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            read += 1;
            let is_own = path.strip_prefix(&corpus).unwrap().to_string_lossy().contains("aiperf");
            let Ok(file) = trueline_logs::read_results(&path) else {
                assert!(!is_own, "{}", path.display());
                continue;
            };
            let formats = file.runs.iter().map(|run| run.format.name).chain(file.beside);
            for format in formats {
                let ours = format.starts_with("aiperf") || format.starts_with("genai-perf");
                assert_eq!(ours, is_own, "{}: {format}", path.display());
            }
        }
    }
    assert!(read > 30, "{read} files");
}

#[test]
fn files_that_break_off_anywhere_do_not_stop_the_reader() {
    let Some(corpus) = super::corpus::corpus() else { return };
    for entry in std::fs::read_dir(corpus.join("measured/aiperf")).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        for end in (1..bytes.len()).step_by(331) {
            drop(read_results_from("test", bytes.get(..end).unwrap()));
        }
    }
}
