//! The prefix cache: what it can give and what it never gives.

use proptest::prelude::*;
use trueline_core::Tokens;
use trueline_sim::{
    Engine, LedgerEntry, ModelConfig, SimTime, Submission, Token, answer_token, detokenize,
    tokenize, words,
};

use crate::serving::{asked, model, serve};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// A cache without end holds every block-aligned beginning of every text that was here before:
    /// kept as texts, not as hashes. One that was preempted may find more on its return: what those
    /// behind it have computed since, and the rest of a block it had begun.
    #[test]
    fn no_more_is_hit_than_with_an_infinite_cache(model in model(), asked in asked()) {
        let (engine, _) = serve(&model, &asked);
        let block = usize::try_from(model.block.get()).unwrap();
        let entries: Vec<&LedgerEntry> = engine.ledger().entries().collect();
        let texts: Vec<Vec<Token>> = entries.iter().zip(&asked).enumerate().map(|(at, (entry, asked))| {
            let answer = (0..entry.output.get()).map(|n| answer_token(model.seed, entry.id, n));
            tokenize(&asked.text(at)).into_iter().chain(answer).collect()
        }).collect();
        for (at, entry) in entries.iter().enumerate() {
            let prompt = usize::try_from(entry.prompt.get()).unwrap();
            let others = if entry.preemptions == 0 { &texts[..at] } else { &texts[..] };
            let begins = |blocks: &usize| {
                let beginning = &texts[at][..blocks * block];
                others.iter().enumerate().any(|(other, text)| other != at && text.starts_with(beginning))
            };
            let bound = (1..=(prompt - 1) / block).take_while(begins).count() * block;
            prop_assert!(entry.cached.get() <= bound as u64, "{entry:?}, bound {bound}");
            if entry.preemptions == 0 {
                prop_assert_eq!(entry.cached.get() % model.block.get(), 0);
            }
        }
    }
}

fn alone(engine: &mut Engine, text: &str, output: u64) -> (u64, u64) {
    let at = engine.next_at().unwrap_or(SimTime::ZERO);
    let id = engine.submit(at, Submission::new(tokenize(text), Tokens::new(output))).unwrap();
    while let Some(next) = engine.next_at() {
        engine.advance(next);
    }
    let entry = engine.ledger().get(id).unwrap();
    (entry.prompt.get(), entry.cached.get())
}

#[test]
fn a_repeated_prompt_is_cached_but_for_its_last_block() {
    let mut engine = Engine::new(ModelConfig::default()).unwrap();
    // 64 tokens are four blocks of 16; the last token has to be computed, so three are hits.
    let text = words(Tokens::new(64), 3);
    assert_eq!(alone(&mut engine, &text, 1), (64, 0));
    assert_eq!(alone(&mut engine, &text, 1), (64, 48));
    // One token more: the fourth block is whole before the last token.
    assert_eq!(alone(&mut engine, &(text + "."), 1), (65, 64));
}

#[test]
fn the_next_turn_of_a_conversation_finds_the_answer_cached() {
    let mut engine = Engine::new(ModelConfig::default()).unwrap();
    let question = words(Tokens::new(40), 3);
    assert_eq!(alone(&mut engine, &question, 41), (40, 0));
    let id = engine.ledger().entries().next().unwrap().id;
    let answer: Vec<Token> = (0..41).map(|at| answer_token(engine.model().seed, id, at)).collect();
    let next = question + &detokenize(&answer) + &words(Tokens::new(19), 4);
    // 80 of 81 tokens were computed, the last one never: five blocks of 16 of the 100.
    assert_eq!(alone(&mut engine, &next, 1), (100, 80));
}

#[test]
fn a_small_cache_forgets_what_was_used_first() {
    let mut model = ModelConfig::default();
    model.cache_blocks = 10;
    let mut engine = Engine::new(model).unwrap();
    let text = |seed| words(Tokens::new(65), seed);
    for seed in [1, 2] {
        assert_eq!(alone(&mut engine, &text(seed), 1), (65, 0));
    }
    // Four whole blocks stay of each. The third needs five: three of the first's go, the last first.
    assert_eq!(alone(&mut engine, &text(2), 1), (65, 64));
    assert_eq!(alone(&mut engine, &text(3), 1), (65, 0));
    assert_eq!(alone(&mut engine, &text(2), 1), (65, 64));
    assert_eq!(alone(&mut engine, &text(1), 1), (65, 16));
}
