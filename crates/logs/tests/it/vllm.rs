//! vLLM's log of every generation, and its replies.

use std::time::Duration;

use trueline_core::{Known, Severity, Side, Stretch, Tokens, TokensPerSecond};
use trueline_logs::{Intervals, LogSummary, ReadOptions, check_intervals, read_log_from};

use crate::read;

/// A log of V1 with everything around its lines: banner, access lines, blanks, colours, two processes.
fn v1(version: &str) -> String {
    let colour = |text: &str| format!("\u{1b}[1;36m{text}\u{1b}[0;0m");
    let api = colour("(APIServer pid=7)");
    let rate = |stamp: &str, prompt: f64, hit: f64, level: &str| {
        format!(
            "{api} {level} {stamp} [loggers.py:259] Engine 000: Avg prompt throughput: {prompt:.1} tokens/s, \
             Avg generation throughput: 20.0 tokens/s, Running: 2 reqs, Waiting: 1 reqs, GPU KV cache usage: 12.5%, \
             Prefix cache hit rate: {hit:.1}%  \n"
        )
    };
    let mut text = format!(
        "{api} INFO 12-31 23:58:00 [api_server.py:1839] vLLM API server version {version}\n"
    );
    text += &rate("12-31 23:59:35", 4_000.0, 50.0, "INFO");
    text += "INFO:     127.0.0.1:51000 - \"POST /v1/chat/completions HTTP/1.1\" 200 OK\n\n";
    text += &rate("12-31 23:59:45", 0.0, 50.0, "INFO");
    text += &rate("12-31 23:59:55", 8_000.0, 75.0, "INFO");
    // Across the turn of the year; then two lines that an idle server left out.
    text += &rate("01-01 00:00:05", 2_000.0, 75.0, "DEBUG");
    text += &rate("01-01 00:00:35", 1_000.0, 0.0, "INFO");
    // What a prompt holds is no line.
    text += &format!(
        "{api} INFO 01-01 00:00:36 [logger.py:39] Received request a: prompt: '{}', params: x\n",
        rate("01-01 00:00:36", 9e9, 0.0, "INFO").trim_end()
    );
    text
}

const PROMPT: &str = "Avg prompt throughput";

fn stats(log: &LogSummary, field: &str) -> trueline_logs::IntervalStats {
    log.intervals().get("vllm", field).unwrap().clone()
}

#[test]
fn interval_lines_are_kept_with_their_gaps_and_are_no_requests() {
    let log = read(&v1("0.17.0"));
    assert_eq!(log.recognition().format(), "vllm");
    assert_eq!(
        log.recognition().evidence(),
        "5 lines with vLLM's prompt and generation throughput"
    );
    // Nine lines: one banner, five of intervals, one access, one blank, one request.
    assert_eq!((log.lines(), log.counts().other, log.counts().read()), (9, 9, 0));
    assert_eq!((log.intervals().lines(), log.intervals().unreadable()), (5, 0));
    assert_eq!(log.conditions().get("server"), Some("vllm"));
    assert_eq!(log.conditions().get("server_version"), Some("0.17.0"));
    let prompt = stats(&log, PROMPT);
    assert_eq!(prompt.values().sorted(), Some(&[0.0, 1_000.0, 2_000.0, 4_000.0, 8_000.0][..]));
    // By hand: 10, 10, 10 and 30 s between them; the last is silence.
    assert_eq!(prompt.every(), Some(Duration::from_secs(10)));
    assert_eq!((prompt.span().as_secs(), prompt.silent().unwrap().as_secs()), (60, 30));
    // By hand: 1/(1 - 0) = 1, 1/(1 - 0.5) = 2, 1/(1 - 0.75) = 4 twice; the rate of 0 has none.
    assert_eq!(prompt.hit_factors().sorted(), Some(&[1.0, 2.0, 4.0, 4.0][..]));
    assert_eq!(stats(&log, "Running").values().median(), Some(2.0));
    assert_eq!(stats(&log, "KV cache usage").values().median(), Some(0.125));
}

#[test]
fn which_tokens_count_follows_from_the_version_where_it_is_known() {
    for (version, counts) in [
        ("0.11.0", "all prompt tokens, cached ones included"),
        ("0.17.0", "all prompt tokens or the computed ones, by version"),
        ("0.33.0", "computed prompt tokens"),
    ] {
        let log = read(&v1(version));
        let (field, stats) = log.intervals().iter().find(|(f, _)| f.name == PROMPT).unwrap();
        assert_eq!(field.counts(), counts, "{version}");
        assert_eq!(stats.hit_factors().is_empty(), version == "0.33.0");
    }
}

#[test]
fn the_engine_before_v1_has_its_hit_rate_in_the_next_line() {
    let line = |at: u32, prompt: f64| {
        format!(
            "INFO 01-21 10:00:{at:02} metrics.py:486] Avg prompt throughput: {prompt:.1} tokens/s, Avg generation \
             throughput: 13.0 tokens/s, Running: 1 reqs, Swapped: 0 reqs, Pending: 2 reqs, GPU KV cache usage: 0.5%, \
             CPU KV cache usage: 0.0%.\n"
        )
    };
    let hit =
        "INFO 01-21 10:00:05 metrics.py:502] Prefix cache hit rate: GPU: 80.00%, CPU: 0.00%\n";
    let text = line(0, 10.0) + &line(5, 20.0) + hit + &line(10, 30.0);
    let log = read(&text);
    let (field, prompt) = log.intervals().iter().find(|(f, _)| f.name == PROMPT).unwrap();
    assert_eq!(field.counts(), "all prompt tokens, cached ones included");
    assert_eq!(prompt.values().sorted(), Some(&[10.0, 20.0, 30.0][..]));
    // By hand: 1/(1 - 0.8) = 5, for the line that it follows alone.
    assert_eq!(prompt.hit_factors().len(), 1);
    assert!((prompt.hit_factors().median().unwrap() - 5.0).abs() < 1e-9);
    assert_eq!((stats(&log, "Waiting").values().median(), log.intervals().lines()), (Some(2.0), 4));
}

#[test]
fn lines_of_the_json_formatter_say_the_same() {
    let message = "Engine 000: Avg prompt throughput: 5.0 tokens/s, Avg generation throughput: 1.0 tokens/s, Running: 1 reqs, Waiting: 0 reqs, GPU KV cache usage: 0.1%, Prefix cache hit rate: 50.0%";
    let lines: String = (0..3)
        .map(|i| format!("{{\"asctime\": \"12-01 10:00:{i}0\", \"levelname\": \"INFO\", \"name\": \"vllm.v1.metrics.loggers\", \"processName\": \"MainProcess\", \"process\": 7, \"message\": \"{message}\"}}\n"))
        .collect();
    let text: String =
        (0..3).map(|i| format!("INFO 12-01 10:00:{i}0 [loggers.py:259] {message}\n")).collect();
    let (json, text) = (read(&lines), read(&text));
    assert_eq!(json.recognition(), text.recognition());
    assert_eq!(json.intervals(), text.intervals());
    assert_eq!(stats(&json, PROMPT).every(), Some(Duration::from_secs(10)));
}

#[test]
fn iterations_give_what_a_step_computes_over_what_it_takes() {
    let step = |context: u64, generation: u64, ms: f64, more: &str| {
        format!(
            "(EngineCore_DP0 pid=9) INFO 12-01 10:00:00 [loggers.py:190] Engine 000: Iteration(1): 1 context requests, \
             {context} context tokens, 1 generation requests, {generation} generation tokens, iteration elapsed \
             time: {ms:.2} ms{more}\n"
        )
    };
    let text = step(2_048, 0, 100.0, "")
        + &step(1_024, 0, 100.0, ", GPU KV cache usage: 3.0%")
        + &step(1_000, 8, 200.0, "")
        + &step(0, 8, 20.0, "")
        + &step(512, 0, 1.0, " (dummy)");
    let log = read(&text);
    let rate = |field| stats(&log, field).sum_over_sum().map(TokensPerSecond::get);
    // By hand: 3,072 tokens in 0.2 s; 1,000 in 0.2 s; 8 in 0.02 s. The dummy is none.
    assert_eq!(rate("context tokens / iteration elapsed time"), Some(15_360.0));
    assert_eq!(rate("context tokens / iteration elapsed time, beside generation"), Some(5_000.0));
    assert_eq!(rate("generation tokens / iteration elapsed time"), Some(400.0));
    assert_eq!((log.intervals().lines(), log.counts().read()), (5, 0));
}

#[test]
fn iterations_between_interval_lines_tell_which_tokens_the_throughput_counts() {
    let step = "INFO 12-01 10:00:05 [loggers.py:190] Engine 000: Iteration(1): 1 context requests, 5000 context tokens, 0 generation requests, 0 generation tokens, iteration elapsed time: 100.00 ms\n";
    let rate = |at: &str, prompt: f64| {
        format!(
            "INFO 12-01 10:00:{at} [loggers.py:259] Engine 000: Avg prompt throughput: {prompt:.1} tokens/s, Avg generation throughput: 1.0 tokens/s, Running: 1 reqs, Waiting: 0 reqs, GPU KV cache usage: 0.1%, Prefix cache hit rate: 75.0%\n"
        )
    };
    let text =
        step.to_owned() + &rate("00", 1.0) + step + step + &rate("10", 4_000.0) + &rate("20", 50.0);
    let log = read(&text);
    // By hand: 4,000 tok/s over 10 s are 40,000 tokens, of which 10,000 were computed. The first line has no gap, the
    // last no iteration.
    let ratio = stats(&log, "Avg prompt throughput over context tokens");
    assert_eq!(ratio.values().sorted(), Some(&[4.0][..]));
}

#[test]
fn quoting_a_rate_over_a_log_interval_is_an_error_and_one_of_an_iteration_is_not() {
    let found = |intervals: &Intervals, quoted: &str| {
        let outcomes = check_intervals(intervals, &[quoted]);
        let most = outcomes.findings().map(|f| f.severity).max();
        (most, outcomes.findings().map(|f| f.message.clone()).collect::<Vec<_>>())
    };
    let log = read(&v1("0.11.0"));
    let (severity, messages) = found(log.intervals(), PROMPT);
    assert_eq!(severity, Some(Severity::Error));
    assert_eq!(
        messages[1],
        "Avg prompt throughput of vllm is over a log interval of about 10 s, idle time and decode inside: no prefill \
         rate (5 lines say 0.0 to 8000.0 tok/s); it counts cached tokens too, which at the hit rates stated beside it makes it 3.00x what was computed at the median, \
         4.00x at most"
    );
    // Quoted by nobody it is a note.
    assert_eq!(found(log.intervals(), "Running").0, Some(Severity::Note));
    let step = "Iteration(1): 1 context requests, 5 context tokens, 0 generation requests, 0 generation tokens, iteration elapsed time: 5.00 ms\n";
    assert_eq!(found(read(step).intervals(), "context tokens / iteration elapsed time").0, None);
    assert_eq!(found(&Intervals::default(), PROMPT).0, None);
}

/// A reply with the metrics that vLLM adds; the numbers are made up.
const REPLY: &str = r#"{"id":"chatcmpl-1","object":"chat.completion","created":1795954700,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":4000,"total_tokens":4101,"completion_tokens":101,"prompt_tokens_details":{"cached_tokens":1000}},"metrics":{"time_to_first_token_ms":500.0,"generation_time_ms":2000.0,"queue_time_ms":1500.0,"mean_itl_ms":20.0,"tokens_per_second":40.4,"speculative_decoding":null}}"#;

#[test]
fn what_a_reply_calls_ttft_leaves_the_queue_out_and_is_none() {
    let read = read_log_from(
        "t",
        format!("{REPLY}\n").as_bytes(),
        &ReadOptions::default().with_requests_kept(),
    )
    .unwrap();
    let log = &read.value;
    assert_eq!(log.recognition().format(), "vllm-replies");
    assert!(log.recognition().evidence().ends_with("1 of 1 hold vLLM's metrics of a request"));
    let row = &log.requests()[0];
    assert_eq!(row.ttft(Side::Server).value(), None);
    assert_eq!(row.new_tokens().value(), Some(Tokens::new(3_000)));
    let ms = |stretch| row.spans.get(stretch).value().unwrap().as_millis();
    assert_eq!(
        [Stretch::Queue, Stretch::PrefillCompute, Stretch::ServerDecode].map(ms),
        [1_500, 500, 2_000]
    );
    // By hand: 100 steps in 2 s; what vLLM states, 101 / 2.5 s, has prefill inside.
    assert_eq!(row.decode_rate().value().unwrap().get(), 50.0);
    assert!(row.reported.is_empty());
    assert_eq!((log.counts().used, log.counts().unknown_ttft), (1, 1));
    assert_eq!(log.unknown_fields().get("metrics"), None);
}

#[test]
fn a_reply_without_the_count_of_cached_tokens_has_an_unknown_one() {
    let details = ",\"prompt_tokens_details\":{\"cached_tokens\":1000}";
    let absent = REPLY.replace(details, "");
    let null = REPLY.replace("{\"cached_tokens\":1000}", "null");
    let log = read(&format!("{absent}\n{null}\n{REPLY}\n"));
    assert_eq!((log.counts().used, log.counts().unknown_cached), (3, 2));
}

#[test]
fn times_of_a_mark_that_was_never_reached_are_known_as_such() {
    // The host's uptime of 4.6 days, and a first token after the last.
    let uptime =
        REPLY.replace("\"generation_time_ms\":2000.0", "\"generation_time_ms\":400000000.0");
    let negative = REPLY.replace("\"generation_time_ms\":2000.0", "\"generation_time_ms\":-3.0");
    let log = read(&format!("{uptime}\n{negative}\n{REPLY}\n"));
    let disorders: Vec<u64> = log.production().disorders().values().copied().collect();
    assert_eq!(disorders, [1, 1]);
    assert_eq!(Known::Not(trueline_core::Why::Impossible), {
        let options = ReadOptions::default().with_requests_kept();
        let log = read_log_from("t", negative.as_bytes(), &options).unwrap().value;
        log.requests()[0].spans.get(Stretch::ServerDecode)
    });
}

#[test]
fn files_cut_anywhere_add_up() {
    for text in [v1("0.11.0"), format!("{REPLY}\n{REPLY}\n")] {
        for cut in 0..text.len() {
            let bytes = &text.as_bytes()[..cut];
            for format in ["vllm", "vllm-replies"] {
                let options = ReadOptions::default().with_threads(1).with_format(format);
                let Ok(read) = read_log_from("t", bytes, &options) else { continue };
                let counts = read.value.counts();
                let sum = counts.used + counts.own + counts.rejected.total() + counts.warmup;
                assert_eq!(counts.read(), sum);
                if format == "vllm" {
                    assert_eq!(counts.other, read.value.lines());
                }
            }
        }
    }
}

#[test]
fn heads_of_other_formats_are_not_taken_for_it() {
    for text in [
        r#"{"id":"a","prompt_tokens":1000,"cached_tokens":0,"ttft_s":1}"#,
        r#"{"timestamp":0,"input_length":1025,"output_length":5,"hash_ids":[1,2,3]}"#,
        "[2026-11-30 10:00:00 Engine 000] Avg thr (in/out): 1.0 / 2.0 tokens/s, Engine (running/waiting): 1 / 0, KV cache: 1.0%, ",
        r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"key":"gen_ai.usage.prompt_tokens","value":{"intValue":"5"}}]}]}]}]}"#,
    ] {
        assert!(!read(text).recognition().format().starts_with("vllm"), "{text}");
    }
    let nothing =
        read_log_from("t", &b"INFO 12-01 10:00:00 [x.py:1] Avg\n"[..], &ReadOptions::default());
    assert!(nothing.is_err());
}
