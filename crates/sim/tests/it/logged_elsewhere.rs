//! Logs in formats of other servers, held against captures of those and their known fields.

use std::collections::HashSet;

use trueline_core::{Tokens, WallTime};
use trueline_sim::{
    Engine, Ledger, LogStyle, ModelConfig, RateField, SimTime, Submission, Verbosity, tokenize,
    words, write_llama_cpp_log, write_sglang_log,
};

fn served() -> Ledger {
    let mut engine = Engine::new(ModelConfig::default()).unwrap();
    let request = |n, seed, output| {
        Submission::new(tokenize(&words(Tokens::new(n), seed)), Tokens::new(output))
    };
    engine.submit(SimTime::ZERO, request(200, 1, 5)).unwrap();
    engine.advance(SimTime::from_nanos(200_000_000));
    engine.submit(SimTime::from_nanos(200_000_000), request(200, 1, 1)).unwrap();
    engine.advance(SimTime::from_nanos(300_000_000));
    let gone = engine.submit(SimTime::from_nanos(61_000_000_000), request(50, 2, 900)).unwrap();
    engine.advance(SimTime::from_nanos(61_100_000_000));
    engine.cancel(gone, SimTime::from_nanos(61_100_000_000));
    while let Some(at) = engine.next_at() {
        engine.advance(at);
    }
    engine.ledger().clone()
}

fn llama(style: &LogStyle) -> Vec<String> {
    let ledger = served();
    let mut bytes = Vec::new();
    write_llama_cpp_log(ledger.entries(), style, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect()
}

/// The lines are those of a capture of b11434 with the times and counts of this run: 200 tokens at
/// 5,000 tok/s and 5 ms fixed are 45 ms; four decode steps of 10 ms; then 192 cached and 8 computed in
/// 1.6 ms and 5 ms.
#[test]
fn llama_cpps_lines_look_like_a_capture() {
    let mut style = LogStyle::new(WallTime::from_nanos(0), "MODELS/made-up.gguf");
    let lines = llama(&style);
    let expected = [
        "0.00.000.000 I srv    load_model: loading model 'MODELS/made-up.gguf'",
        "0.00.000.000 I srv  llama_server: model loaded",
        "0.00.000.000 I slot get_availabl: id  0 | task -1 | selected slot by LRU, t_last = -1",
        "0.00.000.000 I slot launch_slot_: id  0 | task 0 | processing task, is_child = 0",
        "0.00.085.000 I slot print_timing: id  0 | task 0 | prompt eval time =      45.00 ms /   200 \
         tokens (    0.23 ms per token,  4444.44 tokens per second)",
        "0.00.085.000 I slot print_timing: id  0 | task 0 |        eval time =      40.00 ms /     5 \
         tokens (   10.00 ms per token,   100.00 tokens per second)",
        "0.00.085.000 I slot print_timing: id  0 | task 0 |       total time =      85.00 ms /   205 \
         tokens",
        "0.00.085.000 I slot      release: id  0 | task 0 | stop processing: n_tokens = 204, \
         truncated = 0",
        "0.00.200.000 I slot get_availabl: id  0 | task -1 | selected slot by LRU, t_last = -1",
        "0.00.200.000 I slot launch_slot_: id  0 | task 1 | processing task, is_child = 0",
        "0.00.206.600 I slot print_timing: id  0 | task 1 | prompt eval time =       6.60 ms /     8 \
         tokens (    0.82 ms per token,  1212.12 tokens per second)",
        "0.00.206.600 I slot print_timing: id  0 | task 1 |        eval time =       0.00 ms /     1 \
         tokens (    0.00 ms per token,     0.00 tokens per second)",
    ];
    assert_eq!(lines[..expected.len()], expected);
    // The one that was given up: no timing.
    let last = &lines[lines.len() - 2..];
    assert_eq!(last[0], "1.01.100.000 W srv          stop: cancel task, id_task = 2");
    assert!(
        last[1].starts_with("1.01.100.000 I slot      release: id  0 | task 2 | stop processing")
    );
    assert_eq!(lines.iter().filter(|line| line.contains("task 2 |")).count(), 2);

    style.verbosity = Verbosity::Verbose;
    style.rate = RateField::CachedTokensIn;
    let lines = llama(&style);
    let has = |text: &str| assert!(lines.iter().any(|line| line.contains(text)), "{text}");
    has("task 1 | new prompt, n_ctx_slot = 131072, n_keep = 0, task.n_tokens = 200");
    has("task 1 | cached n_tokens = 192, memory_seq_rm [192, end)");
    has("task 1 | prompt eval time =       6.60 ms /   200 tokens");
}

/// A line with every number as `#` and every run of spaces as one: what differs from run to run.
fn shape(line: &str) -> String {
    let mut shape = String::new();
    for character in line.chars() {
        let character = if character.is_ascii_digit() { '#' } else { character };
        if !(matches!(character, '#' | ' ') && shape.ends_with(character)) {
            shape.push(character);
        }
    }
    shape.replace("#.#", "#").replace("MODELS/gemma-#-#m-q#_k_m.gguf", "MODELS/made-up.gguf")
}

#[test]
fn every_line_of_llama_cpps_has_the_shape_of_a_captured_one() {
    let Some(folder) = std::env::var_os("TRUELINE_CORPUS").map(std::path::PathBuf::from) else {
        #[expect(clippy::print_stderr, reason = "says why nothing was tested")]
        {
            eprintln!("skipped: TRUELINE_CORPUS is not set");
        }
        return;
    };
    let captured: HashSet<String> = ["log-lv4.txt", "log-traffic.txt", "log-disconnect.txt"]
        .iter()
        .flat_map(|name| {
            let text = std::fs::read_to_string(folder.join("llama-server").join(name)).unwrap();
            text.lines().map(shape).collect::<Vec<_>>()
        })
        .collect();
    let mut style = LogStyle::new(WallTime::from_nanos(0), "MODELS/made-up.gguf");
    style.verbosity = Verbosity::Verbose;
    let lines = llama(&style);
    assert!(lines.len() > 15);
    for line in lines {
        assert!(captured.contains(&shape(&line)), "{line}");
    }
}

#[test]
fn sglangs_rows_have_the_fields_of_its_export() {
    let ledger = served();
    let style = LogStyle::new(WallTime::from_nanos(1_795_982_400_000_000_000), "made-up");
    let mut bytes = Vec::new();
    write_sglang_log(ledger.entries(), &style, &mut bytes).unwrap();
    let rows: Vec<serde_json::Value> = String::from_utf8(bytes)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rows.len(), 3);
    let second = &rows[1];
    // The parameters are a text that holds JSON.
    let parameters = second["request_parameters"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(parameters).unwrap()["rid"], "sim-1");
    assert_eq!(second["prompt_tokens"], 200);
    assert_eq!(second["cached_tokens"], 192);
    assert_eq!(second["completion_tokens"], 1);
    assert_eq!(second["finish_reason"]["type"], "length");
    assert_eq!(second["e2e_latency"], 0.0066);
    assert_eq!(second["first_token_latency"], 0.0066);
    assert_eq!(second["queue_time"], 0.0);
    assert_eq!(second["num_retractions"], 0);
    assert!(second.get("decode_throughput").is_none());
    assert_eq!(rows[0]["decode_throughput"], 100.0);
    assert_eq!(rows[2]["finish_reason"]["type"], "abort");
    let stamp = rows[2]["request_finished_ts"].as_f64().unwrap();
    assert!((stamp - 1_795_982_461.1).abs() < 1e-6, "{stamp}");
}
