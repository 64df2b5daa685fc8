//! What the probe measures is what the ledger has.

use std::time::Duration;

use trueline_core::Outcome;
use trueline_probe::{Api, Ask, Exchange, RunClock};
use trueline_sim::LedgerEntry;

use crate::{asking, between, client, counted, kind, one, quick, run, start, url};

/// How much later an event is read than it was due: the server's timer and write, and both threads'
/// turns. A machine that others use as well adds to that, never takes from it, and differently each time;
/// what the probe itself added would stand in every one. So the least is held to this.
const STAMP_ERROR: Duration = Duration::from_millis(2);

fn least(of: Vec<Duration>) -> Duration {
    of.into_iter().min().unwrap()
}

fn entry(server: &trueline_sim::server::Server, exchange: &Exchange) -> LedgerEntry {
    let id = exchange.id.as_deref().unwrap();
    let number: u64 = id.rsplit('-').next().unwrap().parse().unwrap();
    let ledger = server.ledger();
    ledger.entries().find(|entry| entry.id.0 == number).unwrap().clone()
}

#[test]
fn ttft_gaps_and_e2e_latency_are_the_ledgers_within_the_stamp_error() {
    let mut config = quick();
    config.model.prefill_fixed = Duration::from_millis(30);
    config.model.decode_step = Duration::from_millis(10);
    let server = start(config);
    let client = client(&url(&server), Api::OpenAiChat);
    let clock = RunClock::start();
    let (mut ttft, mut e2e, mut gaps) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..7 {
        let exchange = run(client.ask(asking(number, 12), None, &clock));
        assert_eq!((kind(&exchange), exchange.outcome), (None, Outcome::Ok));
        let truth = entry(&server, &exchange);
        let marks = exchange.marks;
        // The ledger's request has arrived when it was read, so the client's times are never shorter.
        ttft.push(
            between(marks.sent, marks.first_token).checked_sub(truth.ttft().unwrap()).unwrap(),
        );
        e2e.push(
            between(marks.sent, marks.last_token)
                .checked_sub(truth.e2e_latency().unwrap())
                .unwrap(),
        );
        assert_eq!(exchange.gaps.len(), 11);
        let due = truth.token_times.windows(2).map(|pair| pair[1].since(pair[0]));
        gaps.extend(exchange.gaps.iter().zip(due).map(|(gap, due)| gap.abs_diff(due)));
        assert_eq!(
            exchange.gaps.iter().sum::<Duration>(),
            between(marks.first_token, marks.last_token)
        );
    }
    for (what, error) in [("ttft", least(ttft)), ("e2e_latency", least(e2e))] {
        assert!(error <= STAMP_ERROR, "{what}: {error:?}");
    }
    gaps.sort_unstable();
    let middle = gaps[gaps.len() / 2];
    assert!(middle <= STAMP_ERROR, "gaps: {middle:?}");
}

#[test]
fn marks_stand_in_their_order() {
    let server = start(quick());
    let client = client(&url(&server), Api::OpenAiChat);
    let clock = RunClock::start();
    let intended = clock.now();
    let mut asked = asking(7, 4);
    asked.session = Some("s1".to_owned());
    asked.part = Some("control".to_owned());
    asked.warmup = true;
    let exchange = run(client.ask(asked, Some(intended), &clock));
    let marks = exchange.marks;
    let order = [
        marks.intended,
        marks.begun,
        marks.connected,
        marks.sent,
        marks.headers,
        marks.first_event,
        marks.first_token,
        marks.last_token,
        marks.ended,
    ];
    assert!(order.iter().all(Option::is_some) && order.is_sorted(), "{marks:?}");
    assert_eq!((exchange.number, exchange.warmup), (7, true));
    assert_eq!(exchange.session.as_deref(), Some("s1"));
    assert_eq!(exchange.part.as_deref(), Some("control"));
    assert_eq!((exchange.status, exchange.reused, exchange.resent), (Some(200), false, 0));
    assert_eq!(exchange.model.as_deref(), Some("sim"));
    assert_eq!(server.ledger().entries().next().unwrap().session.as_deref(), Some("s1"));
}

#[test]
fn counts_are_the_ledgers_for_both_of_openais_interfaces() {
    let server = start(quick());
    for api in [Api::OpenAiChat, Api::OpenAiCompletions] {
        let exchange = one(&client(&url(&server), api), 9);
        let truth = entry(&server, &exchange);
        assert_eq!(
            counted(&exchange),
            [Some(truth.prompt.get()), Some(truth.cached.get()), Some(9)],
            "{api}"
        );
        assert_eq!(exchange.token_events, 9);
    }
}

#[test]
fn many_requests_at_a_time_are_answered_and_none_is_lost() {
    let server = start(quick());
    let client = client(&url(&server), Api::OpenAiCompletions);
    let clock = RunClock::start();
    let exchanges = run(async {
        let local = tokio::task::LocalSet::new();
        let client = std::rc::Rc::new(client);
        let tasks: Vec<_> = (0..100)
            .map(|number| {
                let client = std::rc::Rc::clone(&client);
                local.spawn_local(async move { client.ask(asking(number, 5), None, &clock).await })
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
    });
    for (at, exchange) in exchanges.iter().enumerate() {
        assert_eq!((kind(exchange), exchange.token_events), (None, 5), "{at}: {exchange:?}");
        assert_eq!(u64::try_from(at), Ok(exchange.number));
    }
    assert_eq!(server.ledger().entries().len(), 100);
}

#[test]
fn a_host_may_have_a_name() {
    let server = start(quick());
    let url = format!("http://localhost:{}/v1", server.address().port());
    let exchange = one(&client(&url, Api::OpenAiChat), 2);
    assert_eq!((kind(&exchange), exchange.token_events), (None, 2), "{exchange:?}");
}
