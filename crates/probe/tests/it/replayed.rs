//! A log of the simulated engine, replayed on a second one.

use std::time::Duration;

use trueline_core::{Share, Tokens};
use trueline_probe::{LogRow, Purpose, Replay, Replayed, Ruler};
use trueline_sim::{
    Engine, LedgerEntry, ModelConfig, SimTime, Submission, Token, answer_token, tokenize, words,
};

use crate::engine::{NO_TEMPLATE, finish, hit_share, serve_alone, serve_trace};

const SESSIONS: usize = 12;
const TURNS: u64 = 8;

fn model(cache_blocks: u64) -> ModelConfig {
    let mut model = ModelConfig::default();
    model.cache_blocks = cache_blocks;
    model
}

/// Conversations behind one system prompt: each turn is the one before, its answer and some words. Gives
/// the engine and the prompts, in order.
fn production(cache_blocks: u64) -> (Engine, Vec<Vec<Token>>) {
    let mut engine = Engine::new(model(cache_blocks)).unwrap();
    let system = tokenize(&words(Tokens::new(200), 1));
    let mut texts = vec![system; SESSIONS];
    let mut prompts = Vec::new();
    for turn in 0..TURNS {
        for (session, text) in (0_u64..).zip(&mut texts) {
            let at =
                SimTime::ZERO.plus(Duration::from_secs(4 * (turn * SESSIONS as u64 + session)));
            let asked = Tokens::new(60 + 37 * ((turn + session) % 6));
            text.extend(tokenize(&words(asked, 1_000 * turn + session + 2)));
            let output = 20 + 23 * ((3 * turn + session) % 7);
            let request = Submission::new(text.clone(), Tokens::new(output));
            let id = engine.submit(at, request.in_session(format!("s{session}"))).unwrap();
            prompts.push(text.clone());
            text.extend((0..output).map(|n| answer_token(engine.model().seed, id, n)));
        }
    }
    finish(&mut engine);
    (engine, prompts)
}

fn rows(engine: &Engine) -> Vec<LogRow> {
    let row = |entry: &LedgerEntry| {
        let mut row = LogRow::new(entry.arrived.since_start(), entry.prompt);
        row.cached = Some(entry.cached);
        row.output = Some(entry.output);
        row.session.clone_from(&entry.session);
        row
    };
    engine.ledger().entries().map(row).collect()
}

/// Serves all stages, the measured one by the log's arrivals, and gives what came of that one.
fn served(replayed: &Replayed, cache_blocks: u64) -> Vec<LedgerEntry> {
    let mut engine = Engine::new(model(cache_blocks)).unwrap();
    for stage in &replayed.experiment.stages {
        let askings = stage.askings(&Ruler::default(), 0);
        match stage.purpose {
            Purpose::Measured => serve_trace(&mut engine, askings, &replayed.arrivals),
            _ => askings.for_each(|asking| drop(serve_alone(&mut engine, &asking, &NO_TEMPLATE))),
        }
    }
    let measured = replayed.arrivals.len();
    let all = engine.ledger().entries();
    let before = all.len() - measured;
    all.skip(before).cloned().collect()
}

/// The first row's system prompt is new in both; all other counts of the log can be given by some row, and
/// they are whole blocks, so that nothing is lost between the text and the cache.
#[test]
fn a_replay_by_cached_tokens_hits_what_the_log_hit() {
    let (first, _) = production(16_384);
    let replayed = Replay::new(rows(&first), 5).plan().unwrap();
    let second = served(&replayed, 16_384);
    let (log, replay) = (hit_share(first.ledger().entries()), hit_share(second.iter()));
    assert!(log > 0.5, "{log}");
    let fit = replayed.fit;
    assert_eq!(fit.hit_share_of_log.map(Share::get), Some(log));
    assert!((fit.hit_share_of_text.unwrap().get() - log).abs() < 0.005, "{fit:?}");
    assert!((replay - log).abs() < 0.005, "{log} in the log, {replay} replayed, {fit:?}");
    for (one, other) in first.ledger().entries().zip(&second) {
        assert_eq!(
            (one.prompt, one.output, &one.session),
            (other.prompt, other.output, &other.session)
        );
    }
}

/// A cache of a fifth of what the conversations need: the log's counts hold what it forgot, and the replay
/// asks for no more than they say.
#[test]
fn a_replay_of_a_cache_that_forgets_hits_as_much_within_two_points() {
    let (first, _) = production(500);
    let log = hit_share(first.ledger().entries());
    let replayed = Replay::new(rows(&first), 5).plan().unwrap();
    let replay = hit_share(served(&replayed, 500).iter());
    assert!(log < hit_share(production(16_384).0.ledger().entries()) - 0.05, "it forgets: {log}");
    assert!((replay - log).abs() < 0.02, "{log} in the log, {replay} replayed, {:?}", replayed.fit);
}

/// With hashes the prefix structure itself is replayed; only answers, which the log has no hashes of until
/// they come back in a prompt, are not in the cache: 20 to 158 tokens a turn.
#[test]
fn a_replay_by_hashes_hits_what_the_prompts_have_in_common() {
    let (first, prompts) = production(16_384);
    let block = 16;
    let hashed = rows(&first).into_iter().zip(&prompts).map(|(mut row, prompt)| {
        let mut chain = 7_u64;
        row.blocks = prompt
            .chunks(block)
            .map(|tokens| {
                for token in tokens {
                    chain =
                        (chain ^ token.id()).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
                }
                chain
            })
            .collect();
        row
    });
    let replayed = Replay::new(hashed.collect(), 5).with_block(Tokens::new(16)).plan().unwrap();
    let second = served(&replayed, 16_384);
    // What a cache that never forgets hits of the prompts alone, in whole blocks short of the last token.
    let mut hit = 0;
    for (at, prompt) in prompts.iter().enumerate() {
        let same = |other: &Vec<Token>| {
            let same = prompt.iter().zip(other).take_while(|(a, b)| a == b).count();
            same.min(prompt.len() - 1) / block
        };
        hit += prompts.iter().take(at).map(same).max().unwrap_or(0) * block;
    }
    let found: u64 = second.iter().map(|entry| entry.cached.get()).sum();
    // 200 tokens of system prompt for each of the first conversations may still be in the making.
    assert!(found.abs_diff(hit as u64) <= hit as u64 / 200, "{found} hit, {hit} in common");
    assert_eq!(replayed.fit.hashed, 96);
}

/// The second half of the log begins with a full cache, as most logs do.
#[test]
fn a_log_that_begins_in_the_middle_is_primed() {
    let (first, _) = production(16_384);
    let rows: Vec<LogRow> = rows(&first).split_off(48);
    let replayed = Replay::new(rows, 5).plan().unwrap();
    let log = hit_share(first.ledger().entries().skip(48));
    let replay = hit_share(served(&replayed, 16_384).iter());
    assert!(log > 0.7, "{log}");
    assert!((replay - log).abs() < 0.01, "{log} in the log, {replay} replayed, {:?}", replayed.fit);
    assert!((1..48).contains(&replayed.fit.primed), "{:?}", replayed.fit);
}
