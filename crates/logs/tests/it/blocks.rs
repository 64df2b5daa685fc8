//! Hashes of the blocks of prompts: read, held against the prompt, written and read again.

use std::time::Duration;

use trueline_core::{BenchRun, PromptBlocks, RequestRecord, Side, Tokens};
use trueline_logs::{
    ErrorKind, LogSummary, Mapping, ReadOptions, read_log_from, read_runs_from, write_run,
};

use crate::read_with;

fn kept() -> ReadOptions {
    ReadOptions::default().with_requests_kept()
}

fn hashes(request: &RequestRecord) -> Option<(u64, Vec<u64>)> {
    request.blocks.as_ref().map(|blocks| (blocks.size().get(), blocks.hashes().to_vec()))
}

/// The hashes of one row of 100 prompt tokens, and whether it was found to be impossible.
fn row(more: &str) -> (Option<(u64, Vec<u64>)>, bool) {
    let text = format!("{{\"id\":\"a\",\"ttft_s\":1,\"prompt_tokens\":100{more}}}\n");
    let log = read_with(&text, &kept());
    (hashes(&log.requests()[0]), log.counts().impossible == 1)
}

#[test]
fn hashes_are_taken_with_their_size_or_not_at_all() {
    // 100 tokens are six blocks of 16 and a rest.
    let size = ",\"block_tokens\":16,\"block_hashes\":";
    let list = |hashes: &[u64]| Some((16, hashes.to_vec()));
    for (value, expected) in [
        ("[1,2,3]", list(&[1, 2, 3])),
        ("[ 7 , 7 ]", list(&[7, 7])),
        // The largest there is, and one that a signed hash has for minus one.
        ("[18446744073709551615,0]", list(&[u64::MAX, 0])),
        ("[-2]", list(&[u64::MAX - 1])),
        ("[1,2,3,4,5,6,7]", list(&[1, 2, 3, 4, 5, 6, 7])),
        ("[]", None),
        ("null", None),
    ] {
        assert_eq!(row(&format!("{size}{value}")), (expected, false), "{value}");
    }
    for value in [
        // An eighth block would lie behind the prompt.
        "[1,2,3,4,5,6,7,8]",
        "[1,null]",
        "[1.5]",
        "[1e3]",
        "[\"a\"]",
        "[[1]]",
        "[18446744073709551616]",
        "3",
        "\"1,2\"",
        "{}",
    ] {
        assert_eq!(row(&format!("{size}{value}")), (None, true), "{value}");
    }
    for more in [
        ",\"block_hashes\":[1]",
        ",\"block_tokens\":0,\"block_hashes\":[1]",
        ",\"block_tokens\":-1,\"block_hashes\":[]",
    ] {
        assert_eq!(row(more), (None, true), "{more}");
    }
    assert_eq!(row(",\"block_tokens\":16"), (None, false));
}

#[test]
fn hashes_in_a_line_that_has_to_be_decoded_are_the_same() {
    // An escape sends a row to the slow reader.
    let more = ",\"z\":\"\\u0041\",\"block_tokens\":16,\"block_hashes\":[18446744073709551615, 3]";
    assert_eq!(row(more), (Some((16, vec![u64::MAX, 3])), false));
}

#[test]
fn hashes_are_written_and_read_again() {
    let mut request = RequestRecord::default();
    request.tokens.prompt = RequestRecord::counted(1_025);
    let blocks = PromptBlocks::new(Tokens::new(512), vec![u64::MAX, 0, 3]).unwrap();
    request.blocks = Some(Box::new(blocks));
    let mut without = RequestRecord::default();
    without.tokens.prompt = RequestRecord::counted(1);
    let run = BenchRun::new("a", Side::Client, vec![request, without]);
    let mut file = Vec::new();
    write_run(&run, &mut file).unwrap();
    assert_eq!(read_runs_from("m", &file[..]).unwrap().value[0].requests, run.requests);
}

/// Three rows in the shape of Mooncake's traces; the numbers are made up.
const MOONCAKE: &str = r#"{"timestamp": 0, "input_length": 1025, "output_length": 52, "hash_ids": [46, 47, 48]}
{"timestamp": 3000, "input_length": 1000, "output_length": 26, "hash_ids": [46, 49]}
{"timestamp": 5999, "input_length": 300, "output_length": 7, "hash_ids": [50]}
"#;

#[test]
fn mooncake_rows_have_hashes_and_a_time_without_a_date() {
    let log = read_with(MOONCAKE, &kept());
    let recognition = log.recognition();
    assert_eq!(recognition.format(), "mooncake");
    assert_eq!(
        recognition.evidence(),
        "its keys: hash_ids, input_length, output_length, timestamp; 3 of 3 prompts have as many \
         hash_ids as blocks of 512 tokens"
    );
    let rows: Vec<_> = log
        .requests()
        .iter()
        .map(|request| {
            let tokens = &request.tokens;
            (
                request.sent_after.value().unwrap().as_millis(),
                tokens.prompt.value().unwrap().get(),
                tokens.output.value().unwrap().get(),
                hashes(request).unwrap(),
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            (0, 1_025, 52, (512, vec![46, 47, 48])),
            (3_000, 1_000, 26, (512, vec![46, 49])),
            (5_999, 300, 7, (512, vec![50])),
        ]
    );
    let first = &log.requests()[0];
    assert!(!first.started.is_known() && !first.tokens.cached.is_known());
    assert_eq!((log.counts().used, log.counts().unknown_cached), (3, 3));
    assert_eq!(log.production().window(), None);
    // A row with more hashes than blocks is none of this trace.
    let odd = MOONCAKE.replace("[50]", "[50, 51]");
    let log = read_with(&odd, &kept());
    assert_eq!((log.counts().impossible, hashes(&log.requests()[2])), (1, None));
}

/// A row with the same keys, seconds and blocks of 16.
const OTHER_BLOCKS: &str = r#"{"timestamp": 61.114, "input_length": 35, "output_length": 9, "hash_ids": [3, 4, 5]}
"#;

#[test]
fn the_same_keys_with_blocks_of_another_size_are_no_mooncake_trace() {
    let error = read_log_from("t", OTHER_BLOCKS.as_bytes(), &ReadOptions::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnknownFormat);
    assert!(error.to_string().contains("found 1 of 1 prompts with other numbers"), "{error}");
    let mapping = r#"
        name = "other"
        block_tokens = 16
        field = [
            { path = "timestamp", meaning = "sent_after", unit = "s" },
            { path = "input_length", meaning = "prompt_tokens" },
            { path = "hash_ids", meaning = "block_hashes" },
        ]"#;
    let read = |mapping: &str| -> LogSummary {
        read_with(OTHER_BLOCKS, &kept().with_mapping(Mapping::parse("m", mapping).unwrap()))
    };
    let log = read(mapping);
    assert_eq!(hashes(&log.requests()[0]), Some((16, vec![3, 4, 5])));
    assert_eq!(log.requests()[0].sent_after.value(), Some(Duration::from_millis(61_114)));
    for refused in ["block_tokens = 16\n", "16"] {
        let error = Mapping::parse("m", &mapping.replacen(refused, "", 1)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Mapping, "{refused}");
    }
}

#[test]
fn kept_requests_are_those_used_in_the_order_of_the_input() {
    let text: String = (0..2_000)
        .map(|i| {
            format!(
                "{{\"timestamp\":{},\"input_length\":{},\"hash_ids\":[{i}]}}\n",
                i % 7,
                i % 512 + 1
            )
        })
        .collect();
    let text = text + "{\"no\":1}\n{\"timestamp\":\n";
    let read = |options: &ReadOptions| read_with(&text, options);
    let one = read(&kept().with_threads(1));
    let order: Vec<u64> = one.requests().iter().filter_map(|r| Some(hashes(r)?.1[0])).collect();
    assert_eq!(order, (0..2_000).collect::<Vec<_>>());
    assert_eq!(one.counts().used, 2_000);
    let many = read(&kept().with_threads(4).with_block_bytes(999));
    assert_eq!(one.requests(), many.requests());
    assert!(read(&ReadOptions::default()).requests().is_empty());
}

#[test]
fn a_trace_cut_at_any_byte_is_read_or_refused_and_adds_up() {
    let row = MOONCAKE.find('\n').unwrap();
    for end in 0..=MOONCAKE.len() {
        let text = &MOONCAKE.as_bytes()[..end];
        let Ok(read) = read_log_from("cut", text, &kept()) else {
            // Only what ends inside the first row holds no record.
            assert!(end < row, "{end}");
            continue;
        };
        let counts = *read.value.counts();
        // A whole row without its line end is used, a piece of one is a tail.
        let whole = MOONCAKE[..end].matches('}').count() as u64;
        let piece = MOONCAKE[..end].lines().count() as u64 - whole;
        assert_eq!((counts.used, counts.incomplete_tail), (whole, piece), "{end}");
        assert_eq!((counts.rejected.total(), counts.impossible), (0, 0), "{end}");
        assert_eq!(read.value.requests().len() as u64, whole, "{end}");
    }
}
