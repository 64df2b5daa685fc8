//! The rows of the server's request log, in the shape that MTPLX 2.12.2 writes.

use serde_json::{Value, json};

use super::request::{Request, round};
use super::{FIRST_MIDNIGHT_S, Knobs, ReportedField};

/// A JSON object with its fields in the order given.
pub(super) fn object(fields: &[(&str, Value)]) -> String {
    let fields: Vec<String> = fields.iter().map(|(k, v)| format!("{}:{v}", json!(k))).collect();
    format!("{{{}}}", fields.join(","))
}

/// Computation and what TTFT holds beside it, in seconds as written.
struct Stages {
    compute: f64,
    queue: f64,
    lock: f64,
    restore: f64,
}

fn stages(request: &Request, field: ReportedField) -> Stages {
    let (ttft_s, parts) = (request.ttft_s, request.parts);
    let (overhead_s, named_s) = match field {
        ReportedField::Denominator => {
            let overhead_s = ttft_s - ttft_s / parts.denominator_factor;
            (overhead_s, overhead_s * (1.0 - parts.unlogged))
        }
        ReportedField::Numerator | ReportedField::Honest => {
            let overhead_s = ttft_s * parts.overhead;
            (overhead_s, overhead_s)
        }
    };
    let named = |share: f64| round(named_s * share, 6);
    let (queue, lock, restore) = (named(parts.queue), named(parts.lock), named(parts.restore));
    let compute = match field {
        ReportedField::Denominator => ttft_s - overhead_s,
        ReportedField::Numerator | ReportedField::Honest => ttft_s - queue - lock - restore,
    };
    Stages { compute: round(compute, 6), queue, lock, restore }
}

/// One line of the log.
pub(super) fn line(request: &Request, knobs: &Knobs) -> String {
    let stages = stages(request, knobs.field);
    let (new, prompt) = (f64::from(request.new_tokens()), f64::from(request.prompt_tokens));
    let prefill_tok_per_s = match knobs.field {
        ReportedField::Numerator => prompt / request.ttft_s,
        ReportedField::Denominator => new / stages.compute,
        ReportedField::Honest => new / request.ttft_s,
    };
    let decode_tok_per_s = (request.completion_tokens > 1)
        .then(|| round(f64::from(request.completion_tokens - 1) / request.decode_s, 6));
    let hit = request.cached_tokens > 0;
    let completed_s = request.completed_s();
    object(&[
        ("request_id", json!(request.id)),
        ("session_id", json!(request.session)),
        ("note", json!("reconstruction")),
        ("model", json!(knobs.log_model)),
        ("server_version", json!("2.12.2")),
        ("logged_at_s", json!(round(completed_s + 0.0015, 4))),
        ("completed_at_s", json!(completed_s)),
        // The machine was started a day before the log's first.
        (
            "request_received_monotonic_s",
            json!(round(request.started_s - FIRST_MIDNIGHT_S + 86_400.0, 4)),
        ),
        ("prompt_tokens", json!(request.prompt_tokens)),
        ("cached_tokens", json!(request.cached_tokens)),
        ("new_prefill_tokens", json!(request.new_tokens())),
        ("completion_tokens", json!(request.completion_tokens)),
        ("prompt_eval_time_s", json!(stages.compute)),
        ("cache_restore_time_s", json!(stages.restore)),
        ("lock_wait_time_s", json!(stages.lock)),
        ("queue_wait_s", json!(stages.queue)),
        ("ttft_s", json!(request.ttft_s)),
        ("request_elapsed_s", json!(request.elapsed_s())),
        ("decode_elapsed_s", json!(request.decode_s)),
        ("prefill_tok_s", json!(round(prefill_tok_per_s, 6))),
        ("decode_tok_s", json!(decode_tok_per_s)),
        ("session_cache_hit", json!(hit)),
        ("cache_source", json!(if hit { "session" } else { "none" })),
        ("warmup", json!(false)),
        ("scheduler", json!({"preemptions": request.preemptions, "yields": request.yields})),
        ("post_commit", json!({"cache_hit": hit, "best_prefix_len": request.best_prefix_len})),
    ]) + "\n"
}
