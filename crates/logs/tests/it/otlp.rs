//! Spans of OpenTelemetry, old names and new ones.

use trueline_core::{Disorder, Outcome, RequestRecord, Side, Stretch, Tokens};
use trueline_logs::{LogSummary, ReadOptions, Reason, read_log_from};

fn read(text: &str) -> LogSummary {
    let options = ReadOptions::default().with_requests_kept();
    read_log_from("t", text.as_bytes(), &options).expect("the text is a log").value
}

fn attribute(key: &str, value: &str) -> String {
    format!(r#"{{"key":"{key}","value":{{{value}}}}}"#)
}

/// An export of one span by a tracer.
fn export(tracer: &str, span: &str, attributes: &[(&str, &str)]) -> String {
    let attributes: Vec<String> = attributes.iter().map(|(k, v)| attribute(k, v)).collect();
    format!(
        r#"{{"resourceSpans":[{{"resource":{{"attributes":[{}]}},"scopeSpans":[{{"scope":{{"name":"{tracer}"}},"spans":[{{"traceId":"t","spanId":"s1","name":"llm_request",{span},"startTimeUnixNano":"1795954700000000001","endTimeUnixNano":"1795954704000000001","attributes":[{}]}}]}}]}}]}}"#,
        attribute("service.name", r#""stringValue":"gateway""#),
        attributes.join(",")
    )
}

const VLLM: &[(&str, &str)] = &[
    ("gen_ai.request.id", r#""stringValue":"cmpl-1""#),
    ("gen_ai.response.model", r#""stringValue":"m""#),
    ("gen_ai.usage.prompt_tokens", r#""intValue":"4000""#),
    ("gen_ai.usage.completion_tokens", r#""intValue":101"#),
    ("gen_ai.latency.time_in_queue", r#""doubleValue":0.5"#),
    ("gen_ai.latency.time_to_first_token", r#""doubleValue":2.0"#),
    ("gen_ai.latency.e2e", r#""doubleValue":4.0"#),
    ("gen_ai.latency.time_in_model_prefill", r#""doubleValue":1.25"#),
    ("gen_ai.latency.time_in_model_decode", r#""doubleValue":2.0"#),
    ("gen_ai.latency.time_in_model_inference", r#""doubleValue":3.25"#),
];

fn changed(key: &str, value: &'static str) -> Vec<(&'static str, &'static str)> {
    VLLM.iter().map(|(k, v)| if *k == key { (*k, value) } else { (*k, *v) }).collect()
}

fn seconds(row: &RequestRecord, stretch: Stretch) -> Option<f64> {
    row.spans.get(stretch).value().map(|took| took.as_secs_f64())
}

#[test]
fn a_span_of_vllm_is_the_servers_request_with_its_queue() {
    let log = read(&(export("vllm.llm_engine", r#""kind":2"#, VLLM) + "\n"));
    assert_eq!(log.recognition().format(), "otlp-lines");
    let row = &log.requests()[0];
    assert_eq!((row.id.as_deref(), row.model.as_deref()), (Some("cmpl-1"), Some("m")));
    assert_eq!(row.tokens.prompt.value(), Some(Tokens::new(4_000)));
    assert_eq!(row.started.value().unwrap().as_nanos(), 1_795_954_700_000_000_001);
    let stretches = [
        Stretch::ServerTtft,
        Stretch::ServerE2e,
        Stretch::Queue,
        Stretch::PrefillCompute,
        Stretch::ServerDecode,
    ];
    assert_eq!(stretches.map(|s| seconds(row, s)), [2.0, 4.0, 0.5, 1.25, 2.0].map(Some));
    assert_eq!((row.ttft(Side::Client).value(), row.outcome), (None, Outcome::Unknown));
    // No attribute says how much was cached: at most 4,000 tokens in 2 s.
    assert_eq!(log.counts().unknown_cached, 1);
    let (low, high) = log.production().unknown_cached().bounds().unwrap();
    assert_eq!((low.get(), high.get()), (0.0, 2_000.0));
}

#[test]
fn prefill_time_is_taken_from_vllm_alone() {
    for (tracer, expected) in [("vllm.llm_engine", Some(1.25)), ("sglang", None), ("", None)] {
        let log = read(&export(tracer, r#""kind":2"#, VLLM));
        assert_eq!(seconds(&log.requests()[0], Stretch::PrefillCompute), expected, "{tracer}");
    }
}

#[test]
fn new_names_say_what_was_cached_and_a_first_chunk_is_no_token() {
    let text = export(
        "app",
        r#""kind":3,"status":{"code":1}"#,
        &[
            ("gen_ai.operation.name", r#""stringValue":"chat""#),
            ("gen_ai.response.id", r#""stringValue":"r1""#),
            ("gen_ai.conversation.id", r#""stringValue":"c1""#),
            ("gen_ai.usage.input_tokens", r#""intValue":"5000""#),
            ("gen_ai.usage.cache_read.input_tokens", r#""intValue":"3000""#),
            ("gen_ai.usage.cache_creation.input_tokens", r#""intValue":"500""#),
            ("gen_ai.usage.output_tokens", r#""intValue":"20""#),
            ("gen_ai.response.time_to_first_chunk", r#""doubleValue":0.7"#),
        ],
    );
    let log = read(&text);
    let row = &log.requests()[0];
    assert_eq!((row.session.as_deref(), row.outcome), (Some("c1"), Outcome::Ok));
    assert_eq!(row.new_tokens().value(), Some(Tokens::new(2_000)));
    // By hand: from ...700 to ...704 s by the client's clock.
    assert_eq!(seconds(row, Stretch::ClientE2e), Some(4.0));
    assert!(row.any_ttft().is_none());
}

#[test]
fn spans_of_agents_and_tools_are_no_requests() {
    let agent = export(
        "app",
        r#""kind":1"#,
        &[
            ("gen_ai.operation.name", r#""stringValue":"invoke_agent""#),
            ("gen_ai.usage.input_tokens", r#""intValue":"9000""#),
        ],
    );
    let http = export("http", r#""kind":2"#, &[("http.route", r#""stringValue":"/v1""#)]);
    let metrics = r#"{"resourceMetrics":[]}"#;
    let one = export("vllm", r#""kind":2"#, VLLM);
    let log = read(&format!("{agent}\n{http}\n{metrics}\n{one}\ncollector started\n"));
    assert_eq!((log.counts().used, log.counts().other), (1, 4));
}

#[test]
fn times_that_cannot_be_are_told() {
    for (key, value, expected) in [
        // A queue of less than nothing; one longer than the whole; uptime; two clocks; the first after the last.
        ("gen_ai.latency.time_in_queue", r#""doubleValue":-0.2"#, Disorder::EndBeforeStart),
        ("gen_ai.latency.time_in_queue", r#""doubleValue":9.0"#, Disorder::QueueBeyondTtft),
        ("gen_ai.latency.time_in_model_decode", r#""doubleValue":400000.0"#, Disorder::UptimeSized),
        ("gen_ai.latency.e2e", r#""doubleValue":-1760000000.0"#, Disorder::EndBeforeStart),
        ("gen_ai.latency.time_to_first_token", r#""doubleValue":4.5"#, Disorder::FirstAfterLast),
    ] {
        let log = read(&export("vllm", r#""kind":2"#, &changed(key, value)));
        assert_eq!(log.production().disorders().get(&expected), Some(&1), "{key} {value}");
    }
    let nan = changed("gen_ai.latency.e2e", r#""doubleValue":"NaN""#);
    assert_eq!(read(&export("vllm", r#""kind":2"#, &nan)).counts().used, 1);
}

#[test]
fn a_document_over_many_lines_says_the_same_as_one_line() {
    let line = export("vllm.llm_engine", r#""kind":"SPAN_KIND_SERVER""#, VLLM);
    let value: serde_json::Value = serde_json::from_str(&line).unwrap();
    let document = serde_json::to_string_pretty(&value).unwrap();
    let (one, many) = (read(&line), read(&document));
    assert_eq!((one.recognition().format(), many.recognition().format()), ("otlp-lines", "otlp"));
    assert_eq!(one.requests(), many.requests());
    assert!(read_log_from("t", &document.as_bytes()[..200], &ReadOptions::default()).is_err());
}

#[test]
fn damaged_lines_lose_what_is_damaged_alone() {
    let line = export("vllm", r#""kind":2"#, VLLM);
    let half = &line[..line.len() / 2];
    // A cut export before a whole one; two on a line; the end cut off.
    let log = read(&format!("{half}{line}\n{line}{line}\n{half}"));
    let counts = log.counts();
    assert_eq!((counts.used, counts.rejected.of(Reason::Torn), counts.incomplete_tail), (3, 1, 1));
    assert_eq!(counts.read(), 4);
}

#[test]
fn files_cut_anywhere_add_up() {
    let text = format!("{0}\n{0}\n", export("vllm", r#""kind":2"#, VLLM));
    for cut in 0..text.len() {
        for format in ["otlp-lines", "otlp"] {
            let options = ReadOptions::default().with_threads(1).with_format(format);
            let Ok(read) = read_log_from("t", &text.as_bytes()[..cut], &options) else { continue };
            let counts = read.value.counts();
            assert!(counts.used <= 2 && counts.read() == counts.used + counts.rejected.total());
        }
    }
}
