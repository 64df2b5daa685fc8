//! A request that its caller drops.

use std::time::{Duration, Instant};

use trueline_core::Outcome;
use trueline_probe::{Api, Ask, RunClock};
use trueline_sim::LedgerEntry;

use crate::{asking, client, quick, run, start, url};

#[test]
fn a_request_that_is_dropped_is_cancelled_at_the_server() {
    let server = start(quick());
    let client = client(&url(&server), Api::OpenAiChat);
    let clock = RunClock::start();
    run(async {
        let long = client.ask(asking(0, 5_000), None, &clock);
        assert!(tokio::time::timeout(Duration::from_millis(100), long).await.is_err());
    });
    let deadline = Instant::now() + Duration::from_secs(10);
    while server.ledger().entries().next().map(LedgerEntry::outcome) != Some(Outcome::Cancelled) {
        assert!(Instant::now() < deadline, "never cancelled");
        std::thread::sleep(Duration::from_millis(5));
    }
}
