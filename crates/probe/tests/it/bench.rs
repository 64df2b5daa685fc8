//! What receiving costs, and how far from the truth it is under load.

use std::rc::Rc;
use std::time::{Duration, Instant};

use trueline_core::Tokens;
use trueline_probe::{Api, Ask, Client, Exchange, LoadRun, RunClock, Schedule, Stop};
use trueline_sim::server::{Pace, Server};

use crate::{asking, between, client, kind, quick, run, start, url};

/// How long this thread has run, in the kernel's own count.
fn busy() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(text.split(' ').next().unwrap().parse().unwrap())
}

/// So many requests at a time on one thread.
fn at_once(client: Client, requests: u64, tokens: u64) -> Vec<Exchange> {
    let (client, clock) = (Rc::new(client), RunClock::start());
    run(async {
        let local = tokio::task::LocalSet::new();
        let tasks: Vec<_> = (0..requests)
            .map(|number| {
                let client = Rc::clone(&client);
                local.spawn_local(
                    async move { client.ask(asking(number, tokens), None, &clock).await },
                )
            })
            .collect();
        local
            .run_until(async {
                let mut exchanges = Vec::new();
                for task in tasks {
                    exchanges.push(task.await.unwrap());
                }
                exchanges
            })
            .await
    })
}

/// The same through a load in a closed loop.
fn in_a_closed_loop(client: Client, requests: u64, tokens: u64) -> Vec<Exchange> {
    let schedule = Schedule::of(format!("closed={requests}").parse().unwrap(), 0).unwrap();
    let mut askings = (0..requests).map(|number| asking(number, tokens)).peekable();
    let mut exchanges = Vec::new();
    let load = LoadRun::new(schedule, Stop::when_exhausted());
    let sink = |exchange| exchanges.push(exchange);
    run(load.run(&Rc::new(client), &mut askings, RunClock::start(), sink)).unwrap();
    exchanges
}

fn told(line: &str) {
    #[expect(clippy::print_stdout, reason = "it is what this is for")]
    {
        println!("{line}");
    }
}

/// 16 streams of 100,000 tokens as fast as the simulated server can send them; it runs in a thread of its
/// own. Prints what one thread received a second, and a second that it ran.
#[test]
#[ignore = "a measurement: run it alone, in release, with --nocapture"]
fn tokens_a_second() {
    let mut config = quick();
    config.pace = Pace::Flood;
    config.model.cache_blocks = 10_000_000;
    let server = start(config);
    let client = client(&url(&server), Api::OpenAiChat);
    let (started, before) = (Instant::now(), busy());
    let exchanges = at_once(client, 16, 100_000);
    let (took, core) = (started.elapsed(), busy().checked_sub(before).unwrap());
    assert!(exchanges.iter().all(|exchange| kind(exchange).is_none()));
    let tokens = Tokens::new(exchanges.iter().map(|exchange| exchange.token_events).sum());
    let rate = |of| tokens.per(of).unwrap();
    told(&format!("{tokens} in {took:?}: {}; of its core: {}", rate(took), rate(core)));
}

fn quantiles(what: &str, mut of: Vec<Duration>) {
    of.sort_unstable();
    let at = |q: usize| of[(of.len() - 1) * q / 100];
    told(&format!("{what}: p50 {:?}, p99 {:?}, n {}", at(50), at(99), of.len()));
}

fn truth(server: &Server, exchange: &Exchange) -> (Duration, Vec<Duration>) {
    let number = exchange.id.as_deref().unwrap().rsplit('-').next().unwrap().parse().unwrap();
    let ledger = server.ledger();
    let entry = ledger.get(trueline_sim::RequestId(number)).unwrap();
    let due = entry.token_times.windows(2).map(|pair| pair[1].since(pair[0]));
    (entry.ttft().unwrap(), due.collect())
}

/// 256 streams of a token each 5 ms, 100 tokens each. Prints how far TTFT and ITL are from the ledger, and
/// what a token cost.
#[test]
#[ignore = "a measurement: run it alone, in release, with --nocapture"]
fn far_from_the_truth() {
    distances(at_once);
}

/// The same through a load.
#[test]
#[ignore = "a measurement: run it alone, in release, with --nocapture"]
fn far_from_the_truth_in_a_closed_loop() {
    distances(in_a_closed_loop);
}

fn distances(send: impl FnOnce(Client, u64, u64) -> Vec<Exchange>) {
    let mut config = quick();
    config.model.max_streams = 256;
    config.model.decode_step = Duration::from_millis(5);
    config.model.cache_blocks = 100_000;
    config.model.decode_step_per_stream = Duration::ZERO;
    config.model.prefill_fixed = Duration::from_micros(10);
    config.model.prefill = trueline_core::TokensPerSecond::new(1e9).unwrap();
    let server = start(config);
    let client = client(&url(&server), Api::OpenAiChat);
    let before = busy();
    let exchanges = send(client, 256, 100);
    let core = busy().checked_sub(before).unwrap();
    let (mut ttft, mut gaps) = (Vec::new(), Vec::new());
    for exchange in &exchanges {
        assert_eq!(kind(exchange), None);
        let (first, due) = truth(&server, exchange);
        let marks = exchange.marks;
        ttft.push(between(marks.sent, marks.first_token).abs_diff(first));
        gaps.extend(exchange.gaps.iter().zip(due).map(|(gap, due)| gap.abs_diff(due)));
    }
    quantiles("TTFT less the ledger's", ttft);
    quantiles("ITL apart from the ledger's", gaps);
    told(&format!("{:?} of its core a token; {}", core / 25_600, server.load()));
}

/// 16,384 requests of one token, 256 at a time. Prints what a request cost, its connection in it.
#[test]
#[ignore = "a measurement: run it alone, in release, with --nocapture"]
fn what_a_request_costs() {
    let mut config = quick();
    config.pace = Pace::Flood;
    config.model.max_streams = 256;
    config.model.cache_blocks = 10_000_000;
    let server = start(config);
    let before = busy();
    for _ in 0..64 {
        let exchanges = at_once(client(&url(&server), Api::OpenAiChat), 256, 1);
        assert!(exchanges.iter().all(|exchange| kind(exchange).is_none()));
    }
    let core = busy().checked_sub(before).unwrap();
    told(&format!("{:?} of its core a request", core / 16_384));
}
