//! Logs with hashes of blocks, replayed on an engine whose cache forgets nothing: it hits what the hashes
//! say, request by request.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use proptest::prelude::*;
use trueline_core::Tokens;
use trueline_probe::{LogRow, Replay, Replayed, Ruler};
use trueline_sim::{Engine, ModelConfig};

use crate::engine::{NO_TEMPLATE, serve_alone};

/// Tokens of a block of the simulated cache; all blocks below are multiples of it.
const CACHED_BY: u64 = 16;

fn row(at: u64, prompt: u64, blocks: &[u64]) -> LogRow {
    let mut row = LogRow::new(Duration::from_secs(at), Tokens::new(prompt));
    (row.blocks, row.output) = (blocks.to_vec(), Some(Tokens::new(2)));
    row
}

fn planned(rows: &[LogRow], block: u64) -> Replayed {
    Replay::new(rows.to_vec(), 5).with_block(Tokens::new(block)).plan().unwrap()
}

/// Prompt and cached tokens of each request by the engine's ledger, one served after the other.
fn served(replayed: &Replayed) -> Vec<(u64, u64)> {
    let mut model = ModelConfig::default();
    model.cache_blocks = 1 << 22;
    let mut engine = Engine::new(model).unwrap();
    let stage = replayed.experiment.measured().next().unwrap();
    stage
        .askings(&Ruler::default(), 0)
        .map(|asking| serve_alone(&mut engine, &asking, &NO_TEMPLATE))
        .map(|entry| (entry.prompt.get(), entry.cached.get()))
        .collect()
}

/// What a cache that never forgets hits, worked out apart from the probe: whole beginnings are kept, and the
/// longest one that was there counts, in whole blocks of the cache and never the last token.
fn expected(rows: &[LogRow], block: u64) -> Vec<(u64, u64)> {
    let mut seen: HashSet<Vec<u64>> = HashSet::new();
    let mut all = Vec::new();
    for row in rows {
        let mut hit = 0;
        for n in 1..=row.blocks.len() {
            if !seen.insert(row.blocks[..n].to_vec()) {
                hit = n as u64 * block;
            }
        }
        let prompt = row.prompt.get();
        all.push((prompt, hit.min(prompt - 1) / CACHED_BY * CACHED_BY));
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Few hashes, so that they come at several places and behind each other in any order. The last block
    /// may be a rest, of which two prompts share what the shorter one has.
    #[test]
    fn what_is_cached_is_what_the_leading_hashes_say(
        drawn in prop::collection::vec((prop::collection::vec(0_u64..4, 1..6), 0_u64..32), 1..25),
    ) {
        // A rest of its own for each chain: equal hashes stand for equal text, so for equal lengths.
        let mut rest_of: HashMap<Vec<u64>, u64> = HashMap::new();
        let rows: Vec<LogRow> = (0..)
            .zip(drawn)
            .map(|(at, (mut blocks, rest))| {
                let full = blocks.len() as u64 * 32;
                let prompt = *rest_of.entry(blocks.clone()).or_insert(full + rest);
                if prompt > full {
                    // A hash that no other chain has.
                    blocks.push(1_000 + blocks.iter().fold(1, |sum, hash| sum * 5 + hash));
                }
                row(at, prompt, &blocks)
            })
            .collect();
        prop_assert_eq!(served(&planned(&rows, 32)), expected(&rows, 32));
    }
}

#[test]
fn a_hash_at_another_place_is_not_shared() {
    // Block 2 behind block 1, then in front; block 9 behind another one than before.
    let rows =
        [row(0, 64, &[1, 2]), row(1, 64, &[2, 1]), row(2, 96, &[1, 3, 2]), row(3, 64, &[9, 2])];
    let replayed = planned(&rows, 32);
    assert_eq!(served(&replayed), [(64, 0), (64, 0), (96, 32), (64, 0)]);
    assert_eq!(replayed.fit.unchained, 4);
}

/// Rows of a Mooncake trace as the probe's own reader of the log gives them.
fn mooncake(name: &str) -> Option<Vec<LogRow>> {
    let folder = std::env::var_os("TRUELINE_CORPUS").map(std::path::PathBuf::from);
    let Some(folder) = folder else {
        #[expect(clippy::print_stderr, reason = "says why nothing was tested")]
        {
            eprintln!("skipped: TRUELINE_CORPUS is not set");
        }
        return None;
    };
    let text = std::fs::read_to_string(folder.join("traces").join(name)).unwrap();
    let rows = text.lines().map(|line| {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        let number = |key: &str| value[key].as_u64().unwrap();
        let ids = value["hash_ids"].as_array().unwrap();
        let mut row = LogRow::new(
            Duration::from_millis(number("timestamp")),
            Tokens::new(number("input_length")),
        );
        row.output = Some(Tokens::new(number("output_length")));
        row.blocks = ids.iter().map(|id| id.as_u64().unwrap()).collect();
        row
    });
    Some(rows.collect())
}

/// The bound over the whole trace is that of `crates/logs/tests/data/expected_corpus.py`, which walks the
/// file by itself: 54,098,293 of 144,793,823 tokens, which the trace's readers give as 0.374.
#[test]
fn a_mooncake_trace_has_the_bound_that_others_find() {
    for (name, hit, prompt) in [
        ("mooncake_conversation_trace.jsonl", 54_098_293.0, 144_793_823.0),
        ("mooncake_synthetic_trace.jsonl", 39_852_448.0, 61_194_628.0),
    ] {
        let Some(rows) = mooncake(name) else { return };
        let fit = planned(&rows, 512).fit;
        let share = fit.hit_share_of_blocks.unwrap().get();
        assert!((share - hit / prompt).abs() < 1e-12, "{share}");
        // The texts hold last tokens too: at most one of each of 12,031 requests more.
        let text = fit.hit_share_of_text_hashed.unwrap().get();
        assert!(text >= share && text - share < 12_031.0 / prompt, "{text} for {share}");
        assert_eq!((fit.unchained, fit.hashed, fit.unknown), (0, rows.len() as u64, 0));
    }
}

#[test]
fn the_first_requests_of_a_mooncake_trace_hit_what_their_hashes_say() {
    let Some(rows) = mooncake("mooncake_conversation_trace.jsonl") else { return };
    let rows = rows.get(..150).unwrap();
    assert_eq!(served(&planned(rows, 512)), expected(rows, 512));
}
