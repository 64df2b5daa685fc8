//! Real logs against numbers from `tests/data/expected_corpus.py`.
//!
//! They run where `TRUELINE_CORPUS` names the folder of the corpus.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;
use trueline_core::{CellEdges, Reading, Stretch};
use trueline_logs::{LogSummary, Mapping, Own, ReadOptions, read_log, read_log_from};

pub(crate) fn corpus() -> Option<PathBuf> {
    let folder = std::env::var_os("TRUELINE_CORPUS").map(PathBuf::from);
    if folder.is_none() {
        #[expect(clippy::print_stderr, reason = "says why nothing was tested")]
        {
            eprintln!("skipped: TRUELINE_CORPUS is not set");
        }
    }
    folder
}

fn expected(part: &str) -> Value {
    let all: Value = serde_json::from_str(include_str!("../data/expected_corpus.json")).unwrap();
    all[part].clone()
}

fn close(what: &str, found: f64, expected: &Value) {
    let expected = expected.as_f64().unwrap();
    assert!((found - expected).abs() <= 1e-6 * expected.abs(), "{what}: {found} for {expected}");
}

fn check(log: &LogSummary, expected: &Value) {
    let p = log.production();
    let count = |key: &str| expected[key].as_u64().unwrap();
    assert_eq!(log.counts().used, count("rows"));
    assert_eq!(log.counts().read(), log.counts().used + log.counts().own);
    assert_eq!(p.tokens().prompt, u128::from(count("prompt")));
    assert_eq!(p.tokens().cached, u128::from(count("cached")));
    assert_eq!(p.tokens().output, u128::from(count("output")));
    close("naive", p.contrast().naive.median().unwrap(), &expected["naive_median"]);
    close("new only", p.contrast().new_only.median().unwrap(), &expected["new_only_median"]);
    let cache = p.cache();
    for (name, share) in [
        ("token_weighted", cache.token_weighted()),
        ("request_mean", cache.request_mean()),
        ("any_hit", cache.any_hit()),
    ] {
        close(name, share.unwrap().get(), &expected[name]);
    }
    let line = p.regression().solve().unwrap();
    let fit = &expected["regression"];
    assert_eq!(line.n, fit["n"].as_u64().unwrap());
    close("intercept", line.intercept_s, &fit["intercept_s"]);
    close("new", line.per_1k_new_s, &fit["per_1k_new_s"]);
    close("cached", line.per_1k_cached_s, &fit["per_1k_cached_s"]);
    close("r2", line.r2, &fit["r2"]);
    let edges = CellEdges::default();
    let cells = expected["cells"].as_object().unwrap();
    assert_eq!(p.cells().count(), cells.len());
    for (cell, stats) in p.cells() {
        let low = edges.prompt_tokens().partition_point(|e| *e <= cell.bucket.low);
        let band = edges.hit_share().partition_point(|e| e * 1e4 <= f64::from(cell.hit.low) + 0.5);
        let cell = &cells[&format!("{low}/{band}")];
        assert_eq!(stats.requests(), cell["requests"].as_u64().unwrap());
        assert_eq!(stats.rates().len(), cell["rated"].as_u64().unwrap());
        if let Some(median) = stats.rates().median() {
            close("median", median, &cell["median"]);
        }
    }
}

#[test]
fn weka_conversations_sum_up_to_what_they_declare() {
    let Some(folder) = corpus() else { return };
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder.join("traces/weka"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .collect();
    paths.sort();
    let log = read_log(&paths, &ReadOptions::default()).unwrap().value;
    let expected = expected("weka");
    assert_eq!(log.recognition().format(), "weka");
    check(&log, &expected);
    let declared = &expected["declared"];
    assert_eq!(log.production().tokens().prompt, u128::from(declared["input"].as_u64().unwrap()));
    assert_eq!(log.production().window(), None);
}

#[test]
fn a_llama_cpp_log_is_read_through_its_mapping_without_the_benchmarks_rows() {
    let Some(folder) = corpus() else { return };
    let mapping = include_str!("../../../../docs/mappings/llama-cpp-client.toml");
    let options = ReadOptions::default()
        .with_mapping(Mapping::parse("llama-cpp-client.toml", mapping).unwrap())
        .with_own(Own::IdPrefix("synthetic".to_owned()));
    let log = read_log(&[folder.join("llama-server/traffic-client.jsonl")], &options).unwrap();
    let (log, expected) = (log.value, expected("traffic"));
    check(&log, &expected);
    assert_eq!(log.counts().own, expected["synthetic"].as_u64().unwrap());
    // What a naive reading says, to the token per second: 1,023 against 371.
    let contrast = log.production().contrast();
    assert_eq!(contrast.naive.median().unwrap().round(), 1_023.0);
    assert_eq!(contrast.new_only.median().unwrap().round(), 371.0);
    // The server's own rate is new tokens over its computation, in every row.
    let reported: Vec<_> = log.production().reported().collect();
    let cells = &reported[0].1;
    let sum = |f: &dyn Fn(&trueline_logs::ReportedStats) -> u64| -> u64 {
        cells.iter().map(|(_, stats)| f(stats)).sum()
    };
    let expect = |key: &str| expected[key].as_u64().unwrap();
    assert_eq!(sum(&|s| s.rows()), expect("ratio_rows"));
    assert_eq!(sum(&|s| s.reading(Reading::NewOverCompute).agree), expect("compute_agrees"));
}

/// Lengths by bucket are those that the trace's readers publish: 1,296 prompts under 1,000 tokens, 2,739
/// under 4,000, and so on.
#[test]
fn mooncake_traces_have_their_lengths_and_their_hashes() {
    let Some(folder) = corpus() else { return };
    for (file, part) in [
        ("mooncake_conversation_trace.jsonl", "mooncake"),
        ("mooncake_synthetic_trace.jsonl", "mooncake_synthetic"),
    ] {
        let expected = expected(part);
        let options = ReadOptions::default().with_requests_kept();
        let read = read_log(&[folder.join("traces").join(file)], &options).unwrap();
        let log = read.value;
        assert_eq!(log.recognition().format(), "mooncake");
        let (tokens, counts) = (log.production().tokens(), log.counts());
        let found = [
            ("rows", u128::from(counts.used)),
            ("prompt", tokens.prompt),
            ("output", tokens.output),
            (
                "hashes",
                log.requests()
                    .iter()
                    .filter_map(|r| Some(r.blocks.as_ref()?.hashes().len() as u128))
                    .sum(),
            ),
            ("last_ms", log.requests().last().unwrap().sent_after.value().unwrap().as_millis()),
        ];
        for (what, found) in found {
            assert_eq!(Some(found), expected[what].as_u64().map(u128::from), "{file}: {what}");
        }
        assert_eq!((counts.impossible, counts.rejected.total(), counts.other), (0, 0, 0));
        let edges = CellEdges::default();
        let mut buckets: BTreeMap<String, u64> = BTreeMap::new();
        for request in log.requests() {
            let prompt = request.tokens.prompt.value().unwrap().get();
            let bucket = edges.prompt_tokens().partition_point(|edge| *edge <= prompt);
            *buckets.entry(bucket.to_string()).or_default() += 1;
        }
        assert_eq!(serde_json::to_value(buckets).unwrap(), expected["buckets"]);
        // No count of cached tokens is all that a healthy trace is found to lack; of one, the stamps of
        // 12,031 requests sit on a grid of 3 s.
        let found: Vec<_> = read.outcomes.findings().map(|finding| finding.code).collect();
        let coarse = file.contains("conversation").then_some("timestamps-coarse");
        let expected: Vec<&str> = coarse.into_iter().chain(["cached-tokens-unknown"]).collect();
        assert_eq!(found, expected, "{file}");
        if let Some(grid) = read.outcomes.findings().find(|f| f.code == "timestamps-coarse") {
            assert!(grid.message.contains("2.99") || grid.message.contains("3.00"), "{grid}");
        }
    }
}

/// Lines, sums and the longest prompt by plain Python over the same files: `len`, `sum` and `max` of the
/// columns as `csv.DictReader` reads them.
#[test]
fn azure_traces_have_their_last_row_and_no_grid() {
    let Some(folder) = corpus() else { return };
    for (file, rows, prompt, output, longest) in [
        ("azure_llm_2023_code.csv", 8_819, 18_059_974, 245_896, 7_437),
        ("azure_llm_2023_conv.csv", 19_366, 22_361_870, 4_088_665, 14_050),
    ] {
        let options = ReadOptions::default().with_requests_kept();
        let read = read_log(&[folder.join("traces").join(file)], &options).unwrap();
        let (log, tokens) = (&read.value, read.value.production().tokens());
        assert_eq!(log.recognition().format(), "azure-llm");
        assert_eq!((log.counts().used, log.counts().other), (rows, 1), "{file}");
        assert_eq!((tokens.prompt, tokens.output), (prompt, output), "{file}");
        let lengths = log.requests().iter().filter_map(|r| r.tokens.prompt.value());
        assert_eq!(lengths.max().map(trueline_core::Tokens::get), Some(longest), "{file}");
        let found: Vec<_> = read.outcomes.findings().map(|finding| finding.code).collect();
        assert_eq!(found, ["zone-unknown", "cached-tokens-unknown"], "{file}");
    }
}

/// Sums by plain Python over the same rows.
#[test]
fn tracelab_rounds_say_what_was_read_from_the_cache() {
    let Some(folder) = corpus() else { return };
    for file in ["derived", "sanitized"] {
        let path =
            folder.join(format!("traces/tracelab/example_sessions_{file}_round_trace.jsonl"));
        let read = read_log(&[path], &ReadOptions::default()).unwrap();
        let (log, tokens) = (&read.value, read.value.production().tokens());
        assert_eq!(log.recognition().format(), "tracelab");
        assert_eq!((log.counts().used, log.counts().new_tokens_differ), (19, 0));
        assert_eq!((tokens.prompt, tokens.cached, tokens.new), (514_012, 473_556, 40_456));
        assert_eq!(tokens.output, 11_335);
        assert_eq!(log.unknown_fields().get("trace_key"), None);
        assert_eq!(read.outcomes.findings().count(), 0);
    }
}

/// The five requests of a capture: the log says how many tokens of a prompt were computed, and of no request when;
/// what its client was told is prompt and cached tokens. Of four of them the client's side was kept.
#[test]
fn mlx_lms_log_and_its_client_agree_on_what_both_state() {
    let Some(folder) = corpus() else { return };
    let folder = folder.join("servers/mlx-lm-server");
    let log = std::fs::read_to_string(folder.join("log-debug.txt")).unwrap();
    let ended = |line: &str| {
        let (at, of) = line.split_once("Prompt processing progress: ")?.1.split_once('/')?;
        (at == of).then(|| of.parse::<u64>().unwrap())
    };
    let computed: Vec<u64> = log.lines().filter_map(ended).collect();
    let new = |text: &str| {
        let options = ReadOptions::default().with_requests_kept();
        let log = read_log_from("reply", text.as_bytes(), &options).unwrap().value;
        assert_eq!(log.counts().used, 1, "{text}");
        log.requests()[0].new_tokens().value().unwrap().get()
    };
    let raw = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let timed = |name: &str| -> String {
        let rows = raw(name);
        let parts = rows.lines().map(|row| serde_json::from_str::<Value>(row).unwrap());
        parts.map(|row| row["bytes"].as_str().unwrap().to_owned()).collect()
    };
    let client = [
        new(&raw("chat-stream.raw")),
        new(&timed("ts-cold.jsonl")),
        new(&timed("ts-identical-repeat.jsonl")),
        new(&raw("chat.raw")),
    ];
    // 25 of 25, 338 of 346, 1 of 348, 1 of 25; the client of the third request was not kept.
    assert_eq!(client, [25, 338, 1, 1]);
    assert_eq!(computed, [25, 338, 18, 1, 1]);
    let read = read_log(&[folder.join("log-debug.txt")], &ReadOptions::default()).unwrap().value;
    assert_eq!(read.counts().used, computed.len() as u64);
    assert_eq!((read.counts().unknown_ttft, read.production().decode().len()), (5, 0));
}

/// The last chunk of two captured streams: 154.723 ms for 18 new tokens of 956, 341.47 ms for 15 steps; the other one
/// has timings in each of its chunks, the last of them 30.884 and 309.331 ms.
#[test]
fn streams_of_llama_cpp_keep_the_times_of_their_last_chunk() {
    let Some(folder) = corpus() else { return };
    for (name, prompt, cached, prefill_us, decode_us) in [
        ("chat-stream-warm.raw", 956, 938, 154_723, 341_470),
        ("chat-stream-timings-per-token.raw", 26, 21, 30_884, 309_331),
    ] {
        let options = ReadOptions::default().with_requests_kept();
        let path = folder.join("llama-server").join(name);
        let log = read_log(&[path], &options).unwrap().value;
        let [request] = log.requests() else { panic!("{name}") };
        let took = |stretch| request.spans.get(stretch).value().unwrap().as_micros();
        let tokens = &request.tokens;
        let counts = [tokens.prompt, tokens.cached].map(|count| count.value().unwrap().get());
        assert_eq!(counts, [prompt, cached], "{name}");
        assert_eq!(took(Stretch::PrefillCompute), prefill_us, "{name}");
        assert_eq!(took(Stretch::ServerDecode), decode_us, "{name}");
    }
}
