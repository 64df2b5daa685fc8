//! When a run ends, and what becomes of what is in flight.

use std::cell::Cell;
use std::rc::Rc;

use trueline_core::Outcome;
use trueline_probe::{Asking, Decision, Ended, FailureKind, Prompt, Stop};

use super::scripted::{Answer, MS, S, Scripted, askings, load, run, try_run};

#[test]
fn so_many_requests_are_sent_and_no_more() {
    let server = Scripted::new(|_| Answer::after(300 * MS));
    for arrival in ["closed=7", "constant=100"] {
        let (ran, ended) = run(load(arrival, Stop::after_requests(50)), &server);
        assert_eq!((ran.counts.sent, ran.counts.answered, ended.len()), (50, 50, 50), "{arrival}");
        assert!(!ran.partial);
    }
}

#[test]
fn warm_up_requests_come_beside_those_asked_for() {
    let server = Scripted::new(|_| Answer::after(10 * MS));
    let all = askings().map(|mut asking| {
        asking.warmup = asking.number < 3;
        asking
    });
    let (ran, ended) = try_run(load("closed=1", Stop::after_requests(5)), &server, all).unwrap();
    assert_eq!(ran.counts.sent, 8);
    assert_eq!(ended.iter().filter(|e| e.warmup).count(), 3);
}

#[test]
fn after_the_time_nothing_is_sent_and_what_flies_is_finished() {
    let server = Scripted::new(|_| Answer::after(5 * S));
    let (ran, ended) = run(load("constant=10", Stop::after(2 * S)), &server);
    assert_eq!((ran.ended, ran.partial), (Ended::Time, false));
    // Those due at 0, 100 … 1,900 ms.
    assert_eq!((ran.counts.sent, ran.counts.answered, ended.len()), (20, 20, 20));
    assert!(ran.sending >= 2 * S && ran.sending <= 2 * S + MS, "{:?}", ran.sending);
    assert!(ran.took >= MS * 6_900 && ran.took <= MS * 6_910, "{:?}", ran.took);
}

#[test]
fn what_flies_beyond_the_drain_limit_is_given_up_and_counted() {
    let server = Scripted::new(|asking| Answer::after(if asking.number < 15 { S } else { 60 * S }));
    let (ran, ended) = run(load("constant=10", Stop::after(2 * S)).with_drain(3 * S), &server);
    assert_eq!((ran.counts.answered, ran.counts.stopped, ended.len()), (15, 5, 20));
    assert!(ran.took <= MS * 5_010, "{:?}", ran.took);
    for stopped in ended.iter().filter(|e| e.number >= 15) {
        assert_eq!(stopped.outcome, Outcome::Cancelled);
        let failure = stopped.failure.as_ref().unwrap();
        assert_eq!(failure.kind, FailureKind::Stopped);
        assert_eq!(failure.message, "given up while in flight: the time asked for was over");
        assert!(stopped.marks.begun >= stopped.marks.intended && stopped.marks.ended.is_some());
        assert_eq!(stopped.tokens.output.value(), None);
    }
}

#[test]
fn what_was_seen_of_a_request_that_is_given_up_is_kept() {
    // First tokens come after 100 ms and last ones after a minute; the run is given up after 2 s.
    let server = Scripted::new(|_| Answer { ttft: 100 * MS, ..Answer::after(60 * S) });
    let load = load("constant=10", Stop::after(2 * S)).with_drain(std::time::Duration::ZERO);
    let (ran, ended) = run(load, &server);
    assert_eq!((ran.counts.stopped, ended.len()), (20, 20));
    for exchange in &ended {
        // Only the one that was due at 1.9 s may have had no token yet.
        let marks = exchange.marks;
        assert!(exchange.number == 19 || marks.first_token > marks.sent, "{exchange:?}");
        assert!(marks.intended.is_some() && marks.begun.is_some() && marks.last_token.is_none());
        assert_eq!(exchange.outcome, Outcome::Cancelled);
        assert_eq!(exchange.failure.as_ref().map(|f| f.kind), Some(FailureKind::Stopped));
    }
    let ttft: Vec<_> = ended.iter().filter_map(|e| e.marks.first_token).collect();
    assert!(ttft.len() >= 19);
}

#[test]
fn a_run_that_has_nothing_left_to_send_is_partial_unless_that_was_asked() {
    let server = Scripted::new(|_| Answer::after(10 * MS));
    let (ran, _) =
        try_run(load("closed=2", Stop::after_requests(50)), &server, askings().take(20)).unwrap();
    assert_eq!((ran.ended, ran.partial, ran.counts.answered), (Ended::Exhausted, true, 20));
    let (ran, _) =
        try_run(load("constant=10", Stop::when_exhausted()), &server, askings().take(20)).unwrap();
    assert_eq!((ran.ended, ran.partial, ran.counts.answered), (Ended::Exhausted, false, 20));
    assert_eq!(ran.counts.unsent, 0);
    // It does not wait for a moment at which there is nothing to send: the last one is due at 1.9 s.
    assert!(ran.took < MS * 1_950, "{:?}", ran.took);
}

#[test]
fn a_rule_sees_every_exchange_and_ends_the_run() {
    let server = Scripted::new(|asking| {
        let answer = Answer::after(100 * MS);
        if asking.number % 3 == 0 { answer.failing() } else { answer }
    });
    let (seen, failed) = (Cell::new(0), Cell::new(0));
    let rule = |e: &trueline_probe::Exchange| {
        seen.set(seen.get() + 1);
        failed.set(failed.get() + u32::from(e.outcome == Outcome::Failed));
        if seen.get() < 30 { Decision::GoOn } else { Decision::Finish }
    };
    let (ran, ended) = run(load("closed=4", Stop::by_rule(rule, 1_000, 60 * S)), &server);
    assert_eq!((ran.ended, ran.partial), (Ended::Rule, false));
    // What was in flight when the rule was content is finished; at most 3 beside the one that ended.
    assert!((30..=33).contains(&ended.len()), "{}", ended.len());
    assert!(seen.get() >= 30 && failed.get() >= 10);
}

#[test]
fn a_rule_that_is_never_content_ends_at_its_hard_limit() {
    let server = Scripted::new(|_| Answer::after(100 * MS));
    let (ran, _) = run(load("closed=4", Stop::by_rule(|_| Decision::GoOn, 25, 60 * S)), &server);
    assert_eq!((ran.ended, ran.partial, ran.counts.sent), (Ended::MostRequests, true, 25));
    let (ran, _) = run(load("closed=1", Stop::by_rule(|_| Decision::GoOn, 1_000, S)), &server);
    assert_eq!((ran.ended, ran.partial), (Ended::MostTime, true));
    assert!(ran.counts.sent <= 10);
}

#[test]
fn a_sink_that_cannot_keep_what_ended_ends_the_run() {
    let server = Scripted::new(|_| Answer::after(100 * MS));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap();
    let mut kept = 0;
    let ran = runtime.block_on(load("closed=4", Stop::after_requests(1_000)).run(
        &server,
        &mut askings().peekable(),
        trueline_probe::RunClock::start(),
        |_| {
            kept += 1;
            if kept < 20 { Decision::GoOn } else { Decision::StopNow }
        },
    ));
    let ran = ran.unwrap();
    assert_eq!((ran.ended, ran.partial), (Ended::Caller, true));
    assert_eq!(ran.counts.sent, kept);
}

#[test]
fn a_panic_of_the_client_is_not_swallowed() {
    let server = Scripted::new(|asking| {
        assert!(asking.number < 3, "the script breaks");
        Answer::after(MS)
    });
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        run(load("closed=1", Stop::after_requests(5)), &server)
    }));
    assert!(caught.is_err());
}

#[test]
fn who_answered_what_is_the_drivers_to_say() {
    // The scripted server fills in neither number nor session nor when the request was due.
    let server = Scripted::new(|_| Answer::after(MS));
    let all = (0..5).map(|n| {
        let mut asking =
            Asking::new(n, Prompt::Text("a".to_owned()), trueline_core::Tokens::new(1));
        asking.session = Some(format!("s{n}"));
        asking.part = Some("control".to_owned());
        asking
    });
    let (_, ended) = try_run(load("constant=10", Stop::when_exhausted()), &server, all).unwrap();
    for (n, exchange) in (0..).zip(&ended) {
        assert_eq!((exchange.number, exchange.session.clone()), (n, Some(format!("s{n}"))));
        assert_eq!(exchange.part.as_deref(), Some("control"));
        assert!(exchange.marks.intended.is_some());
    }
    assert_eq!(Rc::strong_count(&server), 1);
}
