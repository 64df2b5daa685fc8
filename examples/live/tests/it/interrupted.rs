//! Measurements that are cut short: by Ctrl-C, by a server that goes away.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use trueline_sim::server::Server;

use crate::ran::{measured, number, parts, program, quick, start, url};

/// A probe that goes on until somebody ends it.
fn endless(server: &Server, output: &str) -> Child {
    Command::new(program("probe"))
        .args([&url(server), "--output-tokens", output, "--seconds", "100", "--warmup", "1"])
        .args(["--format", "json", "--prompt-tokens", "100"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn until_served(server: &Server, requests: usize) {
    let begun = Instant::now();
    while server.ledger().entries().len() < requests {
        assert!(begun.elapsed() < Duration::from_secs(30), "nothing is sent");
        sleep(Duration::from_millis(20));
    }
}

/// The report of a program that is to end of itself within seconds, and its exit status.
fn report(mut child: Child) -> (Value, Option<i32>) {
    let mut text = String::new();
    let begun = Instant::now();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    let status = child.wait().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(30), "it hung");
    (serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}")), status.code())
}

#[cfg(unix)]
fn interrupt(child: &Child) {
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

#[cfg(unix)]
#[test]
fn ctrl_c_finishes_what_is_in_flight_and_tells_what_was_measured() {
    let server = start(quick());
    let child = endless(&server, "20");
    until_served(&server, 5);
    interrupt(&child);
    let report = report(child).0;
    let part = &parts(&report)[0];
    assert!(number(part, "answered") >= 3.0, "{part}");
    assert_eq!((&part["failed"], &part["given_up"]), (&0.into(), &0.into()));
    assert_eq!(report["results"]["measured"]["partial"], true);
}

#[cfg(unix)]
#[test]
fn a_second_ctrl_c_gives_up_what_is_in_flight() {
    let server = start(quick());
    // 5,000 tokens take 20 s.
    let child = endless(&server, "5000");
    sleep(Duration::from_millis(500));
    interrupt(&child);
    sleep(Duration::from_millis(600));
    interrupt(&child);
    let begun = Instant::now();
    let (report, status) = report(child);
    assert!(begun.elapsed() < Duration::from_secs(10), "it waited");
    assert_eq!(status, Some(1), "nothing was answered");
    assert_eq!(report["results"]["measured"]["partial"], true);
}

#[test]
fn a_server_that_goes_away_leaves_what_was_measured_and_a_failure() {
    let server = start(quick());
    let child = endless(&server, "20");
    until_served(&server, 8);
    drop(server);
    let (report, status) = report(child);
    assert_eq!(status, Some(1));
    let part = &parts(&report)[0];
    assert!(number(part, "answered") >= 5.0 && number(part, "failed") >= 1.0, "{part}");
    assert!(number(part, "ttft_s") > 0.0);
    assert_eq!(report["results"]["measured"]["partial"], true);
    // Each that failed has a reason.
    let told = report["results"]["measured"]["failures"].as_array().unwrap();
    let counts = told.iter().filter(|one| one["warmup"] == false).map(|one| number(one, "count"));
    assert_eq!(counts.sum::<f64>(), number(part, "failed"), "{told:?}");
    assert!(told.iter().any(|one| one["kind"] == "connect"), "{told:?}");
}

#[test]
fn a_bystander_who_waits_too_long_ends_a_run_and_a_patient_one_does_not() {
    let mut config = quick();
    config.model.max_streams = 1;
    let server = start(config);
    let probe = |limit: &str| {
        let arguments = ["--arrival=closed=8", "--requests=60", "--output-tokens=8"];
        let limit = format!("--budget=bystander={limit}");
        let url = url(&server);
        measured("probe", &[&[url.as_str(), limit.as_str()][..], &arguments].concat())
    };
    let patient = probe("60");
    let told = &patient["results"]["measured"];
    assert_eq!((&told["partial"], &parts(&patient)[0]["answered"]), (&false.into(), &60.into()));
    assert!(number(&told["bystander"], "sent") >= 1.0, "{told}");
    assert_eq!(told["bystander"]["sent"], told["bystander"]["answered"]);
    // Eight at a time, one after the other, each some 50 ms: it waits for hundreds of milliseconds.
    let hurried = probe("0.15");
    let told = &hurried["results"]["measured"];
    assert_eq!(told["partial"], true, "{told}");
    assert!(number(&told["bystander"], "longest_s") > 0.15, "{told}");
}
