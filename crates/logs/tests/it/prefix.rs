//! What prefix caches would hit, by the hashes of blocks.

use std::fmt::Write;

use trueline_core::{CheckOutcome, Share, Tokens};
use trueline_logs::{
    HashScope, LogSummary, Own, PrefixReport, ReadOptions, WalkOrder, read_log_from,
};

use crate::read_with;

/// A row of our own with blocks of 10 tokens.
fn row(at: u64, prompt: u64, hashes: &[u64], more: &str) -> String {
    format!(
        "{{\"id\":\"r{at}\",\"started_at_s\":{},\"prompt_tokens\":{prompt},\"block_tokens\":10,\
         \"block_hashes\":{hashes:?}{more}}}\n",
        1_795_958_298 + at
    )
}

fn read(text: &str) -> LogSummary {
    read_with(text, &ReadOptions::default())
}

fn share(share: Option<Share>) -> f64 {
    (share.unwrap().get() * 1e6).round() / 1e6
}

fn hit_tokens(report: &PrefixReport, prompts: f64) -> f64 {
    (report.infinite().token_weighted().unwrap().get() * prompts).round()
}

/// Four rows of 30, 40, 25 and 20 tokens.
fn four() -> [String; 4] {
    [
        row(1, 30, &[1, 2, 3], ""),
        row(2, 40, &[1, 2, 4, 5], ""),
        row(3, 25, &[1, 2, 3], ""),
        row(4, 20, &[8, 2], ""),
    ]
}

#[test]
fn the_bound_is_said_in_four_ways() {
    let log = read(&four().concat());
    let report = log.prefix().unwrap();
    // By hand: nothing; blocks 1 and 2; all three, without the last token of 25; block 2 stands behind another.
    let infinite = report.infinite();
    assert_eq!(share(infinite.token_weighted()), share(Share::new(44.0 / 115.0).ok()));
    assert_eq!(share(infinite.request_mean()), 0.365); // (0 + 20/40 + 24/25 + 0) / 4
    assert_eq!(share(infinite.any_hit()), 0.5);
    assert_eq!(share(report.block_weighted()), 0.416_667); // 5 of 12
    assert_eq!((report.blocks(), report.distinct_blocks()), (12, 7));
    assert_eq!(report.block_tokens(), Some(Tokens::new(10)));
    assert_eq!((report.order(), report.scope()), (WalkOrder::WallTime, HashScope::Everywhere));
    assert_eq!((report.caches(), report.common_blocks()), (1, Some(0)));
    // Before the third row the blocks were last used in the order 3, 5, 4, 2, 1: four of them after block 3.
    assert_eq!(report.blocks_for_all_hits(), 5);
    let [only] = report.lru() else { panic!("no size of the ladder is below 5") };
    assert_eq!((only.blocks, only.tokens), (5, Some(Tokens::new(50))));
    assert_eq!(report.buckets().len(), 1);
    assert!(report.tenths().is_empty() && report.stated_and_possible().is_empty());
}

#[test]
fn rows_are_taken_in_order_of_time_however_they_come() {
    let [a, b, c, d] = four();
    let expected = read(&four().concat());
    for order in [[&d, &c, &b, &a], [&b, &d, &a, &c], [&c, &a, &d, &b]] {
        let text: String = order.map(String::as_str).concat();
        assert_eq!(read(&text).prefix(), expected.prefix());
    }
    // Without any time the order of the lines is all that there is.
    let bare = |row: &str| {
        let (head, tail) = row.split_once("\"started_at_s\":").unwrap();
        head.to_owned() + tail.split_once(',').unwrap().1
    };
    let log = read(&[bare(&c), bare(&a)].concat());
    let report = log.prefix().unwrap();
    assert_eq!(report.order(), WalkOrder::AsWritten);
    assert_eq!(hit_tokens(report, 55.0), 29.0);
    // A row without a time stands behind the one above it.
    let log = read(&[c.as_str(), &bare(&b), a.as_str()].concat());
    assert_eq!(hit_tokens(log.prefix().unwrap(), 95.0), 24.0 + 20.0);
}

#[test]
fn threads_blocks_and_parts_make_no_difference() {
    let rows: Vec<String> = (0..3_000_u64)
        .map(|i| {
            let hashes = [i % 3, 10 + i % 7, 100 + i * 7_919 % 211, 1_000 + i];
            row(i * 7_919 % 3_001, 31 + i % 10, &hashes, &format!(",\"session\":\"s{}\"", i % 50))
        })
        .collect();
    let options = ReadOptions::default().with_threads(1);
    let whole = read_with(&rows.concat(), &options);
    let many = read_with(&rows.concat(), &options.clone().with_threads(4).with_block_bytes(777));
    assert_eq!((many.prefix(), many.session_hits()), (whole.prefix(), whole.session_hits()));
    assert_eq!(whole.prefix().unwrap().tenths().len(), 10);
    for cut in [1, 1_500, 2_999] {
        let part = |rows: &[String]| read_with(&rows.concat(), &options);
        let (first, rest) = rows.split_at(cut);
        let merged = part(first).merge(&part(rest)).unwrap();
        assert_eq!(
            (merged.prefix(), merged.session_hits()),
            (whole.prefix(), whole.session_hits())
        );
    }
}

#[test]
fn other_models_and_other_sizes_of_blocks_have_caches_of_their_own() {
    let text = [
        row(1, 30, &[1, 2, 3], ",\"model\":\"a\""),
        row(2, 30, &[1, 2, 3], ",\"model\":\"b\""),
        row(3, 30, &[1, 2, 3], ",\"model\":\"a\"").replace("_tokens\":10", "_tokens\":16"),
        row(4, 30, &[1, 2, 3], ",\"model\":\"b\""),
    ];
    // Blocks of 16 tokens: a prompt of 30 has two of them.
    let text = text.concat().replace("16,\"block_hashes\":[1, 2, 3]", "16,\"block_hashes\":[1, 2]");
    let log = read(&text);
    let report = log.prefix().unwrap();
    assert_eq!((report.caches(), report.block_tokens(), report.common_blocks()), (3, None, None));
    assert_eq!(hit_tokens(report, 120.0), 29.0);
    assert_eq!(report.lru().last().unwrap().tokens, None);
}

#[test]
fn numbered_blocks_of_two_traces_are_not_the_same_blocks() {
    let trace = "{\"timestamp\": 0, \"input_length\": 1000, \"hash_ids\": [0, 1]}\n\
                 {\"timestamp\": 9, \"input_length\": 900, \"hash_ids\": [0, 2]}\n";
    let one = read(trace);
    let two = one.clone().merge(&read(trace)).unwrap();
    let report = two.prefix().unwrap();
    assert_eq!((report.scope(), report.caches()), (HashScope::Input, 2));
    assert_eq!(hit_tokens(report, 3_800.0), 2.0 * 512.0);
    assert_eq!(one.prefix().unwrap().order(), WalkOrder::SinceOrigin);
}

#[test]
fn what_was_served_beside_production_fills_the_cache_and_is_not_counted() {
    let asked = row(9, 40, &[1, 2, 3, 4], "");
    for before in [
        row(1, 30, &[1, 2, 3], ",\"warmup\":true"),
        row(1, 30, &[1, 2, 3], ",\"outcome\":\"failed\""),
        row(1, 30, &[1, 2, 3], "").replace("\"r1\"", "\"bench-1\""),
        row(1, 30, &[1, 2, 3], "").replace("\"prompt_tokens\":30,", ""),
    ] {
        let options = ReadOptions::default().with_own(Own::IdPrefix("bench-".to_owned()));
        let log = read_with(&[before.as_str(), &asked].concat(), &options);
        let infinite = log.prefix().unwrap().infinite();
        assert_eq!((infinite.requests(), share(infinite.token_weighted())), (1, 0.75), "{before}");
    }
    let none = read(&row(1, 30, &[1, 2, 3], ",\"warmup\":true"));
    assert_eq!(none.prefix(), None);
    assert_eq!(read("{\"id\":\"a\",\"prompt_tokens\":5}\n").prefix(), None);
}

#[test]
fn rows_beyond_the_room_are_counted_and_in_no_figure() {
    let text: String = (0..500).map(|i| row(i, 40, &[1, 2, i, i], "")).collect();
    let report = |words: usize, block: usize| {
        let options = ReadOptions::default().with_block_words(words).with_block_bytes(block);
        read_with(&text, &options).prefix().cloned()
    };
    let all = report(1 << 20, 1 << 20).unwrap();
    assert_eq!((all.infinite().requests(), all.beyond()), (500, (0, 0)));
    let some = report(3_000, 1 << 20).unwrap();
    let kept = some.infinite().requests();
    assert!((100..400).contains(&kept), "{kept}");
    assert_eq!(some.beyond(), (500 - kept, 4 * (500 - kept)));
    for block in [100, 1_000, 7_777] {
        assert_eq!(report(3_000, block).as_ref(), Some(&some), "{block}");
    }
    assert_eq!(report(3, 1_000), None);
}

#[test]
fn a_beginning_that_all_prompts_have_is_told_apart() {
    let text: String = (0..4).map(|i| row(i, 40, &[1, 2, 3 + i % 2, 10 + i], "")).collect();
    let log = read(&text);
    let report = log.prefix().unwrap();
    // By hand: 0, 20, 30, 30 tokens of 160 are hit, 20 of each but the first are those of all.
    assert_eq!(share(report.infinite().token_weighted()), 0.5);
    assert_eq!((report.common_blocks(), share(report.behind_common())), (Some(2), 0.125));
}

#[test]
fn sessions_are_counted_and_their_first_requests_told_apart() {
    let turn = |at, prompt, hashes: &[u64], session: &str, cached: u64| {
        row(at, prompt, hashes, &format!(",\"session\":\"{session}\",\"cached_tokens\":{cached}"))
    };
    let text = [
        // The second turn of a stands first in the file.
        turn(5, 40, &[1, 2, 3, 4], "a", 30),
        turn(1, 30, &[1, 2, 3], "a", 10),
        turn(2, 20, &[1, 7], "b", 0),
        turn(6, 30, &[1, 2, 8], "b", 20),
        turn(7, 10, &[9], "c", 0),
    ];
    let log = read(&text.concat());
    let sessions = log.session_hits().unwrap();
    assert_eq!((sessions.sessions(), sessions.single(), sessions.beyond()), (3, 1, 0));
    assert_eq!(sessions.requests().sorted(), Some(&[1.0, 2.0, 2.0][..]));
    let (first, of_first) = sessions.first().unwrap();
    let (later, of_later) = sessions.later().unwrap();
    // By hand: 10 of 30 + 20 + 10, and 30 + 20 of 40 + 30.
    assert_eq!((first, share(Some(of_first))), (3, 0.166_667));
    assert_eq!((later, share(Some(of_later))), (2, 0.714_286));
    // Of the later ones a has 30 of 40 itself, and b block 1 of 30 where block 2 is a's too.
    let turns = log.prefix().unwrap().later_turns();
    assert_eq!(turns.requests(), 2);
    assert_eq!(share(turns.of_the_session()), 0.571_429);
    assert_eq!(share(turns.of_all()), 0.714_286);
    assert_eq!(read(&four().concat()).session_hits(), None);
}

/// Rows that a cache wholly warm when the log begins, or a counter that counts too much, would write.
fn stated(rows: u64, cached: impl Fn(u64) -> u64) -> String {
    let mut text = String::new();
    for i in 0..rows {
        // 20 prefixes of two blocks that come again and again, and two blocks of each prompt alone.
        let hashes = [i % 20, 100 + i % 20, 1_000 + i, 5_000 + i];
        text += &row(i, 40, &hashes, &format!(",\"cached_tokens\":{}", cached(i)));
    }
    text
}

/// What the check says: nothing, that it could not run, that all is well, or what it found.
#[derive(Debug, PartialEq)]
enum Said {
    Nothing,
    NotObserved,
    Clear,
    Found(String),
}

fn above(text: &str) -> Said {
    let read = read_log_from("t", text.as_bytes(), &ReadOptions::default()).unwrap();
    match read.outcomes.iter().find(|outcome| outcome.code() == "cached-tokens-above-bound") {
        None => Said::Nothing,
        Some(CheckOutcome::NotObserved { .. }) => Said::NotObserved,
        Some(CheckOutcome::Clear { .. }) => Said::Clear,
        Some(CheckOutcome::Found(finding)) => Said::Found(finding.message.clone()),
    }
}

#[test]
fn more_cached_than_could_have_been_is_found() {
    let Said::Found(found) = above(&stated(200, |_| 39)) else { panic!("found") };
    // By hand: 39 of 40; two blocks were there and a third may be found in part, 30 of 40.
    let expected = "the last 100 requests with hashes and cached tokens state 97.5 % of their prompts as \
                    cached; a cache that never forgets could have had 75.0 % by the hashes (above it in 5 of 5 \
                    tenths of the log)";
    assert_eq!(found, expected);
    let mut damaged = stated(200, |_| 39);
    writeln!(damaged, "{{\"id\":").unwrap();
    damaged += &row(900, 1, &[], "");
    let Said::Found(found) = above(&damaged) else { panic!("found") };
    assert!(found.ends_with("1 records of the log could not be read"), "{found}");
}

#[test]
fn a_cache_that_was_warm_or_finds_a_part_of_a_block_is_healthy() {
    for cached in [
        // Warm when the log begins: the first rows have what no row before them had.
        &|i| if i < 80 { 39 } else { 20 },
        // Token by token: the next block in part, in every row.
        &|_| 29,
        // Each pair of rows found its blocks in the other order.
        &|i| if i % 2 == 0 { 39 } else { 1 },
        // One tenth of the second half has something of its own.
        &|i| if (150..170).contains(&i) { 39 } else { 20 },
        &|_| 0,
    ] as [&dyn Fn(u64) -> u64; 5]
    {
        assert_eq!(above(&stated(200, cached)), Said::Clear);
    }
}

#[test]
fn nothing_is_said_of_cached_tokens_without_hashes_and_nothing_judged_of_few_rows() {
    let without = stated(200, |_| 39).replace("block_hashes", "other");
    assert_eq!(above(&without), Said::Nothing);
    assert_eq!(above(&stated(200, |_| 39).replace("cached_tokens", "other")), Said::Nothing);
    assert_eq!(above(&stated(99, |_| 39)), Said::NotObserved);
}
