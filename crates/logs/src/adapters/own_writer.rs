//! Writes our own JSON lines.

use std::io::{self, Write};
use std::time::Duration;

use serde_json::{Map, Value, json};
use trueline_core::{
    BenchRun, Known, Outcome, Plan, RequestRecord, Side, Stretch, Tokens, WallTime, Why,
};

use super::{LogHeader, Role};

/// Writes a run: its header, then its requests, one a line.
///
/// What is null in the record is written as null, what is absent is left out; any other reason why
/// a value is not known is written as null. Start times keep about 0.2 µs.
///
/// # Errors
/// What the writer fails with.
pub fn write_run(run: &BenchRun, mut to: impl Write) -> io::Result<()> {
    let mut header = LogHeader::new(Role::Run);
    header.label = Some(run.label.clone());
    header.arm.clone_from(&run.arm);
    header.side = Some(run.side);
    header.conditions = run.conditions.clone();
    header.plan = (run.plan != Plan::default()).then(|| run.plan.clone());
    write_log(&header, &run.requests, &mut to)
}

/// Writes a header and rows of any role.
///
/// # Errors
/// What the writer fails with.
pub fn write_log<'a>(
    header: &LogHeader,
    rows: impl IntoIterator<Item = &'a RequestRecord>,
    mut to: impl Write,
) -> io::Result<()> {
    serde_json::to_writer(&mut to, header)?;
    to.write_all(b"\n")?;
    let side = header.side();
    for record in rows {
        serde_json::to_writer(&mut to, &row(record, side))?;
        to.write_all(b"\n")?;
    }
    to.flush()
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
    if record.warmup {
        row.insert("warmup".to_owned(), json!(true));
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
