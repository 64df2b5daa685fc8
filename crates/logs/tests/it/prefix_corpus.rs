//! Published traces against a simulation in plain Python.
//!
//! Every number here is the output of a script of some 60 lines that shares nothing with this crate: a `set` of
//! ids for the bound, and for each size an `OrderedDict` that is emptied from its old end (`popitem`), into which
//! each prompt's blocks go from the last to the first. `logs-and-traces.md` has the same figures to two digits.

use std::path::PathBuf;

use trueline_core::Share;
use trueline_logs::{
    CacheShares, HashScope, LogSummary, PrefixReport, ReadOptions, WalkOrder, read_log,
};

use crate::corpus::corpus;

fn read(folder: &[&str]) -> Option<LogSummary> {
    let paths: Vec<PathBuf> =
        folder.iter().map(|name| Some(corpus()?.join(name))).collect::<Option<_>>()?;
    Some(read_log(&paths, &ReadOptions::default()).unwrap().value)
}

fn close(what: &str, found: Option<Share>, expected: f64, within: f64) {
    let found = found.unwrap().get();
    assert!((found - expected).abs() <= within, "{what}: {found} for {expected}");
}

/// Four digits each.
fn shares(what: &str, found: &[&CacheShares], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        close(what, found.token_weighted(), *expected, 0.000_05);
    }
}

fn curve(report: &PrefixReport, expected: &[(u64, f64)]) {
    for (blocks, expected) in expected {
        let point = report.lru().iter().find(|point| point.blocks == *blocks).unwrap();
        close("a size", Some(point.token_weighted), *expected, 1e-9);
        assert_eq!(point.tokens.unwrap().get(), blocks * 512);
    }
}

#[test]
fn mooncake_conversations_hit_what_a_simulated_cache_hits() {
    let Some(log) = read(&["traces/mooncake_conversation_trace.jsonl"]) else { return };
    let report = log.prefix().unwrap();
    let infinite = report.infinite();
    assert_eq!(infinite.requests(), 12_031);
    // Without the limit of the prompt it would be 0.3738.
    close("token-weighted", infinite.token_weighted(), 0.373_622_934_177_240_4, 1e-12);
    close("request mean", infinite.request_mean(), 0.409_380_053_706_231_7, 1e-9);
    close("any hit", infinite.any_hit(), 0.999_916_881_389_743_2, 1e-12);
    close("blocks", report.block_weighted(), 0.366_412_478_336_221_8, 1e-12);
    assert_eq!((report.blocks(), report.distinct_blocks()), (288_500, 182_790));
    assert_eq!((report.order(), report.scope()), (WalkOrder::SinceOrigin, HashScope::Input));
    // 0.05, 0.11, 0.22, 0.33, 0.36, 0.371 in the reference.
    curve(
        report,
        &[
            (1_000, 0.045_412_496_636_683_18),
            (5_000, 0.113_994_945_765_055_19),
            (10_000, 0.215_747_511_549_577_64),
            (30_000, 0.332_152_504_875_846_8),
            (50_000, 0.361_529_600_610_103_36),
            (100_000, 0.370_843_589_094_266_85),
            (158_281, 0.373_622_934_177_240_4),
        ],
    );
    assert_eq!(report.blocks_for_all_hits(), 158_281);
    let buckets: Vec<&CacheShares> = report.buckets().iter().map(|(_, shares)| shares).collect();
    shares("buckets", &buckets, &[0.5692, 0.4551, 0.3470, 0.3707, 0.4003, 0.3691, 0.3373]);
    let tenths: Vec<&CacheShares> = report.tenths().iter().collect();
    let expected = [0.2365, 0.3718, 0.3729, 0.3985, 0.3993, 0.3732, 0.3929, 0.3913, 0.4395, 0.3916];
    shares("tenths", &tenths, &expected);
    // Hits behind block 0 over all prompt tokens. Over the tokens behind it they would be 0.346.
    assert_eq!(report.common_blocks(), Some(1));
    close("behind block 0", report.behind_common(), 0.331_084_102_945_468_9, 1e-12);
    assert!(report.stated_and_possible().is_empty() && log.session_hits().is_none());
    assert_eq!(report.beyond(), (0, 0));
}

#[test]
fn mooncake_s_synthetic_requests_hit_much_of_the_tokens_of_few() {
    let Some(log) = read(&["traces/mooncake_synthetic_trace.jsonl"]) else { return };
    let report = log.prefix().unwrap();
    let infinite = report.infinite();
    close("token-weighted", infinite.token_weighted(), 0.651_240_955_333_530_2, 1e-12);
    close("request mean", infinite.request_mean(), 0.431_195_501_958_672, 1e-9);
    close("any hit", infinite.any_hit(), 0.446_280_991_735_537_2, 1e-12);
    close("blocks", report.block_weighted(), 0.639_603_862_910_967_6, 1e-12);
    curve(report, &[(1_000, 0.085_717_752_872_033_15), (10_000, 0.431_762_441_631_314_44)]);
    assert_eq!(report.blocks_for_all_hits(), 41_186);
    let buckets: Vec<&CacheShares> = report.buckets().iter().map(|(_, shares)| shares).collect();
    let expected = [0.0062, 0.6527, 0.7703, 0.5167, 0.5674, 0.7425, 0.7497, 0.8227];
    shares("buckets", &buckets, &expected);
    let tenths: Vec<&CacheShares> = report.tenths().iter().collect();
    let expected = [0.0544, 0.2631, 0.2895, 0.4746, 0.5720, 0.6288, 0.8049, 0.8928, 0.9239, 0.9826];
    shares("tenths", &tenths, &expected);
    assert_eq!(report.common_blocks(), Some(0));
}

/// Requests, hit tokens over prompt tokens, and blocks of one conversation each; then of all together, where each
/// conversation has a cache of its own.
#[test]
fn weka_conversations_have_caches_of_their_own() {
    let files = [
        ("0048", 21, 1_100_992, 1_206_877, 18_846),
        ("0265", 5, 166_016, 228_783, 3_573),
        ("0291", 32, 2_022_592, 2_254_119, 35_209),
        ("0326", 41, 1_957_056, 2_229_881, 34_825),
        ("0331", 42, 2_206_720, 2_299_595, 35_909),
        ("0529", 24, 1_343_040, 1_650_324, 25_775),
        ("0556", 51, 2_158_144, 2_284_705, 35_677),
    ];
    for (file, requests, hit, prompt, blocks) in files {
        let Some(log) = read(&[&format!("traces/weka/trace_{file}.json")]) else { return };
        let report = log.prefix().unwrap();
        assert_eq!((report.infinite().requests(), report.blocks()), (requests, blocks), "{file}");
        let share = f64::from(hit) / f64::from(prompt);
        close(file, report.infinite().token_weighted(), share, 1e-12);
        // What the format derives as cached is the bound, so nothing lies above it.
        assert_eq!(log.production().cache(), report.infinite(), "{file}");
    }
    let Some(folder) = corpus() else { return };
    let mut names: Vec<String> = std::fs::read_dir(folder.join("traces/weka"))
        .unwrap()
        .map(|entry| format!("traces/weka/{}", entry.unwrap().file_name().to_str().unwrap()))
        .collect();
    names.sort();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let Some(log) = read(&names) else { return };
    let report = log.prefix().unwrap();
    close("all", report.infinite().token_weighted(), 28_611_648.0 / 31_019_538.0, 1e-12);
    close("mean", report.infinite().request_mean(), 0.904_429_746_643_259_2, 1e-9);
    close("any hit", report.infinite().any_hit(), 0.955_882_352_941_176_5, 1e-12);
    close("blocks", report.block_weighted(), 447_057.0 / 484_427.0, 1e-12);
    // Two models in three of the 20 files.
    assert_eq!((report.caches(), report.scope()), (23, HashScope::Conversation));
    for (blocks, hit) in [(1_000, 24_687_296.0), (3_000, 28_491_776.0)] {
        let point = report.lru().iter().find(|point| point.blocks == blocks).unwrap();
        close("a size", Some(point.token_weighted), hit / 31_019_538.0, 1e-12);
    }
    assert!(report.blocks_for_all_hits() < 5_000);
    assert!(report.tenths().is_empty(), "conversations do not follow each other");
}

/// Two sessions of ten and nine rounds; sums of their columns by Python.
#[test]
fn tracelab_s_first_rounds_hit_less_than_its_later_ones() {
    for name in ["derived", "sanitized"] {
        let path = format!("traces/tracelab/example_sessions_{name}_round_trace.jsonl");
        let Some(log) = read(&[&path]) else { return };
        let sessions = log.session_hits().unwrap();
        assert_eq!((sessions.sessions(), sessions.single()), (2, 0));
        assert_eq!(sessions.requests().sorted(), Some(&[9.0, 10.0][..]));
        let (first, share) = sessions.first().unwrap();
        assert_eq!(first, 2);
        close("first", Some(share), 34_129.0 / 41_596.0, 1e-12);
        let (later, share) = sessions.later().unwrap();
        assert_eq!(later, 17);
        close("later", Some(share), 439_427.0 / 472_416.0, 1e-12);
        assert_eq!(log.prefix(), None);
    }
}
