//! The ways in which a balance of counters goes wrong, each as a test. Ten requests of ours, one a
//! second from second 10 on and 2 s long, of 100 prompt and 20 output tokens; the server is read at
//! second 0 and at second 40.

use std::time::Duration;

use trueline_core::{
    By, Count, EngineCounts, Known, Outcome, RequestRecord, Scope, ServerCounters, Severity,
    Stretch, Tokens, WallTime,
};

use super::*;

fn at(seconds: i64) -> WallTime {
    WallTime::from_nanos(seconds * 1_000_000_000)
}

fn request(sent: i64, took: u64) -> RequestRecord {
    let mut r = RequestRecord::default();
    r.started = Known::is(at(sent), By::Measured);
    r.spans.set(Stretch::ClientE2e, Known::is(Duration::from_secs(took), By::Measured));
    r.tokens.prompt = RequestRecord::counted(100);
    r.tokens.cached = RequestRecord::counted(0);
    r.tokens.output = RequestRecord::counted(20);
    r.outcome = Outcome::Ok;
    r
}

fn ours() -> Vec<RequestRecord> {
    (10..20).map(|sent| request(sent, 2)).collect()
}

fn timed_out(sent: i64) -> RequestRecord {
    let mut r = request(sent, 2);
    r.outcome = Outcome::Failed;
    r.tokens.output = Known::Not(trueline_core::Why::Absent);
    r
}

/// Counters of engines, each `[requests, prompt tokens, output tokens]`, nothing in flight.
fn read(seconds: i64, engines: &[[u64; 3]]) -> ServerCounters {
    let reported = |n| Known::is(n, By::Reported);
    let mut counters = ServerCounters::default();
    counters.server = "vllm".into();
    counters.at = Known::is(at(seconds), By::Measured);
    (counters.running, counters.waiting) = (reported(0), reported(0));
    for (i, [requests, prompt, output]) in engines.iter().enumerate() {
        let mut engine = EngineCounts::default();
        engine.labels = format!("engine={i}");
        engine.requests = reported(*requests);
        engine.prompt_tokens = reported(*prompt);
        engine.output_tokens = reported(*output);
        counters.engines.push(engine);
    }
    counters
}

/// A server that had counted 5 requests before.
fn before() -> ServerCounters {
    read(0, &[[5, 500, 50]])
}

/// The same server with so much more.
fn after(more: [u64; 3]) -> ServerCounters {
    read(40, &[[5 + more[0], 500 + more[1], 50 + more[2]]])
}

fn balance(before: &ServerCounters, after: &ServerCounters, ours: &[RequestRecord]) -> Balance {
    balance_counters(before, after, &Ledger::of(ours), &[], &Thresholds::default())
}

fn verdict(more: [u64; 3], ours: &[RequestRecord]) -> Verdict {
    balance(&before(), &after(more), ours).verdict
}

fn severity(balance: &Balance) -> Option<Severity> {
    let outcomes = check_balance(Scope::default(), balance, &Thresholds::default());
    assert_eq!(outcomes.iter().count(), 1);
    outcomes.findings().next().map(|finding| finding.severity)
}

#[test]
fn what_balances_is_clean_and_three_more_are_of_others() {
    let clean = balance(&before(), &after([10, 1_000, 200]), &ours());
    assert_eq!((clean.verdict, severity(&clean)), (Verdict::Clean, None));
    // 13 of 10 requests; 1,600 of 1,000 prompt and 230 of 200 output tokens: 60 % more at most.
    let three = balance(&before(), &after([13, 1_600, 230]), &ours());
    let found = Verdict::Contaminated {
        requests: Some(3),
        prompt_tokens: Some(600),
        output_tokens: Some(30),
        share: Some(0.6),
    };
    assert_eq!((three.verdict, severity(&three)), (found, Some(Severity::Error)));
    let said = check_balance(Scope::default(), &three, &Thresholds::default());
    assert_eq!(
        said.findings().next().unwrap().message,
        "the server (vllm) counted 13 requests and the benchmark sent 10: at least 3 of others, with \
         600 prompt tokens and 30 output tokens, 60 % of what was ours"
    );
}

#[test]
fn pitfall_1_a_restart_is_no_negative_traffic() {
    let back = balance(&before(), &read(40, &[[3, 300, 40]]), &ours()).verdict;
    assert_eq!(back, Verdict::Unverified(Doubt::WentBack(Count::Requests)));
    // It may have caught up since: the start tells.
    let (mut one, mut two) = (before(), after([10, 1_000, 200]));
    one.started = Known::is(at(-100), By::Reported);
    two.started = Known::is(at(5), By::Reported);
    let caught_up = balance(&one, &two, &ours()).verdict;
    assert_eq!(caught_up, Verdict::Unverified(Doubt::Restarted));
}

#[test]
fn pitfall_2_an_engine_that_is_not_read_is_missing_traffic_of_ours() {
    // Two engines served five each, and only one was read.
    let missing = Verdict::Unverified(Doubt::OwnMissing { of: Count::Requests, missing: 5 });
    assert_eq!(verdict([5, 500, 100], &ours()), missing);
    let both = read(0, &[[5, 500, 50], [0, 0, 0]]);
    let one = balance(&both, &after([5, 500, 100]), &ours()).verdict;
    assert_eq!(one, Verdict::Unverified(Doubt::EnginesChanged { before: 2, after: 1 }));
    let all = read(40, &[[10, 1_000, 150], [5, 500, 100]]);
    assert_eq!(balance(&both, &all, &ours()).verdict, Verdict::Clean);
}

#[test]
fn pitfall_3_warm_ups_are_ours_and_without_a_record_in_doubt() {
    let mut all = ours();
    let mut warm_up = request(8, 1);
    warm_up.warmup = true;
    assert_eq!(verdict([11, 1_100, 220], &all), Verdict::Unverified(Doubt::FewMore));
    all.push(warm_up);
    assert_eq!(verdict([11, 1_100, 220], &all), Verdict::Clean);
    // One request more that is larger than any of ours is no warm-up.
    let large = balance(&before(), &after([11, 9_000, 220]), &ours());
    assert_eq!(severity(&large), Some(Severity::Error));
    // One in two hundred is next to nothing, whoever sent it.
    let many: Vec<RequestRecord> = (0..200).map(|i| request(10 + i / 10, 2)).collect();
    let little = balance(&before(), &after([201, 20_100, 4_020]), &many);
    assert_eq!(severity(&little), Some(Severity::Note));
}

#[test]
fn pitfall_4_the_server_may_finish_what_a_client_gave_up() {
    let mut all = ours();
    all.push(timed_out(15));
    // It did, or it did not; a third request is of others or of no record.
    assert_eq!(verdict([11, 1_100, 220], &all), Verdict::Clean);
    assert_eq!(verdict([10, 1_000, 200], &all), Verdict::Clean);
    assert_eq!(verdict([12, 1_200, 240], &all), Verdict::Unverified(Doubt::FewMore));
    // Of eight that failed the server counted four, or four others.
    all.extend((0..7).map(|_| timed_out(16)));
    let hidden = Verdict::Unverified(Doubt::HiddenByFailures { hidden: 4 });
    assert_eq!(verdict([14, 1_400, 280], &all), hidden);
    // Aborted requests are ours as far as ours failed.
    let (mut one, mut two) = (before(), after([10, 1_000, 200]));
    one.engines[0].aborted = Known::is(1, By::Reported);
    two.engines[0].aborted = Known::is(9, By::Reported);
    assert_eq!(balance(&one, &two, &all).verdict, Verdict::Clean);
    two.engines[0].aborted = Known::is(13, By::Reported);
    assert_eq!(severity(&balance(&one, &two, &all)), Some(Severity::Error));
}

#[test]
fn pitfall_5_tokens_that_no_usage_holds_are_no_requests_of_others() {
    // Three hidden tokens a reply.
    let hidden = Doubt::TokensDiffer { of: Count::OutputTokens, counted: 230, ours: 200 };
    assert_eq!(verdict([10, 1_000, 230], &ours()), Verdict::Unverified(hidden));
    // A client that counts prompts itself leaves the template out: that alone is no doubt.
    assert_eq!(verdict([10, 1_080, 200], &ours()), Verdict::Clean);
    assert_eq!(verdict([10, 1_000, 201], &ours()), Verdict::Clean);
}

#[test]
fn pitfall_6_a_reading_in_the_middle_allows_for_ours_in_flight() {
    // Read at second 15: sent at 10 to 12 and done by 14, or not; 13 and 14 are open, 15 begins.
    let mut middle = read(15, &[[8, 800, 110]]);
    middle.running = Known::is(2, By::Reported);
    // Three were counted; of the rest, 7, two or three were begun before.
    assert_eq!(balance(&middle, &after([10, 1_000, 200]), &ours()).verdict, Verdict::Clean);
    // Somebody else's, still served at the end: the counts cannot show it.
    let mut end = after([10, 1_000, 200]);
    end.running = Known::is(1, By::Reported);
    let busy = Verdict::Unverified(Doubt::StillBusy { in_flight: 1, ours: 0 });
    assert_eq!(balance(&before(), &end, &ours()).verdict, busy);
    end.running = Known::Not(trueline_core::Why::Absent);
    let unknown = Verdict::Unverified(Doubt::InFlightUnknown);
    assert_eq!(balance(&before(), &end, &ours()).verdict, unknown);
}

#[test]
fn more_in_flight_than_ours_is_of_others_unless_it_is_a_moment_or_an_old_number() {
    let seen = |in_flight: &[(i64, u64)]| {
        let samples: Vec<InFlight> =
            in_flight.iter().map(|&(s, requests)| InFlight { at: at(s), requests }).collect();
        let ledger = Ledger::of(&ours());
        let after = after([10, 1_000, 200]);
        balance_counters(&before(), &after, &ledger, &samples, &Thresholds::default())
    };
    // Two of ours are open at once.
    let quiet = seen(&[(5, 0), (12, 2), (14, 2), (20, 2)]);
    assert_eq!((quiet.verdict, severity(&quiet)), (Verdict::Clean, None));
    let busy = seen(&[(5, 0), (12, 5), (14, 4), (20, 2)]);
    assert_eq!(severity(&busy), Some(Severity::Error));
    let expected = Gauges { samples: 3, exceeded: 2, in_flight: 5, ours: 2 };
    assert_eq!(busy.gauges, Some(expected));
    // One health check.
    assert_eq!(severity(&seen(&[(12, 2), (14, 3), (16, 2)])), None);
    // Others before ours began and after they ended, or a number that nobody refreshed.
    assert_eq!(severity(&seen(&[(3, 7), (4, 7), (30, 2), (32, 2)])), None);
    // The last requests of a burst, still shown 3 s after.
    let mut burst: Vec<RequestRecord> = (0..8).map(|_| request(10, 2)).collect();
    burst.push(request(13, 5));
    let ledger = Ledger::of(&burst);
    let old = [InFlight { at: at(14), requests: 8 }, InFlight { at: at(15), requests: 8 }];
    let read = super::gauges::gauges(&old, &ledger, &Thresholds::default());
    assert_eq!(read.map(|read| read.exceeded), Some(0));
}

#[test]
fn a_server_without_a_count_of_requests_is_balanced_by_tokens() {
    let llama = |more: [u64; 3]| {
        let (mut one, mut two) = (before(), after(more));
        for counters in [&mut one, &mut two] {
            counters.engines[0].requests = Known::default();
        }
        let balance = balance(&one, &two, &ours());
        (severity(&balance), balance.verdict)
    };
    assert_eq!(llama([0, 1_000, 200]).1, Verdict::Clean);
    // Two requests like ours may be warm-ups; three are not.
    assert_eq!(llama([0, 1_200, 240]).1, Verdict::Unverified(Doubt::FewMore));
    assert_eq!(llama([0, 1_300, 260]).0, Some(Severity::Error));
    let missing = Doubt::OwnMissing { of: Count::PromptTokens, missing: 500 };
    assert_eq!(llama([0, 500, 100]).1, Verdict::Unverified(missing));
    // Requests of ours that do not say what they generated leave nothing to balance.
    let mut silent = ours();
    for request in &mut silent {
        request.tokens.output = Known::default();
    }
    let (mut one, mut two) = (before(), after([0, 1_000, 200]));
    one.engines[0].requests = Known::default();
    two.engines[0].requests = Known::default();
    let nothing = Verdict::Unverified(Doubt::NothingInCommon);
    assert_eq!(balance(&one, &two, &silent).verdict, nothing);
}

#[test]
fn prompts_are_compared_by_what_was_computed_where_only_that_is_counted() {
    let mut cached = ours();
    for request in &mut cached {
        request.tokens.cached = Known::is(Tokens::new(90), By::Reported);
    }
    // 10 of each 100 were computed.
    let (mut one, mut two) = (before(), after([13, 0, 260]));
    for (counters, new) in [(&mut one, 50), (&mut two, 180)] {
        counters.engines[0].prompt_tokens = Known::default();
        counters.engines[0].new_tokens = Known::is(new, By::Reported);
    }
    let Verdict::Contaminated { prompt_tokens, .. } = balance(&one, &two, &cached).verdict else {
        panic!("three more");
    };
    assert_eq!(prompt_tokens, Some(30));
}

#[test]
fn without_a_request_of_ours_there_is_nothing_to_balance() {
    let none = Verdict::Unverified(Doubt::NoneOfOurs);
    assert_eq!(verdict([0, 0, 0], &[]), none);
    assert_eq!(verdict([10, 1_000, 200], &[request(50, 2), request(-9, 2)]), none);
}

/// The same counts on top of so many that a server has counted before, in six digits.
fn rounded(base: u64, more: [u64; 3]) -> Balance {
    let written = |exact: u64, lost: u64| (exact + lost / 2) / lost * lost;
    let counters = |seconds, more: [u64; 3]| {
        let mut counters = read(seconds, &[more]);
        counters.significant_digits = Some(6);
        for count in [Count::PromptTokens, Count::OutputTokens] {
            let exact = counters.engines[0].get(count).value().unwrap();
            let lost = 10_u64.pow((exact.max(1).ilog10() + 1).saturating_sub(6));
            counters.engines[0].set(count, Known::is(written(exact, lost), By::Reported));
        }
        counters.engines[0].requests = Known::default();
        counters
    };
    let [_, prompt, output] = more;
    let (one, two) = (counters(0, [0, base, 50]), counters(40, [0, base + prompt, 50 + output]));
    balance(&one, &two, &ours())
}

#[test]
fn six_digits_of_a_large_count_are_no_exact_balance() {
    let verdict = |base, more| rounded(base, more).verdict;
    // Up to 999,999 all is written; 1,000 prompt and 200 output tokens are ours.
    assert_eq!(verdict(998_000, [0, 1_000, 200]), Verdict::Clean);
    // Beyond, each reading is off by up to 10, which is 2 % of ours: next to nothing hides more.
    let hides = |hidden| Doubt::Rounded { of: Count::PromptTokens, hidden };
    assert_eq!(verdict(1_234_567, [0, 1_000, 200]), Verdict::Unverified(hides(20)));
    // One reading of the two: 10 of 1,000 are next to nothing.
    assert_eq!(verdict(999_500, [0, 1_000, 200]), Verdict::Clean);
    // At 20 millions 200 may hide; at 2 billions the count does not move at all.
    assert_eq!(verdict(23_456_789, [0, 1_000, 200]), Verdict::Unverified(hides(200)));
    assert_eq!(verdict(2_000_000_000, [0, 1_000, 200]), Verdict::Unverified(hides(20_000)));
    // What is more than rounding is of others: at least 1,500 - 20 - 1,000 prompt tokens.
    let Verdict::Contaminated { prompt_tokens, output_tokens, share, .. } =
        verdict(1_234_567, [0, 1_500, 300])
    else {
        panic!("half as much again");
    };
    assert_eq!((prompt_tokens, output_tokens, share), (Some(480), Some(100), Some(0.5)));
}

#[test]
fn who_was_connected_is_named_and_is_no_traffic() {
    let who = ["curl (process 7)".to_owned()];
    let quiet = balance(&before(), &after([10, 1_000, 200]), &ours()).with_connected(who.clone());
    assert_eq!(severity(&quiet), None);
    let busy = balance(&before(), &after([13, 1_600, 230]), &ours()).with_connected(who);
    let said = check_balance(Scope::default(), &busy, &Thresholds::default());
    let message = &said.findings().next().unwrap().message;
    assert!(message.ends_with("60 % of what was ours; connected besides ours: curl (process 7)"));
}
