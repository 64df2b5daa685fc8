//! No harm is done: what holds requests back, and what ends a run.

use std::cell::Cell;
use std::time::Duration;

use trueline_core::{Outcome, Tokens};
use trueline_probe::{Breach, Ended, LoadErrorKind, Stop};

use super::scripted::{Answer, MS, S, Scripted, askings, gaps, load, run, try_run, waited};

#[test]
fn a_limit_in_flight_holds_an_open_loop_back_and_the_wait_is_seen() {
    // 10 a second, each 1 s, and no more than 4 in flight: from the fifth on all wait.
    let server = Scripted::new(|_| Answer::after(S));
    let budget = "in-flight=4".parse().unwrap();
    let (ran, ended) = run(load("constant=10", Stop::after(10 * S)).with_budget(budget), &server);
    assert_eq!(server.most.get(), 4);
    // 100 were due. By hand: 4 at once, and 4 more each second after that, up to the tenth.
    assert_eq!(ran.counts.sent + ran.counts.unsent, 100);
    assert!((40..=44).contains(&ran.counts.sent), "{:?}", ran.counts);
    assert_eq!(ran.counts.held, ran.counts.sent - 4);
    let longest = ended.iter().map(waited).max();
    // Request 40 of 10 a second was due at 4 s and sent as the first of the eleventh four, before 10 s.
    assert!(longest.unwrap() > 4 * S, "{longest:?}");
    assert!(ran.client.send_lag.unwrap().max > 4 * S);
    // It says of itself that requests left late.
    assert!(ran.client.verdict().to_string().starts_with("yes: "), "{}", ran.client.verdict());
}

#[test]
fn a_highest_rate_holds_bursts_back() {
    let server = Scripted::new(|_| Answer::after(10 * MS));
    let budget = "rate=20".parse().unwrap();
    let (ran, ended) =
        run(load("gamma=10,0.1", Stop::after_requests(300)).with_budget(budget), &server);
    assert_eq!(ran.counts.answered, 300);
    assert!(ran.counts.held > 0);
    let mut begun: Vec<Duration> = ended.iter().map(|e| e.marks.begun.unwrap()).collect();
    begun.sort_unstable();
    // No second holds more than 20.
    assert!(gaps(&begun, 20).iter().all(|gap| *gap >= 999 * MS));
}

#[test]
fn a_closed_loop_within_a_rate_waits_for_it() {
    let server = Scripted::new(|_| Answer::after(MS));
    let budget = "rate=10".parse().unwrap();
    let (ran, _) = run(load("closed=4", Stop::after_requests(50)).with_budget(budget), &server);
    assert!(ran.took >= 4 * S, "{:?}", ran.took);
    // Ten at once, then as many each second: the first of each ten waits, at the least.
    assert!(ran.counts.held >= 4, "{:?}", ran.counts);
}

#[test]
fn what_the_budget_does_not_allow_is_refused_before_anything_is_sent() {
    let server = Scripted::new(|_| Answer::after(MS));
    for (arrival, budget) in [
        ("closed=8", "in-flight=4"),
        ("constant=10", "rate=5"),
        ("poisson=10", "rate=9.9"),
        ("closed=1", "bystander=0.5"),
    ] {
        let load = load(arrival, Stop::after_requests(5)).with_budget(budget.parse().unwrap());
        let refused = try_run(load, &server, askings()).unwrap_err();
        assert_eq!(refused.kind(), LoadErrorKind::Contradiction, "{arrival} {budget}");
    }
    assert!(server.begun.borrow().is_empty());
    // Just what is allowed is not refused.
    for (arrival, budget) in [("closed=4", "in-flight=4"), ("constant=5", "rate=5")] {
        let load = load(arrival, Stop::after_requests(5)).with_budget(budget.parse().unwrap());
        assert!(try_run(load, &server, askings()).is_ok(), "{arrival} {budget}");
    }
}

#[test]
fn a_server_that_is_gone_is_not_asked_for_ever() {
    let server = Scripted::new(|_| Answer::after(MS).failing());
    let (ran, ended) = run(load("closed=4", Stop::after(3_600 * S)), &server);
    assert!(ran.partial);
    assert!(
        matches!(ran.ended, Ended::Budget(Breach::Errors { failed: 10, of: 10, .. })),
        "{:?}",
        ran.ended
    );
    assert!(ended.len() <= 14, "{}", ended.len());
    assert_eq!(ran.counts.failed + ran.counts.stopped, ran.counts.sent);
}

#[test]
fn failures_within_the_budget_end_nothing() {
    // One in ten, with up to one in ten allowed among the latest 200.
    let server = Scripted::new(|asking| {
        let answer = Answer::after(5 * MS);
        if asking.number % 10 == 9 { answer.failing() } else { answer }
    });
    let budget = "errors=0.1".parse().unwrap();
    let (ran, _) = run(load("closed=1", Stop::after_requests(1_000)).with_budget(budget), &server);
    assert_eq!((ran.ended, ran.counts.failed), (Ended::Requests, 100));
}

#[test]
fn no_more_tokens_are_taken_than_allowed() {
    // Each takes 100 and 10.
    let server = Scripted::new(|_| Answer::after(50 * MS));
    let budget = "tokens=1150".parse().unwrap();
    let (ran, ended) =
        run(load("closed=3", Stop::after_requests(100)).with_budget(budget), &server);
    assert!(matches!(ran.ended, Ended::Budget(Breach::Tokens { .. })), "{:?}", ran.ended);
    assert!(ran.partial);
    // What is in flight is finished: its tokens were set aside. 10 of 110 fit into 1,150.
    assert_eq!((ended.len(), ran.spent, ran.counts.stopped), (10, Tokens::new(1_100), 0));
}

#[test]
fn a_bystander_that_waits_too_long_ends_the_run_at_once() {
    let server = Scripted::new(|_| Answer::after(30 * S));
    let budget = "bystander=0.5".parse().unwrap();
    let readings = Cell::new(0_u32);
    let reading = || {
        readings.set(readings.get() + 1);
        match readings.get() {
            // None, and one just within the limit, end nothing.
            1 | 2 => None,
            3 => Some(500 * MS),
            _ => Some(501 * MS),
        }
    };
    let load =
        load("constant=10", Stop::after(60 * S)).with_budget(budget).with_bystander(S, reading);
    let (ran, ended) = run(load, &server);
    assert_eq!(
        ran.ended.to_string(),
        "the budget ended it: a bystander's request took 0.501 s, of at most 0.500 s"
    );
    assert!(ran.partial && ran.took <= 4 * S + 10 * MS, "{:?}", ran.took);
    assert_eq!((ran.counts.stopped, ended.len()), (ran.counts.sent, ended.len()));
    assert!(ended.iter().all(|e| e.outcome == Outcome::Cancelled));
    let seen = ran.bystander.unwrap();
    assert_eq!((seen.asked, seen.readings, seen.longest), (4, 2, Some(501 * MS)));
}

#[test]
fn a_bystander_without_readings_ends_nothing_and_is_told() {
    let server = Scripted::new(|_| Answer::after(100 * MS));
    let budget = "bystander=0.5".parse().unwrap();
    let load = load("closed=1", Stop::after(5 * S)).with_budget(budget).with_bystander(S, || None);
    let (ran, _) = run(load, &server);
    assert_eq!(ran.ended, Ended::Time);
    let seen = ran.bystander.unwrap();
    assert_eq!((seen.readings, seen.longest), (0, None));
    assert!(seen.asked >= 4);
}
