//! Measurements of which some went wrong.

use std::time::Duration;

use trueline_core::{Outcome, Why};
use trueline_host::WatchOptions;
use trueline_probe::{FailureKind, Prefix};
use trueline_sim::server::{Fault, Server};

use super::tests::{client, quick, server, workload};
use super::{Measure, Measured};

fn measured(server: &Server, requests: u64) -> Measured {
    Measure::new(Prefix::Cold.experiment(&workload(requests)).unwrap(), client(server))
        .with_arrival("closed=2".parse().unwrap())
        .with_budget("none".parse().unwrap())
        .run()
        .unwrap()
}

#[test]
fn a_server_that_refuses_some_is_told_with_their_number_and_its_words() {
    let mut config = quick();
    // One is served, none waits: of two at a time one is refused.
    (config.model.max_streams, config.model.queue_limit) = (1, Some(0));
    let server = Server::start("127.0.0.1:0", config).unwrap();
    let measured = measured(&server, 12);
    let run = &measured.runs[0];
    let failed = run.requests.iter().filter(|r| r.outcome == Outcome::Failed).count() as u64;
    assert!(failed > 0 && run.measured().count() > 0, "{failed}");
    let [why] = measured.failures.as_slice() else { panic!("{:?}", measured.failures) };
    assert_eq!((why.run.as_str(), why.warmup, why.count), ("cold", false, failed));
    assert_eq!((why.kind, why.status), (FailureKind::Status, Some(503)));
    assert!(why.example.starts_with("expected status 200, found 503"), "{}", why.example);
    assert!(why.first.is_some());
}

#[test]
fn failures_add_up_and_those_of_warm_up_stand_apart() {
    let mut config = quick();
    config.faults.extend(&[Fault::ErrorEvent(2)]);
    let measured = measured(&Server::start("127.0.0.1:0", config).unwrap(), 5);
    let told: Vec<_> =
        measured.failures.iter().map(|f| (f.warmup, f.kind, f.status, f.count)).collect();
    let kind = FailureKind::ErrorEvent;
    assert_eq!(told, [(true, kind, None, 3), (false, kind, None, 5)]);
    assert!(measured.failures[1].example.starts_with("the server says: "));
}

#[test]
fn a_run_without_failures_has_none() {
    let measured = measured(&server(), 4);
    assert!(measured.failures.is_empty() && measured.host_lost.is_none());
}

#[test]
fn a_watch_that_breaks_down_costs_its_record_and_nothing_else() {
    let server = server();
    let mut asked = 0;
    let watch = WatchOptions::default().with_interval(Duration::from_millis(50)).with_counters(
        Box::new(move || {
            asked += 1;
            // Before the run it is read where the measurement begins, then by the sampler.
            assert!(asked == 1, "a reader that breaks down in its second reading");
            Err(Why::Absent)
        }),
    );
    let measured = Measure::new(Prefix::Cold.experiment(&workload(40)).unwrap(), client(&server))
        .with_watch(watch)
        .run()
        .unwrap();
    assert_eq!(measured.runs[0].measured().count(), 40);
    assert!(measured.host.is_none() && !measured.is_partial());
    let why = measured.host_lost.unwrap();
    assert!(why.contains("the sampler broke down"), "{why}");
}
