//! Measurements with the host watched and the server asked what it counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use trueline_core::{By, Known, ServerCounters, Tokens, WallTime, Why};
use trueline_host::{ServerProcess, WatchOptions};
use trueline_probe::{Api, Ask, Asking, Client, Prefix, Prompt, RunClock, Workload};
use trueline_sim::server::Server;

use super::Measure;
use super::tests::{client, server};
use crate::claims::parse_claim;
use crate::judge::Status;
use crate::report::Report;

/// What the server counts, now.
fn counted(server: &Server) -> Result<ServerCounters, Why> {
    let at = RunClock::start().wall(Duration::ZERO).ok_or(Why::Absent)?;
    let at: Known<WallTime> = Known::is(at, By::Measured);
    Ok(server.ledger().counts(at))
}

/// A run of 40 requests with the host watched, judged for one claim.
fn judged(server: &Arc<Server>) -> Report {
    let workload = Workload::new(Tokens::new(400), Tokens::new(40), 7).with_requests(40);
    let asked = Arc::clone(server);
    let watch = WatchOptions::default()
        .with_interval(Duration::from_millis(100))
        .with_server(ServerProcess::Port(server.address().port()))
        .with_counters(Box::new(move || counted(&asked)));
    let measured = Measure::new(Prefix::Cold.experiment(&workload).unwrap(), client(server))
        .with_workload(&workload)
        .with_watch(watch)
        .run()
        .unwrap();
    let mut ttft: Vec<Duration> = measured
        .runs
        .iter()
        .flat_map(trueline_core::BenchRun::measured)
        .filter_map(|r| r.ttft(trueline_core::Side::Client).value())
        .collect();
    ttft.sort();
    let median = f64::midpoint(ttft[19].as_secs_f64(), ttft[20].as_secs_f64());
    let claim = parse_claim("ttft", &format!("ttft_s.median = {median}")).unwrap();
    measured.into_audit().judge(&[claim])
}

fn codes(report: &Report) -> Vec<&str> {
    report.outcomes.findings().map(|finding| finding.code).collect()
}

#[test]
fn who_else_is_served_meanwhile_is_found_by_what_the_server_counts() {
    let server = Arc::new(server());
    let stop = Arc::new(AtomicBool::new(false));
    let foreign = {
        let (url, stop) = (format!("http://{}", server.address()), Arc::clone(&stop));
        thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let other = Client::new(url.parse().unwrap(), Api::OpenAiCompletions, "sim").unwrap();
            let mut sent = 0;
            while !stop.load(Ordering::Relaxed) {
                let prompt = Prompt::Text(format!("somebody else {sent}"));
                let asking = Asking::new(sent, prompt, Tokens::new(10));
                runtime.block_on(other.ask(asking, None, &RunClock::start()));
                sent += 1;
                thread::sleep(Duration::from_millis(20));
            }
            sent
        })
    };
    let report = judged(&server);
    stop.store(true, Ordering::Relaxed);
    assert!(foreign.join().unwrap() > 2);
    assert!(codes(&report).contains(&"foreign-traffic"), "{:?}", codes(&report));
    assert_eq!(report.claims[0].status, Status::Revoked);
}

#[test]
fn a_run_alone_on_its_server_is_charged_with_no_foreign_traffic() {
    let report = judged(&Arc::new(server()));
    assert!(!codes(&report).contains(&"foreign-traffic"), "{:?}", report.outcomes);
    let missing = format!("{:?}", report.claims[0].missing);
    assert!(!missing.contains("ForeignTraffic") && !missing.contains("HostRecord"), "{missing}");
}
