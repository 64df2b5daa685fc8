//! Replies of real servers, played back.

use std::io::Write;
use std::time::{Duration, Instant};

use serde_json::Value;
use trueline_core::TokensPerSecond;
use trueline_probe::{Api, Exchange, FailureKind, parse_reply};

use crate::raw::{heard, server};
use crate::{between, client, counted, kind, one};

fn fixture(name: &str) -> String {
    let path = format!("{}/tests/fixtures/replies/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

/// A recorded reply as it was sent: its chunks were taken out, so they are put in again, in pieces that
/// cut events anywhere.
fn reply(name: &str) -> Vec<u8> {
    let text = fixture(name);
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n{text}")
            .into_bytes();
    };
    if !head.contains("chunked") {
        return text.into_bytes();
    }
    let mut bytes = format!("{head}\r\n\r\n").into_bytes();
    for piece in body.as_bytes().chunks(97) {
        write!(bytes, "{:x}\r\n", piece.len()).unwrap();
        bytes.extend_from_slice(piece);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"0\r\n\r\n");
    bytes
}

fn played(api: Api, name: &str) -> Exchange {
    let reply = reply(name);
    let (url, thread) = server(1, move |_, mut stream| {
        heard(&mut stream);
        stream.write_all(&reply).unwrap();
    });
    let exchange = one(&client(&url, api), 16);
    thread.join().unwrap();
    exchange
}

/// Events with text, and the server's own counts, were counted in the files with a script of its own.
#[test]
fn replies_of_real_servers_come_to_what_is_in_them() {
    use Api::{LlamaCpp, OpenAiChat, OpenAiCompletions};
    let counts = |prompt, cached, output| [Some(prompt), Some(cached), Some(output)];
    for (api, name, events, tokens) in [
        (OpenAiChat, "llama-cpp-chat.raw", 16, counts(956, 938, 16)),
        (OpenAiChat, "llama-cpp-chat-timings.raw", 16, counts(26, 21, 16)),
        // No usage was asked for; timings came all the same: 21 + 5.
        (OpenAiChat, "llama-cpp-chat-without-usage.raw", 16, counts(26, 21, 16)),
        (OpenAiChat, "llama-cpp-chat-whole.raw", 1, counts(26, 21, 16)),
        (OpenAiCompletions, "llama-cpp-completions.raw", 12, counts(6, 1, 12)),
        (LlamaCpp, "llama-cpp-native.raw", 12, counts(6, 1, 12)),
        (LlamaCpp, "llama-cpp-native-whole.raw", 1, counts(6, 1, 12)),
        (OpenAiChat, "mlx-lm-chat.raw", 16, counts(25, 0, 16)),
        (OpenAiChat, "guidellm-mock-chat.raw", 8, [Some(3), None, Some(8)]),
    ] {
        let exchange = played(api, name);
        assert_eq!(kind(&exchange), None, "{name}: {exchange:?}");
        assert_eq!((exchange.token_events, counted(&exchange)), (events, tokens), "{name}");
    }
}

#[test]
fn failures_of_real_servers_are_told_in_their_words() {
    use FailureKind::{BrokeOff, Status};
    for (name, expected, words, events) in [
        ("llama-cpp-loading.raw", Status, "503 Service Unavailable: Loading model", 0),
        (
            "llama-cpp-too-long.raw",
            Status,
            "request (6212 tokens) exceeds the available context",
            0,
        ),
        ("mlx-lm-refusal.raw", Status, "400 Bad Request: Invalid JSON in request body", 0),
        // 17 events: a role, 15 tokens, and one that is cut.
        ("llama-cpp-chat-cut-off.raw", BrokeOff, "after 15 events with tokens", 15),
    ] {
        let exchange = played(Api::OpenAiChat, name);
        assert_eq!((kind(&exchange), exchange.token_events), (Some(expected), events), "{name}");
        let message = exchange.failure.unwrap().message;
        assert!(message.contains(words), "{name}: {message}");
    }
}

#[test]
fn llama_cpp_states_its_rate_and_may_count_with_every_event() {
    let rate =
        |exchange: &Exchange| exchange.reported[0].rate.value().map(TokensPerSecond::get).unwrap();
    let exchange = played(Api::OpenAiChat, "llama-cpp-chat-timings.raw");
    assert!((rate(&exchange) - 161.896_127_444_6).abs() < 1e-6);
    assert_eq!(exchange.gap_tokens, [1; 15]);
    let exchange = played(Api::LlamaCpp, "llama-cpp-native.raw");
    assert!((rate(&exchange) - 149.240_366_534_3).abs() < 1e-6);
    assert_eq!(exchange.gap_tokens, [1; 11]);
    assert!(played(Api::OpenAiChat, "mlx-lm-chat.raw").gap_tokens.is_empty());
}

/// The body of a recorded reply, in pieces of 97 bytes, read at one moment.
fn parsed(api: Api, name: &str) -> Exchange {
    let text = fixture(name);
    let body = text.split_once("\r\n\r\n").map_or(&*text, |(_, body)| body);
    parse_reply(api, body.as_bytes().chunks(97).map(|piece| (Duration::ZERO, piece)))
}

#[test]
fn a_reply_received_by_other_means_is_what_the_client_would_have_heard() {
    for (api, name) in [
        (Api::OpenAiChat, "llama-cpp-chat-timings.raw"),
        (Api::OpenAiChat, "llama-cpp-chat-whole.raw"),
        (Api::OpenAiCompletions, "llama-cpp-completions.raw"),
        (Api::LlamaCpp, "llama-cpp-native.raw"),
        (Api::OpenAiChat, "llama-cpp-chat-cut-off.raw"),
    ] {
        let (ours, theirs) = (played(api, name), parsed(api, name));
        let heard = |exchange: &Exchange| {
            let Exchange { id, model, tokens, token_events, gap_tokens, outcome, .. } =
                exchange.clone();
            (id, model, tokens, token_events, gap_tokens, exchange.reported.clone(), outcome)
        };
        assert_eq!(heard(&ours), heard(&theirs), "{name}");
        assert_eq!(kind(&ours), kind(&theirs), "{name}");
    }
    assert_eq!(kind(&parse_reply(Api::Sglang, [])), Some(FailureKind::Malformed));
}

/// The bodies of the recorded reads, with the moments of their reading as the file states them: after the
/// head the first event came after 15.23 ms, the first text after 4,011.191, the last after 5,755.796, the end
/// after 5,756.133; between the first and the second text lie 4,726.596 - 4,011.191 ms.
#[test]
fn a_recorded_reply_keeps_the_times_of_its_reads() {
    let reads: Vec<(Duration, String)> = fixture("llama-cpp-progress-reads.jsonl")
        .lines()
        .skip(1)
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            let framed = line["bytes"].as_str().unwrap();
            // Each read holds whole chunks: their sizes and line ends are taken out.
            let events = framed.split("\r\n").filter(|part| part.starts_with("data: "));
            (ms(line["t_ms"].as_f64().unwrap()), events.collect())
        })
        .collect();
    let reply =
        parse_reply(Api::OpenAiChat, reads.iter().map(|(at, bytes)| (*at, bytes.as_bytes())));
    assert_eq!((kind(&reply), reply.token_events, reply.gaps.len()), (None, 16, 15));
    let marks = reply.marks;
    assert_eq!((marks.sent, marks.first_event), (None, Some(ms(15.23))));
    assert_eq!((marks.first_token, marks.last_token), (Some(ms(4_011.191)), Some(ms(5_755.796))));
    assert_eq!((marks.ended, reply.gaps[0]), (Some(ms(5_756.133)), ms(715.405)));
}

/// Milliseconds of three decimals, exactly.
fn ms(value: f64) -> Duration {
    Duration::from_micros(format!("{:.0}", value * 1e3).parse().unwrap())
}

/// How many times as fast as it was recorded a reply is played.
const SPEED: f64 = 40.0;

/// A cold prefill of llama.cpp that tells how far it is: the head after 13 ms, an empty event after 15, two
/// more, and the first token after 4,011, with two empty events before it in the same read.
#[test]
fn the_first_token_is_the_one_that_was_recorded_and_so_is_every_gap() {
    let reads: Vec<(Duration, String)> = fixture("llama-cpp-progress-reads.jsonl")
        .lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            let at = Duration::from_secs_f64(line["t_ms"].as_f64().unwrap() / 1e3 / SPEED);
            (at, line["bytes"].as_str().unwrap().to_owned())
        })
        .collect();
    let told = |(_, bytes): &&(Duration, String)| bytes.contains("\"content\":\"");
    let due: Vec<Duration> = reads.iter().filter(told).map(|(at, _)| *at).collect();
    let (url, thread) = server(1, move |_, mut stream| {
        heard(&mut stream);
        stream.set_nodelay(true).unwrap();
        let started = Instant::now();
        for (at, bytes) in &reads {
            std::thread::sleep(at.saturating_sub(started.elapsed()));
            stream.write_all(bytes.as_bytes()).unwrap();
        }
    });
    let exchange = one(&client(&url, Api::OpenAiChat), 16);
    thread.join().unwrap();
    assert_eq!((kind(&exchange), exchange.token_events), (None, 16), "{exchange:?}");
    let marks = exchange.marks;
    // Never earlier than it left; how much later depends on what else the machine does.
    assert!(between(marks.sent, marks.first_token) >= due[0]);
    assert!(between(marks.headers, marks.first_token) >= due[0] / 2);
    assert!(between(marks.first_event, marks.first_token) >= due[0] / 2);
    let gaps = due.windows(2).map(|pair| pair[1].saturating_sub(pair[0]));
    let mut apart: Vec<Duration> =
        exchange.gaps.iter().zip(gaps).map(|(gap, due)| gap.abs_diff(due)).collect();
    apart.sort_unstable();
    assert!(apart[apart.len() / 2] <= Duration::from_millis(2), "{apart:?}");
}
