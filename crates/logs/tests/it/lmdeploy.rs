//! `LMDeploy`'s lines about intervals.

use std::time::Duration;

use trueline_core::Severity;
use trueline_logs::{ReadOptions, check_intervals, read_log_from};

use crate::read;

fn line(at: &str, tag: &str, rates: &str, hit: &str) -> String {
    format!(
        "[{at} {tag}] Avg thr (in/out): {rates} tokens/s, Server (succeeded/failed/routed/waiting): 12 / 1 / 3 / 0, \
         Engine (running/waiting): 3 / 2, KV cache: 25.0%, {hit}\n"
    )
}

#[test]
fn its_rates_count_cached_tokens_and_its_gaps_are_seen() {
    let text = line(
        "2026-12-31 23:59:50",
        "Engine 000",
        "4000.0 / 20.0",
        "Prefix cache hit rate: 75.0%, ",
    ) + "session=1, adapter_name=None, input_tokens=5, gen_config=x, prompt='Avg thr (in/out): 1 / 1 tokens/s'\n"
        + &line("2027-01-01 00:00:00", "Engine 000", "2000.0 / 20.0", "")
        + &line("2027-01-01 00:00:00", "Engine 001", "100.0 / 5.0", "")
        + "[2027-01-01 00:00:10 Engine 000] Avg thr (in/out): 10";
    let log = read(&text);
    assert_eq!(log.recognition().format(), "lmdeploy");
    assert_eq!(
        (log.intervals().lines(), log.intervals().unreadable(), log.counts().other),
        (3, 1, 5)
    );
    let get = |name| log.intervals().get("lmdeploy", name).unwrap();
    assert_eq!(get("Avg thr (in)").values().sorted(), Some(&[100.0, 2_000.0, 4_000.0][..]));
    // By hand: 1/(1 - 0.75); the line without a hit rate has no factor.
    assert_eq!(get("Avg thr (in)").hit_factors().sorted(), Some(&[4.0][..]));
    assert_eq!(get("Avg thr (in)").every(), Some(Duration::from_secs(10)));
    assert_eq!(get("Engine (waiting)").values().median(), Some(2.0));
    assert_eq!(get("KV cache").values().median(), Some(0.25));
    let outcomes = check_intervals(log.intervals(), &["Avg thr (in)"]);
    let finding = outcomes.findings().find(|f| f.severity == Severity::Error).unwrap();
    assert!(finding.message.contains("; it counts cached tokens too"), "{}", finding.message);
}

#[test]
fn a_tag_of_another_version_is_read_and_a_file_cut_anywhere_adds_up() {
    let text = line("2026-11-30 10:00:00", "DP0", "1.5 / 2.5", "")
        + &line("2026-11-30 10:00:10", "DP0", "1.5 / 2.5", "");
    assert_eq!(read(&text).intervals().lines(), 2);
    for cut in 0..text.len() {
        let options = ReadOptions::default().with_format("lmdeploy");
        if let Ok(read) = read_log_from("t", &text.as_bytes()[..cut], &options) {
            assert_eq!(read.value.counts().other, read.value.lines());
        }
    }
}
