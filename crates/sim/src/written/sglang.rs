//! SGLang's metrics export.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Value, json};
use trueline_core::Tokens;

use super::style::per_second;
use super::{LogStyle, json, write_lines};
use crate::{Finish, LedgerEntry, SimTime};

#[derive(Serialize)]
struct Row {
    request_parameters: String,
    id: String,
    finish_reason: Value,
    prompt_tokens: u64,
    completion_tokens: u64,
    cached_tokens: u64,
    reasoning_tokens: u64,
    weight_version: &'static str,
    num_retractions: u32,
    e2e_latency: f64,
    queue_time: Option<f64>,
    forward_entry_time: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prefill_finished_time: Option<f64>,
    request_received_ts: f64,
    api_server_dispatch_finish_ts: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_sent_to_client_ts: Option<f64>,
    request_finished_ts: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_token_latency: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decode_throughput: Option<f64>,
}

/// One request as a line of SGLang's metrics export, without the line end; `None` where it has none:
/// it has not ended, or never got a place.
///
/// # Shape
/// As with `--enable-metrics`. `e2e_latency` holds the queue; of one whose client went away it ends
/// with that. `*_ts`, `forward_entry_time` and `prefill_finished_time` are wall time in seconds. It
/// has no prefill rate, so the style's rate field changes nothing.
///
/// # Source
/// SGLang 0.5.23, `--export-metrics-to-file` (read 2026-11-29).
///
/// # Panics
/// Never: a row has text keys and finite numbers.
pub fn sglang_line(entry: &LedgerEntry, style: &LogStyle) -> Option<String> {
    let (finished, scheduled) = (entry.finished?, entry.scheduled?);
    let wall = |at: SimTime| style.wall(at).as_secs_f64();
    let finish_reason = match entry.finish? {
        Finish::Stop => json!({"type": "stop", "matched": null}),
        Finish::Length => json!({"type": "length", "length": entry.output.get()}),
        Finish::Cancelled => json!({"type": "abort", "message": "Abort before completion"}),
    };
    let steps = Tokens::new(entry.output.get().saturating_sub(1));
    Some(json(&Row {
        request_parameters: json!({"rid": entry.name(), "model": style.model}).to_string(),
        id: entry.name(),
        finish_reason,
        prompt_tokens: entry.prompt.get(),
        completion_tokens: entry.output.get(),
        cached_tokens: entry.cached.get(),
        reasoning_tokens: 0,
        weight_version: "default",
        num_retractions: entry.preemptions,
        e2e_latency: finished.since(entry.arrived).as_secs_f64(),
        queue_time: entry.queue().map(|took| took.as_secs_f64()),
        forward_entry_time: Some(wall(scheduled)),
        prefill_finished_time: entry.first_token.map(wall),
        request_received_ts: wall(entry.arrived),
        api_server_dispatch_finish_ts: wall(entry.arrived),
        response_sent_to_client_ts: entry.last_token.map(wall),
        request_finished_ts: wall(finished),
        first_token_latency: entry.ttft().map(|took| took.as_secs_f64()),
        decode_throughput: entry.decode().and_then(|took| per_second(steps, took)),
    }))
}

/// Writes SGLang's metrics export: those that ended, in order of their ends.
///
/// # Errors
/// What the writer fails with.
pub fn write_sglang_log<'a>(
    entries: impl IntoIterator<Item = &'a LedgerEntry>,
    style: &LogStyle,
    to: impl Write,
) -> io::Result<()> {
    write_lines(entries, |entry| sglang_line(entry, style), to)
}
