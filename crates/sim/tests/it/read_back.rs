//! What the log reader says of a server, held against what the simulated server really did.

use std::time::Duration;

use serde_json::Value;
use trueline::judge::Allowed;
use trueline::log_report;
use trueline_core::{Thresholds, Tokens, TokensPerSecond, WallTime};
use trueline_logs::{ReadOptions, read_log_from};
use trueline_sim::{
    Engine, Ledger, LogStyle, ModelConfig, RateField, SimTime, Submission, answer_token,
    detokenize, tokenize, words, write_mtplx_log, write_own_log,
};

/// The server of story 1 in its health: 320 tok/s, 1.5 s whatever the length. Forty conversations of
/// ten turns, one request at a time, each turn with the whole conversation before it.
fn day() -> Ledger {
    let mut model = ModelConfig::default();
    model.prefill = TokensPerSecond::new(320.0).unwrap();
    model.prefill_fixed = Duration::from_millis(1_500);
    model.cache_blocks = 4_000;
    let mut engine = Engine::new(model).unwrap();
    let mut at = SimTime::ZERO;
    for conversation in 0..40_u64 {
        let mut text = words(Tokens::new(3_000 + 331 * conversation), conversation);
        for turn in 0..10 {
            text += &words(Tokens::new(300 + 90 * turn), 1_000 * conversation + turn);
            let request = Submission::new(tokenize(&text), Tokens::new(60));
            let request = request.in_session(format!("conversation-{conversation}"));
            let id = engine.submit(at, request).unwrap();
            while let Some(next) = engine.next_at() {
                engine.advance(next);
                at = next;
            }
            at = at.plus(Duration::from_secs(7));
            let seed = engine.model().seed;
            let answer: Vec<_> = (0..60).map(|place| answer_token(seed, id, place)).collect();
            text += &detokenize(&answer);
        }
    }
    engine.ledger().clone()
}

fn said(text: &[u8]) -> Value {
    let log = read_log_from("simulated", text, &ReadOptions::default()).unwrap();
    log_report(&log, &[], &Allowed::new(), &Thresholds::default()).to_json()
}

fn causes(report: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let fields = report["results"]["reported"].as_array().unwrap();
    fields.iter().map(|field| (text(&field["field"]), text(&field["cause"]))).collect()
}

#[test]
fn the_reader_finds_what_the_simulated_server_really_did() {
    let ledger = day();
    // 2026-11-29 20:00 UTC.
    let mut style = LogStyle::new(WallTime::from_nanos(1_795_982_400_000_000_000), "simulated");
    let own = |style: &LogStyle| {
        let mut bytes = Vec::new();
        write_own_log(ledger.entries(), style, &mut bytes).unwrap();
        said(&bytes)
    };
    let honest = own(&style);
    assert_eq!(honest["findings"], Value::Array(Vec::new()), "{:#}", honest["findings"]);
    // The model's own formula: 1.5 s, and 1,000 / 320 s for each thousand new tokens; none for cached.
    let regression = &honest["results"]["regression"];
    let of = |name: &str| regression[name].as_f64().unwrap();
    assert!((of("intercept_s") - 1.5).abs() < 1e-6, "{regression}");
    assert!((of("per_1k_new_s") - 3.125).abs() < 1e-6, "{regression}");
    assert!(of("per_1k_cached_s").abs() < 1e-6, "{regression}");
    let cached: u64 = ledger.entries().map(|entry| entry.cached.get()).sum();
    assert_eq!(honest["results"]["tokens"]["cached"], cached);
    let field = |cause: &str| vec![("prefill_tok_per_s".to_owned(), cause.to_owned())];
    assert_eq!(causes(&honest), field("none"));

    style.rate = RateField::CachedTokensIn;
    assert_eq!(causes(&own(&style)), field("numerator"));
    style.rate = RateField::TimeLeftOut;
    assert_eq!(causes(&own(&style)), field("denominator"));

    let mut bytes = Vec::new();
    style.rate = RateField::CachedTokensIn;
    write_mtplx_log(ledger.entries(), &style, &mut bytes).unwrap();
    let report = said(&bytes);
    for (name, cause) in [
        ("prefill_tok_s", "numerator"),
        ("prefill_compute_tok_s", "denominator"),
        // From scheduled to first token: nobody waited.
        ("prefill_wall_tok_s", "none"),
    ] {
        assert!(causes(&report).contains(&(name.to_owned(), cause.to_owned())), "{report:#}");
    }
}
