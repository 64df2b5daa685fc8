//! What the simulator publishes as metrics, read back and balanced against the ledger.

use proptest::prelude::*;
use trueline_baseline::{Ledger as Asked, Verdict, balance_counters};
use trueline_core::{
    Count, Known, Outcome, RequestRecord, ServerCounters, Thresholds, Tokens, WallTime, Why,
};
use trueline_logs::parse_server_counters;
use trueline_sim::{
    Engine, Ledger, ModelConfig, SimTime, Submission, llama_cpp_metrics, tokenize, vllm_metrics,
    words,
};

use crate::serving::{asked, model, serve};

const START: WallTime = WallTime::from_nanos(1_795_982_400_000_000_000);

fn vllm(engine: &Engine) -> ServerCounters {
    let text = vllm_metrics(engine.ledger(), engine.load(), engine.model(), "a \"b\"", START);
    let counters = parse_server_counters(&text, Known::Not(Why::Absent)).unwrap();
    assert_eq!(counters.unreadable_lines, 0);
    assert_eq!(counters.started.value(), Some(START));
    counters
}

fn llama_cpp(engine: &Engine) -> ServerCounters {
    let text = llama_cpp_metrics(engine.ledger(), engine.load());
    let counters = parse_server_counters(&text, Known::Not(Why::Absent)).unwrap();
    assert_eq!(counters.unreadable_lines, 0);
    counters
}

fn records(ledger: &Ledger) -> Vec<RequestRecord> {
    ledger.entries().map(|entry| entry.record(START)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn vllms_metrics_give_the_ledgers_counts(model in model(), asked in asked(), half in 0_usize..25) {
        let (engine, _) = serve(&model, &asked[..half.min(asked.len())]);
        let (read, truth) = (vllm(&engine), engine.ledger().counts(Known::Not(Why::Absent)));
        for count in Count::ALL {
            if count != Count::DecodeSteps {
                prop_assert_eq!(read.sum(count).value(), truth.sum(count).value(), "{:?}", count);
            }
        }
        prop_assert_eq!(read.in_flight().value(), truth.in_flight().value());
    }

    #[test]
    fn llama_cpps_metrics_count_those_that_ended(model in model(), asked in asked()) {
        let (engine, _) = serve(&model, &asked);
        let read = llama_cpp(&engine);
        let truth = engine.ledger().counts(Known::Not(Why::Absent));
        // All have ended: whoever has a first token is counted. Below a million nothing is rounded.
        for count in [Count::PromptTokens, Count::NewTokens, Count::OutputTokens] {
            prop_assert_eq!(read.sum(count).value(), truth.sum(count).value(), "{:?}", count);
        }
        prop_assert_eq!(read.sum(Count::DecodeSteps).value(), Some(engine.load().steps));
    }
}

fn request(seed: u64) -> Submission {
    Submission::new(tokenize(&words(Tokens::new(300), seed)), Tokens::new(20))
}

/// Twenty requests of ours; `others` is what somebody else sends between the readings.
fn balanced(others: u64, read: fn(&Engine) -> ServerCounters) -> Verdict {
    let mut engine = Engine::new(ModelConfig::default()).unwrap();
    let to_the_end = |engine: &mut Engine| {
        while let Some(at) = engine.next_at() {
            engine.advance(at);
        }
    };
    // Somebody was there before the run.
    engine.submit(SimTime::ZERO, request(1_000)).unwrap();
    to_the_end(&mut engine);
    let before = read(&engine);
    let mut ours = Vec::new();
    for seed in 0..20 {
        let at = SimTime::from_nanos(10_000_000_000 + seed * 50_000_000);
        ours.push(engine.submit(at, request(seed)).unwrap());
        if seed < others {
            engine.submit(at, request(2_000 + seed)).unwrap();
        }
    }
    to_the_end(&mut engine);
    let all = records(engine.ledger());
    let ours: Vec<RequestRecord> = engine
        .ledger()
        .entries()
        .zip(all)
        .filter(|(e, _)| ours.contains(&e.id))
        .map(|(_, r)| r)
        .collect();
    assert_eq!(ours.len(), 20);
    let after = read(&engine);
    balance_counters(&before, &after, &Asked::of(&ours), &[], &Thresholds::default()).verdict
}

#[test]
fn the_metrics_balance_with_the_ledger() {
    assert_eq!(balanced(0, vllm), Verdict::Clean);
    assert_eq!(balanced(0, llama_cpp), Verdict::Clean);
    let foreign = balanced(5, vllm);
    assert!(
        matches!(
            foreign,
            Verdict::Contaminated {
                requests: Some(5),
                prompt_tokens: Some(1_500),
                output_tokens: Some(100),
                ..
            }
        ),
        "{foreign:?}"
    );
    // llama.cpp counts no requests: the tokens of others alone show.
    let foreign = balanced(5, llama_cpp);
    assert!(
        matches!(foreign, Verdict::Contaminated { requests: None, output_tokens: Some(100), .. }),
        "{foreign:?}"
    );
}

#[test]
fn while_requests_run_the_servers_count_at_different_moments() {
    let mut engine = Engine::new(ModelConfig::default()).unwrap();
    engine.submit(SimTime::ZERO, request(1)).unwrap();
    engine.submit(SimTime::ZERO, request(2)).unwrap();
    // 2 x 5 ms and 600 tokens at 5,000 tok/s: 130 ms; one decode step of 10.1 ms.
    engine.advance(SimTime::from_nanos(141_000_000));
    let (vllm, llama_cpp) = (vllm(&engine), llama_cpp(&engine));
    assert_eq!(vllm.sum(Count::OutputTokens).value(), Some(4));
    assert_eq!(vllm.sum(Count::PromptTokens).value(), Some(600));
    assert_eq!(vllm.sum(Count::Requests).value(), Some(0));
    assert_eq!(llama_cpp.sum(Count::OutputTokens).value(), Some(0));
    assert_eq!(vllm.running.value(), Some(2));
    assert_eq!(llama_cpp.running.value(), Some(2));
    assert!(engine.ledger().entries().all(|entry| entry.outcome() == Outcome::Unknown));
}

#[test]
fn vllms_histogram_counts_upwards_to_all() {
    let mut engine = Engine::new(ModelConfig::default()).unwrap();
    for seed in 0..4 {
        engine.submit(SimTime::from_nanos(seed * 1_000_000_000), request(seed)).unwrap();
    }
    while let Some(at) = engine.next_at() {
        engine.advance(at);
    }
    let text = vllm_metrics(engine.ledger(), engine.load(), engine.model(), "m", START);
    let buckets: Vec<f64> = text
        .lines()
        .filter(|line| line.starts_with("vllm:time_to_first_token_seconds_bucket"))
        .map(|line| line.split_once("} ").unwrap().1.parse().unwrap())
        .collect();
    // 5 ms and 300 tokens at 5,000 tok/s: 65 ms, above 10 ms and below 100.
    assert_eq!(buckets, [0.0, 0.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0]);
    assert!(
        text.contains("vllm:time_to_first_token_seconds_sum{engine=\"0\",model_name=\"m\"} 0.26\n")
    );
}
