//! Servers that the simulator is none of: bytes by hand.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use trueline_core::Tokens;
use trueline_probe::{Api, Ask, Asking, Ending, FailureKind, Key, Prompt, RunClock};

use crate::{asking, between, client, counted, kind, one, run};

/// A server that does something with each of so many connections, and its address.
pub(crate) fn server(
    connections: usize,
    mut serve: impl FnMut(usize, TcpStream) + Send + 'static,
) -> (String, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let thread = thread::spawn(move || {
        for at in 0..connections {
            serve(at, listener.accept().unwrap().0);
        }
    });
    (url, thread)
}

/// Reads a request to its end and gives its text.
pub(crate) fn heard(stream: &mut impl Read) -> String {
    let mut text = String::new();
    let mut piece = [0; 4096];
    loop {
        let n = stream.read(&mut piece).unwrap();
        if n == 0 {
            return text;
        }
        text.push_str(std::str::from_utf8(&piece[..n]).unwrap());
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if length.is_some_and(|length| length.parse() == Ok(body.len())) {
            return text;
        }
    }
}

/// What a reply of these bytes comes to.
fn replied(api: Api, reply: impl Into<Vec<u8>>) -> trueline_probe::Exchange {
    let reply = reply.into();
    let (url, thread) = server(1, move |_, mut stream| {
        heard(&mut stream);
        stream.write_all(&reply).unwrap();
    });
    let exchange = one(&client(&url, api), 8);
    thread.join().unwrap();
    exchange
}

const STREAM: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n";

fn until_closed(body: &str) -> String {
    format!("HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n{body}")
}

fn chunked(pieces: &[&str], end: &str) -> String {
    let mut chunks = String::new();
    for piece in pieces {
        chunks += &format!("{:x}\r\n{piece}\r\n", piece.len());
    }
    format!("{STREAM}Transfer-Encoding: chunked\r\n\r\n{chunks}{end}")
}

const A: &str = "data: {\"choices\":[{\"delta\":{\"content\":\" a\"}}]}\n\n";
const DONE: &str = "data: [DONE]\n\n";

#[test]
fn a_body_may_end_by_its_length_by_chunks_or_by_the_connections_end() {
    let body = format!("{A}{A}{DONE}");
    let length = format!("{STREAM}Content-Length: {}\r\n\r\n{body}", body.len());
    let (first, second) = body.split_at(33);
    for reply in [length, until_closed(&body), chunked(&[first, second], "0\r\n\r\n")] {
        let exchange = replied(Api::OpenAiChat, reply.clone());
        assert_eq!((kind(&exchange), exchange.token_events), (None, 2), "{reply}");
    }
}

#[test]
fn every_byte_may_come_alone() {
    let body = format!(": hi\r\n\r\n{}\r\n{DONE}", A.replace('\n', "\r\n"));
    let reply = chunked(&body.split_inclusive(|_| true).collect::<Vec<_>>(), "0\r\n\r\n");
    let (url, thread) = server(1, move |_, mut stream| {
        heard(&mut stream);
        stream.set_nodelay(true).unwrap();
        for byte in reply.as_bytes() {
            stream.write_all(&[*byte]).unwrap();
        }
    });
    let exchange = one(&client(&url, Api::OpenAiChat), 8);
    thread.join().unwrap();
    assert_eq!((kind(&exchange), exchange.token_events), (None, 1));
}

#[test]
fn a_whole_answer_is_one_event_at_its_end() {
    let body = r#"{"id":"x","choices":[{"message":{"content":"a b"},"finish_reason":"stop"}],
        "usage":{"prompt_tokens":4,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":1}}}"#;
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
    let reply = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
    let exchange = replied(Api::OpenAiChat, reply);
    assert_eq!((kind(&exchange), exchange.token_events), (None, 1));
    assert_eq!(counted(&exchange), [Some(4), Some(1), Some(2)]);
}

#[test]
fn ends_of_a_connection_are_told_apart() {
    use FailureKind::{BrokeOff, Malformed, NoToken, Send};
    for (reply, expected, events) in [
        (String::new(), Some(Send), 0),
        ("HTTP/1.1 200 OK\r\nContent-".to_owned(), Some(BrokeOff), 0),
        ("SSH-2.0-OpenSSH_9.6\r\n".to_owned(), Some(Malformed), 0),
        (chunked(&[], ""), Some(BrokeOff), 0),
        (chunked(&[A, A], ""), Some(BrokeOff), 2),
        // The stream had said that it is over.
        (chunked(&[A, DONE], ""), None, 1),
        (chunked(&[A], "0\r\n\r\n"), Some(BrokeOff), 1),
        (chunked(&[DONE], "0\r\n\r\n"), Some(NoToken), 0),
        (until_closed(A), Some(BrokeOff), 1),
        (until_closed("<html>"), Some(Malformed), 0),
        (format!("{STREAM}Content-Encoding: gzip\r\n\r\n"), Some(Malformed), 0),
        (format!("{STREAM}Content-Length: 0\r\n\r\n"), Some(Malformed), 0),
    ] {
        let exchange = replied(Api::OpenAiChat, reply.clone());
        assert_eq!((kind(&exchange), exchange.token_events), (expected, events), "{reply:?}");
        assert!(exchange.marks.ended.is_some());
    }
}

#[test]
fn a_stream_that_ends_without_an_end_is_left_soon() {
    let (url, thread) = server(1, |_, mut stream| {
        heard(&mut stream);
        stream.write_all(chunked(&[A, DONE], "").as_bytes()).unwrap();
        // Open until the client goes.
        assert_eq!(stream.read(&mut [0; 16]).unwrap_or(0), 0);
    });
    let (client, clock) = (client(&url, Api::OpenAiChat), RunClock::start());
    let exchange = run(client.ask(asking(0, 8), None, &clock));
    let waited = between(exchange.marks.ended, Some(clock.now()));
    assert_eq!((kind(&exchange), exchange.token_events), (None, 1));
    // The wait is none of the reply's.
    assert!(waited >= Duration::from_millis(250) && waited < Duration::from_secs(5), "{waited:?}");
    thread.join().unwrap();
}

#[test]
fn a_refused_option_is_a_status_with_the_servers_words() {
    let body = r#"{"error":{"message":"Unknown parameter: 'stream_options'.","type":"invalid_request_error"}}"#;
    let head = "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\n";
    let exchange =
        replied(Api::OpenAiChat, format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()));
    let failure = exchange.failure.unwrap();
    assert_eq!((failure.kind, exchange.status), (FailureKind::Status, Some(400)));
    assert!(failure.message.contains("'stream_options'"), "{}", failure.message);
}

#[test]
fn no_message_repeats_prompt_or_key() {
    let body = r#"{"error":{"message":"bad input 'tell me a secret of yours', key sk-hidden-1, x-team blue-team"}}"#;
    let reply = format!("HTTP/1.1 422 X\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let (url, thread) = server(1, move |_, mut stream| {
        let text = heard(&mut stream);
        assert!(text.contains("authorization: Bearer sk-hidden-1\r\n"), "{text}");
        stream.write_all(reply.as_bytes()).unwrap();
    });
    let client = client(&url, Api::OpenAiChat)
        .with_key(Key::new("sk-hidden-1").unwrap())
        .with_header("x-team", "blue-team")
        .unwrap();
    assert!(!format!("{client:?}").contains("hidden-1") && !format!("{client:?}").contains("blue"));
    let prompt = Prompt::Text("tell me a secret of yours".to_owned());
    let asking = Asking::new(0, prompt, Tokens::new(8));
    let exchange = run(client.ask(asking, None, &RunClock::start()));
    thread.join().unwrap();
    let message = exchange.failure.unwrap().message;
    for hidden in ["secret", "hidden", "blue"] {
        assert!(!message.contains(hidden), "{message}");
    }
    assert!(message.contains("422") && message.contains("bad input"), "{message}");
}

#[test]
fn a_prompt_larger_than_any_buffer_goes_out_whole() {
    let prompt = "word ".repeat(1_000_000);
    let (bytes, reply) = (prompt.len(), until_closed(&format!("{A}{DONE}")));
    let (url, thread) = server(1, move |_, mut stream| {
        let text = heard(&mut stream);
        assert!(
            text.len() > bytes && text.ends_with("\"stream_options\":{\"include_usage\":true}}")
        );
        stream.write_all(reply.as_bytes()).unwrap();
    });
    let asking = Asking::new(0, Prompt::Text(prompt), Tokens::new(8));
    let exchange = run(client(&url, Api::OpenAiCompletions).ask(asking, None, &RunClock::start()));
    thread.join().unwrap();
    assert_eq!(kind(&exchange), None, "{exchange:?}");
    assert!(exchange.marks.headers > exchange.marks.sent);
}

#[test]
fn nobody_there_is_no_connection() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let exchange = one(&client(&format!("http://{closed}"), Api::OpenAiChat), 8);
    assert_eq!(kind(&exchange), Some(FailureKind::Connect));
    let marks = exchange.marks;
    assert_eq!((marks.connected, marks.sent, exchange.status), (None, None, None));
    assert!(marks.begun.is_some() && marks.ended >= marks.begun);
}

/// Events of llama.cpp's own interface, on which it keeps its hits apart from what is in its memory.
#[test]
fn llama_cpp_is_read_to_its_end_and_asked_in_its_own_words() {
    let events = [
        r#"{"index":0,"content":" a","tokens":[4],"stop":false,"id_slot":-1,"tokens_predicted":1,"tokens_evaluated":6}"#,
        r#"{"index":0,"content":" b c","tokens":[5,6],"stop":false,"id_slot":-1,"tokens_predicted":3,"tokens_evaluated":6}"#,
        r#"{"index":0,"content":"","stop":true,"tokens_predicted":3,"tokens_evaluated":6,"tokens_cached":8,"timings":{"cache_n":1,"prompt_n":5,"prompt_per_second":49.5,"predicted_n":3}}"#,
    ];
    let pieces: Vec<String> = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    let reply = chunked(&pieces, "0\r\n\r\n");
    let (url, thread) = server(1, move |_, mut stream| {
        let text = heard(&mut stream);
        assert!(text.starts_with("POST /completion HTTP/1.1\r\n"), "{text}");
        assert!(text.contains(r#""n_predict":8"#) && !text.contains("ignore_eos"), "{text}");
        stream.write_all(reply.as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
    });
    let mut asking = Asking::new(0, Prompt::Text("hi".to_owned()), Tokens::new(8));
    asking.ending = Ending::OfItself;
    let client = client(&url, Api::LlamaCpp);
    let exchange = run(client.ask(asking, None, &RunClock::start()));
    thread.join().unwrap();
    assert_eq!((kind(&exchange), exchange.token_events), (None, 2));
    assert_eq!(counted(&exchange), [Some(6), Some(1), Some(3)]);
    assert_eq!(exchange.gap_tokens, [2]);
    assert_eq!(exchange.reported.len(), 1);
}

#[cfg(not(feature = "tls"))]
#[test]
fn https_is_refused_in_words_that_name_the_feature() {
    let endpoint = "https://localhost".parse().unwrap();
    let refused = trueline_probe::Client::new(endpoint, Api::OpenAiChat, "m").unwrap_err();
    assert_eq!(refused.kind(), trueline_probe::TransportErrorKind::Tls);
    assert!(refused.to_string().contains("the feature `tls`"), "{refused}");
}
