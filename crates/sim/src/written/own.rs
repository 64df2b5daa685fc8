//! Trueline's own JSON lines.

use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value, json};
use trueline_core::Outcome;

use super::{LogStyle, json, write_lines};
use crate::LedgerEntry;

#[derive(Serialize)]
struct Row<'a> {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
    model: &'a str,
    started_at_s: f64,
    prompt_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    cached_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    queue_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ttft_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    e2e_latency_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prefill_compute_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decode_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<&'static str>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    reported: Map<String, Value>,
}

/// One request as a line of our own format, without the line end.
///
/// # Shape
/// Durations to the nanosecond, the start to about 0.2 µs. The rate field is
/// `reported.prefill_tok_per_s`. What did not happen is left out.
///
/// # Panics
/// Never: a row has text keys and finite numbers.
pub fn own_line(entry: &LedgerEntry, style: &LogStyle) -> String {
    let seconds = |took: Option<Duration>| took.map(|took| took.as_secs_f64());
    let served = entry.refused.is_none();
    let mut reported = Map::new();
    if let Some(rate) = style.rate_of(entry) {
        reported.insert("prefill_tok_per_s".to_owned(), json!(rate));
    }
    json(&Row {
        id: entry.name(),
        session: entry.session.as_deref(),
        model: &style.model,
        started_at_s: style.wall(entry.arrived).as_secs_f64(),
        prompt_tokens: entry.prompt.get(),
        cached_tokens: entry.scheduled.map(|_| entry.cached.get()),
        output_tokens: served.then_some(entry.output.get()),
        queue_s: seconds(entry.queue()),
        ttft_s: seconds(entry.ttft()),
        e2e_latency_s: seconds(entry.e2e_latency()),
        prefill_compute_s: seconds(entry.first_token.map(|_| entry.compute)),
        decode_s: seconds(entry.decode()),
        outcome: match entry.outcome() {
            Outcome::Ok => Some("ok"),
            Outcome::Cancelled => Some("cancelled"),
            Outcome::Failed => Some("failed"),
            _ => None,
        },
        reported,
    })
}

/// The header of a log of our own format, without the line end.
pub fn own_header(style: &LogStyle) -> String {
    json!({
        "schema": "trueline.requests/1",
        "role": "log",
        "side": "server",
        "conditions": {"model": style.model, "server": "trueline-sim"},
    })
    .to_string()
}

/// Writes a log of our own format: a header, then the requests that ended, in order of their ends.
///
/// # Errors
/// What the writer fails with.
pub fn write_own_log<'a>(
    entries: impl IntoIterator<Item = &'a LedgerEntry>,
    style: &LogStyle,
    mut to: impl Write,
) -> io::Result<()> {
    writeln!(to, "{}", own_header(style))?;
    write_lines(entries, |entry| Some(own_line(entry, style)), to)
}
