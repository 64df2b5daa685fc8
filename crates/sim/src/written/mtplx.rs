//! MTPLX's request log.

use std::io::{self, Write};

use serde::Serialize;
use trueline_core::{Outcome, Tokens};

use super::style::per_second;
use super::{LogStyle, json, write_lines};
use crate::LedgerEntry;

#[derive(Serialize)]
struct Row<'a> {
    request_id: String,
    session_id: Option<&'a str>,
    model: &'a str,
    server_version: &'static str,
    logged_at_s: f64,
    completed_at_s: f64,
    request_received_monotonic_s: f64,
    prompt_tokens: u64,
    cached_tokens: u64,
    new_prefill_tokens: u64,
    completion_tokens: u64,
    prompt_eval_time_s: f64,
    cache_restore_time_s: f64,
    lock_wait_time_s: f64,
    queue_wait_s: f64,
    ttft_s: f64,
    request_elapsed_s: f64,
    decode_elapsed_s: f64,
    prefill_tok_s: Option<f64>,
    prefill_compute_tok_s: Option<f64>,
    prefill_wall_tok_s: Option<f64>,
    decode_tok_s: Option<f64>,
    session_cache_hit: bool,
    cache_source: &'static str,
    warmup: bool,
}

/// One request as a row of MTPLX's request log, without the line end; `None` where it has none: it
/// was not answered.
///
/// # Shape
/// The rate field is `prefill_tok_s`. MTPLX itself fills it as
/// [`RateField::TimeLeftOut`](crate::RateField::TimeLeftOut) says. `prefill_compute_tok_s` is over
/// computation and `prefill_wall_tok_s` from scheduled to first token, whatever the style. Restoring
/// a cached prefix and waiting for locks take no time here, and stand as zeros.
///
/// # Source
/// MTPLX 2.12.2, request log (read 2026-11-29). That it has no row for a request that was not
/// answered is assumed.
///
/// # Panics
/// Never: a row has text keys and finite numbers.
pub fn mtplx_line(entry: &LedgerEntry, style: &LogStyle) -> Option<String> {
    if entry.outcome() != Outcome::Ok {
        return None;
    }
    let (finished, first, scheduled) = (entry.finished?, entry.first_token?, entry.scheduled?);
    let (decode, new) = (entry.decode()?, entry.computed);
    let hit = entry.cached.get() > 0;
    let steps = Tokens::new(entry.output.get().saturating_sub(1));
    Some(json(&Row {
        request_id: entry.name(),
        session_id: entry.session.as_deref(),
        model: &style.model,
        server_version: "2.12.2",
        logged_at_s: style.wall(finished).as_secs_f64(),
        completed_at_s: style.wall(finished).as_secs_f64(),
        request_received_monotonic_s: entry.arrived.since_start().as_secs_f64(),
        prompt_tokens: entry.prompt.get(),
        cached_tokens: entry.cached.get(),
        new_prefill_tokens: new.get(),
        completion_tokens: entry.output.get(),
        prompt_eval_time_s: entry.compute.as_secs_f64(),
        cache_restore_time_s: 0.0,
        lock_wait_time_s: 0.0,
        queue_wait_s: entry.queue()?.as_secs_f64(),
        ttft_s: entry.ttft()?.as_secs_f64(),
        request_elapsed_s: entry.e2e_latency()?.as_secs_f64(),
        decode_elapsed_s: decode.as_secs_f64(),
        prefill_tok_s: style.rate_of(entry),
        prefill_compute_tok_s: per_second(new, entry.compute),
        prefill_wall_tok_s: per_second(new, first.since(scheduled)),
        decode_tok_s: per_second(steps, decode),
        session_cache_hit: hit,
        cache_source: if hit { "session" } else { "none" },
        warmup: false,
    }))
}

/// Writes MTPLX's request log: those that were answered, in order of their ends.
///
/// # Errors
/// What the writer fails with.
pub fn write_mtplx_log<'a>(
    entries: impl IntoIterator<Item = &'a LedgerEntry>,
    style: &LogStyle,
    to: impl Write,
) -> io::Result<()> {
    write_lines(entries, |entry| mtplx_line(entry, style), to)
}
