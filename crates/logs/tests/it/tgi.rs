//! TGI's router log and its response headers: no TTFT, no TPOT, no cached tokens, and none is made up.
//!
//! All lines are made up in the shapes that TGI's router writes.

use trueline_core::{Side, Stretch, Tokens};
use trueline_logs::{LogSummary, ReadOptions, read_log_from};

use crate::read;

fn kept(text: &str) -> LogSummary {
    let options = ReadOptions::default().with_requests_kept();
    read_log_from("test", text.as_bytes(), &options).unwrap().value
}

const TIMES: &str = r#"total_time="4.065504959s" validation_time="440.038965ms" queue_time="94.981µs" inference_time="3.625371193s" time_per_token="38.982485ms" seed="None"}: text_generation_router::server: router/src/server.rs:402: Success"#;
const STAMP: &str = "2026-11-29T12:00:13.000000Z";

fn span(parameters: &str) -> String {
    format!("{STAMP}  INFO generate{{parameters=GenerateParameters {{ {parameters} }} {TIMES}")
}

#[test]
fn a_span_gives_what_it_measures_and_no_more() {
    let text = format!(
        "{STAMP}  INFO text_generation_router::server: router/src/server.rs:2311: Connected\n{}\n",
        span("stop: [], do_sample: false")
    );
    let log = kept(&text);
    assert_eq!(log.recognition().format(), "tgi");
    assert_eq!(log.conditions().get("server"), Some("tgi"));
    let counts = log.counts();
    assert_eq!((counts.used, counts.other, counts.rejected.total()), (1, 1, 0));
    let request = &log.requests()[0];
    let seconds = |s| request.spans.get(s).value().map(|took| took.as_secs_f64());
    assert_eq!(seconds(Stretch::ServerE2e), Some(4.065_504_959));
    assert_eq!(seconds(Stretch::Queue), Some(94.981e-6));
    // Inference holds prefill and decode: no TTFT, no prefill, no decode time comes of it.
    assert!(!request.ttft(Side::Server).is_known() && !request.decode_time().is_known());
    assert_eq!(seconds(Stretch::PrefillCompute), None);
    assert!(request.reported.is_empty());
    // 93 x 38.982485 ms is the inference time; the prompt is counted nowhere.
    assert_eq!(request.tokens.output.value(), Some(Tokens::new(93)));
    assert_eq!((counts.unknown_prompt, counts.unknown_ttft), (1, 1));
    // It ended at 12:00:13 UTC, 1,795,953,613 s after the epoch, and began 4.065504959 s before.
    assert_eq!(request.started.value().unwrap().as_nanos(), 1_795_953_608_934_495_041);
}

#[test]
fn parameters_may_hold_braces_quotes_and_line_ends() {
    let odd = [
        r#"stop: ["}: ", "total_time=\"9s\" "], grammar: Some(Json(Object {"type": String("object")}))"#,
        "stop: [\"a\nb\n}: \n\"], seed: None",
        "stop: [\"你好 {\"]",
    ];
    let mut text = String::new();
    for parameters in odd {
        text += &format!("{}\n", span(parameters));
    }
    text += &format!("{STAMP}  INFO chat_completions{{{TIMES}\n");
    let log = kept(&text);
    let counts = log.counts();
    // The four lines of the second are one record, and nothing else.
    assert_eq!((counts.used, counts.other, counts.rejected.total()), (4, 0, 0));
    let e2e = |r: &trueline_core::RequestRecord| r.any_e2e().unwrap().took.as_nanos();
    assert!(log.requests().iter().all(|r| e2e(r) == 4_065_504_959));
    // Two containers in one log do not finish each other's spans.
    let (first, second) = odd[1].split_once('\n').unwrap();
    let begun = format!("{STAMP}  INFO generate{{parameters=GenerateParameters {{ {first}");
    let ends = format!("{second} }} {TIMES}");
    let text = format!(
        "a-1  | {begun}\nb-1  | {}\n{}\n",
        span("x"),
        ends.lines().map(|l| format!("a-1  | {l}\n")).collect::<String>()
    );
    assert_eq!(read(&text).counts().used, 2);
}

#[test]
fn lines_in_json_say_the_same() {
    let line = format!(
        r#"{{"timestamp":"{STAMP}","level":"INFO","message":"Success","target":"text_generation_router::server","filename":"router/src/server.rs","line_number":402,"span":{{"inference_time":"3.625371193s","parameters":"GenerateParameters {{ stop: [] }}","queue_time":"94.981µs","seed":"None","time_per_token":"38.982485ms","total_time":"4.065504959s","validation_time":"440.038965ms","name":"generate"}},"spans":[]}}"#
    );
    let other = r#"{"timestamp":"2026-11-29T12:00:00.1Z","level":"INFO","message":"Connected","target":"text_generation_router::server"}"#;
    let log = kept(&format!("{other}\n{line}\n"));
    assert_eq!(log.recognition().format(), "tgi");
    let of_text = kept(&span("stop: []"));
    assert_eq!((log.counts().used, log.counts().other), (1, 1));
    assert_eq!(log.requests(), of_text.requests());
}

#[test]
fn headers_give_counts_and_leave_what_was_cached_unknown() {
    let row = r#"{"route":"/generate","response_headers":{"x-compute-type":"gpu+optimized","x-compute-time":"4.065504959","x-prompt-tokens":"1500","x-generated-tokens":"93","x-total-time":"4065","x-validation-time":"440","x-queue-time":"0","x-inference-time":"3625","x-time-per-token":"38"}}"#;
    let flat = r#"{"x-request-id":"q","x-prompt-tokens":"1500","x-generated-tokens":"93","x-total-time":"4065","x-queue-time":"0"}"#;
    let read =
        read_log_from("t", format!("{flat}\n{row}\n").as_bytes(), &ReadOptions::default()).unwrap();
    let log = &read.value;
    assert_eq!(log.recognition().format(), "tgi-headers");
    let counts = log.counts();
    assert_eq!((counts.used, counts.unknown_cached, counts.unknown_ttft), (2, 2, 2));
    assert_eq!((log.production().tokens().prompt, log.production().tokens().output), (3_000, 186));
    // No rate can be had, so none is given; that is told, and no error.
    assert_eq!(log.production().cells().count(), 0);
    assert!(read.outcomes.has("cached-tokens-unknown"));
    assert!(read.outcomes.findings().all(|f| f.severity < trueline_core::Severity::Error));
}

#[test]
fn a_log_cut_at_any_byte_is_read_or_refused_and_adds_up() {
    let text = format!("{}\n{}\n{}\n", span("stop: [\"a\nb\"]"), span("x"), span("y"));
    let options = ReadOptions::default().with_format("tgi");
    for end in 0..=text.len() {
        let Ok(read) = read_log_from("cut", &text.as_bytes()[..end], &options) else { continue };
        let c = *read.value.counts();
        assert_eq!(c.read(), c.used + c.own + c.rejected.total() + c.warmup, "{end}");
        assert_eq!(c.rejected.total(), 0, "{end}");
        assert!(c.incomplete_tail <= 1, "{end}");
    }
    // A span that is cut in the middle of the log is counted, and the next one is read.
    let cut = &text[..150];
    let log = read(&format!("{cut}\n{}\n", span("x")));
    assert_eq!((log.counts().used, log.counts().torn), (1, 1));
}
