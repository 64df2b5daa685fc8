//! llama.cpp's server: its log beside what its client recorded, all generations, damage.

use std::time::Duration;

use serde_json::Value;
use trueline_core::{Outcome, RequestRecord, Stretch, Tokens, Why};
use trueline_logs::{LogSummary, ReadOptions, Reason, read_log_from};

use crate::{read, read_with};

fn file(path: &str) -> String {
    std::fs::read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn kept(text: &str) -> LogSummary {
    read_with(text, &ReadOptions::default().with_requests_kept())
}

/// Prompt, cached and output tokens.
fn tokens(record: &RequestRecord) -> [Option<u64>; 3] {
    let tokens = &record.tokens;
    [tokens.prompt, tokens.cached, tokens.output].map(|count| count.value().map(Tokens::get))
}

fn took(record: &RequestRecord, stretch: Stretch) -> Option<Duration> {
    record.spans.get(stretch).value()
}

/// Hundredths of a millisecond, as the log prints them.
fn printed(ms: &Value) -> u128 {
    format!("{:.2}", ms.as_f64().unwrap()).replace('.', "").parse().unwrap()
}

#[test]
fn every_request_of_a_real_log_is_what_its_client_was_told() {
    let log = kept(&file("../../cases/llama-cpp-traffic/server.txt"));
    assert_eq!(log.recognition().format(), "llama-cpp-log");
    let why = log.recognition().evidence();
    assert!(why.starts_with("69 timings of prompts"), "{why}");
    assert!(why.ends_with("66 of 66 decode rates count the n - 1 steps between tokens"), "{why}");
    let client = file("../../cases/llama-cpp-traffic/traffic-client.jsonl");
    let mut rows: Vec<Value> = client.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!((log.requests().len(), rows.len()), (69, 69));
    for record in log.requests() {
        let hundredths = |stretch| took(record, stretch).map(|took| took.as_nanos() / 10_000);
        let is_its = |row: &Value| {
            let timings = &row["timings"];
            let [_, cached, output] = tokens(record);
            hundredths(Stretch::PrefillCompute) == Some(printed(&timings["prompt_ms"]))
                && output == timings["predicted_n"].as_u64()
                && cached == timings["cache_n"].as_u64()
        };
        let at = rows.iter().position(is_its).unwrap_or_else(|| panic!("{record:?}"));
        let row = rows.remove(at);
        let usage = &row["usage"];
        let stated = [
            usage["prompt_tokens"].as_u64(),
            usage["prompt_tokens_details"]["cached_tokens"].as_u64(),
            usage["completion_tokens"].as_u64(),
        ];
        assert_eq!(tokens(record), stated);
        let new = record.new_tokens().value().map(Tokens::get);
        assert_eq!(new, row["timings"]["prompt_n"].as_u64());
        let decode = stated[2].filter(|n| *n > 1).map(|_| printed(&row["timings"]["predicted_ms"]));
        assert_eq!(hundredths(Stretch::ServerDecode), decode);
        // The rate as the log prints it, of two decimals; it states what the reply stated.
        let [reported] = &record.reported[..] else { panic!("{record:?}") };
        let rate = row["timings"]["prompt_per_second"].as_f64().unwrap();
        assert!((reported.rate.value().unwrap().get() - rate).abs() < 0.005_001, "{reported:?}");
        let failed = matches!(record.outcome, Outcome::Failed | Outcome::Cancelled);
        assert_eq!(failed, row["status"] != 200);
        // No TTFT: the client's holds the wait for a slot, which the log does not.
        assert_eq!(record.any_ttft(), None);
        let ttft = row["ttft_s"].as_f64().unwrap();
        assert!(took(record, Stretch::PrefillCompute).unwrap().as_secs_f64() < ttft);
    }
    assert!(rows.is_empty());
}

#[test]
fn a_log_without_ttft_is_rated_by_prefill_computation_alone() {
    let log = read(&file("../../cases/llama-cpp-traffic/server.txt"));
    let (counts, production) = (log.counts(), log.production());
    assert_eq!((counts.used, counts.unknown_ttft, counts.unknown_cached), (69, 69, 0));
    // Python over the client's rows: sums of prompt_n + cache_n, cache_n, predicted_n; rows under 256 new.
    let sums = production.tokens();
    assert_eq!((sums.prompt, sums.cached, sums.new, sums.output), (45_282, 26_957, 18_325, 1_219));
    assert_eq!(counts.too_few_new_tokens, 55);
    assert_eq!(production.cells().map(|(_, stats)| stats.rates().len()).sum::<u64>(), 0);
    let cells: Vec<(String, u64, u64)> = production
        .computed_cells()
        .map(|(cell, stats)| (cell.to_string(), stats.requests(), stats.rates().len()))
        .collect();
    assert_eq!(cells.iter().map(|(_, n, _)| n).sum::<u64>(), 69);
    assert_eq!(cells[0], ("under 1k tokens, 0–5 % cached".to_owned(), 21, 9));
    let first = production.computed_cells().next().unwrap().1;
    // Python's statistics.median of prompt_n / prompt_ms, and sum over sum, of its 9 rows from 256 new tokens.
    let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-6, "{found}");
    close(first.rates().median().unwrap(), 584.496_294_781_226_9);
    close(first.sum_over_sum().unwrap().get(), 405.097_976_784_398_6);
    close(first.naive().median().unwrap(), 585.282_965_433_691_5);
}

/// One request of 100 prompt tokens with 20 cached, and 5 out, as three generations write it.
const NUMBERS: [&str; 3] = [
    "400.00 ms /    80 tokens (    5.00 ms per token,   200.00 tokens per second)",
    "100.00 ms /     5 tokens (   25.00 ms per token,    40.00 tokens per second)",
    "500.00 ms /    85 tokens",
];

fn today(slot: u64, task: u64) -> String {
    let line = |words: &str| {
        format!("0.01.880.653 I slot print_timing: id  {slot} | task {task} | {words}\n")
    };
    format!(
        "0.01.100.000 I slot launch_slot_: id  {slot} | task {task} | processing task, is_child = 0\n{}{}{}\
         0.01.880.766 I slot      release: id  {slot} | task {task} | stop processing: n_tokens = 104, truncated = 0\n",
        line(&format!("prompt eval time =     {}", NUMBERS[0])),
        line(&format!("       eval time =     {}", NUMBERS[1])),
        line(&format!("      total time =     {}", NUMBERS[2])),
    )
}

fn continued(slot: u64, task: u64) -> String {
    format!(
        "slot launch_slot_: id  {slot} | task {task} | processing task\nslot print_timing: id  {slot} | task {task} | \n\
         prompt eval time =     {}\n       eval time =     {}\n      total time =     {}\n\
         slot      release: id  {slot} | task {task} | stop processing: n_tokens = 104, truncated = 0\n",
        NUMBERS[0], NUMBERS[1], NUMBERS[2]
    )
}

#[test]
fn three_generations_and_whatever_stands_before_them_are_read_alike() {
    let of_2023: String = [("prompt eval", 0), ("       eval", 1)]
        .map(|(words, i)| format!("print_timings: {words} time =     {}\n", NUMBERS[i]))
        .concat();
    let of_2024: String = [("prompt eval", 0), ("generation eval", 1)]
        .map(|(words, i)| {
            format!(
                "INFO [           print_timings] {words} time     =     {} | tid=\"0x1\" timestamp=1720645909 \
                 id_slot=0 id_task=1\n",
                NUMBERS[i].replace("5 tokens", "5 runs")
            )
        })
        .concat();
    let before = |prefix: &str| {
        continued(0, 7).lines().map(|line| format!("{prefix}{line}\n")).collect::<String>()
    };
    for (text, known) in [
        (today(1, 0), true),
        (continued(1, 0), true),
        (before("[42027] "), true),
        (before("llama-1  | "), true),
        (before("\u{1b}[32m"), true),
        (before("Jun 18 08:57:40 host llama_server[1351]: "), true),
        // The older ones do not say what the slot holds, so the cached part is not known.
        (of_2023, false),
        (of_2024, false),
    ] {
        let log = kept(&text);
        let [record] = log.requests() else { panic!("{text}: {:?}", log.requests()) };
        let cached = if known { [Some(100), Some(20)] } else { [None, None] };
        assert_eq!(tokens(record), [cached[0], cached[1], Some(5)], "{text}");
        assert_eq!(took(record, Stretch::PrefillCompute), Some(Duration::from_millis(400)));
        assert_eq!(took(record, Stretch::ServerDecode), Some(Duration::from_millis(100)));
        // Four steps in 0.1 s, whatever the printed rate counts.
        assert_eq!(record.decode_rate().value().unwrap().get(), 40.0);
        assert_eq!((log.counts().rejected.total(), log.counts().unfinished), (0, 0), "{text}");
    }
}

#[test]
fn slots_that_take_turns_and_servers_behind_a_router_are_kept_apart() {
    let (a, b) = (continued(0, 7), continued(0, 7).replace("400.00 ms", "800.00 ms"));
    // Two servers with the same slot and task, line by line.
    let router: String =
        a.lines().zip(b.lines()).map(|(a, b)| format!("[8081] {a}\n[8082] {b}\n")).collect();
    let log = kept(&router);
    let compute: Vec<u128> = log
        .requests()
        .iter()
        .map(|record| took(record, Stretch::PrefillCompute).unwrap().as_millis())
        .collect();
    assert_eq!(compute, [400, 800]);
    // One server whose two slots take turns: each line names its own.
    let (a, b) = (today(0, 7), today(1, 8).replace("80 tokens", "90 tokens"));
    let mixed: String = a.lines().zip(b.lines()).map(|(a, b)| format!("{a}\n{b}\n")).collect();
    let log = kept(&mixed);
    let found: Vec<[Option<u64>; 3]> = log.requests().iter().map(tokens).collect();
    assert_eq!(found, [[Some(100), Some(20), Some(5)], [Some(100), Some(10), Some(5)]]);
}

#[test]
fn chunks_of_one_prompt_are_no_cache_hits() {
    let log = kept(&file("tests/data/logs/llama-cpp-lv4.txt"));
    let found: Vec<[Option<u64>; 3]> = log.requests().iter().map(tokens).collect();
    // `cached n_tokens` reads 0, 1, 459, 971 in the first, which was cold; one token of the second was cached.
    assert_eq!(found, [[Some(975), Some(0), Some(16)], [Some(975), Some(1), Some(16)]]);
    // The third was under way where the capture ends.
    assert_eq!(log.counts().unfinished, 1);
}

#[test]
fn a_cancelled_task_is_counted_and_has_no_times() {
    let log = kept(&file("tests/data/logs/llama-cpp-disconnect.txt"));
    assert_eq!((log.counts().used, log.counts().failed), (2, 2));
    assert!(log.requests().iter().all(|record| record.outcome == Outcome::Cancelled));
    assert_eq!(log.production().computed_cells().count(), 0);
}

#[test]
fn a_slot_whose_context_was_shifted_does_not_say_what_was_cached() {
    let log = kept(&today(0, 7).replace("truncated = 0", "truncated = 1"));
    assert_eq!(log.requests()[0].tokens.cached.why(), Some(Why::NeedsMore));
    assert_eq!(log.counts().unknown_prompt, 1);
    // More new tokens than the slot holds: it cannot be.
    let log = kept(&today(0, 7).replace("n_tokens = 104", "n_tokens = 50"));
    assert_eq!(log.requests()[0].tokens.prompt.why(), Some(Why::Impossible));
}

#[test]
fn a_log_cut_at_any_byte_loses_nothing_without_counting_it() {
    let text = today(0, 0) + &continued(1, 1) + &today(0, 2);
    let options = ReadOptions::default().with_format("llama-cpp-log");
    for end in 0..=text.len() {
        let cut = &text.as_bytes()[..end];
        let Ok(log) = read_log_from("cut", cut, &options) else { continue };
        let counts = *log.value.counts();
        assert_eq!(counts.read(), counts.used + counts.rejected.total(), "{end}");
        // Three requests begin; each is told, under way or torn off.
        assert!(counts.used + counts.unfinished <= 3, "{end}: {counts:?}");
        assert!(counts.rejected.total() == 0, "{end}: only the last line is cut");
        let small = options.clone().with_block_bytes(64);
        let small = read_log_from("cut", cut, &small).unwrap().value;
        assert_eq!(small.production(), log.value.production(), "{end}");
    }
    // A line that is cut in the middle of a file is rejected.
    let torn = text.replacen(
        "ms /    80 tokens (    5.00 ms per token,   200.00 tokens per second)",
        "ms",
        1,
    );
    let log = read(&torn);
    assert_eq!(log.counts().rejected.of(Reason::Torn), 1);
}

#[test]
fn kept_replies_say_what_the_log_says() {
    let client = file("../../cases/llama-cpp-traffic/traffic-client.jsonl");
    let rows = kept(&client);
    assert_eq!(rows.recognition().format(), "llama-cpp");
    let why = rows.recognition().evidence();
    assert!(why.contains("prompt_n counts new tokens alone in"), "{why}");
    assert!(why.contains("n - 1 steps"), "{why}");
    let log = read(&file("../../cases/llama-cpp-traffic/server.txt"));
    assert_eq!(rows.production().tokens(), log.production().tokens());
    assert_eq!(rows.production().cache(), log.production().cache());
    assert_eq!(rows.counts().new_tokens_differ, 0);
}

#[test]
fn a_reply_of_the_servers_own_endpoint_counts_the_prompt_where_its_name_says_evaluated() {
    // The numbers of a captured reply: 6 tokens, 1 of them cached; 12 out; the slot holds 17 at the end.
    let row = r#"{"content":"x","id_slot":1,"stop":true,"tokens_predicted":12,"tokens_evaluated":6,"tokens_cached":17,"timings":{"cache_n":1,"prompt_n":5,"prompt_ms":33.5,"predicted_n":12,"predicted_ms":172.65}}"#;
    let piece =
        r#"{"content":"x","id_slot":1,"stop":false,"tokens_predicted":2,"tokens_evaluated":6}"#;
    let log = kept(&format!("data: {piece}\n\ndata: {row}\n"));
    assert_eq!(tokens(&log.requests()[0]), [Some(6), Some(1), Some(12)]);
    assert_eq!((log.counts().used, log.counts().unknown_outcome), (1, 0));
    // An older build: no cached count, but the whole prompt and its new part.
    let old = row.replace("\"cache_n\":1,", "");
    assert_eq!(tokens(&kept(&old).requests()[0]), [Some(6), Some(1), Some(12)]);
}

#[test]
fn a_whole_chat_completion_with_timings_is_this_servers() {
    // Every key that a reply of OpenAI's shape has, and the timings that only llama.cpp writes.
    let row = r#"{"choices":[{"finish_reason":"stop","index":0,"message":{"role":"assistant","content":"x"}}],"created":1795954698,"model":"m.gguf","system_fingerprint":"b11434-0a1b2c3d","object":"chat.completion","usage":{"completion_tokens":5,"prompt_tokens":100,"total_tokens":105,"prompt_tokens_details":{"cached_tokens":20}},"id":"chatcmpl-1","timings":{"cache_n":20,"prompt_n":80,"prompt_ms":400.0,"predicted_n":5,"predicted_ms":100.0}}"#;
    let log = kept(row);
    assert_eq!(log.recognition().format(), "llama-cpp");
    let request = &log.requests()[0];
    assert_eq!(tokens(request), [Some(100), Some(20), Some(5)]);
    assert_eq!(took(request, Stretch::PrefillCompute), Some(Duration::from_millis(400)));
}

#[test]
fn a_server_that_counts_the_whole_prompt_is_found_by_its_rows() {
    // 1,000 tokens, 900 cached, 0.1 s: its rate says 10,000 tok/s where 1,000 new ones a second were computed.
    let row = r#"{"usage":{"prompt_tokens":10000,"prompt_tokens_details":{"cached_tokens":9000}},"timings":{"cache_n":9000,"prompt_n":10000,"prompt_ms":1000.0,"prompt_per_second":10000.0,"predicted_n":2,"predicted_ms":20.0}}"#;
    let log = read(&format!("{row}\n{row}\n"));
    assert_eq!((log.counts().new_tokens_differ, log.production().tokens().new), (2, 2_000));
    let why = log.recognition().evidence();
    assert!(why.contains("prompt_n counts cached tokens too in 2 of 2 warm rows"), "{why}");
    let (_, cells) = log.production().computed_reported().next().unwrap();
    assert_eq!(cells[0].1.ratio().median(), Some(10.0));
}

#[test]
fn rows_that_do_not_tell_what_prompt_n_counts_leave_a_range() {
    let row = |more: &str| {
        format!(
            "{{\"id\":\"a\",{more}\"timings\":{{\"prompt_n\":1000,\"prompt_ms\":2000.0,\"predicted_n\":5,\"predicted_ms\":100.0}}}}\n"
        )
    };
    let why = |text: &str| read(text).recognition().evidence().to_owned();
    // By hand: at most 1,000 tokens in 2 s.
    let alone = why(&row("").repeat(3));
    assert!(alone.contains("3 rows state neither cache_n nor the whole prompt"), "{alone}");
    assert!(alone.contains("between 0 and 500 tok/s"), "{alone}");
    let equal = row("\"usage\":{\"prompt_tokens\":1000},");
    let cold = why(&equal.repeat(3));
    assert!(cold.contains("3 rows without cache_n state prompt_n as long as the prompt"), "{cold}");
    // One row of a prompt that is longer tells of all.
    let longer = why(&(equal.repeat(3) + &row("\"usage\":{\"prompt_tokens\":4000},")));
    assert!(longer.contains("prompt_n counts new tokens alone in 1 of 1 warm rows"), "{longer}");
    assert!(!longer.contains("between 0"), "{longer}");
}
