//! Tokens simulated a second, beside a loop that only notes the same events.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use trueline_core::Tokens;
use trueline_sim::{Engine, Event, Ledger, ModelConfig, SimTime, Submission, tokenize, words};

const REQUESTS: u64 = 256;
const OUTPUT: u64 = 512;

/// 256 requests of 512 prompt and 512 output tokens, half of each prompt shared; 64 run at once.
fn asked() -> Engine {
    let mut engine = Engine::new(ModelConfig::default()).expect("the default model serves");
    for seed in 0..REQUESTS {
        let text = words(Tokens::new(256), 0) + &words(Tokens::new(256), seed + 1);
        let request = Submission::new(tokenize(&text), Tokens::new(OUTPUT));
        engine.submit(SimTime::ZERO, request).expect("no queue limit");
    }
    engine
}

fn served(mut engine: Engine) -> Vec<Event> {
    let mut events = Vec::new();
    while let Some(at) = engine.next_at() {
        events.extend(engine.advance(at));
    }
    events
}

fn simulate(c: &mut Criterion) {
    let events = served(asked());
    let mut group = c.benchmark_group("simulate");
    group.sample_size(20);
    group.throughput(Throughput::Elements(REQUESTS * OUTPUT));
    group.bench_function("engine", |b| {
        b.iter_batched(asked, |engine| black_box(served(engine)), BatchSize::LargeInput);
    });
    group.bench_function("notes_alone", |b| {
        b.iter(|| {
            let (mut ledger, mut noted) = (Ledger::default(), Vec::new());
            for event in &events {
                ledger.record(black_box(event));
                noted.push(event.clone());
            }
            (ledger, noted)
        });
    });
    group.finish();
}

criterion_group!(benches, simulate);
criterion_main!(benches);
