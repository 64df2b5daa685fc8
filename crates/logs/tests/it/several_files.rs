//! Logs in several files: compressed, rotated, doubled, kept by a container's runtime.

use std::io::Write;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;
use trueline_core::{CheckOutcome, Checked};
use trueline_logs::{LogSummary, ReadOptions, read_log, read_log_from};

/// Rows that start a second apart, from a second of the epoch on.
fn rows(ids: std::ops::Range<u32>, from_s: u32) -> String {
    ids.map(|i| {
        format!(
            "{{\"id\":\"r{i}\",\"started_at_s\":{}.5,\"prompt_tokens\":{},\"cached_tokens\":0,\"ttft_s\":1.5}}\n",
            from_s + i,
            1_000 + i
        )
    })
    .collect()
}

/// Files in a folder of their own, read in the order given.
fn read_files(test: &str, files: &[(&str, &[u8])]) -> Checked<LogSummary> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("several_files").join(test);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let paths: Vec<PathBuf> = files
        .iter()
        .map(|(name, bytes)| {
            let path = folder.join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        })
        .collect();
    let reads = [(1, 1 << 20), (3, 300)].map(|(threads, block)| {
        let options = ReadOptions::default().with_threads(threads).with_block_bytes(block);
        read_log(&paths, &options).unwrap()
    });
    let [one, many] = reads;
    assert_eq!(one.value, many.value, "{test}");
    one
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn names(log: &LogSummary) -> Vec<&str> {
    log.files().iter().map(|file| file.name.rsplit('/').next().unwrap()).collect()
}

#[test]
fn rotated_files_stand_in_the_order_of_their_first_stamps() {
    for (test, given, expected) in [
        (
            "numbers",
            ["x.log", "x.log.1", "x.log.10", "x.log.2"],
            ["x.log.10", "x.log.2", "x.log.1", "x.log"],
        ),
        (
            "hours",
            ["x.log", "x.log.2026-11-29_13", "x.log.2026-11-29_11", "x.log.2026-11-29_12"],
            ["x.log.2026-11-29_11", "x.log.2026-11-29_12", "x.log.2026-11-29_13", "x.log"],
        ),
        (
            "dates",
            ["m-20261129_13.log", "m-20261129_12.log", "m-20261129_11.log", "m-20261129_10.log"],
            ["m-20261129_10.log", "m-20261129_11.log", "m-20261129_12.log", "m-20261129_13.log"],
        ),
    ] {
        let texts: Vec<(&str, String)> = given
            .iter()
            .map(|name| {
                let place = (0..).zip(expected).find(|(_, e)| e == name).unwrap().0;
                (*name, rows(place * 10..place * 10 + 10, 1_000))
            })
            .collect();
        let files: Vec<_> = texts.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
        let log = read_files(test, &files);
        assert_eq!(names(&log.value), expected, "{test}");
        assert_eq!(log.value.counts().used, 40);
        assert!(!log.outcomes.has("wall-time-jump") && !log.outcomes.has("duplicate-rows"));
    }
}

#[test]
fn a_request_in_two_files_is_counted_once() {
    let (old, new) = (rows(0..30, 1_000), rows(20..50, 1_000));
    let log = read_files("overlap", &[("x.log.1", old.as_bytes()), ("x.log", new.as_bytes())]);
    let counts = log.value.counts();
    assert_eq!((counts.used, counts.doubled, log.value.lines()), (50, 10, 60));
    // By hand: prompts of 1,000 to 1,049 tokens.
    assert_eq!(log.value.production().tokens().prompt, 50 * 1_000 + 49 * 50 / 2);
    assert!(log.outcomes.has("duplicate-rows"));
    // Files that follow each other are whole.
    let log = read_files("follow", &[("a", old.as_bytes()), ("b", rows(30..50, 1_000).as_bytes())]);
    assert!(!log.outcomes.has("duplicate-rows"));
    let clear = |o: &CheckOutcome| matches!(o, CheckOutcome::Clear { code: "duplicate-rows", .. });
    assert!(log.outcomes.iter().any(clear));
}

#[test]
fn a_file_and_its_compressed_copy_are_read_once() {
    let text = rows(0..100, 1_000);
    let files = [("x.jsonl", text.as_bytes()), ("x.jsonl.gz", &gzip(&text)[..])];
    let log = read_files("copy", &files);
    assert_eq!((log.value.counts().used, log.value.counts().doubled), (100, 100));
    let copies: Vec<bool> = log.value.files().iter().map(|file| file.is_copy).collect();
    assert_eq!(copies, [false, true]);
    let message = log.outcomes.findings().find(|f| f.code == "duplicate-rows").unwrap();
    assert!(message.message.contains("x.jsonl.gz"), "{}", message.message);
}

#[test]
fn rows_alike_that_nothing_names_are_two_requests() {
    // Neither an id nor a wall time: the same lengths and times may be of two requests.
    let row = "{\"prompt_tokens\":1000,\"cached_tokens\":0,\"ttft_s\":1.5}\n";
    let log = read_files("nameless", &[("a", row.as_bytes()), ("b", row.as_bytes())]);
    assert_eq!((log.value.counts().used, log.value.counts().doubled), (2, 0));
    // One id with other numbers is another request, or another account of it.
    let (a, b) = (rows(0..1, 1_000), rows(0..1, 2_000));
    let log = read_files("renumbered", &[("a", a.as_bytes()), ("b", b.as_bytes())]);
    assert_eq!((log.value.counts().used, log.value.counts().doubled), (2, 0));
}

/// `rows.jsonl.zst` is what `zstd -19` 1.5 made of `rows(0..3_000, 1_000)`: two blocks of at most 128 KiB.
#[test]
fn zstd_streams_are_read_frame_by_frame_and_as_far_as_they_go() {
    let text = rows(0..3_000, 1_000);
    let frame = include_bytes!("../data/rows.jsonl.zst");
    let log = read_log_from("t", &frame[..], &ReadOptions::default()).unwrap();
    assert_eq!(log.value.counts().used, 3_000);
    assert_eq!(log.value.files()[0].bytes, text.len() as u64);
    assert!(!log.outcomes.has("truncated-file"));
    // A frame to be skipped before it, of five bytes, and another frame behind it.
    let mut two = vec![0x50, 0x2a, 0x4d, 0x18, 5, 0, 0, 0, 1, 2, 3, 4, 5];
    two.extend_from_slice(frame);
    two.extend_from_slice(frame);
    let log = read_log_from("t", &two[..], &ReadOptions::default()).unwrap();
    assert_eq!(log.value.counts().used, 6_000);
    // What is left of a stream that breaks off in its second frame is read.
    let log = read_log_from("t", &two[..two.len() - 10], &ReadOptions::default()).unwrap();
    assert!(log.outcomes.has("truncated-file"));
    let used = log.value.counts().used;
    // The first block of it holds 131,072 bytes, of rows of 82 bytes.
    assert!((4_500..6_000).contains(&used), "{used}");
    for cut in (0..two.len()).step_by(37) {
        let _ = read_log_from("t", &two[..cut], &ReadOptions::default());
    }
    let mut broken = frame.to_vec();
    let middle = broken.len() / 2;
    broken[middle] ^= 0xff;
    let _ = read_log_from("t", &broken[..], &ReadOptions::default());
}

#[test]
fn what_a_container_runtime_keeps_is_taken_out_of_its_entries() {
    let text = rows(0..20, 1_000);
    let stamp = "2026-11-01T12:00:00.123456789Z";
    let docker: String = text
        .lines()
        .map(|line| {
            let log = serde_json::to_string(&format!("{line}\n")).unwrap();
            format!("{{\"log\":{log},\"stream\":\"stdout\",\"time\":\"{stamp}\"}}\n")
        })
        .collect();
    let kubernetes: String =
        text.lines().map(|line| format!("{stamp} stdout F {line}\n")).collect();
    let plain = read_log_from("t", text.as_bytes(), &ReadOptions::default()).unwrap();
    for (kept, by) in [(docker, "Docker's json-file"), (kubernetes, "Kubernetes")] {
        let log = read_log_from("t", kept.as_bytes(), &ReadOptions::default()).unwrap();
        assert_eq!(log.value.production(), plain.value.production());
        assert!(log.value.recognition().evidence().contains(by));
        for cut in (0..kept.len()).step_by(11) {
            let cut = read_log_from("t", &kept.as_bytes()[..cut], &ReadOptions::default());
            let Ok(cut) = cut else { continue };
            let c = cut.value.counts();
            assert_eq!(c.read(), c.used + c.own + c.rejected.total() + c.warmup);
        }
    }
}

#[test]
fn two_accounts_of_one_request_are_told_apart_from_two_requests_of_one_id() {
    let row = |id: &str, at: u64, prompt: u64, output: u64| {
        format!(
            "{{\"id\":\"{id}\",\"started_at_s\":{at},\"prompt_tokens\":{prompt},\"cached_tokens\":0,\"output_tokens\":{output}}}\n"
        )
    };
    let differ = |a: &str, b: &str| {
        let log = read_files("accounts", &[("a", a.as_bytes()), ("b", b.as_bytes())]);
        let found = log.outcomes.findings().find(|f| f.code == "requests-in-two-logs").cloned();
        found.map(|f| f.message)
    };
    let a = row("chatcmpl-1", 1_000, 500, 20);
    // A gateway's start is a second earlier, its reply two tokens longer.
    let message = differ(&a, &row("chatcmpl-1", 999, 500, 22)).unwrap();
    assert!(message.contains("1 of 2 records") && message.contains("output tokens there, by 2"));
    // The same counts are counted twice all the same.
    assert!(differ(&a, &row("chatcmpl-1", 999, 500, 20)).is_some());
    // An hour later it is another request, and short ids are given again and again.
    assert_eq!(differ(&a, &row("chatcmpl-1", 4_600, 500, 22)), None);
    assert_eq!(differ(&row("7", 1_000, 500, 20), &row("7", 1_000, 500, 22)), None);
    // One log alone is held against nothing.
    let log = read_files("alone", &[("a", format!("{a}{a}").as_bytes())]);
    assert!(!log.outcomes.has("requests-in-two-logs"));
}
