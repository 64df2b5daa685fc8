//! genai-perf and `perf_analyzer`: what their files may do. The numbers are made up and worked by hand.

use trueline_core::{Metric, Outcome, Side, Statistic, Total};

use super::results_aiperf::{only, total, value};

#[test]
fn genai_perf_json_is_told_from_aiperf_and_read() {
    let run = only(
        r#"{"request_throughput":{"unit":"requests/sec","avg":2.0},
        "request_latency":{"unit":"ms","avg":250.0,"p99":300.0,"std":1.0},
        "inter_token_latency":{"unit":"ms","avg":5.0},
        "request_count":{"unit":"count","avg":10.0},
        "input_config":{"model_names":["m"],"endpoint":{"type":"chat","streaming":true},
        "perf_analyzer":{"stimulus":{"concurrency":4},
        "measurement":{"mode":"request_count","num":10}},
        "input":{"synthetic_tokens":{"mean":550},"output_tokens":{"mean":-1},"random_seed":0}}}"#,
    );
    assert_eq!(run.run.reported.tool.as_ref().unwrap().name, "genai-perf");
    assert_eq!(value(&run, Metric::TpotS, Some(Statistic::Mean)), Some(0.005));
    assert_eq!(total(&run, Total::CompletedRequests), Some(10));
    assert_eq!(total(&run, Total::FailedRequests), None);
    let plan = &run.run.plan;
    assert_eq!(plan.load.map(|l| l.to_string()).as_deref(), Some("concurrency 4"));
    assert_eq!((plan.requests, plan.output_tokens), (Some(10), None));
    assert_eq!(plan.prompt_tokens.map(trueline_core::Tokens::get), Some(550));
    assert!(run.missing.is_empty() && run.unknown.is_empty());
}

#[test]
fn genai_perf_csv_and_console_have_an_order_of_their_own() {
    let csv = "Metric,avg,min,max,p99,p95,p90,p75,p50,p25,p10,p5,p1\n\
        Time To First Token (ms),16.26,12.39,17.25,17.09,16.68,16.56,16.48,16.23,16.01,15.5,15,14\n\
        Request Latency (ms),\"1,322.50\",1,2,3,4,5,6,7,8,9,10,N/A\n\n\
        Metric,Value\nRequest Throughput (per sec),3.11\nRequest Count (count),14.00\n";
    let console = "NVIDIA GenAI-Perf | LLM Metrics\n┏━━┳━━┳━━┓\n┃ Statistic ┃ avg ┃ p99 ┃\n┡━━╇━━╇━━┩\n\
        │ Time To First Token (ms) │ 16.26 │ 17.09 │\n│ Request Latency (ms) │ 1,322.50 │ 3 │\n\
        │ Request Throughput (per sec) │ 3.11 │ N/A │\n│ Request Count (count) │ 14.00 │ N/A │\n└──┴──┴──┘\n";
    for (text, p99) in [(csv, 3), (console, 3)] {
        let run = only(text);
        assert_eq!(run.run.reported.tool.as_ref().unwrap().name, "genai-perf");
        assert_eq!(value(&run, Metric::TtftS, Some(Statistic::Mean)), Some(16.26 * 1e-3));
        assert_eq!(value(&run, Metric::E2eLatencyS, Some(Statistic::Mean)), Some(1.3225));
        let tail = "p99".parse::<Statistic>().unwrap();
        assert_eq!(value(&run, Metric::E2eLatencyS, Some(tail)), Some(f64::from(p99) * 1e-3));
        assert_eq!(value(&run, Metric::RequestPerS, None), Some(3.11));
        assert_eq!(total(&run, Total::CompletedRequests), Some(14));
        assert!(run.missing.is_empty() && run.unknown.is_empty() && run.rejected.is_empty());
    }
}

/// An export of `perf_analyzer` with one experiment.
fn export(requests: &str) -> String {
    format!(
        r#"{{"experiments":[{{"experiment":{{"mode":"concurrency","value":2}},
        "requests":{requests},"window_boundaries":[1]}}],
        "version":"2.59","service_kind":"openai","endpoint":"v1/chat/completions"}}"#
    )
}

#[test]
fn the_export_of_requests_counts_chunks_with_content_alone() {
    // A role, two tokens, the usage, the end: sent at 1 s, tokens at 1.2 s and 1.5 s.
    let request = r#"{"timestamp":1000000000,"request_inputs":{"session_id":"s"},
        "response_timestamps":[1100000000,1200000000,1500000000,1600000000,1700000000],
        "response_outputs":[
        {"response":"data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n"},
        {"response":"data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"a\"}}]}\n\n"},
        {"response":"data: {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\n\n"},
        {"response":"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2}}\n\n"},
        {"response":"data: [DONE]\n\n"}]}"#;
    let silent = r#"{"timestamp":1250000000,"response_timestamps":[],"response_outputs":[]}"#;
    let whole = r#"{"timestamp":1500000000,"response_timestamps":[2000000000],
        "response_outputs":[{"response":"{\"choices\":[{\"message\":{\"content\":\"ab\"}}]}"}]}"#;
    let run = only(&export(&format!(r#"[{request},{silent},{whole},{{"timestamp":1}},7]"#)));
    let requests = &run.run.requests;
    assert_eq!((requests.len(), run.rejected.len(), run.used), (3, 2, 3));
    let seconds = |d: std::time::Duration| (d.as_secs_f64() * 1e6).round() / 1e6;
    let first = &requests[0];
    assert_eq!(seconds(first.ttft(Side::Client).value().unwrap()), 0.2);
    assert_eq!(seconds(first.any_e2e().unwrap().took), 0.5);
    assert_eq!(first.gaps.iter().copied().map(seconds).collect::<Vec<_>>(), [0.3]);
    assert_eq!(first.tokens.output.value().unwrap().get(), 2);
    assert!(!first.tokens.cached.is_known() && !first.started.is_known());
    assert_eq!(requests[1].outcome, Outcome::Failed);
    // Not streamed: an end, and no first token.
    assert_eq!(seconds(requests[2].any_e2e().unwrap().took), 0.5);
    assert!(requests[2].any_ttft().is_none() && !requests[2].tokens.output.is_known());
    assert_eq!(run.run.plan.load.map(|l| l.to_string()).as_deref(), Some("concurrency 2"));
    assert!(run.unknown.is_empty());
}

#[test]
fn an_export_with_nothing_usable_is_a_run_without_requests() {
    for requests in ["[]", "null", "7", "{}"] {
        let run = only(&export(requests));
        assert!(run.run.requests.is_empty(), "{requests}");
    }
    // Without the replies' text every reply counts; a clock with a date is kept as such.
    let run = only(&export(
        r#"[{"timestamp":1700000000000000000,
        "response_timestamps":[1700000000250000000,1700000000500000000]}]"#,
    ));
    let request = &run.run.requests[0];
    assert!(request.started.is_known() && request.gaps.len() == 1);
    let ttft = request.ttft(Side::Client).value().unwrap();
    assert_eq!((ttft.as_secs_f64() * 1e6).round(), 250_000.0);
}
