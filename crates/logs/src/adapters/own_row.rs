//! One request as a line of our own format.

use std::io;
use std::time::Duration;

use serde_json::{Map, Value, json};
use trueline_core::{Known, Outcome, RequestRecord, Side, Stretch, Tokens, WallTime, Why};

/// Writes a request as a line behind what the buffer holds.
///
/// # Errors
/// None that a buffer knows; the signature is that of the writer of JSON.
pub(crate) fn write_row(record: &RequestRecord, side: Side, into: &mut Vec<u8>) -> io::Result<()> {
    serde_json::to_writer(&mut *into, &row(record, side))?;
    into.push(b'\n');
    Ok(())
}

fn row(record: &RequestRecord, side: Side) -> Value {
    let mut row = Map::new();
    for (key, text) in [("id", &record.id), ("session", &record.session), ("model", &record.model)]
    {
        if let Some(text) = text {
            row.insert(key.to_owned(), json!(text));
        }
    }
    put(&mut row, "started_at_s", record.started, WallTime::as_secs_f64);
    put(&mut row, "prompt_tokens", record.tokens.prompt, Tokens::get);
    put(&mut row, "cached_tokens", record.tokens.cached, Tokens::get);
    if let Some(blocks) = &record.blocks {
        row.insert("block_tokens".to_owned(), json!(blocks.size().get()));
        row.insert("block_hashes".to_owned(), json!(blocks.hashes()));
    }
    put(&mut row, "output_tokens", record.tokens.output, Tokens::get);
    for stretch in Stretch::ALL {
        let plain = stretch.marks().2 == side;
        let key = match stretch {
            Stretch::ClientTtft | Stretch::ServerTtft if plain => "ttft_s",
            Stretch::ClientE2e | Stretch::ServerE2e if plain => "e2e_latency_s",
            Stretch::ClientDecode | Stretch::ServerDecode if plain => "decode_s",
            Stretch::ClientTtft => "client_ttft_s",
            Stretch::ServerTtft => "server_ttft_s",
            Stretch::ClientE2e => "client_e2e_latency_s",
            Stretch::ServerE2e => "server_e2e_latency_s",
            Stretch::ClientDecode => "client_decode_s",
            Stretch::ServerDecode => "server_decode_s",
            Stretch::Queue => "queue_s",
            Stretch::LockWait => "lock_wait_s",
            Stretch::CacheRestore => "cache_restore_s",
            Stretch::PrefillCompute => "prefill_compute_s",
            Stretch::SendDelay => "send_delay_s",
        };
        put(&mut row, key, record.spans.get(stretch), |t: Duration| t.as_secs_f64());
    }
    let outcome = match record.outcome {
        Outcome::Ok => Some("ok"),
        Outcome::Failed => Some("failed"),
        Outcome::Cancelled => Some("cancelled"),
        _ => None,
    };
    if let Some(outcome) = outcome {
        row.insert("outcome".to_owned(), json!(outcome));
    }
    put(&mut row, "preemptions", record.preemptions, |times| times);
    if record.warmup {
        row.insert("warmup".to_owned(), json!(true));
    }
    if !record.gaps.is_empty() {
        row.insert("itl_s".to_owned(), record.gaps.iter().copied().map(gap).collect());
    }
    let mut reported = Map::new();
    for rate in &record.reported {
        put(&mut reported, &rate.field, rate.rate, trueline_core::TokensPerSecond::get);
    }
    if !reported.is_empty() {
        row.insert("reported".to_owned(), Value::Object(reported));
    }
    Value::Object(row)
}

fn put<T: Copy, J: Into<Value>>(
    row: &mut Map<String, Value>,
    key: &str,
    known: Known<T>,
    number: impl Fn(T) -> J,
) {
    match known {
        Known::Is { value, .. } => {
            row.insert(key.to_owned(), number(value).into());
        }
        Known::Not(Why::Absent) => {}
        Known::Not(_) => {
            row.insert(key.to_owned(), Value::Null);
        }
    }
}

/// A gap in seconds, to the nearest microsecond: six decimals, which read back as that microsecond.
fn gap(took: Duration) -> Value {
    let micros = took.as_nanos().saturating_add(500) / 1_000;
    #[expect(clippy::cast_precision_loss, reason = "exact below 2^53 µs, which are 285 years")]
    let seconds = micros as f64 / 1e6;
    seconds.into()
}
