//! Each fault as it is on the socket.

use std::io::ErrorKind;
use std::time::Duration;

use serde_json::Value;
use trueline_sim::server::{Dialect, Fault};

use super::{connect, get, hear, quick, request, start, streamed, text_of};

/// The first text of the first event that has choices.
fn first_delta(fault: &str) -> Value {
    let heard = streamed(&start(quick()), fault, 4);
    heard.events()[0]["choices"][0]["delta"].clone()
}

#[test]
fn role_first_and_null_first_send_an_event_without_text_before_the_first_token() {
    assert_eq!(first_delta("role-first")["content"], "");
    assert_eq!(first_delta("null-first")["content"], Value::Null);
    assert_eq!(first_delta("null-first")["role"], "assistant");
    let heard = streamed(&start(quick()), "role-first", 4);
    assert_eq!(heard.texts(), 4);
}

#[test]
fn the_empty_event_leaves_long_before_the_first_token() {
    let mut config = quick();
    config.model.prefill_fixed = Duration::from_millis(150);
    let heard = streamed(&start(config), "role-first", 2);
    // The first token is due 150 ms after the empty event; half of it allows for a busy machine.
    let gap = heard.gap("\"content\":\"\"", "\"content\":\" ");
    assert!(gap >= Duration::from_millis(75), "{gap:?}");
}

#[test]
fn progress_tells_how_far_prefill_is_in_events() {
    let heard = streamed(&start(quick()), "progress", 2);
    let progress: Vec<Value> =
        heard.events().iter().filter_map(|e| e.get("prompt_progress").cloned()).collect();
    assert_eq!(progress.first().unwrap()["processed"], 0);
    let last = progress.last().unwrap();
    assert_eq!(last["processed"], last["total"]);
    assert_eq!(heard.texts(), 2);
}

#[test]
fn comments_tell_how_far_prefill_is_in_lines_that_are_no_events() {
    let heard = streamed(&start(quick()), "comments", 2);
    assert!(heard.text().contains("\n: keepalive ") || heard.text().contains("\r\n: keepalive "));
    assert_eq!(heard.texts(), 2);
}

#[test]
fn tokens_per_chunk_puts_several_tokens_into_an_event() {
    let heard = streamed(&start(quick()), "tokens-per-chunk=3", 7);
    let tokens: Vec<usize> = heard
        .events()
        .iter()
        .map(|event| trueline_sim::tokenize(&text_of(event)).len())
        .filter(|&n| n > 0)
        .collect();
    assert_eq!(tokens, [3, 3, 1]);
    assert_eq!(heard.usage().unwrap()["completion_tokens"], 7);
}

#[test]
fn events_per_read_puts_several_events_into_a_chunk() {
    let text = streamed(&start(quick()), "events-per-read=4", 8).text();
    let body = text.split_once("\r\n\r\n").unwrap().1;
    // A chunk begins with its length in hexadecimal; events end in an empty line.
    let chunks: Vec<usize> = body
        .split("\r\n")
        .filter(|part| part.starts_with("data: "))
        .map(|part| part.matches("\n\n").count())
        .collect();
    assert_eq!(chunks.iter().sum::<usize>(), 8 + 3);
    // The second four may share a write with the end that follows them.
    assert_eq!(chunks[0], 4);
    assert!(chunks.len() <= 3, "{chunks:?}");
}

#[test]
fn buffered_sends_everything_at_the_end() {
    let heard = streamed(&start(quick()), "buffered", 30);
    assert_eq!(heard.texts(), 30);
    let text = heard.text();
    let body = text.split_once("\r\n\r\n").unwrap().1;
    assert_eq!(body.split("\r\n").filter(|part| part.starts_with("data: ")).count(), 1);
    // 29 steps of 2 ms, all before the first token is seen.
    assert!(heard.when("\"content\":\" ") >= Duration::from_millis(58));
}

#[test]
fn usage_missing_late_and_invented() {
    let server = start(quick());
    assert_eq!(streamed(&server, "usage-missing", 3).usage(), None);
    let late = streamed(&server, "usage-late=0.2", 3);
    assert!(late.gap("\"finish_reason\":\"length\"", "\"usage\"") >= Duration::from_millis(100));
    let honest = streamed(&server, "", 3).usage().unwrap();
    let invented = streamed(&server, "usage-invented", 3).usage().unwrap();
    assert_eq!(
        invented["prompt_tokens"].as_u64(),
        honest["prompt_tokens"].as_u64().map(|tokens| 2 * tokens)
    );
}

#[test]
fn reasoning_carries_the_first_tokens_elsewhere() {
    let heard = streamed(&start(quick()), "reasoning=3", 5);
    let thoughts = heard
        .events()
        .iter()
        .filter(|e| e["choices"][0]["delta"]["reasoning_content"].is_string())
        .count();
    assert_eq!((thoughts, heard.texts()), (3, 2));
    let usage = heard.usage().unwrap();
    assert_eq!(usage["completion_tokens_details"]["reasoning_tokens"], 3);
}

#[test]
fn after_done_sends_an_event_behind_the_end() {
    let text = streamed(&start(quick()), "after-done", 2).text();
    let behind = text.split_once("data: [DONE]\n\n").unwrap().1;
    assert!(behind.contains("data: {"), "{behind:?}");
}

#[test]
fn error_event_ends_a_stream_of_status_200_and_cancels_the_request() {
    let server = start(quick());
    let heard = streamed(&server, "error-event=2", 50);
    assert!(heard.head().starts_with("HTTP/1.1 200 "));
    assert_eq!(heard.texts(), 2);
    assert!(heard.events().iter().any(|event| event["error"]["code"] == 500));
    assert!(get(&server, "/sim/ledger").contains("\"finish\":\"cancelled\""));
}

#[test]
fn stall_is_silent_after_the_second_token_and_then_goes_on() {
    let heard = streamed(&start(quick()), "stall=0.3", 6);
    assert_eq!(heard.texts(), 6);
    let longest =
        heard.reads.windows(2).map(|pair| pair[1].0.saturating_sub(pair[0].0)).max().unwrap();
    // 300 ms less what the second token itself was late.
    assert!(longest >= Duration::from_millis(200), "{longest:?}");
}

#[test]
fn reset_ends_the_connection_with_an_error() {
    let heard = streamed(&start(quick()), "reset=3", 50);
    assert_eq!(heard.end.as_ref().map_err(std::io::Error::kind), Err(ErrorKind::ConnectionReset));
    // What was under way when the connection was reset may be lost.
    assert!(heard.texts() <= 3);
    assert!(!heard.text().contains("[DONE]"));
}

#[test]
fn close_kept_closes_although_its_head_says_keep_alive() {
    let body = r#"{"prompt":"a","max_tokens":2,"stream":true}"#;
    let ask = |fields: &str| {
        let server = start(quick());
        let mut stream = connect(&server);
        let ask = request("POST", "/v1/completions", fields, body);
        let heard = hear(&mut stream, &ask, "\r\n0\r\n\r\n");
        let more = hear(&mut stream, "", "");
        (heard, more)
    };
    let (heard, more) = ask("x-sim-fault: close-kept\r\n");
    assert!(heard.head().contains("Keep-Alive: timeout=5"));
    assert!(!heard.head().contains("Connection: close"));
    assert!(more.end.is_ok() && more.reads.is_empty(), "{more:?}");
}

#[test]
fn http10_has_neither_length_nor_chunks_and_ends_with_the_connection() {
    let heard = streamed(&start(quick()), "http10", 3);
    assert!(heard.head().starts_with("HTTP/1.0 200 "));
    assert!(!heard.head().contains("Transfer-Encoding"));
    assert!(heard.text().ends_with("data: [DONE]\n\n"));
    assert_eq!(heard.texts(), 3);
}

#[test]
fn status_429_and_503_come_with_retry_after_and_serve_nothing() {
    let server = start(quick());
    for (fault, status, after) in [("status-429=7", "429", 7), ("status-503=2", "503", 2)] {
        let head = streamed(&server, fault, 3).head();
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{head}");
        assert!(head.contains(&format!("Retry-After: {after}")), "{head}");
    }
    assert_eq!(get(&server, "/sim/ledger"), "");
}

#[test]
fn slow_headers_keep_the_head_back() {
    let server = start(quick());
    let first = |fault| streamed(&server, fault, 2).reads[0].0;
    assert!(first("slow-headers=0.3") >= Duration::from_millis(300));
    assert!(first("") < Duration::from_millis(300));
}

#[test]
fn garbage_is_in_the_stream_and_all_tokens_are_too() {
    let heard = streamed(&start(quick()), "garbage", 5);
    let bytes: Vec<u8> = heard.reads.iter().flat_map(|(_, bytes)| bytes.clone()).collect();
    assert!(String::from_utf8(bytes).is_err());
    assert_eq!(heard.texts(), 5);
}

#[test]
fn counter_reset_sets_the_counters_back_after_its_request() {
    let server = start(quick());
    let tokens = || {
        let text = get(&server, "/metrics");
        let line = text.lines().find(|line| line.starts_with("vllm:generation_tokens_total"));
        line.and_then(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).unwrap_or(0.0)
    };
    streamed(&server, "", 5);
    assert!((tokens() - 5.0).abs() < 0.5, "{}", tokens());
    streamed(&server, "counter-reset", 4);
    assert!(tokens().abs() < 0.5, "{}", tokens());
    streamed(&server, "", 3);
    assert!((tokens() - 3.0).abs() < 0.5, "{}", tokens());
    // The truth forgets nothing.
    assert_eq!(get(&server, "/sim/ledger").lines().count(), 3);
}

#[test]
fn the_rate_counts_cached_tokens_or_leaves_time_out_where_asked() {
    let mut config = quick();
    config.dialect = Dialect::LlamaCpp;
    config.model.prefill = trueline_core::TokensPerSecond::new(1_000.0).unwrap();
    config.model.prefill_fixed = Duration::from_millis(100);
    let server = start(config);
    let timings = |fault: &str| {
        let prompt = trueline_sim::words(trueline_core::Tokens::new(64), 5);
        let body = format!(r#"{{"prompt":"{prompt}","max_tokens":1}}"#);
        let fields = format!("Connection: close\r\nx-sim-fault: {fault}\r\n");
        let ask = request("POST", "/v1/completions", &fields, &body);
        let text = hear(&mut connect(&server), &ask, "").text();
        let body: Value = serde_json::from_str(text.split_once("\r\n\r\n").unwrap().1).unwrap();
        let field = |name: &str| body["timings"][name].as_f64().unwrap();
        (field("cache_n"), field("prompt_n"), field("prompt_per_second"))
    };
    // Cold: 64 tokens in 100 + 64 ms.
    let (cached, new, rate) = timings("");
    assert_eq!((cached, new), (0.0, 64.0));
    assert!((rate - 64.0 / 0.164).abs() < 0.5, "{rate}");
    // Warm: whole blocks of 16 short of the whole prompt, 16 tokens in 116 ms.
    let (cached, new, rate) = timings("");
    assert_eq!((cached, new), (48.0, 16.0));
    assert!((rate - 16.0 / 0.116).abs() < 0.5, "{rate}");
    assert!((timings("rate-counts-cached").2 - 64.0 / 0.116).abs() < 0.5);
    assert!((timings("rate-leaves-time-out").2 - 1_000.0).abs() < 0.5);
}

#[test]
fn clock_step_moves_the_stamps_from_the_first_token_on() {
    let server = start(quick());
    let heard = streamed(&server, "role-first,clock-step=-3600", 2);
    let stamps: Vec<i64> = heard.events().iter().filter_map(|e| e["created"].as_i64()).collect();
    // A second may have passed.
    assert!((3_599..=3_600).contains(&(stamps[0] - stamps[1])), "{stamps:?}");
    // Later requests find the clock stepped, and do not step it again.
    let later = streamed(&server, "role-first,clock-step=-3600", 2);
    let more: Vec<i64> = later.events().iter().filter_map(|e| e["created"].as_i64()).collect();
    assert!((0..60).contains(&(more[0] - stamps[1])), "{stamps:?} {more:?}");
    assert_eq!(more[0], more[1]);
    let log = get(&server, "/sim/log/own");
    let started: Vec<f64> = log
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok()?["started_at_s"].as_f64())
        .collect();
    assert!(started[0] - started[1] > 3_500.0, "{log}");
}

#[test]
fn a_fault_may_be_the_servers_the_models_or_the_requests() {
    let mut config = quick();
    config.faults = vec![Fault::UsageMissing];
    let server = start(config);
    assert_eq!(streamed(&server, "", 2).usage(), None);
    let body = r#"{"model":"sim+reasoning=1","messages":[{"role":"user","content":"x"}],"max_tokens":2,"stream":true}"#;
    let ask = request("POST", "/v1/chat/completions", "Connection: close\r\n", body);
    assert!(hear(&mut connect(&server), &ask, "").text().contains("reasoning_content"));
    let refused = streamed(&server, "no-such-fault", 2);
    assert!(refused.head().starts_with("HTTP/1.1 400 "));
    assert!(refused.text().contains("expected a fault, one of role-first"));
}
