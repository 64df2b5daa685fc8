//! What is replayed of a log with hashes of blocks, and how requests come at rates.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::Value;
use trueline::logs::read_runs;
use trueline_core::Tokens;
use trueline_sim::server::Server;

use crate::ran::{measured, number, parts, quick, run, start, url};

fn file(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("trueline-{}-{name}", std::process::id()));
    drop(std::fs::remove_file(&path));
    path
}

/// Requests in the shape of Mooncake's traces, half a second apart: a block that all have, conversations
/// that grow by a block a turn, and a last block that is not full. Length and hashes of each.
fn rows() -> Vec<(u64, Vec<u64>)> {
    let mut rows = Vec::new();
    for turn in 0..3_u64 {
        for session in 0..4_u64 {
            let mut blocks: Vec<u64> = vec![1];
            blocks.extend((0..=turn).map(|block| 10 + 10 * session + block));
            let full = 512 * blocks.len() as u64;
            blocks.push(1_000 + 10 * turn + session);
            rows.push((full + 100 + 31 * session, blocks));
        }
    }
    rows
}

/// What a cache that never forgets hits of these rows in whole blocks of 16: leading hashes that were there.
fn bound(rows: &[(u64, Vec<u64>)]) -> u64 {
    let mut seen = BTreeSet::<u64>::new();
    let mut hit = 0;
    for (prompt, blocks) in rows {
        let known = blocks.iter().take_while(|hash| seen.contains(*hash)).count() as u64;
        seen.extend(blocks);
        hit += (512 * known).min(prompt - 1) / 16 * 16;
    }
    hit
}

/// Prompt and cached tokens that the server's ledger holds beside those of the warm-up.
fn ledger(server: &Server, warmup: usize) -> (Vec<u64>, u64) {
    let all = server.ledger();
    let entries = || all.entries().skip(warmup);
    let mut prompts: Vec<u64> = entries().map(|entry| entry.prompt.get()).collect();
    prompts.sort_unstable();
    (prompts, entries().map(|entry| entry.cached.get()).sum())
}

#[test]
fn a_log_with_hashes_hits_what_its_hashes_say() {
    let rows = rows();
    let log = file("hashed.jsonl");
    let mut text = String::new();
    for (place, (prompt, blocks)) in rows.iter().enumerate() {
        let at = 500 * place;
        writeln!(
            text,
            r#"{{"timestamp": {at}, "input_length": {prompt}, "output_length": 4, "hash_ids": {blocks:?}}}"#
        )
        .unwrap();
    }
    // One that is longer than the server shall be asked.
    text += r#"{"timestamp": 900, "input_length": 9000, "output_length": 4, "hash_ids": [1, 2]}"#;
    std::fs::write(&log, text).unwrap();
    let server = start(quick());
    let log = log.to_str().unwrap();
    let url = url(&server);
    let arguments = [&url, "--log", log, "--max-prompt-tokens", "4000", "--no-progress"];
    let output = run("replay", &arguments);
    let text = String::from_utf8(output.stdout).unwrap();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.starts_with("12 of 12 requests answered, none failed;"), "{text}");
    let (prompts, cached) = ledger(&server, 3);
    let mut wanted: Vec<u64> = rows.iter().map(|(prompt, _)| *prompt).collect();
    wanted.sort_unstable();
    assert_eq!((prompts, cached), (wanted, bound(&rows)));
    // Four first turns share block 1 but for the first of them, and later ones all before their last two:
    // 3 + 4 x 2 + 4 x 3 blocks of 512, of 12 prompts of 20,190 tokens in all.
    assert_eq!(bound(&rows), 512 * 23);
    let share = Tokens::new(512 * 23).as_f64() / 20_190.0;
    let said = format!(
        "hits {:.0} % of their prompt tokens, and {0:.0} % of the texts sent.",
        share * 100.0
    );
    assert!(text.contains(&said), "{said}: {text}");
    assert!(text.contains("(1 are longer than 4,000 tokens and left out)"), "{text}");
    std::fs::remove_file(log).unwrap();
}

#[test]
fn levels_that_are_rates_are_of_independent_users_unless_asked_otherwise() {
    for (more, arrivals) in [
        (&[][..], ["poisson=20", "poisson=40"]),
        (&["--arrival", "gamma=0.5"], ["gamma=20,0.5", "gamma=40,0.5"]),
    ] {
        let server = start(quick());
        let save = file("rates.jsonl");
        let (url, path) = (url(&server), save.to_str().unwrap());
        let mut arguments = vec![url.as_str(), "--levels", "rate 20,rate 40", "--save", path];
        arguments.extend([
            "--requests=8",
            "--prompt-tokens=50",
            "--output-tokens=2",
            "--no-progress",
        ]);
        arguments.extend(more);
        let report = measured("sweep", &arguments);
        let answered: Vec<_> = parts(&report).iter().map(|part| number(part, "answered")).collect();
        assert_eq!(answered, [8.0, 8.0]);
        let runs = read_runs(&save).unwrap().value;
        let told: BTreeSet<&str> =
            runs.iter().filter_map(|run| run.conditions.get("arrival")).collect();
        assert_eq!(told, BTreeSet::from(arrivals));
        std::fs::remove_file(save.with_extension("host.json")).unwrap();
        std::fs::remove_file(save).unwrap();
    }
}

fn found(report: &Value, code: &str) -> bool {
    report["findings"].as_array().unwrap().iter().any(|finding| finding["code"] == code)
}

#[test]
fn what_two_servers_counted_is_held_against_the_requests_to_both() {
    let (old, new) = (start(quick()), start(quick()));
    let (old, new) = (url(&old), url(&new));
    let metrics = [format!("{old}/metrics"), format!("{new}/metrics")];
    let measure = || {
        let mut arguments = vec![old.as_str(), new.as_str(), "--requests=12", "--no-progress"];
        arguments.extend(["--prompt-tokens=400", "--output-tokens=40"]);
        for url in &metrics {
            arguments.extend(["--metrics-url", url]);
        }
        measured("probe", &arguments)
    };
    let counted = |report: &Value| {
        let needs = report["not_observed"].as_array().unwrap();
        !needs.iter().any(|check| check["check"] == "foreign-traffic")
    };
    let alone = measure();
    assert!(!found(&alone, "foreign-traffic") && counted(&alone), "{alone}");
    // Somebody else asks the second server meanwhile.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            run("probe", &[&new, "--requests=20", "--prompt-tokens=50", "--output-tokens=4"])
        });
        let beside = measure();
        assert!(found(&beside, "foreign-traffic"), "{beside}");
    });
}
