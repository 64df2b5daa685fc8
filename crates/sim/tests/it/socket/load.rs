//! Pace, flood, and what the server says of its own lateness.

use std::thread;
use std::time::Duration;

use serde_json::Value;
use trueline_sim::server::{Bottleneck, Pace};

use super::{connect, get, hear, quick, request, start, streamed};

#[test]
fn no_token_arrives_before_it_is_due_and_lateness_does_not_add_up() {
    let mut config = quick();
    config.model.decode_step = Duration::from_millis(4);
    let server = start(config);
    let heard = streamed(&server, "", 50);
    let ledger = server.ledger();
    let entry = ledger.entries().next().unwrap();
    // 49 steps of 4 ms to the nanosecond, whatever the machine did meanwhile.
    assert_eq!(entry.decode(), Some(Duration::from_millis(196)));
    let took = heard.when("\"finish_reason\":\"length\"");
    assert!(took >= entry.e2e_latency().unwrap(), "{took:?}");
}

#[test]
fn flood_sends_every_token_without_waiting_for_it_to_be_due() {
    let mut config = quick();
    config.pace = Pace::Flood;
    config.model.decode_step = Duration::from_secs(3_600);
    config.model.cache_blocks = 1_000_000;
    let server = start(config);
    let heard: Vec<_> = thread::scope(|scope| {
        let all: Vec<_> = (0..4).map(|_| scope.spawn(|| streamed(&server, "", 3_000))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    for one in &heard {
        assert_eq!(one.texts(), 3_000);
    }
    let ledger = server.ledger();
    assert_eq!(ledger.entries().map(|entry| entry.output.get()).sum::<u64>(), 12_000);
    let load = server.load();
    assert_eq!((load.tokens, load.timed_tokens), (12_000, 0));
    assert_eq!(load.bottleneck(), Bottleneck::NotObserved);
}

#[test]
fn a_client_that_leaves_a_flood_does_not_hold_it_up() {
    let mut config = quick();
    config.pace = Pace::Flood;
    config.model.cache_blocks = 1_000_000;
    let server = start(config);
    let body = r#"{"prompt":"a","max_tokens":10000000,"stream":true}"#;
    let ask = request("POST", "/v1/completions", "", body);
    let mut leaver = connect(&server);
    hear(&mut leaver, &ask, "data: ");
    drop(leaver);
    assert_eq!(streamed(&server, "", 3_000).texts(), 3_000);
}

#[test]
fn the_load_page_says_how_late_tokens_left() {
    let server = start(quick());
    streamed(&server, "", 150);
    let load: Value = serde_json::from_str(&get(&server, "/sim/load")).unwrap();
    assert_eq!((&load["tokens"], &load["timed_tokens"]), (&150.into(), &150.into()));
    let p50 = load["late_p50_s"].as_f64().unwrap();
    assert!(p50 <= load["late_p99_s"].as_f64().unwrap(), "{load}");
    assert!(["model", "simulator"].contains(&load["bottleneck"].as_str().unwrap()), "{load}");
}

#[test]
fn tokens_held_back_on_purpose_are_not_timed() {
    let server = start(quick());
    streamed(&server, "stall=0.05", 20);
    streamed(&server, "buffered", 20);
    let load = server.load();
    assert_eq!((load.tokens, load.timed_tokens), (40, 0));
}

#[test]
fn a_server_asked_for_more_than_it_can_send_says_that_it_is_the_bottleneck() {
    let mut config = quick();
    // 64 streams of a token each microsecond each: more than a socket takes.
    config.model.decode_step = Duration::from_micros(1);
    config.model.decode_step_per_stream = Duration::ZERO;
    config.model.cache_blocks = 1_000_000;
    let server = start(config);
    thread::scope(|scope| {
        for _ in 0..64 {
            scope.spawn(|| {
                let body = r#"{"prompt":"a","max_tokens":8000,"stream":true}"#;
                let ask = request("POST", "/v1/completions", "Connection: close\r\n", body);
                hear(&mut connect(&server), &ask, "");
            });
        }
    });
    let load = server.load();
    assert_eq!(load.bottleneck(), Bottleneck::Simulator, "{load:?}");
    assert!(load.to_string().starts_with("the simulator itself is the bottleneck"), "{load}");
}
