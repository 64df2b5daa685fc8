//! Measurements with a bystander beside them.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use trueline_core::{BenchRun, By, Known, Outcome, Tokens, Why};
use trueline_host::{ServerProcess, WatchOptions};
use trueline_probe::{
    Api, Ask, Asking, Breach, Client, Decision, Ended, Prefix, Prompt, RunClock, Workload,
};
use trueline_sim::server::Server;

use super::tests::{client, counted, quick, server, workload};
use super::{BYSTANDER, Measure, MeasureErrorKind, Measured, StopAt};

const EVERY: Duration = Duration::from_millis(20);

/// Eight at a time on a server that serves one, with a bystander who may take so long.
fn crowded(server: &Server, limit: &str) -> Measured {
    Measure::new(Prefix::Cold.experiment(&workload(40)).unwrap(), client(server))
        .with_arrival("closed=8".parse().unwrap())
        .with_budget(limit.parse().unwrap())
        .with_bystander(EVERY)
        .run()
        .unwrap()
}

fn one_stream() -> Server {
    let mut config = quick();
    config.model.max_streams = 1;
    Server::start("127.0.0.1:0", config).unwrap()
}

fn of_bystander(run: &BenchRun) -> usize {
    run.requests.iter().filter(|r| r.session.as_deref() == Some(BYSTANDER)).count()
}

#[test]
fn who_waits_behind_the_load_for_longer_than_allowed_ends_it() {
    let server = one_stream();
    // Eight requests of 22 ms and 4 tokens of 1 ms go before: some 0.2 s.
    let measured = crowded(&server, "bystander=0.1");
    let ended = measured.endings.last().unwrap().ended;
    let Ended::Budget(Breach::Bystander { took, limit }) = ended else { panic!("{ended}") };
    assert!(took > limit && limit == Duration::from_millis(100), "{took:?}");
    assert!(measured.is_partial());
    let times = measured.bystander.unwrap();
    assert!(times.sent >= 1 && times.alone.is_some(), "{times:?}");
}

#[test]
fn who_is_served_in_time_ends_nothing_and_is_no_part_of_what_is_measured() {
    let server = one_stream();
    let measured = crowded(&server, "bystander=60");
    assert!(!measured.is_partial(), "{:?}", measured.endings);
    let times = measured.bystander.unwrap();
    let [run] = measured.runs.as_slice() else { panic!("{:?}", measured.runs) };
    assert_eq!(run.measured().count(), 40);
    assert!(times.sent > 2 && times.answered == times.sent, "{times:?}");
    assert!(times.alone.unwrap() <= times.longest.unwrap());
    // Three warm up, and all that the server saw is in the run.
    assert_eq!(of_bystander(run) as u64, times.sent);
    assert_eq!(counted(run), (40, 3 + of_bystander(run)));
    assert_eq!(server.ledger().entries().len(), run.requests.len());
    // One token each, by the server's own count.
    let ours = run.requests.iter().filter(|r| r.session.as_deref() == Some(BYSTANDER));
    assert!(ours.map(|r| r.tokens.output.value()).all(|tokens| tokens == Some(Tokens::new(1))));
    assert!(times.tokens.get() >= 2 * times.sent);
    assert!(run.conditions.get("bystander_longest_s").is_some());
}

#[test]
fn a_bystander_is_nobody_elses_traffic() {
    let server = Arc::new(server());
    let asked = Arc::clone(&server);
    let counts = move || {
        let at = RunClock::start().wall(Duration::ZERO).ok_or(Why::Absent)?;
        Ok(asked.ledger().counts(Known::is(at, By::Measured)))
    };
    let watch = WatchOptions::default()
        .with_interval(Duration::from_millis(100))
        .with_server(ServerProcess::Port(server.address().port()))
        .with_counters(Box::new(counts));
    let mut saved = Vec::new();
    let measured = Measure::new(Prefix::Cold.experiment(&workload(30)).unwrap(), client(&server))
        .with_bystander(EVERY)
        .with_watch(watch)
        .with_save(&mut saved)
        .run()
        .unwrap();
    let sent = measured.bystander.unwrap().sent;
    assert!(sent > 2, "{sent}");
    // The file has them as well, for who reads it later.
    let read = trueline_logs::read_runs_from("saved", saved.as_slice()).unwrap().value;
    assert_eq!(read.iter().map(of_bystander).sum::<usize>() as u64, sent);
    let report = measured.into_audit().judge(&[]);
    let outcome = report.outcomes.iter().find(|outcome| outcome.code() == "foreign-traffic");
    assert!(matches!(outcome, Some(trueline_core::CheckOutcome::Clear { .. })), "{outcome:?}");
}

#[test]
fn parts_that_do_not_go_together_are_refused_before_a_bystander_asks() {
    let server = server();
    let cold = || Measure::new(Prefix::Cold.experiment(&workload(4)).unwrap(), client(&server));
    let unread = cold().with_budget("bystander=1".parse().unwrap()).run().unwrap_err();
    assert_eq!(unread.kind(), MeasureErrorKind::Load);
    assert!(unread.to_string().contains("bystander"), "{unread}");
    let no_warmup = Workload::new(Tokens::new(400), Tokens::new(4), 7).with_warmup(0);
    let experiment = Prefix::Cold.experiment(&no_warmup.with_requests(4)).unwrap();
    let too_many = Measure::new(experiment, client(&server))
        .with_arrival("closed=4".parse().unwrap())
        .with_budget("in-flight=2,bystander=1".parse().unwrap())
        .with_bystander(EVERY)
        .run()
        .unwrap_err();
    assert_eq!(too_many.kind(), MeasureErrorKind::Load);
    assert_eq!(server.ledger().entries().len(), 0);
}

#[test]
fn a_bystander_who_is_never_answered_is_given_up_and_kept_as_that() {
    let server = Arc::new(one_stream());
    // Somebody else holds the only stream for 100 s.
    let holds = format!("http://{}", server.address());
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let other = Client::new(holds.parse().unwrap(), Api::OpenAiCompletions, "sim").unwrap();
        let asking = Asking::new(0, Prompt::Text("a long one".to_owned()), Tokens::new(100_000));
        runtime.block_on(other.ask(asking, None, &RunClock::start()));
    });
    let begun = Instant::now();
    while server.ledger().entries().len() < 1 {
        assert!(begun.elapsed() < Duration::from_secs(30), "nothing is sent");
        thread::sleep(Duration::from_millis(5));
    }
    let none = Workload::new(Tokens::new(400), Tokens::new(4), 7).with_warmup(0).endless();
    let measured = Measure::new(Prefix::Cold.experiment(&none).unwrap(), client(&server))
        .with_stop(StopAt::After(Duration::from_secs(60)))
        .with_bystander(EVERY)
        .with_progress(|_| Decision::StopNow)
        .run()
        .unwrap();
    let times = measured.bystander.unwrap();
    assert_eq!((times.sent, times.answered, times.longest), (1, 0, None));
    let [run] = measured.runs.as_slice() else { panic!("{:?}", measured.runs) };
    assert_eq!((of_bystander(run), run.requests.len()), (1, 2));
    assert!(run.requests.iter().all(|r| r.outcome == Outcome::Cancelled));
}
