//! The formats: recognised by content, read by their tables.

use trueline_core::{Side, Stretch, Tokens};
use trueline_logs::{
    ErrorKind, Kind, LOG_FORMATS, LogFormat, Mapping, Own, ReadOptions, Reason, read_log_from,
    read_runs_from, sniff_bytes,
};

use crate::{read, read_with};

/// A row in the shape of MTPLX 2.12.2; the numbers are made up.
const MTPLX: &str = r#"{"logged_at_s":1795954700.5,"completed_at_s":1795954700.0,"request_id":"q1","session_id":"s","model":"m","server_version":"2.12.2","prompt_tokens":47556,"cached_tokens":47351,"new_prefill_tokens":205,"completion_tokens":31,"prompt_eval_time_s":1.0,"cache_restore_time_s":0.5,"lock_wait_time_s":0.1,"queue_wait_s":0.2,"ttft_s":2.0,"request_elapsed_s":3.0,"decode_elapsed_s":1.0,"prefill_tok_s":205.0,"prompt_tps":47556.0,"decode_tok_s":30.0,"post_commit":{"best_prefix_len":47556,"cache_hit":true}}"#;

#[test]
fn mtplx_rows_are_the_servers_and_start_before_they_end() {
    let log = read_with(MTPLX, &ReadOptions::default().with_own(Own::IdPrefix("q".to_owned())));
    assert_eq!(log.recognition().format(), "mtplx");
    assert_eq!(log.conditions().get("server"), Some("mtplx"));
    let row = &log.own()[0];
    assert_eq!(row.ttft(Side::Client).value(), None);
    // By hand: 205 new tokens over 2 s; it began 3 s before it was completed.
    assert_eq!(row.prefill_rate(Side::Server).value().unwrap().get(), 102.5);
    assert_eq!(row.started.value().unwrap().as_nanos(), 1_795_954_697_000_000_000);
    assert_eq!(row.tokens.prompt.value(), Some(Tokens::new(47_556)));
    let seconds = |s: Stretch| row.spans.get(s).value().unwrap().as_secs_f64();
    let parts = [Stretch::Queue, Stretch::LockWait, Stretch::CacheRestore, Stretch::PrefillCompute];
    assert_eq!(parts.map(seconds), [0.2, 0.1, 0.5, 1.0]);
    // A decode rate is no prefill rate.
    let fields: Vec<&str> = row.reported.iter().map(|r| &*r.field).collect();
    assert_eq!(fields, ["prefill_tok_s", "prompt_tps"]);
}

#[test]
fn stated_new_tokens_that_differ_are_counted_and_not_used() {
    let other = MTPLX.replace("\"new_prefill_tokens\":205", "\"new_prefill_tokens\":0");
    let log = read(&format!("{MTPLX}\n{other}\n"));
    assert_eq!((log.counts().new_tokens_differ, log.production().tokens().new), (1, 410));
    assert_eq!(log.conditions().get("model"), Some("m"));
    assert_eq!(log.conditions().get("server_version"), Some("2.12.2"));
}

#[test]
fn a_row_of_another_format_in_the_file_is_noted() {
    let ours = r#"{"id":"a","prompt_tokens":10,"cached_tokens":0,"ttft_s":1,"e2e_latency_s":2,"output_tokens":3}"#;
    let text = format!("{}{MTPLX}\n", format!("{ours}\n").repeat(9));
    let read = read_log_from("t", text.as_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!(read.value.recognition().format(), "trueline");
    assert!(read.outcomes.has("mixed-schema"));
    assert_eq!(read.value.unknown_fields().get("post_commit"), Some(1));
}

#[test]
fn the_side_of_a_row_is_its_own_else_the_headers_else_the_server() {
    let row = r#"{"id":"x","prompt_tokens":100,"cached_tokens":0,"ttft_s":2}"#;
    let own = || ReadOptions::default().with_own(Own::IdPrefix("x".to_owned()));
    let header = |role, more: &str| {
        format!("{{\"schema\":\"trueline.requests/1\",\"role\":\"{role}\"{more}}}\n{row}")
    };
    for (text, side) in [
        (row.to_owned(), Side::Server),
        (header("log", ""), Side::Server),
        (header("log", ",\"side\":\"client\""), Side::Client),
        (row.replace("\"id\"", "\"side\":\"client\",\"id\""), Side::Client),
    ] {
        let log = read_with(&text, &own());
        assert!(log.own()[0].ttft(side).is_known(), "{text}");
    }
    // A run is a client's; it is refused as a log.
    let text = header("run", "");
    let error = read_log_from("t", text.as_bytes(), &own()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Header);
    let runs = read_runs_from("t", text.as_bytes()).unwrap().value;
    assert!(runs[0].requests[0].ttft(Side::Client).is_known());
}

const MAPPING: &str = r#"
name = "gateway"
[[field]]
path = "meta.id"
meaning = "id"
[[field]]
path = "at"
meaning = "started"
unit = "iso8601"
[[field]]
path = "usage.in"
meaning = "prompt_tokens"
[[field]]
path = "usage.new"
meaning = "new_tokens"
[[field]]
path = "first_us"
meaning = "ttft"
unit = "us"
clock = "client"
[[field]]
path = "code"
meaning = "outcome"
ok = [200, "done"]
"#;

#[test]
fn a_mapping_file_reads_any_json_lines() {
    let mapping = Mapping::parse("m.toml", MAPPING).unwrap();
    let text = r#"
        {"meta":{"id":"a"},"at":"2026-11-29T13:18:18Z","usage":{"in":1000,"new":400},"first_us":2e6,"code":200}
        {"meta":{"id":"b"},"at":"2026-11-29T13:18:19Z","usage":{"in":1000,"new":400},"first_us":2e6,"code":"done"}
        {"meta":{"id":"c"},"at":"2026-11-29T13:18:20Z","usage":null,"code":500}
        {"unrelated":true}
    "#;
    let log = read_with(text, &ReadOptions::default().with_mapping(mapping));
    let c = log.counts();
    assert_eq!((c.used, c.failed, c.rejected.of(Reason::OtherSchema)), (3, 1, 1));
    // Cached tokens are prompt minus new: 600 of 1,000, so the cell is 50–90 %; 400 / 2 s = 200.
    let (cell, stats) = log.production().cells().next().unwrap();
    assert_eq!(cell.to_string(), "1–4k tokens, 50–90 % cached");
    assert_eq!(stats.rates().sorted(), Some(&[200.0, 200.0][..]));
}

#[test]
fn a_word_that_is_none_is_an_error_that_lists_those_that_are() {
    for (from, to, expected) in [
        ("\"new_tokens\"", "\"fresh\"", "one of id, session, model"),
        ("unit = \"us\"", "unit = \"minutes\"", "one of s, ms, us, ns"),
        ("clock = \"client\"", "clock = \"proxy\"", "one of client, server"),
        ("clock = \"client\"\n", "", "found \"no clock\""),
        // No server knows what a request waited in the client.
        (
            "\"ttft\"\nunit = \"us\"\nclock = \"client\"",
            "\"send_delay\"\nunit = \"us\"\nclock = \"server\"",
            "one of client; found \"server\"",
        ),
        ("unit = \"iso8601\"\n", "", "epoch_s"),
        ("ok = [200, \"done\"]\n", "", "\"ok\""),
        ("path = \"at\"", "path = \"code\"", "twice"),
    ] {
        let error = Mapping::parse("m.toml", &MAPPING.replace(from, to)).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let error = read_log_from("t", &b"{}"[..], &ReadOptions::default().with_format("tgi2"));
    let error = error.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnknownWord);
    let names: Vec<&str> = LOG_FORMATS.iter().map(|format| format.name).collect();
    assert!(error.to_string().contains(&names.join(", ")));
}

#[test]
fn every_field_of_a_known_format_says_what_it_means() {
    for format in LOG_FORMATS {
        for field in format.fields() {
            assert!(!field.source.is_empty(), "{field}");
        }
    }
    let ttft = LogFormat::named("mtplx")
        .unwrap()
        .fields()
        .into_iter()
        .find(|f| f.path == "ttft_s")
        .unwrap();
    assert_eq!(
        ttft.to_string(),
        "ttft_s: TTFT [s], from arrival to the first token, server's clock; queue included; MTPLX 2.5.0 to \
         2.12.2, request log"
    );
}

#[test]
fn files_are_sorted_by_content() {
    let kind = |text: &str| sniff_bytes("f", text.as_bytes()).unwrap();
    assert!(matches!(kind(MTPLX), Kind::RequestLog(r) if r.format() == "mtplx"));
    let run = r#"{"schema":"trueline.requests/1","role":"run"}"#;
    assert_eq!(kind(&format!("{run}\n")), Kind::Runs);
    let log = run.replace("run\"}", "log\"}");
    assert!(matches!(kind(&log), Kind::RequestLog(_)));
    assert_eq!(kind("{ \"schema\": \"trueline.host/1\", \"x\": 1 }"), Kind::HostRecord);
    assert_eq!(kind(MAPPING), Kind::Mapping);
    assert_eq!(kind("[[given]]\na = 1\n"), Kind::Claims);
    assert_eq!(kind("{\n \"architectures\": [\"X\"]\n}"), Kind::ModelConfig);
    assert!(matches!(kind("Serving Benchmark Result\n"), Kind::Unknown { .. }));
    assert!(matches!(sniff_bytes("f", b"\0\0").unwrap(), Kind::Unknown { .. }));
    assert!(matches!(sniff_bytes("f", b"").unwrap(), Kind::Unknown { .. }));
}
