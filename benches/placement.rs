//! Ranking samples among a million requests, and the interval of their median.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use trueline::baseline::stats::{all_among_lowest, order_interval, ranks};

fn placement(c: &mut Criterion) {
    let sorted: Vec<f64> = (0..1_000_000).map(f64::from).collect();
    let mut group = c.benchmark_group("placement");
    group.throughput(Throughput::Elements(sorted.len() as u64));
    group.bench_function("ranks_of_3", |b| {
        b.iter(|| [1.5, 2.5, 999.5].map(|x| ranks(black_box(&sorted), x)));
    });
    group.bench_function("exact_probability", |b| {
        b.iter(|| all_among_lowest(black_box(1_000_000), 3, 5));
    });
    group.bench_function("median_interval", |b| {
        b.iter(|| order_interval(black_box(&sorted), 0.5, 0.95));
    });
    group.finish();
}

criterion_group!(benches, placement);
criterion_main!(benches);
