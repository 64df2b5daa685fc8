//! Measurements of simulated servers, whose truth is known.

use std::time::Duration;

use trueline_baseline::check_client_account;
use trueline_core::{
    BenchRun, By, CheckOutcome, Outcome, Ratio, RequestRecord, Share, Side, Tokens, TokensPerSecond,
};
use trueline_probe::{
    Api, Bound, Client, ClientVerdict, Decision, Ended, Prefix, Sweep, Versus, Workload,
};
use trueline_sim::server::{Server, ServerConfig};
use trueline_sim::{LedgerEntry, ModelConfig};

use super::*;

/// A server that prefills 20,000 tok/s after 2 ms and needs 1 ms a token.
pub(super) fn server() -> Server {
    Server::start("127.0.0.1:0", quick()).unwrap()
}

/// How that server is set up.
pub(super) fn quick() -> ServerConfig {
    let mut config = ServerConfig::default();
    config.model = ModelConfig::default();
    config.model.prefill = TokensPerSecond::new(20_000.0).unwrap();
    config.model.prefill_fixed = Duration::from_millis(2);
    config.model.decode_step = Duration::from_millis(1);
    config
}

pub(super) fn client(server: &Server) -> Client {
    let url = format!("http://{}", server.address());
    Client::new(url.parse().unwrap(), Api::OpenAiCompletions, "sim").unwrap()
}

pub(super) fn workload(requests: u64) -> Workload {
    Workload::new(Tokens::new(400), Tokens::new(4), 7).with_requests(requests)
}

pub(super) fn counted(run: &BenchRun) -> (usize, usize) {
    let warmup = run.requests.iter().filter(|r| r.warmup).count();
    (run.measured().count(), warmup)
}

fn cached(run: &BenchRun) -> Vec<u64> {
    let known = |r: &RequestRecord| r.tokens.cached.value().map(Tokens::get);
    run.measured().filter_map(known).collect()
}

#[test]
fn a_cold_run_has_every_request_and_the_servers_times() {
    let server = server();
    let measured = Measure::new(Prefix::Cold.experiment(&workload(12)).unwrap(), client(&server))
        .with_workload(&workload(12))
        .run()
        .unwrap();
    let [run] = measured.runs.as_slice() else { panic!("{:?}", measured.runs) };
    assert_eq!(
        (run.label.as_str(), run.plan.cold, run.plan.requests),
        ("cold", Some(true), Some(12))
    );
    assert_eq!((counted(run), run.failures()), ((12, 3), Some(0)));
    assert!(!measured.is_partial() && measured.left_out.is_empty());
    let ledger = server.ledger();
    assert_eq!(ledger.entries().len(), 15);
    for (request, entry) in run.requests.iter().zip(ledger.entries()) {
        assert_eq!(request.tokens.prompt.value(), Some(entry.prompt));
        let (seen, true_ttft) =
            (request.ttft(Side::Client).value().unwrap(), entry.ttft().unwrap());
        // A client sees a token after it was due, by the way over the loopback and a busy machine.
        assert!(seen >= true_ttft && seen < true_ttft + Duration::from_millis(500), "{seen:?}");
    }
    // The warm-up taught it how the server counts: 400 tokens within 2 %.
    let lengths = run.measured().filter_map(|r| r.tokens.prompt.value());
    assert!(lengths.map(Tokens::get).all(|tokens| (392..=408).contains(&tokens)));
}

#[test]
fn parts_are_arms_of_their_own() {
    let server = server();
    let experiment = Prefix::Warm.experiment(&workload(10)).unwrap();
    let measured = Measure::new(experiment, client(&server)).run().unwrap();
    let arms: Vec<(&str, &str)> =
        measured.runs.iter().map(|run| (run.label.as_str(), run.arm())).collect();
    assert_eq!(measured.runs.len(), 2, "{arms:?}");
    let arm = |name: &str| measured.runs.iter().find(|run| run.arm() == name);
    let (warm, control) = (arm("warm").unwrap(), arm("control").unwrap());
    assert_eq!(counted(warm).0 + counted(control).0, 10);
    assert!(cached(warm).iter().all(|tokens| *tokens > 0), "{:?}", cached(warm));
    assert!(cached(control).iter().all(|tokens| *tokens == 0), "{:?}", cached(control));
    // Neither part was ever meant to be in flight all the time: that is no fault of the run.
    assert_eq!((warm.plan.load, warm.plan.requests), (None, None));
    let report = measured.into_audit().judge(&[]);
    let codes: Vec<&str> = report.outcomes.findings().map(|finding| finding.code).collect();
    for code in ["concurrency-not-reached", "hidden-failures"] {
        assert!(!codes.contains(&code), "{codes:?}");
    }
}

#[test]
fn neither_part_has_the_plan_of_both_whichever_comes_first() {
    let server = server();
    let mut first = std::collections::BTreeSet::new();
    for seed in 1..=6 {
        let workload = Workload::new(Tokens::new(100), Tokens::new(1), seed).with_requests(2);
        let experiment = Prefix::Warm.experiment(&workload).unwrap();
        let measured = Measure::new(experiment, client(&server)).run().unwrap();
        for run in &measured.runs {
            assert_eq!((run.plan.load, run.plan.requests), (None, None), "{}", run.label);
        }
        first.extend(measured.runs.first().map(|run| run.arm().to_owned()));
    }
    assert_eq!(first.len(), 2, "the order is drawn: {first:?}");
}

#[test]
fn levels_are_runs_of_one_arm_under_loads_of_their_own() {
    let server = server();
    let sweep: Sweep = "1,2".parse().unwrap();
    let measured =
        Measure::new(sweep.experiment(&workload(10)).unwrap(), client(&server)).run().unwrap();
    let mut seen: Vec<(String, &str)> = measured
        .runs
        .iter()
        .map(|run| (run.plan.load.map_or_else(String::new, |load| load.to_string()), run.arm()))
        .collect();
    seen.sort();
    assert_eq!(
        seen,
        [("concurrency 1".to_owned(), "sweep"), ("concurrency 2".to_owned(), "sweep")]
    );
}

#[test]
fn two_servers_take_turns() {
    let (old, new) = (server(), server());
    let experiment = Versus::new(2).experiment(&workload(8)).unwrap();
    let one_server = Measure::new(experiment.clone(), client(&old)).run().unwrap_err();
    assert_eq!(one_server.kind(), MeasureErrorKind::Contradiction);
    let measured = Measure::new(experiment, client(&old)).with_second(client(&new)).run().unwrap();
    let arms: Vec<&str> = measured.runs.iter().map(BenchRun::arm).collect();
    assert_eq!(arms.iter().filter(|arm| **arm == "first").count(), 2, "{arms:?}");
    assert_eq!(arms.iter().filter(|arm| **arm == "second").count(), 2, "{arms:?}");
    // Three of warm-up each, and four requests.
    assert_eq!((old.ledger().entries().len(), new.ledger().entries().len()), (7, 7));
}

#[test]
fn a_caller_that_stops_it_has_what_was_measured_and_is_told_that_it_is_a_part() {
    let server = server();
    let endless = Prefix::Cold.experiment(&workload(1).endless()).unwrap();
    let refused = Measure::new(endless.clone(), client(&server)).run().unwrap_err();
    assert!(refused.to_string().starts_with("expected a number of requests, a time or a width"));
    let measured = Measure::new(endless, client(&server))
        .with_stop(StopAt::After(Duration::from_secs(60)))
        .with_progress(|at| match at.progress.ended {
            0..5 => Decision::GoOn,
            _ => Decision::Finish,
        })
        .run()
        .unwrap();
    assert!(measured.is_partial());
    assert_eq!(measured.endings.last().map(|ending| ending.ended), Some(Ended::Caller));
    let [run] = measured.runs.as_slice() else { panic!("{:?}", measured.runs) };
    assert!(counted(run).0 >= 5, "{:?}", counted(run));
    assert_eq!(run.conditions.get("partial"), Some("yes"));
}

#[test]
fn a_caller_that_stops_it_at_once_keeps_the_ttft_of_replies_that_stream() {
    let server = server();
    // Answers of 100 s.
    let long = Workload::new(Tokens::new(400), Tokens::new(100_000), 7).endless().with_warmup(0);
    let mut seen = 0;
    let measured = Measure::new(Prefix::Cold.experiment(&long).unwrap(), client(&server))
        .with_arrival("closed=4".parse().unwrap())
        .with_stop(StopAt::After(Duration::from_secs(60)))
        .with_progress(|_| {
            // The loop has gone round at least twice since the server sent the last of the first tokens.
            let ledger = server.ledger();
            let begun = ledger.entries().filter(|entry| entry.ttft().is_some()).count();
            seen += u32::from(begun == 4);
            if seen < 3 { Decision::GoOn } else { Decision::StopNow }
        })
        .run()
        .unwrap();
    let [run] = measured.runs.as_slice() else { panic!("{:?}", measured.runs) };
    assert_eq!((run.requests.len(), run.measured().count()), (4, 0));
    let ledger = server.ledger();
    let mut truths: Vec<Duration> = ledger.entries().filter_map(LedgerEntry::ttft).collect();
    truths.sort_unstable();
    let mut ttfts = Vec::new();
    for request in &run.requests {
        assert_eq!(request.outcome, Outcome::Cancelled);
        assert!(!request.gaps.is_empty());
        ttfts.extend(request.ttft(Side::Client).value());
    }
    ttfts.sort_unstable();
    assert_eq!((ttfts.len(), truths.len()), (4, 4));
    // In order of size, each is that of the server and the way from it.
    for (seen, truth) in ttfts.iter().zip(&truths) {
        assert!(seen >= truth && *seen < *truth + Duration::from_millis(500), "{seen:?} {truth:?}");
    }
    assert_eq!(run.conditions.get("requests_stopped"), Some("4"));
    assert!(measured.is_partial());
}

#[test]
fn a_width_ends_a_stage_when_the_median_is_known_well_enough() {
    let server = server();
    let endless = Prefix::Cold.experiment(&workload(1).endless()).unwrap();
    let measured = Measure::new(endless, client(&server))
        .with_stop(StopAt::Width(Ratio::new(0.5).unwrap()))
        .run()
        .unwrap();
    let [run] = measured.runs.as_slice() else { panic!("{:?}", measured.runs) };
    // Eight are the fewest that give an interval; on this server it is far narrower than half.
    assert!((8..200).contains(&counted(run).0), "{:?}", counted(run));
    assert!(!measured.is_partial());
}

#[test]
fn what_is_saved_reads_as_what_was_measured_and_cut_off_as_a_part_of_it() {
    let server = server();
    let mut saved = Vec::new();
    let measured = Measure::new(Prefix::Warm.experiment(&workload(10)).unwrap(), client(&server))
        .with_workload(&workload(10))
        .with_save(&mut saved)
        .run()
        .unwrap();
    assert_eq!(measured.unsaved, None);
    let read = trueline_logs::read_runs_from("saved", saved.as_slice()).unwrap().value;
    let shape = |runs: &[BenchRun]| -> Vec<(String, String, usize, usize, Option<String>)> {
        let of = |run: &BenchRun| {
            let gaps = run.requests.iter().map(|r| r.gaps.len()).sum();
            let partial = run.conditions.get("partial").map(str::to_owned);
            (run.label.clone(), run.arm().to_owned(), run.requests.len(), gaps, partial)
        };
        runs.iter().map(of).collect()
    };
    assert_eq!(shape(&read), shape(&measured.runs));
    assert!(shape(&read).iter().all(|(_, _, requests, gaps, _)| *gaps >= 3 * *requests));
    // Killed in the middle: what stands there reads, and calls itself a part.
    let half: Vec<&[u8]> = saved.split_inclusive(|byte| *byte == b'\n').collect();
    let half = half[..half.len() / 2].concat();
    let cut = trueline_logs::read_runs_from("cut", half.as_slice()).unwrap().value;
    assert!(!cut.is_empty() && cut.iter().all(|run| run.conditions.get("partial") == Some("yes")));
}

/// A disk that is full after so many bytes.
struct Full(usize);

impl std::io::Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = bytes.len().min(self.0);
        self.0 -= written;
        match written {
            0 if !bytes.is_empty() => Err(std::io::Error::other("no space left")),
            written => Ok(written),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_ends_no_measurement_and_is_told() {
    let server = server();
    let measured = Measure::new(Prefix::Cold.experiment(&workload(8)).unwrap(), client(&server))
        .with_save(Full(2_000))
        .run()
        .unwrap();
    let [run] = measured.runs.as_slice() else { panic!("{:?}", measured.runs) };
    assert_eq!(counted(run), (8, 3));
    let why = measured.unsaved.unwrap();
    assert!(
        why.starts_with("no space left; ") && why.ends_with("requests are not in the file"),
        "{why}"
    );
}

#[test]
fn the_audit_takes_a_client_at_its_word() {
    let full = Bound::Cpu { share: Share::new(0.97).unwrap(), limit: 0.85 };
    let judged = |verdict: ClientVerdict| {
        let mut run = BenchRun::new("r", Side::Client, Vec::new());
        run.conditions.set("client_bottleneck", verdict.to_string(), By::Measured);
        let outcomes = check_client_account(&run);
        assert_eq!(outcomes.iter().count(), 1);
        outcomes.iter().next().cloned()
    };
    let CheckOutcome::Found(finding) = judged(ClientVerdict::Bound(vec![full])).unwrap() else {
        panic!("not found");
    };
    assert!(finding.message.ends_with("used 97 % of its core, of at most 85 %"), "{finding}");
    assert!(matches!(judged(ClientVerdict::NotBound), Some(CheckOutcome::Clear { .. })));
    assert!(matches!(judged(ClientVerdict::NotObserved), Some(CheckOutcome::NotObserved { .. })));
}

#[test]
fn a_level_that_cannot_be_sent_takes_nothing_away_from_those_before_it() {
    let server = server();
    let sweep: Sweep = "1,2".parse().unwrap();
    let mut experiment = sweep.experiment(&workload(10)).unwrap();
    experiment.stages.sort_by_key(|stage| stage.label.clone());
    let measured = Measure::new(experiment, client(&server))
        .with_budget("in-flight=1".parse().unwrap())
        .run()
        .unwrap();
    assert_eq!(measured.runs.iter().filter(|run| counted(run).0 == 10).count(), 1);
    assert!(measured.is_partial() && measured.left_out[0].starts_with("concurrency 2 (expected"));
}
