//! Ollama: its final objects in four eras, and a log of three writers.

use std::time::Duration;

use trueline_core::{Outcome, RequestRecord, Side, Stretch, Tokens};
use trueline_logs::{LogSummary, ReadOptions, read_log_from};

use crate::{read, read_with};

fn kept(text: &str) -> LogSummary {
    read_with(text, &ReadOptions::default().with_requests_kept())
}

fn tokens(record: &RequestRecord) -> [Option<u64>; 3] {
    let tokens = &record.tokens;
    [tokens.prompt, tokens.cached, tokens.output].map(|count| count.value().map(Tokens::get))
}

/// A final object: 2 s in all, 1 s of it prefill, 0.5 s of it decode.
fn last(counts: &str) -> String {
    format!(
        r#"{{"model":"m","created_at":"2026-09-20T10:00:02.000000001Z","done":true,"done_reason":"stop","total_duration":2000000000,"load_duration":100000000,{counts}"prompt_eval_duration":1000000000,"eval_count":11,"eval_duration":500000000}}"#
    )
}

#[test]
fn a_count_with_its_cached_part_gives_the_rate_and_the_fault() {
    let row = last(r#""prompt_eval_count":10000,"prompt_eval_cached_count":9000,"#);
    let log = kept(&format!("{row}\n{row}\n"));
    assert_eq!(log.recognition().format(), "ollama");
    let why = log.recognition().evidence();
    assert!(why.contains("2 of 2 final objects say prompt_eval_cached_count"), "{why}");
    let record = &log.requests()[0];
    assert_eq!(tokens(record), [Some(10_000), Some(9_000), Some(11)]);
    assert_eq!(record.outcome, Outcome::Ok);
    // Ten steps in 0.5 s; it began 2 s before it was made.
    assert_eq!(record.decode_rate().value().unwrap().get(), 20.0);
    assert_eq!(record.started.value().unwrap().as_nanos(), 1_789_898_400_000_000_001);
    assert_eq!((record.ttft(Side::Server).value(), log.counts().unknown_ttft), (None, 2));
    // By hand: 1,000 new tokens in 1 s; the quotient that is quoted says 10,000.
    let cell = log.production().computed_cells().next().unwrap();
    assert_eq!(cell.0.to_string(), "8–20k tokens, 90–97 % cached");
    assert_eq!(cell.1.rates().sorted(), Some(&[1_000.0, 1_000.0][..]));
    assert_eq!(cell.1.naive().sorted(), Some(&[10_000.0, 10_000.0][..]));
    let (field, cells) = log.production().computed_reported().next().unwrap();
    assert_eq!(field, "prompt_eval_count / prompt_eval_duration");
    assert_eq!(cells[0].1.ratio().median(), Some(10.0));
}

#[test]
fn a_count_without_its_cached_part_gives_a_range() {
    let log = read_log_from(
        "t",
        last(r#""prompt_eval_count":10000,"#).as_bytes(),
        &ReadOptions::default(),
    )
    .unwrap();
    let production = log.value.production();
    assert_eq!((log.value.counts().unknown_cached, production.computed_cells().count()), (1, 0));
    let (low, high) = production.computed_unknown_cached().bounds().unwrap();
    assert_eq!((low.get(), high.get()), (0.0, 10_000.0));
    let found = log.outcomes.findings().find(|f| f.code == "cached-tokens-unknown").unwrap();
    assert!(found.message.contains("between 0 and 10000 tok/s"), "{}", found.message);
    let why = log.value.recognition().evidence();
    assert!(why.contains("none of 1 final objects says prompt_eval_cached_count"), "{why}");
}

#[test]
fn a_count_that_is_left_out_is_unknown_and_not_zero() {
    // Early 2024: the second request of one prompt has no count.
    let text = format!("{}\n{}\n", last(r#""prompt_eval_count":26,"#), last(""));
    let log = kept(&text);
    assert_eq!(tokens(&log.requests()[1]), [None, None, Some(11)]);
    assert_eq!(log.counts().unknown_prompt, 1);
    let why = log.recognition().evidence();
    assert!(why.contains("1 have no prompt_eval_count"), "{why}");
}

#[test]
fn pieces_of_a_streamed_reply_are_no_requests() {
    let piece = r#"{"model":"m","created_at":"2026-09-20T10:00:01Z","response":"x","done":false}"#;
    let row = last(r#""prompt_eval_count":10000,"prompt_eval_cached_count":0,"#);
    let log = read(&format!("{piece}\n{piece}\n{row}\n"));
    assert_eq!((log.counts().used, log.counts().other, log.counts().rejected.total()), (1, 2, 0));
    // A stated 0 is a count.
    assert_eq!(log.production().computed_cold().sum_over_sum().unwrap().get(), 10_000.0);
}

#[test]
fn versions_in_one_file_are_told_row_by_row() {
    let text = format!(
        "{}\n{}\n",
        last(r#""prompt_eval_count":10000,"#),
        last(r#""prompt_eval_count":10000,"prompt_eval_cached_count":9000,"#)
    );
    let log = read(&text);
    assert_eq!((log.counts().used, log.counts().unknown_cached), (2, 1));
    assert_eq!(log.production().computed_cells().count(), 1);
}

/// A request of 100 tokens, 20 cached, 5 out, as the runner tells it: 0.5 s of work.
fn runner(slot: u64, task: u64) -> String {
    format!(
        "slot launch_slot_: id  {slot} | task {task} | processing task, is_child = 0\n\
         slot   operator(): id  {slot} | task {task} | cached n_tokens = 20, memory_seq_rm [20, end)\n\
         slot print_timing: id  {slot} | task {task} | \n\
         prompt eval time =     400.00 ms /    80 tokens (    5.00 ms per token,   200.00 tokens per second)\n\
         \x20      eval time =     100.00 ms /     5 tokens (   25.00 ms per token,    40.00 tokens per second)\n\
         \x20     total time =     500.00 ms /    85 tokens\n\
         slot      release: id  {slot} | task {task} | stop processing: n_tokens = 104, truncated = 0\n"
    )
}

fn gin(took: &str, path: &str) -> String {
    format!("[GIN] 2026/08/19 - 19:40:54 | 200 |   {took} |    127.0.0.1 | POST     \"{path}\"\n")
}

const START: &str = "time=2026-08-19T19:40:50.557+02:00 level=INFO source=llama_server.go:1274 \
                     msg=\"llama-server started in 5.42 seconds\"\n";

#[test]
fn what_the_runner_says_is_joined_with_the_answer() {
    let text = format!(
        "{START}{}{}{}{}{}",
        gin("72.627µs", "/api/tags"),
        runner(0, 0),
        gin("1.5s", "/api/chat"),
        runner(0, 6),
        gin("1m2.3s", "/v1/chat/completions"),
    );
    let log = kept(&text);
    assert_eq!(log.recognition().format(), "ollama-log");
    let why = log.recognition().evidence();
    assert!(why.starts_with("2 answers to requests for text"), "{why}");
    let e2e: Vec<Option<Duration>> =
        log.requests().iter().map(|r| r.spans.get(Stretch::ServerE2e).value()).collect();
    assert_eq!(e2e, [Some(Duration::from_millis(1_500)), Some(Duration::from_millis(62_300))]);
    assert!(log.requests().iter().all(|r| tokens(r) == [Some(100), Some(20), Some(5)]));
    // 19:40:54 two hours east of Greenwich, less 1.5 s: 1,787,161,252.5 s after 1970.
    let started = log.requests()[0].started.value().unwrap();
    assert_eq!(started.as_nanos(), 1_787_161_252_500_000_000);
    assert_eq!((log.counts().used, log.counts().rejected.total()), (2, 0));
}

#[test]
fn answers_that_could_be_of_two_requests_are_joined_with_neither() {
    let mixed = format!(
        "{START}{}{}{}{}",
        runner(0, 0),
        runner(1, 1),
        gin("1.5s", "/api/chat"),
        gin("1.6s", "/api/chat")
    );
    let log = kept(&mixed);
    assert_eq!(log.counts().used, 2);
    assert!(log.requests().iter().all(|r| !r.spans.get(Stretch::ServerE2e).is_known()));
    assert_eq!(log.production().tokens().prompt, 200);
    // An answer that came sooner than the work was done is another request's.
    let other = format!("{}{}{}", runner(0, 0), gin("0.1s", "/api/chat"), gin("0.7s", "/api/chat"));
    let log = kept(&other);
    let found: Vec<[Option<u64>; 3]> = log.requests().iter().map(tokens).collect();
    assert_eq!(found, [[None; 3], [Some(100), Some(20), Some(5)]]);
}

#[test]
fn hits_of_the_mlx_runner_are_split_and_untimed() {
    let text = format!(
        "time=2026-08-19T19:40:55.572+02:00 level=INFO source=prefix_cache.go:124 msg=\"cache hit\" total=26244 matched=26050 cached=26050 left=194\n{}",
        gin("2.1s", "/v1/chat/completions")
    );
    let log = kept(&text);
    assert_eq!(tokens(&log.requests()[0]), [Some(26_244), Some(26_050), None]);
    // By hand: 26,050 of 26,244.
    let share = log.production().cache().token_weighted().unwrap().get();
    assert!((share - 0.992_607_8).abs() < 1e-6);
    assert_eq!(log.production().computed_cells().count(), 0);
}

#[test]
fn a_log_cut_at_any_byte_adds_up() {
    let text = format!("{START}{}{}{}", runner(0, 0), gin("1.5s", "/api/chat"), runner(0, 6));
    let options = ReadOptions::default().with_format("ollama-log");
    for end in 0..=text.len() {
        let Some(cut) = text.get(..end) else { continue };
        let Ok(log) = read_log_from("cut", cut.as_bytes(), &options) else { continue };
        let counts = *log.value.counts();
        assert_eq!(counts.read(), counts.used + counts.rejected.total(), "{end}");
        assert!(counts.used + counts.unfinished <= 2, "{end}: {counts:?}");
        let small = read_log_from("cut", cut.as_bytes(), &options.clone().with_block_bytes(64));
        assert_eq!(small.unwrap().value.production(), log.value.production(), "{end}");
    }
}
