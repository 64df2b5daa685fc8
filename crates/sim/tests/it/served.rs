//! Times and places, worked by hand.

use std::time::Duration;

use trueline_core::{Outcome, Tokens, TokensPerSecond};
use trueline_sim::{
    Engine, LedgerEntry, ModelConfig, Refused, SimTime, Submission, tokenize, words,
};

fn model() -> ModelConfig {
    let mut model = ModelConfig::default();
    model.prefill = TokensPerSecond::new(1_000.0).unwrap();
    model.prefill_fixed = Duration::from_millis(7);
    model.decode_step = Duration::from_millis(10);
    model.decode_step_per_stream = Duration::from_millis(2);
    model.chunk = Tokens::new(100);
    model.max_streams = 2;
    model
}

fn ms(n: u64) -> SimTime {
    SimTime::from_nanos(n * 1_000_000)
}

fn request(prompt: u64, seed: u64, output: u64) -> Submission {
    Submission::new(tokenize(&words(Tokens::new(prompt), seed)), Tokens::new(output))
}

fn finish(engine: &mut Engine) -> Vec<LedgerEntry> {
    while let Some(at) = engine.next_at() {
        engine.advance(at);
    }
    engine.ledger().entries().cloned().collect()
}

#[test]
fn a_request_alone_takes_what_the_formula_says() {
    let mut engine = Engine::new(model()).unwrap();
    engine.submit(ms(3), request(250, 1, 4)).unwrap();
    let served = finish(&mut engine);
    // Chunks of 100, 100, 50: 7 + 250 ms; then three decode steps of 10 ms.
    assert_eq!(served[0].ttft(), Some(Duration::from_millis(257)));
    assert_eq!(served[0].compute, Duration::from_millis(250));
    assert_eq!(served[0].token_times, [ms(260), ms(270), ms(280), ms(290)]);
    assert_eq!(served[0].queue(), Some(Duration::ZERO));
    assert_eq!(engine.load().steps, 6);
}

#[test]
fn decode_and_the_chunks_of_another_share_their_steps() {
    let mut engine = Engine::new(model()).unwrap();
    engine.submit(ms(0), request(50, 1, 9)).unwrap();
    engine.submit(ms(20), request(120, 2, 2)).unwrap();
    let served = finish(&mut engine);
    // First alone until 57. Then 10 + 7 + 100 = 117 ms, 10 + 20 = 30 ms, two decode: 12 ms, 10 …
    assert_eq!(served[0].token_times[..4], [ms(57), ms(174), ms(204), ms(216)]);
    assert_eq!(served[1].scheduled, Some(ms(57)));
    assert_eq!(served[1].token_times, [ms(204), ms(216)]);
    assert_eq!(served[0].token_times[4], ms(226));
}

#[test]
fn a_third_waits_where_two_may_run() {
    let mut engine = Engine::new(model()).unwrap();
    for seed in 1..=3 {
        engine.submit(ms(0), request(50, seed, 1)).unwrap();
    }
    assert_eq!(engine.load().waiting, 3);
    let served = finish(&mut engine);
    // Both in one step: 2 x 7 + 100 = 114 ms; the third then alone: 57 ms.
    assert_eq!(served.iter().map(|s| s.slot).collect::<Vec<_>>(), [Some(0), Some(1), Some(0)]);
    assert_eq!(served[2].queue(), Some(Duration::from_millis(114)));
    assert_eq!(served[2].ttft(), Some(Duration::from_millis(171)));
}

#[test]
fn a_full_queue_refuses_and_free_places_are_no_queue() {
    let mut limited = model();
    limited.queue_limit = Some(1);
    let mut engine = Engine::new(limited).unwrap();
    for seed in 1..=3 {
        engine.submit(ms(0), request(50, seed, 1)).unwrap();
    }
    assert_eq!(engine.submit(ms(0), request(50, 4, 1)), Err(Refused::QueueFull));
    // Two run now, one waits.
    engine.advance(ms(1));
    assert_eq!(engine.submit(ms(1), request(50, 5, 1)), Err(Refused::QueueFull));
    let served = finish(&mut engine);
    let outcomes: Vec<Outcome> = served.iter().map(LedgerEntry::outcome).collect();
    assert_eq!(outcomes, [Outcome::Ok, Outcome::Ok, Outcome::Ok, Outcome::Failed, Outcome::Failed]);
}

#[test]
fn what_cannot_be_served_is_refused_by_name() {
    let mut engine = Engine::new(model()).unwrap();
    let longest = engine.model().longest().get();
    for (request, why) in [
        (request(0, 1, 1), Refused::EmptyPrompt),
        (request(1, 1, 0), Refused::NoOutput),
        (request(1, 1, longest), Refused::TooLong),
        (request(1, 1, u64::MAX), Refused::TooLong),
    ] {
        assert_eq!(engine.submit(ms(0), request), Err(why));
    }
    assert!(engine.submit(ms(0), request(1, 1, longest - 1)).is_ok());
    // Refused ones are in the ledger, and nothing but the last is there to do.
    assert_eq!(engine.ledger().entries().len(), 5);
    assert_eq!(engine.load().waiting, 1);
}

#[test]
fn the_last_scheduled_loses_its_blocks_and_every_token_comes_once() {
    let mut tight = model();
    tight.block = Tokens::new(10);
    tight.cache_blocks = 5;
    let mut engine = Engine::new(tight).unwrap();
    // Each needs 2 blocks for its prompt and a third for its second output token: 6 of 5. The first
    // needs a fourth for the position of its eleventh.
    engine.submit(ms(0), request(20, 1, 15)).unwrap();
    engine.submit(ms(0), request(20, 2, 5)).unwrap();
    let served = finish(&mut engine);
    assert_eq!((served[0].preemptions, served[1].preemptions), (0, 1));
    assert_eq!(served[1].output.get(), 5);
    assert_eq!(served[1].token_times.len(), 5);
    // Both prefill in one step: 14 + 40 = 54 ms. The first then decodes alone, 14 steps of 10 ms.
    assert_eq!(served[0].last_token, Some(ms(194)));
    assert_eq!(served[1].token_times[0], ms(54));
    // Of its two prompt blocks the last had to go for the first's fourth. The other is found again:
    // 10 tokens are computed again, and with its output token that makes 11: 7 + 11 ms.
    assert_eq!(served[1].again.get(), 10);
    assert_eq!(served[1].computed.get(), 20);
    assert_eq!(served[1].cached.get(), 0);
    assert_eq!(served[1].token_times[1], ms(212));
}

#[test]
fn one_whose_client_goes_gives_its_place_to_the_next() {
    let mut engine = Engine::new(model()).unwrap();
    for seed in 1..=3 {
        engine.submit(ms(0), request(50, seed, 100)).unwrap();
    }
    engine.advance(ms(130));
    let first = engine.ledger().entries().next().unwrap().id;
    engine.cancel(first, ms(130));
    engine.cancel(first, ms(131));
    let served = finish(&mut engine);
    assert_eq!(served[0].outcome(), Outcome::Cancelled);
    assert_eq!(served[0].finished, Some(ms(130)));
    // Tokens at 114 and 126; the step under way ends at 138 as it would have.
    assert_eq!(served[0].output.get(), 2);
    assert_eq!(served[1].token_times[2], ms(138));
    assert_eq!(served[2].scheduled, Some(ms(138)));
}

#[test]
fn a_ledger_survives_json() {
    let mut engine = Engine::new(model()).unwrap();
    engine.submit(ms(0), request(50, 1, 3).in_session("s")).unwrap();
    let _ = engine.submit(ms(0), request(0, 1, 3));
    let served = finish(&mut engine);
    let mut bytes = Vec::new();
    engine.ledger().write(&mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let back: Vec<LedgerEntry> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(back, served);
    assert!(
        text.starts_with(r#"{"id":0,"session":"s","arrived_ns":0,"scheduled_ns":0,"#),
        "{text}"
    );
}

#[test]
fn a_moment_that_has_passed_is_taken_for_the_present() {
    let mut engine = Engine::new(model()).unwrap();
    engine.advance(ms(500));
    let late = engine.submit(ms(100), request(50, 1, 2)).unwrap();
    assert_eq!(engine.next_at(), Some(ms(500)));
    // It arrives and gets its place, both at the present moment.
    assert_eq!(engine.advance(ms(100)).iter().map(|e| e.at).collect::<Vec<_>>(), [ms(500); 2]);
    engine.cancel(late, ms(7));
    let served = finish(&mut engine);
    assert_eq!((served[0].arrived, served[0].finished), (ms(500), Some(ms(500))));
    assert_eq!(engine.next_at(), None);
}

#[test]
fn steps_that_take_no_time_end_all_the_same() {
    let mut instant = model();
    instant.prefill = TokensPerSecond::new(f64::MAX).unwrap();
    instant.prefill_fixed = Duration::ZERO;
    instant.decode_step = Duration::ZERO;
    instant.decode_step_per_stream = Duration::ZERO;
    let mut engine = Engine::new(instant).unwrap();
    for seed in 1..=5 {
        engine.submit(ms(1), request(250, seed, 40)).unwrap();
    }
    engine.advance(ms(1));
    assert_eq!(engine.next_at(), None);
    for entry in engine.ledger().entries() {
        assert_eq!((entry.output.get(), entry.finished), (40, Some(ms(1))));
    }
}
