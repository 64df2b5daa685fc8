//! What the summary says of a small log whose numbers are worked out by hand.

use std::time::Duration;

use trueline_core::{Reading, Share, Tokens, TokensPerSecond, WallTime, Window};
use trueline_logs::{Own, OwnSample, PlaceSample, ReadOptions};

use crate::{read, read_with};

/// Four cold requests of 24,000 tokens at 60, 75, 80 and 100 s; one warm; one too short; one
/// without a cached count; one failed; one warm-up.
const LOG: &str = r#"
{"schema":"trueline.requests/1","role":"log","conditions":{"model":"qwen3-8b","machine":"m1"}}
{"id":"a","started_at_s":1000,"prompt_tokens":24000,"cached_tokens":0,"output_tokens":1,"ttft_s":60,"e2e_latency_s":60,"outcome":"ok"}
{"id":"b","started_at_s":1100,"prompt_tokens":24000,"cached_tokens":0,"output_tokens":101,"ttft_s":75,"e2e_latency_s":80,"outcome":"ok"}
{"id":"c","started_at_s":1200,"prompt_tokens":24000,"cached_tokens":0,"output_tokens":1,"ttft_s":80,"e2e_latency_s":80,"outcome":"ok"}
{"id":"d","started_at_s":1300,"prompt_tokens":24000,"cached_tokens":0,"output_tokens":1,"ttft_s":100,"e2e_latency_s":100,"outcome":"ok"}
{"id":"e","started_at_s":1400,"prompt_tokens":24000,"cached_tokens":23000,"output_tokens":51,"ttft_s":4,"e2e_latency_s":6,"prefill_compute_s":3.2,"reported":{"prefill_tok_s":312.5},"outcome":"ok"}
{"id":"f","started_at_s":1500,"prompt_tokens":24000,"cached_tokens":23900,"output_tokens":1,"ttft_s":1,"e2e_latency_s":1,"outcome":"ok"}
{"id":"g","started_at_s":1600,"prompt_tokens":24000,"output_tokens":1,"ttft_s":10,"e2e_latency_s":10,"outcome":"ok"}
{"id":"h","started_at_s":1700,"prompt_tokens":24000,"cached_tokens":0,"ttft_s":null,"outcome":"failed"}
{"id":"i","started_at_s":900,"prompt_tokens":10,"cached_tokens":0,"ttft_s":1,"warmup":true}
"#;

#[test]
fn rates_stand_in_cells_and_nothing_unknown_enters_them() {
    let log = read(LOG);
    let (p, c) = (log.production(), log.counts());
    assert_eq!((c.read(), c.used, c.warmup, c.failed, c.other), (9, 8, 1, 1, 2));
    assert_eq!((c.unknown_cached, c.too_few_new_tokens), (1, 1));
    // Tokens of the seven answered: 7 x 24,000; cached 23,000 + 23,900; new 4 x 24,000 + 1,100.
    assert_eq!((p.tokens().prompt, p.tokens().cached, p.tokens().new), (168_000, 46_900, 97_100));
    let cells: Vec<(String, u64, u64)> =
        p.cells().map(|(cell, s)| (cell.to_string(), s.requests(), s.rates().len())).collect();
    assert_eq!(
        cells,
        [
            ("20–32k tokens, 0–5 % cached".to_owned(), 4, 4),
            ("20–32k tokens, 90–97 % cached".to_owned(), 1, 1),
            ("20–32k tokens, 99–100 % cached".to_owned(), 1, 0),
        ]
    );
    // 24,000 / 60, 75, 80, 100 = 400, 320, 300, 240: middle 310; 96,000 / 315 s = 304.76.
    let cold = p.cold();
    assert_eq!(cold.median_of_requests().map(TokensPerSecond::get), Some(310.0));
    assert!((cold.sum_over_sum().unwrap().get() - 304.761_904_8).abs() < 1e-6);
    assert_eq!(cold.sum_ttft(), Duration::from_secs(315));
    // Over all hit shares the warm row (1,000 / 4 s = 250) joins them.
    let (bucket, all) = p.buckets().remove(0);
    assert_eq!(all.rates().sorted().unwrap(), [240.0, 250.0, 300.0, 320.0, 400.0]);
    assert_eq!(p.bucket(&bucket), all);
    assert_eq!(all.naive().sorted().unwrap().last(), Some(&6_000.0));
    assert_eq!(log.conditions().get("model"), Some("qwen3-8b"));
    // The seventh row is bounded: between 0 and 24,000 / 10 s.
    assert_eq!(p.unknown_cached().bounds().unwrap().1.get(), 2_400.0);
}

#[test]
fn routes_cache_shares_and_decode_are_those_of_the_rows() {
    let log = read(LOG);
    let p = log.production();
    let routes: Vec<(String, u64, Duration)> =
        p.routes().iter().map(|r| (r.name(), r.requests(), r.ttft())).collect();
    assert_eq!(
        routes,
        [
            ("0–5 % cached".to_owned(), 4, Duration::from_secs(315)),
            ("90–97 % cached".to_owned(), 1, Duration::from_secs(4)),
            ("99–100 % cached".to_owned(), 1, Duration::from_secs(1)),
        ]
    );
    let cache = p.cache();
    let close = |found: Option<Share>, expected: f64| {
        assert!((found.unwrap().get() - expected).abs() < 1e-9, "{found:?}");
    };
    // 46,900 / 144,000; (23,000 + 23,900) / 24,000 / 6; 2 / 6.
    close(cache.token_weighted(), 0.325_694_444);
    close(cache.request_mean(), 0.325_694_444);
    close(cache.any_hit(), 0.333_333_333);
    // Row b: 100 steps in 5 s; row e: 50 steps in 2 s; one-token rows have none.
    assert_eq!(p.decode().sorted().unwrap(), [20.0, 25.0]);
    let window = p.window().unwrap();
    assert_eq!(window.from, WallTime::from_nanos(1_000_000_000_000));
    assert_eq!(window.to, WallTime::from_nanos(1_700_000_000_000));
}

#[test]
fn a_stated_rate_is_tested_row_by_row_against_four_readings() {
    let log = read(LOG);
    let reported: Vec<_> = log.production().reported().collect();
    let [(field, cells)] = reported.as_slice() else { panic!("one field") };
    assert_eq!(*field, "prefill_tok_s");
    let (cell, stats) = &cells[0];
    assert_eq!(cell.to_string(), "20–32k tokens, 90–97 % cached");
    // 312.5 = 1,000 / 3.2 s; derived 1,000 / 4 s = 250; ratio 1.25 = 4 / 3.2; 24,000 / 1,000 = 24.
    assert_eq!(stats.ratio().median(), Some(1.25));
    assert_eq!(stats.denominator().median(), Some(1.25));
    assert_eq!(stats.numerator().median(), Some(24.0));
    let agree = Reading::ALL.map(|r| (stats.reading(r).testable, stats.reading(r).agree));
    assert_eq!(agree, [(1, 0), (1, 0), (1, 1), (1, 0)]);
}

fn like(id: Option<&str>, prompt: u64, started_s: i64) -> OwnSample {
    let mut sample = OwnSample::default();
    sample.id = id.map(str::to_owned);
    sample.prompt = Some(Tokens::new(prompt));
    sample.started = Some(WallTime::from_nanos(started_s * 1_000_000_000));
    sample
}

#[test]
fn own_rows_enter_nothing_and_others_that_ran_beside_them_are_named() {
    let at = |s: i64| WallTime::from_nanos(s * 1_000_000_000);
    let ways = [
        Own::IdPrefix("a".to_owned()),
        Own::Window(Window::new(at(999), at(1_001))),
        Own::Like(vec![like(None, 24_000, 1_002)]),
        Own::Like(vec![like(Some("a"), 1, 0)]),
        Own::Ids(vec!["a".to_owned()]),
    ];
    for own in ways {
        let windows = vec![Window::new(at(1_000), at(1_150)), Window::new(at(1_301), at(1_302))];
        let log = read_with(LOG, &ReadOptions::default().with_own(own).with_windows(windows));
        assert_eq!((log.counts().own, log.counts().used), (1, 7));
        assert_eq!(log.own()[0].id.as_deref(), Some("a"));
        assert_eq!(log.production().cold().requests(), 3);
        let beside = log.production().overlapping();
        assert_eq!((beside[0].count, beside[1].count), (1, 1));
        assert_eq!(beside[0].rows[0].id.as_deref(), Some("b"));
        // The header is line 2, after a blank one; row d is line 6.
        assert_eq!((beside[1].rows[0].line, beside[1].rows[0].file), (6, 0));
    }
}

#[test]
fn samples_are_ranked_by_counting() {
    let sample = |rate: f64| PlaceSample {
        prompt_tokens: Tokens::new(24_750),
        hit_share: Share::new(0.0).unwrap(),
        rate: TokensPerSecond::new(rate).unwrap(),
    };
    let options = ReadOptions::default().with_place(vec![sample(115.0), sample(300.0)]);
    let log = read_with(LOG, &options);
    let placed: Vec<_> = log.production().placed().collect();
    let ranks = |r: trueline_core::Ranks| (r.below, r.equal, r.above);
    assert_eq!((ranks(placed[0].cell), ranks(placed[0].bucket)), ((0, 0, 4), (0, 0, 5)));
    assert_eq!((ranks(placed[1].cell), ranks(placed[1].bucket)), ((1, 1, 2), (2, 1, 2)));
}

#[test]
fn rows_outside_the_time_asked_for_stand_apart() {
    let at = |s: i64| WallTime::from_nanos(s * 1_000_000_000);
    let options = ReadOptions::default().with_since(at(1_100)).with_until(at(1_400));
    let c = *read_with(LOG, &options).counts();
    assert_eq!((c.used, c.outside, c.read()), (3, 6, 3));
}

#[test]
fn more_cached_than_prompt_is_impossible_and_enters_no_cell() {
    let log = read(r#"{"prompt_tokens":1000,"cached_tokens":1001,"ttft_s":1}"#);
    assert_eq!((log.counts().impossible, log.counts().unknown_cached), (1, 1));
    assert_eq!((log.production().tokens().prompt, log.production().tokens().cached), (1000, 0));
    assert_eq!(log.production().cells().count(), 0);
}
