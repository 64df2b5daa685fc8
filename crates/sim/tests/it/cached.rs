//! The prefix cache: what it can give and what it never gives.

use std::collections::HashSet;

use proptest::prelude::*;
use trueline_core::Tokens;
use trueline_sim::{
    Engine, ModelConfig, SimTime, Submission, Token, answer_token, detokenize, tokenize, words,
};

use crate::serving::{asked, model, serve};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// A cache without end holds every block-aligned beginning of every text that was here before:
    /// kept as texts, not as hashes.
    #[test]
    fn no_more_is_hit_than_with_an_infinite_cache(model in model(), asked in asked()) {
        let (engine, _) = serve(&model, &asked);
        let block = usize::try_from(model.block.get()).unwrap();
        let mut seen: HashSet<Vec<Token>> = HashSet::new();
        for (number, (entry, asked)) in engine.ledger().entries().zip(&asked).enumerate() {
            let mut text = tokenize(&asked.text(number));
            let bound = (1..=(text.len() - 1) / block)
                .take_while(|blocks| seen.contains(&text[..blocks * block]))
                .count();
            prop_assert!(entry.cached.get() <= (bound * block) as u64, "{entry:?}, bound {bound}");
            prop_assert_eq!(entry.cached.get() % model.block.get(), 0);
            text.extend((0..entry.output.get()).map(|at| answer_token(model.seed, entry.id, at)));
            for blocks in 1..=text.len() / block {
                seen.insert(text[..blocks * block].to_vec());
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
