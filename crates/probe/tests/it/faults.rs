//! What each of the simulated server's faults comes to.

use std::time::Duration;

use trueline_core::{By, Known, Outcome, TokensPerSecond, Why};
use trueline_probe::{Api, Client, Exchange, FailureKind, Limits};
use trueline_sim::server::{Dialect, Fault, Server};

use crate::{between, client, counted, kind, one, quick, start, url};

/// How many tokens are asked for.
const ASKED: u64 = 12;

/// What a fault comes to.
struct Expected {
    fault: &'static str,
    failure: Option<FailureKind>,
    /// Events with tokens; where the connection is reset, what was under way may be lost.
    events: std::ops::RangeInclusive<u64>,
    /// Output tokens as the server counts them.
    output: Option<u64>,
}

const fn answered(fault: &'static str) -> Expected {
    Expected { fault, failure: None, events: ASKED..=ASKED, output: Some(ASKED) }
}

const fn failed(fault: &'static str, kind: FailureKind, from: u64, to: u64) -> Expected {
    Expected { fault, failure: Some(kind), events: from..=to, output: None }
}

/// All of them, as `Fault::ALL` lists them.
const TABLE: [Expected; 25] = [
    answered("role-first"),
    answered("null-first"),
    answered("progress"),
    answered("comments"),
    // Four tokens an event.
    Expected { events: 3..=3, ..answered("tokens-per-chunk=4") },
    answered("events-per-read=4"),
    answered("buffered"),
    Expected { output: None, ..answered("usage-missing") },
    answered("usage-late=0.5"),
    answered("usage-invented"),
    answered("reasoning=4"),
    answered("after-done"),
    failed("error-event=4", FailureKind::ErrorEvent, 4, 4),
    answered("stall=1"),
    failed("reset=4", FailureKind::BrokeOff, 0, 4),
    answered("close-kept"),
    answered("http10"),
    failed("status-429=1", FailureKind::Status, 0, 0),
    failed("status-503=1", FailureKind::Status, 0, 0),
    answered("slow-headers=1"),
    failed("garbage", FailureKind::Malformed, 2, 2),
    answered("counter-reset"),
    answered("rate-counts-cached"),
    answered("rate-leaves-time-out"),
    answered("clock-step=-3600"),
];

fn under(server: &Server, api: Api, fault: &str) -> Client {
    client(&url(server), api).with_header("x-sim-fault", fault).unwrap()
}

fn asked(fault: &str) -> Exchange {
    one(&under(&start(quick()), Api::OpenAiChat, fault), ASKED)
}

#[test]
fn every_fault_comes_to_what_the_table_says_through_both_interfaces() {
    let names: Vec<&str> = Fault::ALL.iter().map(|help| help.form).collect();
    let table: Vec<&str> = TABLE.iter().map(|expected| expected.fault).collect();
    assert_eq!(table, names);
    let server = start(quick());
    for api in [Api::OpenAiChat, Api::OpenAiCompletions] {
        for Expected { fault, failure, events, output } in &TABLE {
            let exchange = one(&under(&server, api, fault), ASKED);
            let found = format!("{api} {fault}: {exchange:?}");
            assert_eq!(kind(&exchange), *failure, "{found}");
            let outcome = if failure.is_some() { Outcome::Failed } else { Outcome::Ok };
            assert_eq!(exchange.outcome, outcome, "{found}");
            assert!(events.contains(&exchange.token_events), "{found}");
            assert_eq!(counted(&exchange)[2], *output, "{found}");
            let gaps = usize::try_from(exchange.token_events.saturating_sub(1)).unwrap();
            assert_eq!(exchange.gaps.len(), gaps, "{found}");
            assert!(exchange.marks.ended >= exchange.marks.last_token, "{found}");
            assert!(exchange.marks.ended.is_some(), "{found}");
        }
    }
}

#[test]
fn events_without_text_before_the_first_token_are_not_taken_for_it() {
    let mut config = quick();
    config.model.prefill_fixed = Duration::from_millis(200);
    let server = start(config);
    for fault in ["role-first", "null-first", "progress"] {
        let marks = one(&under(&server, Api::OpenAiChat, fault), 3).marks;
        let before = between(marks.first_event, marks.first_token);
        // The first token is due 200 ms after the empty event; half allows for a busy machine.
        assert!(before >= Duration::from_millis(100), "{fault}: {before:?}");
    }
    let marks = one(&under(&server, Api::OpenAiChat, "comments"), 3).marks;
    assert_eq!(marks.first_event, marks.first_token);
    assert!(between(marks.headers, marks.first_token) >= Duration::from_millis(100));
}

#[test]
fn events_that_left_together_were_read_together() {
    let zero = |exchange: &Exchange| exchange.gaps.iter().filter(|gap| gap.is_zero()).count();
    // Three writes of four events: three zero gaps in each, and two that are none.
    assert_eq!(zero(&asked("events-per-read=4")), 9);
    assert_eq!(zero(&asked("buffered")), 11);
}

#[test]
fn a_count_that_is_left_out_is_unknown_and_one_that_is_invented_stays() {
    let missing = asked("usage-missing");
    assert_eq!(missing.tokens.output, Known::Not(Why::Absent));
    assert_eq!(missing.tokens.cached, Known::Not(Why::Absent));
    let (honest, invented) = (asked(""), asked("usage-invented"));
    let prompt = |exchange: &Exchange| counted(exchange)[0].unwrap();
    assert_eq!(prompt(&invented), 2 * prompt(&honest));
}

#[test]
fn late_usage_moves_the_end_and_no_token() {
    let marks = asked("usage-late=0.5").marks;
    let tail = between(marks.last_token, marks.ended);
    // Half of it allows for a token that was read late.
    assert!(tail >= Duration::from_millis(250), "{tail:?}");
}

#[test]
fn a_stall_is_one_gap_or_a_failure_where_it_is_too_long() {
    let gaps = asked("stall=0.5").gaps;
    // Behind the second token, whose own lateness is taken off: half of it allows for that.
    assert!(gaps[1] >= Duration::from_millis(250), "{gaps:?}");
    let server = start(quick());
    let mut limits = Limits::default();
    limits.idle = Duration::from_millis(300);
    let client = under(&server, Api::OpenAiChat, "stall=5").with_limits(limits);
    let exchange = one(&client, ASKED);
    assert_eq!((kind(&exchange), exchange.token_events), (Some(FailureKind::TimedOut), 2));
    let marks = exchange.marks;
    let waited = between(marks.last_token, marks.ended);
    assert!(waited >= limits.idle && waited < Duration::from_secs(4), "{waited:?}");
    assert!(exchange.failure.unwrap().message.contains("300ms"));
}

#[test]
fn a_refusal_says_when_to_come_back_and_is_not_sent_again() {
    let server = start(quick());
    for (fault, words) in [
        ("status-429=7", "429 Too Many Requests, Retry-After 7: too many requests"),
        ("status-503=3", "503 Service Unavailable, Retry-After 3: not ready"),
    ] {
        let exchange = one(&under(&server, Api::OpenAiChat, fault), ASKED);
        let message = exchange.failure.unwrap().message;
        assert!(message.contains(words), "{message}");
        assert_eq!((exchange.resent, exchange.marks.first_event), (0, None));
        assert!(exchange.marks.headers.is_some());
    }
    assert_eq!(server.ledger().entries().len(), 0);
}

#[test]
fn a_late_head_is_a_late_head() {
    let marks = asked("slow-headers=0.4").marks;
    assert!(between(marks.sent, marks.headers) >= Duration::from_millis(400));
    assert!(marks.first_token >= marks.headers);
}

#[test]
fn an_error_event_is_told_in_the_servers_words() {
    let failure = asked("error-event=4").failure.unwrap();
    assert_eq!(failure.message, "the server says: the engine stopped (internal_server_error, 500)");
}

#[test]
fn the_servers_own_rate_is_reported_as_it_states_it() {
    let mut config = quick();
    config.dialect = Dialect::LlamaCpp;
    config.model.prefill = TokensPerSecond::new(1_000.0).unwrap();
    config.model.prefill_fixed = Duration::from_millis(20);
    let server = start(config);
    let exchange = one(&under(&server, Api::OpenAiChat, "rate-leaves-time-out"), 3);
    let [rate] = exchange.reported.as_slice() else { panic!("{exchange:?}") };
    assert_eq!(rate.field, "timings.prompt_per_second");
    let Known::Is { value, by: By::Reported } = rate.rate else { panic!("{rate:?}") };
    // The model's own rate, which is what that fault states.
    assert!((value.get() - 1_000.0).abs() < 0.5, "{value}");
    assert!(asked("").reported.is_empty());
}
