//! Requests that are given up before their replies have ended.

use std::rc::Rc;
use std::time::{Duration, Instant};

use trueline_core::Outcome;
use trueline_probe::{
    Api, Ask, Client, Decision, Exchange, FailureKind, LoadRun, Ran, RunClock, Schedule, Stop,
};
use trueline_sim::server::Server;
use trueline_sim::{LedgerEntry, RequestId};

use crate::{asking, between, client, counted, kind, quick, run, start, url};

/// How many requests are in flight when they are given up.
const AT_ONCE: u64 = 8;

/// Sends so many requests of 5,000 tokens and stops once all of them have come so far.
fn stopped_at(client: &Rc<Client>, far: impl Fn(&Exchange) -> bool) -> (Ran, Vec<Exchange>) {
    let schedule = Schedule::of(format!("closed={AT_ONCE}").parse().unwrap(), 0).unwrap();
    let seen = Rc::clone(client);
    // A test that goes wrong ends after a minute.
    let load = LoadRun::new(schedule, Stop::after(Duration::from_secs(60))).with_progress(
        Duration::from_millis(10),
        move |_| {
            let is_far = |number| seen.so_far(number).is_some_and(|exchange| far(&exchange));
            if (0..AT_ONCE).all(is_far) { Decision::StopNow } else { Decision::GoOn }
        },
    );
    let mut askings = (0..).map(|number| asking(number, 5_000)).peekable();
    let mut ended = Vec::new();
    let sink = |exchange| ended.push(exchange);
    let ran = run(load.run(client, &mut askings, RunClock::start(), sink)).unwrap();
    ended.sort_by_key(|exchange| exchange.number);
    (ran, ended)
}

#[test]
fn a_run_that_is_stopped_keeps_what_was_measured_of_replies_that_stream() {
    let server = start(quick());
    for api in [Api::OpenAiChat, Api::OpenAiCompletions] {
        let client = Rc::new(client(&url(&server), api));
        let (ran, ended) = stopped_at(&client, |exchange| exchange.token_events >= 3);
        assert_eq!((ran.counts.stopped, ran.counts.answered, ran.counts.failed), (AT_ONCE, 0, 0));
        let numbers: Vec<u64> = ended.iter().map(|exchange| exchange.number).collect();
        assert_eq!(numbers, (0..AT_ONCE).collect::<Vec<_>>());
        for exchange in &ended {
            assert_eq!(exchange.outcome, Outcome::Cancelled, "{exchange:?}");
            assert_eq!(kind(exchange), Some(FailureKind::Stopped));
            let marks = exchange.marks;
            let (seen, true_ttft) =
                (between(marks.sent, marks.first_token), ttft(&server, exchange));
            // A client sees a token after it was due, by the way over the loopback and a busy machine.
            assert!(seen >= true_ttft && seen < true_ttft + Duration::from_millis(500), "{seen:?}");
            let gaps: Duration = exchange.gaps.iter().sum();
            assert_eq!(exchange.gaps.len() as u64, exchange.token_events - 1);
            assert_eq!(gaps, between(marks.first_token, marks.last_token));
            assert!(marks.ended >= marks.last_token);
            // The server counts at the end alone.
            assert_eq!(counted(exchange), [None; 3]);
            assert_eq!(client.so_far(exchange.number), None);
        }
    }
}

/// TTFT as the server knows it.
fn ttft(server: &Server, exchange: &Exchange) -> Duration {
    let number = exchange.id.as_deref().unwrap().rsplit('-').next().unwrap().parse().unwrap();
    server.ledger().get(RequestId(number)).unwrap().ttft().unwrap()
}

#[test]
fn a_run_that_is_stopped_during_prefill_keeps_when_its_requests_were_sent() {
    let mut config = quick();
    config.model.prefill_fixed = Duration::from_secs(60);
    let server = start(config);
    let client = Rc::new(client(&url(&server), Api::OpenAiChat));
    let (_, ended) = stopped_at(&client, |exchange| exchange.marks.sent.is_some());
    assert_eq!(ended.len() as u64, AT_ONCE);
    for exchange in &ended {
        let marks = exchange.marks;
        assert!(marks.sent >= marks.connected && marks.connected >= marks.begun, "{marks:?}");
        assert_eq!((marks.first_token, exchange.token_events), (None, 0));
        assert_eq!(exchange.outcome, Outcome::Cancelled);
    }
}

#[test]
fn a_request_that_has_ended_or_was_dropped_is_no_longer_under_way() {
    let server = start(quick());
    let client = client(&url(&server), Api::OpenAiChat);
    let clock = RunClock::start();
    run(async {
        assert_eq!(client.ask(asking(3, 4), None, &clock).await.token_events, 4);
        assert_eq!(client.so_far(3), None);
        let long = client.ask(asking(4, 5_000), None, &clock);
        assert!(tokio::time::timeout(Duration::from_millis(100), long).await.is_err());
        assert_eq!(client.so_far(4), None);
        // Of two that share a number, the end of the first leaves the other to be seen.
        let mut first = Box::pin(client.ask(asking(5, 5_000), None, &clock));
        let mut second = Box::pin(client.ask(asking(5, 5_000), None, &clock));
        for ask in [&mut first, &mut second] {
            assert!(tokio::time::timeout(Duration::from_millis(10), ask).await.is_err());
        }
        drop(first);
        assert_eq!(client.so_far(5).map(|exchange| exchange.number), Some(5));
        drop(second);
        assert_eq!(client.so_far(5), None);
    });
}

#[test]
fn a_request_that_is_dropped_is_cancelled_at_the_server() {
    let server = start(quick());
    let client = client(&url(&server), Api::OpenAiChat);
    let clock = RunClock::start();
    run(async {
        let long = client.ask(asking(0, 5_000), None, &clock);
        assert!(tokio::time::timeout(Duration::from_millis(100), long).await.is_err());
    });
    let deadline = Instant::now() + Duration::from_secs(10);
    while server.ledger().entries().next().map(LedgerEntry::outcome) != Some(Outcome::Cancelled) {
        assert!(Instant::now() < deadline, "never cancelled");
        std::thread::sleep(Duration::from_millis(5));
    }
}
