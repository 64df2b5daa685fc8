//! SGLang's logs of requests: rows of the exporter in three generations, the JSON log, and text.
//!
//! All lines are made up in the shapes that SGLang's code writes.

use trueline_core::{Known, Severity, Side, Stretch, Tokens, Why};
use trueline_logs::{LogSummary, ReadOptions, check_intervals, read_log_from};

use crate::read;

fn kept(text: &str) -> LogSummary {
    let options = ReadOptions::default().with_requests_kept();
    read_log_from("test", text.as_bytes(), &options).unwrap().value
}

/// Before 0.5.10, with `--enable-metrics`.
const FIRST: &str = r#"{"request_parameters": "{\"rid\": \"a1\", \"text\": \"say \\\"}{\\\" \\u4f60\", \"stream\": true}", "id": "a1", "finish_reason": {"type": "stop", "matched": 2}, "prompt_tokens": 4000, "weight_version": "default", "total_retractions": 0, "queue_time": 0.25, "prefill_launch_delay": 0.001, "prefill_launch_latency": 0.002, "completion_tokens": 101, "cached_tokens": 1000, "e2e_latency": 13.0, "request_received_ts": 1795950000.0, "request_sent_to_scheduler_ts": 1795950000.01, "prefill_finished_ts": 1795950003.0, "decode_finished_ts": 1795950013.0, "request_finished_ts": 1795950013.0, "decode_throughput": 10.1, "inference_time": 12.75}"#;
/// 0.5.10, with `--enable-metrics`, streamed.
const SECOND: &str = r#"{"request_parameters": "{\"rid\": \"b1\"}", "id": "b1", "finish_reason": {"type": "length", "length": 101}, "prompt_tokens": 4000, "weight_version": "default", "total_retractions": 0, "forward_entry_time": 1795950100.5, "prefill_finished_time": 1795950102.5, "queue_time": 0.5, "prefill_waiting_latency": 0.0, "prefill_launch_latency": null, "reasoning_tokens": 0, "completion_tokens": 101, "cached_tokens": 1000, "cached_tokens_details": {"device": 1000, "host": 0}, "dp_rank": null, "e2e_latency": 13.0, "request_received_ts": 1795950100.0, "response_sent_to_client_ts": 1795950103.0, "request_finished_ts": 1795950113.0, "inference_time": 12.5, "decode_throughput": 10.1}"#;
/// 0.5.23, with `--enable-metrics`, not streamed.
const THIRD: &str = r#"{"request_parameters": "{\"rid\": \"c1\"}", "id": "c1", "finish_reason": {"type": "stop", "matched": 2}, "prompt_tokens": 4000, "weight_version": "default", "num_retractions": 0, "forward_entry_time": 1795950200.5, "prefill_finished_time": 1795950202.5, "queue_time": 0.5, "reasoning_tokens": 0, "completion_tokens": 101, "cached_tokens": 1000, "e2e_latency": 13.0, "request_received_ts": 1795950200.0, "first_token_latency": 3.0, "response_sent_to_client_ts": 1795950213.001, "request_finished_ts": 1795950213.0, "decode_throughput": 10.0}"#;

#[test]
fn rows_of_three_generations_say_the_same_of_one_request() {
    for (row, queue, compute, counts) in [
        (FIRST, 0.25, None, "all tokens"),
        (SECOND, 0.5, Some(2.0), "all tokens"),
        (THIRD, 0.5, Some(2.0), "tokens but the first"),
    ] {
        let log = kept(row);
        assert_eq!(log.recognition().format(), "sglang-export", "{row}");
        assert_eq!(log.conditions().get("server"), Some("sglang"));
        let request = &log.requests()[0];
        // 3,000 new tokens; the first came after 3 s and the last after 13.
        assert_eq!(request.new_tokens().value(), Some(Tokens::new(3_000)));
        assert_eq!(request.prefill_rate(Side::Server).value().unwrap().get(), 1_000.0);
        assert_eq!(request.decode_rate().value().unwrap().get(), 10.0);
        let seconds = |s| request.spans.get(s).value().map(|took| took.as_secs_f64());
        assert_eq!(seconds(Stretch::Queue), Some(queue));
        assert_eq!(seconds(Stretch::PrefillCompute), compute);
        // Its own decode rate is read for what it counts: 101 / 10 s or 100 / 10 s.
        let (_, says) = log.generations().iter().find(|(what, _)| what.contains("decode")).unwrap();
        assert!(says.only().unwrap().starts_with(counts), "{says:?}");
    }
}

#[test]
fn the_first_chunk_of_a_reply_that_is_not_streamed_is_its_end() {
    // Without a stamp of the end of prefill nothing says when the first token came.
    let whole = THIRD
        .replace(r#""first_token_latency": 3.0, "#, "")
        .replace(r#""prefill_finished_time": 1795950202.5, "#, "");
    let log = kept(&whole);
    assert_eq!(log.requests()[0].ttft(Side::Server), Known::Not(Why::Absent));
    assert_eq!(log.counts().unknown_ttft, 1);
    // With it, prefill ended 2.5 s after the request came in.
    let log = kept(&THIRD.replace(r#""first_token_latency": 3.0, "#, ""));
    let ttft = log.requests()[0].ttft(Side::Server).value().unwrap();
    assert_eq!(ttft.as_secs_f64(), 2.5);
    // Without --enable-metrics there is no moment at all, and a stamp alone is no stretch.
    let bare = r#"{"request_parameters": "{}", "id": "d", "finish_reason": {"type": "stop"}, "prompt_tokens": 50, "weight_version": "default", "num_retractions": 0, "completion_tokens": 15, "cached_tokens": 1, "e2e_latency": 0.25, "response_sent_to_client_ts": 1795950300.0}"#;
    let log = kept(bare);
    assert_eq!(log.requests()[0].ttft(Side::Server), Known::Not(Why::Absent));
    assert_eq!(log.counts().impossible, 0);
}

#[test]
fn one_cached_token_too_many_is_the_whole_prompt_and_more_are_impossible() {
    let row = |cached: u64| {
        SECOND.replace("\"cached_tokens\": 1000", &format!("\"cached_tokens\": {cached}"))
    };
    let log = kept(&row(4_001));
    assert_eq!((log.counts().clamped_cached, log.counts().impossible), (1, 0));
    assert_eq!(log.requests()[0].new_tokens().value(), Some(Tokens::new(0)));
    let log = kept(&row(4_002));
    assert_eq!((log.counts().clamped_cached, log.counts().impossible), (0, 1));
    assert_eq!(log.production().tokens().cached, 0);
    assert_eq!(log.counts().unknown_cached, 1);
}

#[test]
fn stamps_that_were_never_made_are_no_times() {
    // Work on it was never stamped: the queue is a difference of two zeros, and what is called inference is
    // the host's uptime.
    let unstamped = SECOND
        .replace(r#""forward_entry_time": 1795950100.5, "#, "")
        .replace(r#""queue_time": 0.5"#, r#""queue_time": 0.0"#)
        .replace(r#""inference_time": 12.5"#, r#""inference_time": 26520974.38"#);
    let log = kept(&unstamped);
    assert_eq!(log.requests()[0].spans.get(Stretch::Queue), Known::Not(Why::ZeroForNone));
    assert_eq!(log.counts().impossible, 0);
    // A negative queue and one longer than the whole wait are told, not averaged in.
    for queue in ["-26520974.5", "5.0"] {
        let text = SECOND.replace(r#""queue_time": 0.5"#, &format!(r#""queue_time": {queue}"#));
        let read = kept(&text);
        assert_eq!(read.production().disorders().values().sum::<u64>(), 1, "{queue}");
    }
}

#[test]
fn aborted_requests_and_checks_of_health_enter_no_rate() {
    let abort = SECOND.replace(
        r#"{"type": "length", "length": 101}"#,
        r#"{"type": "abort", "message": "Request running timeout reached.", "status_code": 503}"#,
    );
    let health = SECOND.replace("b1", "HEALTH_CHECK_1795950100.2");
    let log = read(&format!("{SECOND}\n{abort}\n{health}\n"));
    let counts = log.counts();
    assert_eq!((counts.read(), counts.used, counts.failed, counts.warmup), (3, 2, 1, 1));
    assert_eq!(log.production().tokens().new, 3_000);
}

/// A row of the JSON log: ended at 12:00:13 of some zone.
fn ended(id: &str, meta: &str) -> String {
    format!(
        r#"[2026-11-29 12:00:13] {{"timestamp": "2026-11-29T12:00:13.500000", "event": "request.finished", "rid": "{id}", "obj": {{"rid": "{id}", "text": "你好 }}{{ \" out=", "stream": true}}, "out": {{"text": "x", "meta_info": {{"id": "{id}", {meta}}}}}}}"#
    )
}

fn received(id: &str) -> String {
    format!(
        r#"[2026-11-29 12:00:00] {{"timestamp": "2026-11-29T12:00:00.500000", "event": "request.received", "rid": "{id}", "obj": {{"rid": "{id}", "text": "x"}}}}"#
    )
}

const NUMBERS: &str = r#""finish_reason": {"type": "stop", "matched": 2}, "prompt_tokens": 4000, "weight_version": "default", "num_retractions": 0, "completion_tokens": 101, "cached_tokens": 1000, "e2e_latency": 13.0"#;

#[test]
fn the_json_log_is_read_behind_its_stamp_in_brackets() {
    let openai = received("a").replace("request.received", "request.received.openai");
    let text = format!("{openai}\n{}\n{}\n", received("a"), ended("a", NUMBERS));
    let options = ReadOptions::default().with_requests_kept();
    let read = read_log_from("test", text.as_bytes(), &options).unwrap();
    let log = read.value;
    assert_eq!(log.recognition().format(), "sglang-requests");
    let counts = log.counts();
    assert_eq!((counts.used, counts.other, counts.rejected.total()), (1, 2, 0));
    // It ended 13 s after it came in, at 12:00:00.5 of an unknown zone: 1,795,953,600.5 s after the epoch in UTC.
    let started = log.requests()[0].started.value().unwrap();
    assert_eq!(started.as_nanos(), 1_795_953_600_500_000_000);
    assert_eq!((counts.zoneless, counts.unknown_ttft), (1, 1));
    assert!(read.outcomes.has("zone-unknown"));
    // Where the server stamps requests, its stamps are epoch seconds and the zone does not matter.
    let stamped =
        format!(r#"{NUMBERS}, "request_received_ts": 1795950100.0, "first_token_latency": 3.0"#);
    let read = read_log_from("test", ended("b", &stamped).as_bytes(), &options).unwrap();
    assert_eq!(read.value.counts().zoneless, 0);
    assert!(!read.outcomes.has("zone-unknown"));
    assert_eq!(read.value.requests()[0].prefill_rate(Side::Server).value().unwrap().get(), 1_000.0);
}

/// The numbers of a text line.
const META: &str = "{'id': 't1', 'finish_reason': {'type': 'stop', 'matched': 2}, 'prompt_tokens': 4000, 'weight_version': 'default', 'total_retractions': 0, 'queue_time': 0.5, 'prefill_waiting_latency': None, 'completion_tokens': 101, 'cached_tokens': 1000, 'cached_tokens_details': {'device': 1000, 'host': 0}, 'dp_rank': None, 'e2e_latency': 13.0, 'request_received_ts': 1795950100.0, 'response_sent_to_client_ts': 1795950103.0, 'request_finished_ts': 1795950113.0, 'inference_time': nan, 'decode_throughput': 10.1}";

/// A server's log with its access lines and batches.
fn text_log() -> String {
    let asked = r#""what's out={'meta_info': {'id': 'no'}} 你好""#;
    let request = format!(
        "GenerateReqInput(rid='t1', text={asked}, sampling_params={{'stop': None}}, stream=True)"
    );
    format!(
        "[2026-11-29 12:00:00] The server is fired up and ready to roll!\n\
         [2026-11-29 12:00:00] Receive: obj={request}\n\
         [2026-11-29 12:00:01 TP0] Prefill batch, #new-seq: 1, #new-token: 3000, #cached-token: 1000, token usage: 0.05, #running-req: 0, #queue-req: 0, cuda graph: False, input throughput (token/s): 51.20\n\
         [2026-11-29 12:00:05 TP0] Decode batch, #running-req: 1, #full token: 4050, full token usage: 0.05, #swa token: 512, swa token usage: 0.05, cuda graph: True, gen throughput (token/s): 10.02, #queue-req: 0\n\
         [2026-11-29 12:00:13] Finish: obj={request}, out={{'text': '{{}}', 'output_ids': [1, 2], 'meta_info': {META}}}\n\
         [2026-11-29 12:00:13] INFO:     127.0.0.1:33064 - \"POST /generate HTTP/1.1\" 200 OK\n"
    )
}

#[test]
fn text_lines_hold_the_same_numbers_as_rows() {
    let log = kept(&text_log());
    assert_eq!(log.recognition().format(), "sglang");
    assert!(log.recognition().evidence().contains("2 lines of requests"));
    let counts = log.counts();
    assert_eq!((counts.used, counts.other, counts.rejected.total(), counts.zoneless), (1, 5, 0, 0));
    let request = &log.requests()[0];
    assert_eq!(request.id.as_deref(), Some("t1"));
    assert_eq!(request.prefill_rate(Side::Server).value().unwrap().get(), 1_000.0);
    assert_eq!(request.decode_rate().value().unwrap().get(), 10.0);
    // No rate of a batch line is a rate of a request; its counts are counts.
    assert!(request.reported.is_empty());
    let total = |name| log.intervals().get("sglang", name).unwrap().total();
    assert_eq!((total("#new-token"), total("#cached-token")), (3_000, 1_000));
    let outcomes = check_intervals(log.intervals(), &["input throughput (token/s)"]);
    let refused = outcomes.findings().find(|f| f.severity == Severity::Error).unwrap();
    assert_eq!(refused.code, "rate-over-log-interval");
    // Through a container's log, in colour, and with rows of JSON between.
    let within = format!("{}{}\n", text_log(), ended("j", NUMBERS));
    let within: String =
        within.lines().map(|line| format!("sglang-1  | \u{1b}[32m{line}\u{1b}[0m\n")).collect();
    let log = kept(&within);
    assert_eq!((log.recognition().format(), log.counts().used), ("sglang", 2));
}

#[test]
fn logs_cut_at_any_byte_are_read_or_refused_and_add_up() {
    let rows = format!("{FIRST}\n{SECOND}\n{THIRD}\n");
    let json = format!("{}\n{}\n", received("a"), ended("a", NUMBERS));
    for (text, format) in
        [(rows, "sglang-export"), (json, "sglang-requests"), (text_log(), "sglang")]
    {
        let options = ReadOptions::default().with_format(format);
        for end in 0..=text.len() {
            let Ok(read) = read_log_from("cut", &text.as_bytes()[..end], &options) else {
                continue;
            };
            let c = *read.value.counts();
            assert_eq!(c.read(), c.used + c.own + c.rejected.total() + c.warmup, "{format} {end}");
            assert!(c.rejected.total() <= 1 && c.incomplete_tail <= 1, "{format} {end}");
        }
        let whole = read_log_from("whole", text.as_bytes(), &options).unwrap().value;
        assert_eq!(whole.counts().rejected.total(), 0, "{format}");
    }
}

#[test]
fn torn_rows_are_salvaged_and_counted() {
    // A line that starts in the middle, a cut record before a whole one, two on one line, half a one at the end.
    let half = &FIRST[..200];
    let middle = &SECOND[300..];
    let text = format!("{FIRST}\n{middle}\n{half}{SECOND}\n{SECOND}{THIRD}\n{half}");
    let read = read_log_from("test", text.as_bytes(), &ReadOptions::default()).unwrap();
    let c = read.value.counts();
    assert_eq!((c.used, c.torn, c.joined, c.incomplete_tail), (4, 2, 1, 1));
    assert!(read.outcomes.has("torn-line") && read.outcomes.has("truncated-file"));
}

#[test]
fn generations_in_one_file_are_noted() {
    let text = format!("{}{}", format!("{SECOND}\n").repeat(5), format!("{THIRD}\n").repeat(5));
    let read = read_log_from("test", text.as_bytes(), &ReadOptions::default()).unwrap();
    let found = read.outcomes.findings().find(|f| f.code == "mixed-schema").unwrap();
    for part in ["total_retractions", "num_retractions", "all tokens over", "tokens but the first"]
    {
        assert!(found.message.contains(part), "{part}: {}", found.message);
    }
    let one = format!("{THIRD}\n").repeat(9);
    let read = read_log_from("test", one.as_bytes(), &ReadOptions::default()).unwrap();
    assert!(!read.outcomes.has("mixed-schema"));
}

#[test]
fn a_clock_that_goes_back_is_told_by_the_line_of_the_text() {
    // Two lines a request, 20 s apart; the fourth, which ends in line 8, comes an hour before the third.
    let request = |n: u32| {
        let back = if n < 3 { 0 } else { 3_620 };
        let at = |seconds: u32| (1_795_950_000 + 20 * n + seconds - back).to_string();
        let meta = META
            .replace("1795950100", &at(100))
            .replace("1795950103", &at(103))
            .replace("1795950113", &at(113));
        format!(
            "[2026-11-29 12:00:00] The server is fired up and ready to roll!\n\
             [2026-11-29 12:00:13] Finish: obj=GenerateReqInput(rid='t{n}'), out={{'meta_info': {meta}}}\n"
        )
    };
    let text: String = (0..6).map(request).collect();
    for bytes in [1 << 20, 1_000] {
        let options = ReadOptions::default().with_block_bytes(bytes);
        let read = read_log_from("test", text.as_bytes(), &options).unwrap();
        let found = read.outcomes.findings().find(|f| f.code == "wall-time-jump").unwrap();
        // By hand: 3,620 s minus the 20 s between two requests.
        let says = "time goes back by 3600.000 s at line 8 of test";
        assert!(found.message.starts_with(says), "{}", found.message);
    }
}
