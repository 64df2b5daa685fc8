//! Reading benchmark results beside parsing the same bytes as plain JSON, and judging them.

use std::fmt::Write;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use trueline::Audit;
use trueline::core::Thresholds;
use trueline::logs::{read_results_from, result_set};

/// A detailed vLLM result: 2,000 requests of 256 gaps each, some 5 MB.
fn detailed() -> String {
    let n = 2_000;
    let list = |value: &dyn Fn(usize) -> String| {
        let all: Vec<String> = (0..n).map(value).collect();
        format!("[{}]", all.join(", "))
    };
    let gaps = list(&|i| {
        let mut gaps = String::from("[");
        for j in 0..256 {
            write!(
                gaps,
                "{}0.0{}",
                if j > 0 { ", " } else { "" },
                20_000 + (i * 131 + j * 17) % 4_000
            )
            .expect("writing to a String cannot fail");
        }
        gaps + "]"
    });
    format!(
        r#"{{"num_prompts": {n}, "request_rate": "inf", "max_concurrency": 16, "duration": 702.1,
        "completed": {n}, "total_input_tokens": {}, "total_output_tokens": {}, "tokenizer_id": "m",
        "input_lens": {}, "output_lens": {}, "ttfts": {}, "itls": {gaps}}}"#,
        512 * n,
        257 * n,
        list(&|_| "512".to_owned()),
        list(&|_| "257".to_owned()),
        list(&|i| format!("0.{}", 20_000 + i % 3_000)),
    )
}

fn read(c: &mut Criterion) {
    let text = detailed();
    let mut group = c.benchmark_group("read_results");
    group.throughput(Throughput::Bytes(text.len() as u64)).sample_size(10);
    group.bench_function("serde_json_value", |b| {
        b.iter(|| serde_json::from_str::<serde_json::Value>(black_box(&text)));
    });
    group.bench_function("read", |b| {
        b.iter(|| read_results_from("bench", black_box(text.as_bytes())));
    });
    group.bench_function("read_and_judge", |b| {
        b.iter(|| {
            let file = read_results_from("bench", black_box(text.as_bytes()));
            let set = result_set(vec![("bench".into(), file)], None, &Thresholds::default());
            let set = set.expect("the text above is a result");
            Audit::new().results(set).judge_results(&[])
        });
    });
    group.finish();
}

criterion_group!(benches, read);
criterion_main!(benches);
