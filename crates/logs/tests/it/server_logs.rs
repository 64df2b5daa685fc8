//! Heads of all formats: each is known for what it is, and taken for no other.

use trueline_logs::{LOG_FORMATS, ReadOptions, read_log_from};

use crate::read;

/// Some lines of each format.
const HEADS: [(&str, &str); 10] = [
    ("trueline", r#"{"id":"a","prompt_tokens":1000,"cached_tokens":0,"ttft_s":2.0}"#),
    (
        "mtplx",
        r#"{"logged_at_s":1795954700.5,"prompt_tokens":47556,"cached_tokens":47351,"new_prefill_tokens":205,"ttft_s":2.0}"#,
    ),
    ("mooncake", r#"{"timestamp":0,"input_length":600,"output_length":52,"hash_ids":[46,47]}"#),
    (
        "weka",
        r#"{"id":"c","block_size":64,"requests":[{"t":0,"in":100,"out":5,"hash_ids":[1,2],"ttft":1.0}]}"#,
    ),
    (
        "llama-cpp-log",
        "slot print_timing: id  0 | task 1 | \nprompt eval time =     400.00 ms /    80 tokens (    5.00 ms per token,   200.00 tokens per second)\n",
    ),
    (
        "llama-cpp",
        r#"{"id":"chatcmpl-1","model":"m","usage":{"prompt_tokens":100},"timings":{"cache_n":20,"prompt_n":80,"prompt_ms":400.0}}"#,
    ),
    (
        "ollama-log",
        "slot print_timing: id  0 | task 1 | \nprompt eval time =     400.00 ms /    80 tokens (    5.00 ms per token,   200.00 tokens per second)\n[GIN] 2026/08/19 - 19:40:54 | 200 |   1.5s |    127.0.0.1 | POST     \"/api/chat\"\n",
    ),
    (
        "ollama",
        r#"{"model":"m","done":true,"total_duration":2000000000,"prompt_eval_count":100,"prompt_eval_duration":1000000000,"eval_count":11}"#,
    ),
    (
        "mlx-lm-log",
        "2026-11-29 11:54:05,450 - INFO - Starting httpd at 127.0.0.1 on port 8082...\n127.0.0.1 - - [29/Nov/2026 11:54:08] \"POST /v1/chat/completions HTTP/1.1\" 200 -\n",
    ),
    (
        "halogen-log",
        "INFO:     10.0.0.1:49858 - \"POST /v1/chat/completions HTTP/1.1\" 200 OK\nserve_api: mtp 200 tok in 8.00s = 25.00 t/s | prompt 6000 (5500 cached), prefill 2.5s | detok 9us/tok\n",
    ),
];

#[test]
fn each_format_is_known_from_its_first_lines() {
    for (name, head) in HEADS {
        let log = read(head);
        assert_eq!(log.recognition().format(), name);
        assert!(!log.recognition().evidence().is_empty());
    }
}

#[test]
fn a_log_read_as_another_format_is_refused_or_says_that_nothing_fits() {
    let ours = ["llama-cpp-log", "llama-cpp", "ollama-log", "ollama", "mlx-lm-log", "halogen-log"];
    for format in LOG_FORMATS.iter().filter(|format| ours.contains(&format.name)) {
        for (name, head) in HEADS.iter().filter(|(name, _)| *name != format.name) {
            // Ollama's log holds llama.cpp's lines, and is read for those.
            if matches!(
                (format.name, *name),
                ("llama-cpp-log", "ollama-log") | ("ollama-log", "llama-cpp-log")
            ) {
                continue;
            }
            let options = ReadOptions::default().with_format(format.name);
            let Ok(read) = read_log_from("t", head.as_bytes(), &options) else { continue };
            let timed = read.value.production().computed_cells().count();
            assert_eq!(timed, 0, "{name} as {}", format.name);
        }
    }
}

#[test]
fn text_that_is_no_log_of_a_server_is_none() {
    for text in [
        "INFO 11-29 12:00:00 [loggers.py:127] Engine 000: Avg prompt throughput: 10.0 tokens/s\n",
        "[2026-11-29 12:00:00] Prefill batch, #new-seq: 1, #new-token: 100, #cached-token: 20\n",
        "llama_perf_context_print: prompt eval time =     400.00 ms /    80 tokens (    5.00 ms per token,   200.00 tokens per second)\n",
        "INFO:     127.0.0.1:50000 - \"POST /v1/chat/completions HTTP/1.1\" 200 OK\n",
        "time=2026-08-19T19:40:55.572+02:00 level=INFO source=main.go:12 msg=\"started\"\n",
        "srv  llama_server: model loaded\n",
    ] {
        let read = read_log_from("t", text.as_bytes(), &ReadOptions::default());
        assert!(read.is_err(), "{text}: {:?}", read.unwrap().value.recognition());
    }
}

#[test]
fn a_log_that_holds_no_times_says_so() {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/logs/mlx-lm.txt"));
    let log = read(&text.unwrap());
    assert_eq!(log.recognition().format(), "mlx-lm-log");
    let why = log.recognition().evidence();
    assert!(why.contains("holds no time of a request, and no count of tokens but"), "{why}");
    let counts = log.counts();
    assert!(counts.used > 0);
    assert_eq!((counts.unknown_prompt, counts.unknown_ttft), (counts.used, counts.used));
    assert_eq!(log.production().cells().count() + log.production().computed_cells().count(), 0);
}

#[test]
fn lines_that_stand_alone_are_read_alike_on_any_number_of_threads() {
    let span = |i: usize| {
        format!(
            r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{{"spanId":"s{i}","attributes":[{{"key":"gen_ai.usage.prompt_tokens","value":{{"intValue":"{}"}}}}]}}]}}]}}]}}"#,
            1_000 + i
        ) + "\n"
    };
    let summary = |i: usize| {
        format!(
            "INFO:     10.0.0.1:49858 - \"GET /health HTTP/1.1\" 200 OK\nserve_api: mtp {} tok in 8.00s = 25.00 t/s | \
             prompt 6000 (5500 cached), prefill 2.5s | detok 9us/tok\n",
            2 + i
        )
    };
    let access = |i: usize| {
        format!(
            "2026-11-29 11:54:05,450 - INFO - Prompt Cache: {i} sequences, 0.00 GB\n127.0.0.1 - - [29/Nov/2026 11:54:08] \
             \"POST /v1/chat/completions HTTP/1.1\" {} -\n",
            200 + i % 2 * 200
        )
    };
    let texts: [(&str, String); 3] = [
        ("otlp-lines", (0..300).map(span).collect()),
        ("halogen-log", (0..300).map(summary).collect()),
        ("mlx-lm-log", (0..300).map(access).collect()),
    ];
    for (format, text) in texts {
        // The last line breaks off.
        let text = &text[..text.len() - 9];
        let read = |threads, bytes| {
            let options = ReadOptions::default().with_requests_kept();
            let options = options.with_threads(threads).with_block_bytes(bytes);
            read_log_from("t", text.as_bytes(), &options).unwrap().value
        };
        let one = read(1, 1 << 20);
        assert_eq!(one.recognition().format(), format);
        assert!(one.requests().len() >= 299, "{format}");
        for (threads, bytes) in [(1, 500), (4, 500), (3, 7_000)] {
            let other = read(threads, bytes);
            assert_eq!(one.requests(), other.requests(), "{format}");
            assert_eq!(one.counts(), other.counts(), "{format}");
            assert_eq!((one.production(), one.lines()), (other.production(), other.lines()));
        }
    }
}
