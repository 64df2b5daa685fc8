//! Connections that serve again.

use std::io::Write;
use std::rc::Rc;

use trueline_probe::{Api, Ask, FailureKind, Reuse, RunClock};
use trueline_sim::server::Fault;

use crate::raw::{heard, server};
use crate::{asking, client, kind, quick, run, start, url};

/// A reply whose head says that the connection is kept.
fn reply() -> String {
    let body = "data: {\"choices\":[{\"text\":\" a\"}]}\n\ndata: [DONE]\n\n";
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nKeep-Alive: timeout=5\r\n";
    format!("{head}Content-Length: {}\r\n\r\n{body}", body.len())
}

#[test]
fn a_connection_that_stays_open_serves_again_where_that_is_asked_for() {
    let server = start(quick());
    for (reuse, reused) in [(Reuse::Fresh, 0), (Reuse::Kept, 9)] {
        let client = client(&url(&server), Api::OpenAiChat).with_reuse(reuse);
        let clock = RunClock::start();
        let exchanges = run(async {
            let mut exchanges = Vec::new();
            for number in 0..10 {
                exchanges.push(client.ask(asking(number, 3), None, &clock).await);
            }
            exchanges
        });
        assert!(exchanges.iter().all(|e| kind(e).is_none() && e.resent == 0), "{exchanges:?}");
        assert_eq!(exchanges.iter().filter(|e| e.reused).count(), reused, "{reuse:?}");
        assert!(exchanges.iter().all(|e| e.reused == e.marks.connected.is_none()));
    }
}

#[test]
fn no_request_is_lost_to_a_server_that_closes_what_it_said_it_keeps() {
    let mut config = quick();
    config.faults = vec![Fault::CloseKept];
    let server = start(config);
    let client = client(&url(&server), Api::OpenAiChat).with_reuse(Reuse::Kept);
    let (client, clock) = (Rc::new(client), RunClock::start());
    // 200 requests at concurrency 1, 2 and 4: each begins the moment that the one before it ends.
    for concurrency in [1, 2, 4] {
        let loops: Vec<_> = (0..concurrency)
            .map(|_| {
                let client = Rc::clone(&client);
                async move {
                    for number in 0..200 / concurrency {
                        let exchange = client.ask(asking(number, 1), None, &clock).await;
                        let found = (kind(&exchange), exchange.token_events);
                        assert_eq!(found, (None, 1), "{exchange:?}");
                        assert!(exchange.resent <= 1 && !(exchange.resent == 1 && exchange.reused));
                    }
                }
            })
            .collect();
        run(async {
            let local = tokio::task::LocalSet::new();
            let tasks: Vec<_> = loops.into_iter().map(|one| local.spawn_local(one)).collect();
            local.await;
            for task in tasks {
                task.await.unwrap();
            }
        });
    }
    assert_eq!(server.ledger().entries().len(), 600);
}

#[test]
fn a_request_over_a_connection_that_closes_is_sent_once_more_and_counted() {
    let (url, thread) = server(2, |at, mut stream| {
        heard(&mut stream);
        stream.write_all(reply().as_bytes()).unwrap();
        if at == 0 {
            // The next request is read, and the connection closed without a byte.
            heard(&mut stream);
        }
    });
    let client = client(&url, Api::OpenAiCompletions).with_reuse(Reuse::Kept);
    let clock = RunClock::start();
    let (first, second) = run(async {
        let first = client.ask(asking(0, 1), None, &clock).await;
        (first, client.ask(asking(1, 1), None, &clock).await)
    });
    thread.join().unwrap();
    assert_eq!((kind(&first), first.resent), (None, 0));
    assert_eq!((kind(&second), second.resent, second.reused), (None, 1, false), "{second:?}");
    let marks = second.marks;
    assert!(marks.begun <= marks.connected && marks.connected <= marks.sent, "{marks:?}");
}

#[test]
fn a_request_of_whose_reply_a_byte_came_is_not_sent_again() {
    let (url, thread) = server(1, |_, mut stream| {
        heard(&mut stream);
        stream.write_all(reply().as_bytes()).unwrap();
        heard(&mut stream);
        stream.write_all(b"HTTP/1.1 2").unwrap();
    });
    let client = client(&url, Api::OpenAiCompletions).with_reuse(Reuse::Kept);
    let clock = RunClock::start();
    let second = run(async {
        client.ask(asking(0, 1), None, &clock).await;
        client.ask(asking(1, 1), None, &clock).await
    });
    thread.join().unwrap();
    assert_eq!((kind(&second), second.resent), (Some(FailureKind::BrokeOff), 0));
}

#[test]
fn a_fresh_connection_is_never_tried_again() {
    let (url, thread) = server(1, |_, mut stream| {
        heard(&mut stream);
    });
    let client = client(&url, Api::OpenAiCompletions).with_reuse(Reuse::Kept);
    let exchange = run(client.ask(asking(0, 1), None, &RunClock::start()));
    thread.join().unwrap();
    assert_eq!((kind(&exchange), exchange.resent), (Some(FailureKind::Send), 0));
}
