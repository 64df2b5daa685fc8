//! Reading a request log: bytes in, summary out, on one thread and on two, by a mapping, and in the formats of
//! servers.

use std::fmt::Write;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use trueline::logs::{Mapping, ReadOptions, read_log_from};
use trueline_benches::formats::INPUTS;

/// 200,000 rows of Trueline's own JSON lines, some 50 MB.
fn rows() -> String {
    let own = INPUTS.iter().find(|input| input.name() == "trueline");
    own.expect("our own format has an input").text(200_000)
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

/// In requests and in bytes a second, so that formats of many lines a request and of one can be held together;
/// `log_formats` reads them in turns.
fn read_formats(c: &mut Criterion) {
    let mut group = c.benchmark_group("read_log_requests");
    group.sample_size(10);
    for input in INPUTS {
        let elements = input.requests_in(2 << 20);
        let text = input.text(elements);
        let bytes = text.len() as u64;
        group.throughput(Throughput::ElementsAndBytes { elements, bytes });
        let options = ReadOptions::default().with_threads(1);
        group.bench_function(input.name(), |b| {
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
