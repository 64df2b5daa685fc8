//! Reading a request log: bytes in, summary out, on one thread and on two, by a mapping, and in the formats of
//! servers.

use std::fmt::Write;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use trueline::logs::{Mapping, ReadOptions, read_log_from};

/// 200,000 rows of Trueline's own JSON lines, some 50 MB.
fn rows() -> String {
    let mut text = String::new();
    for i in 0..200_000_u64 {
        let prompt = 200 + i * 7_919 % 60_000;
        let cached = prompt * (i % 100) / 100;
        writeln!(
            text,
            r#"{{"id":"req-{i:08}","session":"s{}","model":"m","started_at_s":{}.25,"prompt_tokens":{prompt},"cached_tokens":{cached},"output_tokens":{},"ttft_s":{},"e2e_latency_s":{},"outcome":"ok","reported":{{"prefill_tok_s":{}}}}}"#,
            i % 700,
            1_793_600_000 + i,
            1 + i % 500,
            0.05 + (prompt - cached) as f64 / 900.0,
            9.0 + (prompt - cached) as f64 / 900.0,
            900.0,
        )
        .expect("writing to a String cannot fail");
    }
    text
}

const MAPPING: &str = r#"
name = "the same, mapped"
[[field]]
path = "prompt_tokens"
meaning = "prompt_tokens"
unit = "tokens"
[[field]]
path = "cached_tokens"
meaning = "cached_tokens"
unit = "tokens"
[[field]]
path = "ttft_s"
meaning = "ttft"
unit = "s"
clock = "server"
"#;

fn read(c: &mut Criterion) {
    let text = rows();
    let mut group = c.benchmark_group("read_log");
    group.throughput(Throughput::Bytes(text.len() as u64)).sample_size(10);
    let mapping = Mapping::parse("bench", MAPPING).expect("the mapping above is right");
    for (name, options) in [
        ("own_jsonl/1_thread", ReadOptions::default().with_threads(1)),
        ("own_jsonl/2_threads", ReadOptions::default().with_threads(2)),
        ("own_jsonl_with_traffic/1_thread", ReadOptions::default().with_threads(1).with_traffic()),
        ("mapped/1_thread", ReadOptions::default().with_threads(1).with_mapping(mapping)),
    ] {
        group.bench_function(name, |b| {
            b.iter(|| read_log_from("bench", black_box(text.as_bytes()), &options));
        });
    }
    group.finish();
}

/// How many requests a server's log holds.
const REQUESTS: u64 = 50_000;

/// What llama.cpp's server logs of them at its default verbosity, two slots taking turns.
fn llama_cpp_log() -> String {
    let mut text = String::new();
    for i in 0..REQUESTS {
        let (slot, new, output) = (i % 2, 100 + i % 4_000, 2 + i % 300);
        let at = format!("{}.{:02}.{:03}.000 I slot", i / 60, i % 60, i % 1_000);
        let of = format!("id  {slot} | task {i} |");
        writeln!(
            text,
            "{at} get_availabl: id  {slot} | task -1 | selected slot by LRU, t_last = {i}\n\
             {at} launch_slot_: {of} processing task, is_child = 0\n\
             {at} print_timing: {of} prompt eval time = {:10}.05 ms / {new:5} tokens (    5.45 ms per token,   183.59 tokens per second)\n\
             {at} print_timing: {of}        eval time = {:10}.92 ms / {output:5} tokens (   23.79 ms per token,    42.03 tokens per second)\n\
             {at} print_timing: {of}       total time = {:10}.96 ms / {:5} tokens\n\
             {at} print_timing: {of}    graphs reused = {i:10}\n\
             {at}      release: {of} stop processing: n_tokens = {}, truncated = 0",
            new * 5, output * 24, new * 5 + output * 24, new + output, new + output + 99,
        )
        .expect("writing to a String cannot fail");
    }
    text
}

/// Final objects of as many replies of Ollama.
fn ollama_rows() -> String {
    let mut text = String::new();
    for i in 0..REQUESTS {
        let count = 200 + i % 4_000;
        writeln!(
            text,
            r#"{{"model":"m:12b","created_at":"2026-09-20T10:00:02.5Z","message":{{"role":"assistant","content":""}},"done":true,"done_reason":"stop","total_duration":{},"load_duration":50000000,"prompt_eval_count":{count},"prompt_eval_cached_count":{},"prompt_eval_duration":{},"eval_count":101,"eval_duration":2000000000}}"#,
            3_000_000_000 + i, count / 2, 1_000_000 * count,
        )
        .expect("writing to a String cannot fail");
    }
    text
}

/// In requests a second, so that formats of many lines a request and of one can be held together.
fn read_formats(c: &mut Criterion) {
    let mut group = c.benchmark_group("read_log_requests");
    group.sample_size(10);
    for (name, text, requests) in [
        ("own_jsonl", rows(), 200_000),
        ("llama_cpp_log", llama_cpp_log(), REQUESTS),
        ("ollama", ollama_rows(), REQUESTS),
    ] {
        group.throughput(Throughput::Elements(requests));
        let options = ReadOptions::default().with_threads(1);
        group.bench_function(name, |b| {
            b.iter(|| read_log_from("bench", black_box(text.as_bytes()), &options));
        });
    }
    group.finish();
}

/// 200,000 rows in the shape of Mooncake's conversations, some 24 blocks of 512 tokens each: conversations of ten
/// turns, each with the blocks of the turn before it.
fn mooncake_rows() -> String {
    let mut text = String::new();
    for i in 0..200_000_u64 {
        let (conversation, turn) = (i / 4_000 * 400 + i % 400, i % 4_000 / 400);
        let blocks = 6 + 4 * turn;
        let hashes: Vec<String> = (0..blocks)
            .map(|at| if at == 0 { 0 } else { conversation * 64 + at }.to_string())
            .collect();
        writeln!(
            text,
            r#"{{"timestamp": {}, "input_length": {}, "output_length": 300, "hash_ids": [{}]}}"#,
            i * 18,
            blocks * 512 - i % 500,
            hashes.join(", "),
        )
        .expect("writing to a String cannot fail");
    }
    text
}

/// Reading with the walk through hashes of blocks, and without: the cost of what prefix caches would hit.
fn read_blocks(c: &mut Criterion) {
    let text = mooncake_rows();
    let mut group = c.benchmark_group("read_log_blocks");
    group.throughput(Throughput::Elements(200_000)).sample_size(10);
    for (name, words) in [("mooncake", 1 << 25), ("mooncake_without_walk", 0)] {
        let options = ReadOptions::default().with_threads(1).with_block_words(words);
        group.bench_function(name, |b| {
            b.iter(|| read_log_from("bench", black_box(text.as_bytes()), &options));
        });
    }
    group.finish();
}

criterion_group!(benches, read, read_formats, read_blocks);
criterion_main!(benches);
