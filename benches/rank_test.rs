//! Comparing two arms of a million values by rank, beside a plain sort of the same values: the rank
//! test is a sort and one walk, so it should take little more.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use trueline::baseline::stats::{hodges_lehmann, kolmogorov_smirnov, mann_whitney};

/// A million distinct values in an order that looks random.
fn million(step: u64) -> Vec<f64> {
    (0..1_000_000_u64).map(|i| ((i * step) % 1_000_003) as f64).collect()
}

fn rank_test(c: &mut Criterion) {
    let (a, b) = (million(7_919), million(104_729));
    let few = [1.0, 250_000.5, 500_000.5, 750_000.5, 999_999.5];
    let mut group = c.benchmark_group("rank_test");
    group.sample_size(10);
    group.throughput(Throughput::Elements(2_000_000));
    group.bench_function("sort_of_both", |bench| {
        bench.iter(|| {
            let mut all = [black_box(&a).as_slice(), black_box(&b)].concat();
            all.sort_by(f64::total_cmp);
            all
        });
    });
    group.bench_function("mann_whitney", |bench| {
        bench.iter(|| mann_whitney(black_box(&a), black_box(&b)));
    });
    group.bench_function("kolmogorov_smirnov", |bench| {
        bench.iter(|| kolmogorov_smirnov(black_box(&a), black_box(&b)));
    });
    group.throughput(Throughput::Elements(1_000_005));
    group.bench_function("mann_whitney_of_5_and_a_million", |bench| {
        bench.iter(|| mann_whitney(black_box(&few), black_box(&a)));
    });
    group.bench_function("hodges_lehmann_of_5_and_a_million", |bench| {
        bench.iter(|| hodges_lehmann(black_box(&few), black_box(&a), 0.95));
    });
    group.finish();
}

criterion_group!(benches, rank_test);
criterion_main!(benches);
