//! Damaged inputs: nothing panics, nothing is lost without being counted.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use trueline_logs::{Counts, ErrorKind, ReadOptions, Reason, read_log, read_log_from};

use crate::read;

const ROW: &str = r#"{"id":"a","prompt_tokens":1000,"cached_tokens":0,"ttft_s":2.0}"#;

fn counts(text: &str) -> Counts {
    *read(text).counts()
}

fn kind(bytes: &[u8]) -> ErrorKind {
    read_log_from("test", bytes, &ReadOptions::default()).unwrap_err().kind()
}

fn adds_up(c: &Counts) -> bool {
    c.read() == c.used + c.own + c.rejected.total() + c.warmup
}

#[test]
fn a_log_cut_at_any_byte_is_read_or_refused_and_adds_up() {
    let text: String = (0..6)
        .map(|i| format!(r#"{{"id":"r{i}","prompt_tokens":{},"cached_tokens":0,"ttft_s":1.5,"reported":{{"x":1.5}}}}{}"#, 900 + i, "\r\n"))
        .collect();
    let row = text.find('\n').unwrap() + 1;
    for end in 0..=text.len() {
        let Ok(log) = read_log_from("cut", &text.as_bytes()[..end], &ReadOptions::default()) else {
            // Only what ends inside the first row holds no record.
            assert!(end < row, "{end}");
            continue;
        };
        let c = *log.value.counts();
        assert!(adds_up(&c));
        // By hand: whole rows are used, a row without its line end is used too, a piece is a tail.
        let (whole, piece) = (end / row, end % row);
        let complete = piece >= row - 2;
        assert_eq!(c.used, (whole + usize::from(complete)) as u64, "{end}");
        assert_eq!(c.incomplete_tail, u64::from(piece > 0 && !complete), "{end}");
        assert_eq!(c.rejected.total(), 0, "{end}");
        assert_eq!(log.outcomes.has("truncated-file"), piece > 0 && !complete, "{end}");
    }
}

#[test]
fn damaged_lines_are_salvaged_or_rejected_with_a_reason() {
    // Line, used, rejected, reason.
    let deep = format!(r#"{{"id":"d","x":{}{}}}"#, "[".repeat(200), "]".repeat(200));
    let cases: [(&str, u64, u64, Option<Reason>); 12] = [
        (&format!("{ROW}{ROW}"), 2, 0, None),
        (&format!(r#"{{"id":"b","prompt_to{ROW}"#), 1, 1, Some(Reason::Torn)),
        (r#"tokens":5, "ttft_s": 3.0}"#, 0, 1, Some(Reason::Torn)),
        (r#"{"id":"c","ttft_s":}"#, 0, 1, Some(Reason::NotJson)),
        (r#"{"level":"info","msg":"started"}"#, 0, 1, Some(Reason::OtherSchema)),
        (&deep, 0, 1, Some(Reason::TooDeep)),
        ("INFO: 127.0.0.1 - \"GET /health HTTP/1.1\" 200 OK", 0, 0, None),
        (&format!("[2026-11-29 12:00:00] {ROW}"), 1, 0, None),
        (r#"{"id":"n","prompt_tokens":10,"ttft_s":NaN,"cached_tokens":-Infinity}"#, 1, 0, None),
        (r#"{"id":"\ud83d alone","prompt_tokens":10}"#, 1, 0, None),
        ("{\"id\":\"a\tb\",\"prompt_tokens\":10}", 1, 0, None),
        ("   ", 0, 0, None),
    ];
    for (line, used, rejected, reason) in cases {
        let c = counts(&format!("{ROW}\n{line}\n{ROW}\n"));
        assert_eq!((c.used - 2, c.rejected.total()), (used, rejected), "{line}");
        if let Some(reason) = reason {
            assert_eq!(c.rejected.of(reason), 1, "{line}");
        }
        assert!(adds_up(&c));
    }
}

#[test]
fn what_was_repaired_is_counted() {
    let c = counts(&format!("{ROW}\n{}\n", r#"{"id":"n","ttft_s":NaN,"prompt_tokens":1e400}"#));
    // 1e400 is JSON, and no number that a float holds: that value is missing, the row is kept.
    assert_eq!((c.used, c.rejected.total(), c.non_finite, c.unknown_prompt), (2, 0, 1, 1));
    // A cut record turns the quotes of the whole one behind it round; its bare NaN is found.
    let glued = r#"{"id":"q","st{"id":"b","ttft_s":NaN,"prompt_tokens":9}"#;
    let c = counts(&format!("{ROW}\n{glued}\n"));
    assert_eq!((c.used, c.torn, c.non_finite), (2, 1, 1));
    let c = counts(&format!("{ROW}\n{}\n", r#"{"id":"n","ttft_s":NaN,"prompt_tokens":7}"#));
    assert_eq!((c.non_finite, c.unknown_ttft), (1, 1));
    let c = counts(&format!("{ROW}\n{}\n", r#"{"id":"\ud800","ttft_s":1}"#));
    assert_eq!((c.used, c.bad_text), (2, 1));
    let mut bytes = ROW.as_bytes().to_vec();
    bytes.extend_from_slice(b"\n{\"id\":\"\xff\xfe\",\"ttft_s\":1}\n");
    let log = read_log_from("t", &bytes[..], &ReadOptions::default()).unwrap().value;
    assert_eq!((log.counts().used, log.counts().bad_text), (2, 1));
}

#[test]
fn a_key_twice_with_different_values_is_reported_and_neither_is_used() {
    let row = r#"{"prompt_tokens":1000,"cached_tokens":0,"cached_tokens":900,"ttft_s":1}"#;
    let log = read_log_from("t", row.as_bytes(), &ReadOptions::default()).unwrap();
    let c = log.value.counts();
    assert_eq!((c.duplicate_keys, c.impossible, c.used), (1, 1, 1));
    assert_eq!(log.value.production().cells().count(), 0);
    assert!(log.outcomes.has("duplicate-keys"));
    // The same value twice says nothing false.
    let row = r#"{"prompt_tokens":1000,"cached_tokens":5,"cached_tokens":5,"ttft_s":1}"#;
    let log = read_log_from("t", row.as_bytes(), &ReadOptions::default()).unwrap();
    assert!(!log.outcomes.has("duplicate-keys"));
    assert_eq!(log.value.production().cells().count(), 1);
}

#[test]
fn byte_order_marks_and_windows_line_ends_are_no_damage() {
    let c = counts(&format!("\u{feff}{ROW}\r\n{ROW}\r\n\r\n{ROW}"));
    assert_eq!((c.used, c.other, c.rejected.total(), c.bad_text), (3, 1, 0, 0));
}

#[test]
fn a_line_of_three_megabytes_is_a_line() {
    let long = format!(r#"{{"note":"{}","prompt_tokens":5,"ttft_s":1}}"#, "x".repeat(3 << 20));
    for block in [1, 1 << 16, 4 << 20] {
        let options = ReadOptions::default().with_block_bytes(block).with_threads(2);
        let text = format!("{ROW}\n{long}\n{ROW}\n");
        let read = read_log_from("t", text.as_bytes(), &options).unwrap().value;
        assert_eq!((read.counts().used, read.lines()), (3, 3));
    }
}

#[test]
fn compressed_input_is_read_member_by_member_and_as_far_as_it_goes() {
    let gzip = |text: &str| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let rows: String = (0..3_000)
        .map(|i| {
            format!("{{\"id\":\"{}\",\"prompt_tokens\":{i},\"ttft_s\":1}}\n", i * 7_919 % 3_001)
        })
        .collect();
    let mut two = gzip(&rows);
    two.extend(gzip(&rows));
    let log = read_log_from("t.gz", &two[..], &ReadOptions::default()).unwrap();
    assert_eq!(log.value.counts().used, 6_000);
    assert!(!log.outcomes.has("truncated-file"));

    let cut = &two[..two.len() - 2_000];
    let log = read_log_from("t.gz", cut, &ReadOptions::default()).unwrap();
    assert!(log.outcomes.has("truncated-file"));
    assert!((3_000..6_000).contains(&log.value.counts().used));
    assert_eq!(kind(&two[..12]), ErrorKind::Binary);
}

#[test]
fn what_cannot_be_a_log_is_an_error_that_says_so() {
    for (bytes, expected) in [
        (&b""[..], ErrorKind::Empty),
        (b" \r\n\n", ErrorKind::Empty),
        (b"\x7fELF\x00\x00", ErrorKind::Binary),
        (b"\xff\xfe{\x00", ErrorKind::Binary),
        (b"hello\nworld\n", ErrorKind::UnknownFormat),
        (b"{\"a\":1}\n", ErrorKind::UnknownFormat),
        (b"{\"prompt_tok", ErrorKind::UnknownFormat),
        (b"{\"schema\":\"trueline.requests/1\",\"role\":\"x\"}\n", ErrorKind::Header),
    ] {
        assert_eq!(kind(bytes), expected, "{bytes:?}");
    }
    let error = read_log(&["/nonexistent/x.jsonl".into()], &ReadOptions::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(std::error::Error::source(&error).is_some());
    let error = read_log(&["/".into()], &ReadOptions::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Directory);
    let error = read_log_from("x.log", &b"{\"a\":1}"[..], &ReadOptions::default()).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("docs/formats.md") && text.contains("keys a;"), "{text}");
}

#[test]
fn what_another_program_takes_is_sent_to_it() {
    let error = |text: &str| {
        read_log_from("f", text.as_bytes(), &ReadOptions::default()).unwrap_err().to_string()
    };
    let counters = error("# HELP x\nvllm:request_success_total{finished_reason=\"stop\"} 40\n");
    assert!(
        counters.contains("counters of vllm") && counters.contains("--metrics-url"),
        "{counters}"
    );
    let results = error(include_str!("../data/results/made-up/guidellm.json"));
    assert!(results.contains("results of GuideLLM, which check_results"), "{results}");
    let list = error("[{\"model\":\"m\"},{\"model\":\"m\"}]");
    assert!(list.contains("found a JSON list (write one object a line: jq -c '.[]')"), "{list}");
    let pretty = error("{\n  \"prompt_eval_count\": 5\n}\n");
    assert!(pretty.contains("over several lines"), "{pretty}");
    assert!(error("{\"prompt_tok").contains("one JSON object that breaks off"));
    // A body that somebody sent is no row of a gateway.
    let asked = error(r#"{"model":"m","messages":[],"stream":true,"max_tokens":5}"#);
    assert!(asked.contains("found objects with the keys max_tokens, messages"), "{asked}");
    let options = ReadOptions::default().with_format("vllm");
    let forced = read_log_from("f", ROW.as_bytes(), &options).unwrap_err().to_string();
    assert!(forced.contains("found none in 1 lines; leave --request-format out"), "{forced}");
}

#[test]
fn a_value_that_cannot_be_is_named_by_its_field() {
    let row = r#"{"id":"a","prompt_tokens":5000,"cached_tokens":0,"ttft_s":-1,"queue_s":NaN}"#;
    let log = read_log_from("t", row.as_bytes(), &ReadOptions::default()).unwrap();
    let found = log.outcomes.findings().find(|f| f.code == "impossible-value").unwrap();
    assert_eq!(
        found.message,
        "1 record with a value that cannot be, 1 record with a value that is not finite (queue_s in 1, ttft_s in \
         1), of 1 record"
    );
}

#[test]
fn a_time_as_long_as_the_host_is_up_enters_no_figure() {
    // By hand: nine requests of 20 tokens with 19 steps in a second; one whose decode took 4.9 days.
    let row = |decode: f64| {
        format!(
            "{{\"id\":\"a\",\"prompt_tokens\":5000,\"cached_tokens\":0,\"output_tokens\":20,\"ttft_s\":2.0,\"decode_s\":{decode}}}\n"
        )
    };
    let log = read(&(row(1.0).repeat(9) + &row(423_360.0)));
    let decode = log.production().decode();
    assert_eq!((decode.len(), decode.quantile(trueline_core::Share::NONE)), (9, Some(19.0)));
    assert_eq!(log.production().disorders().values().sum::<u64>(), 1);
    assert_eq!(log.counts().unknown_ttft, 0);
}

#[test]
fn rows_of_another_format_are_set_apart_wherever_a_block_ends() {
    let ollama = r#"{"model":"m","created_at":"2026-11-29T13:00:00Z","done":true,"prompt_eval_count":300,"prompt_eval_duration":1000000,"eval_count":20,"eval_duration":500000}"#;
    let llama = r#"{"id":"c","model":"m","usage":{"prompt_tokens":300},"timings":{"prompt_n":300,"prompt_ms":10}}"#;
    // A row of both marks is the file's own, and so is one whose other mark stands inside.
    let both = ollama.replace("\"done\"", "\"timings\":{},\"done\"");
    let inside =
        r#"{"model":"m","created_at":"2026-11-29T13:00:00Z","done":true,"x":{"timings":1}}"#;
    let text = [ollama, llama, &both, inside, llama, ollama].join("\n");
    for block in [16, 64, 200, 400, 1 << 20] {
        for threads in [1, 2] {
            let options = ReadOptions::default()
                .with_format("ollama")
                .with_block_bytes(block)
                .with_threads(threads);
            let counts = *crate::read_with(&text, &options).counts();
            let apart = counts.rejected.of(trueline_logs::Reason::OtherFormat);
            assert_eq!((counts.used, apart), (4, 2), "{block} {threads}");
        }
    }
}

#[test]
fn one_row_is_a_log_and_a_log_of_which_every_row_is_bad_is_one_too() {
    let log = read(ROW);
    assert_eq!(log.counts().used, 1);
    let bad = format!("{}{ROW}", "{\"id\":\"x\",\"prompt_tokens\":,}\n".repeat(200));
    let log = read_log_from("t", bad.as_bytes(), &ReadOptions::default());
    // 64 lines decide on the format; none of them is an object.
    assert_eq!(log.unwrap_err().kind(), ErrorKind::UnknownFormat);
    let options = ReadOptions::default().with_format("trueline");
    let log = read_log_from("t", bad.as_bytes(), &options).unwrap();
    assert_eq!((log.value.counts().used, log.value.counts().rejected.total()), (1, 200));
    assert!(log.outcomes.has("rejected-lines"));
}

#[test]
fn a_document_is_read_whole_though_one_line_of_it_is_longer_than_any_of_rows() {
    // 65 MiB of a text that no reader needs: a row of that length is skipped.
    let filler = "x".repeat(65 << 20);
    let document = format!(
        r#"{{"id":"a","block_size":64,"requests":[{{"in":128,"out":3,"hash_ids":[1,2]}}],"models":["{filler}"]}}"#
    );
    let log = read_log_from("t", document.as_bytes(), &ReadOptions::default()).unwrap().value;
    assert_eq!(log.recognition().format(), "weka");
    assert_eq!((log.counts().used, log.counts().rejected.total()), (1, 0));
    let rows =
        format!("{{\"id\":\"a\",\"x\":\"{filler}\"}}\n{{\"id\":\"b\",\"prompt_tokens\":5}}\n");
    let log = read_log_from("t", rows.as_bytes(), &ReadOptions::default()).unwrap().value;
    assert_eq!((log.counts().used, log.counts().rejected.of(Reason::TooLong)), (1, 1));
}
