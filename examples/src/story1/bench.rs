//! The benchmark's own repetitions, what a guest sent beside them, and the incumbent's results.

use serde_json::json;

use super::log::object;
use super::production::warm;
use super::request::{Parts, Request, round};
use super::rng::{Rng, Stream};
use super::{DAY_S, FIRST_MIDNIGHT_S, Foreign, Knobs, MODEL, Samples};

const PROMPT_TOKENS: u32 = 24_750;
/// Of these, what is cached where the repetitions are shaped like production.
const CACHED_TOKENS: u32 = 2_000;
/// 2026-11-05 14:05 UTC.
const STARTED_S: f64 = FIRST_MIDNIGHT_S + 3.0 * DAY_S + 14.0 * 3600.0 + 300.0;

/// The repetitions, one after the other.
pub(super) fn repetitions(knobs: &Knobs) -> Vec<Request> {
    let mut rng = Rng::new(knobs.seed, Stream::Repetitions);
    let cached_tokens = match knobs.samples {
        Samples::Tail => 0,
        Samples::Slow | Samples::Middle => CACHED_TOKENS,
    };
    let mut started_s = STARTED_S;
    let mut all = Vec::with_capacity(knobs.repetitions);
    for (number, ttft_s) in (1..).zip(ttfts_s(knobs, &mut rng)) {
        let request = Request {
            id: format!("bench-{number}"),
            session: format!("sess-bench-{number}"),
            started_s: round(started_s, 4),
            prompt_tokens: PROMPT_TOKENS,
            cached_tokens,
            completion_tokens: 1,
            ttft_s: round(ttft_s, 6),
            decode_s: 0.0,
            best_prefix_len: cached_tokens,
            preemptions: 0,
            yields: 0,
            parts: Parts::draw(&mut rng, (0.002, 0.006), cached_tokens),
        };
        started_s = request.completed_s() + rng.between(20.0, 40.0);
        all.push(request);
    }
    all
}

fn ttfts_s(knobs: &Knobs, rng: &mut Rng) -> Vec<f64> {
    let count = u32::try_from(knobs.repetitions).unwrap_or(u32::MAX);
    match knobs.samples {
        // The story's best of three is 115.4 tok/s; the others are slower.
        Samples::Tail | Samples::Slow => (0..count)
            .map(|i| match i {
                0 => 214.4,
                later => 214.4 + 15.9 * f64::from(later) + rng.between(-0.8, 0.8),
            })
            .collect(),
        Samples::Middle => {
            let new_tokens = f64::from(PROMPT_TOKENS - CACHED_TOKENS);
            let shares = rng.strata(count);
            shares.into_iter().map(|share| new_tokens / (312.0 + 16.0 * share)).collect()
        }
    }
}

/// When the last repetition ended.
pub(super) fn end_s(own: &[Request]) -> f64 {
    own.last().map_or(STARTED_S, Request::completed_s)
}

/// From the first repetition's start to the last one's end.
pub(super) fn window_s(own: &[Request]) -> (f64, f64) {
    (STARTED_S, end_s(own))
}

/// The guest's requests: three within the second repetition, two within the third.
pub(super) fn guests(knobs: &Knobs, own: &[Request]) -> Vec<Request> {
    if knobs.foreign == Foreign::Absent {
        return Vec::new();
    }
    let mut rng = Rng::new(knobs.seed, Stream::Guests);
    let places = [(1, 0.15), (1, 0.35), (1, 0.6), (2, 0.2), (2, 0.55)];
    (1..)
        .zip(places)
        .filter_map(|(number, (repetition, share))| {
            let beside = own.get(repetition)?;
            let at = beside.started_s + share * beside.ttft_s + knobs.log_shift_s();
            Some(Request {
                id: format!("guest-{number}"),
                session: "sess-guest".to_owned(),
                started_s: round(at, 4),
                ..warm(&mut rng)
            })
        })
        .collect()
}

/// The incumbent's results file as the client wrote it: name and text.
pub(super) fn results(knobs: &Knobs, own: &[Request]) -> (String, String) {
    let mut rng = Rng::new(knobs.seed, Stream::Client);
    let header = object(&[
        ("schema", json!("trueline.requests/1")),
        ("role", json!("run")),
        ("label", json!("incumbent")),
        ("arm", json!("incumbent")),
        ("side", json!("client")),
        ("note", json!("reconstruction")),
        (
            "conditions",
            json!({
                "model": MODEL, "quantization": "4bit",
                "hardware": "apple-m-series-reconstructed", "machine": "box-1",
                "server": "mtplx", "server_version": "2.12.2", "client": "prefill-bench",
            }),
        ),
        (
            "plan",
            json!({
                "requests": own.len(), "prompt_tokens": PROMPT_TOKENS, "output_tokens": 1,
                "load": "concurrency 1", "cold": knobs.samples == Samples::Tail,
            }),
        ),
    ]);
    let rows = own.iter().map(|request| {
        let (sent_s, back_s) = (rng.between(0.002, 0.008), rng.between(0.002, 0.012));
        object(&[
            ("id", json!(request.id)),
            ("started_at_s", json!(round(request.started_s - sent_s, 4))),
            ("prompt_tokens", json!(request.prompt_tokens)),
            ("cached_tokens", json!(request.cached_tokens)),
            ("output_tokens", json!(request.completion_tokens)),
            ("ttft_s", json!(round(request.ttft_s + sent_s + back_s, 6))),
            ("e2e_latency_s", json!(round(request.elapsed_s() + sent_s + back_s, 6))),
            ("outcome", json!("ok")),
        ])
    });
    let text = std::iter::once(header).chain(rows).map(|line| line + "\n").collect();
    ("results-incumbent.jsonl".to_owned(), text)
}
