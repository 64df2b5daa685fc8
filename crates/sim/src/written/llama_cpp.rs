//! llama.cpp's text log.

use std::fmt;
use std::io::{self, Write};
use std::time::Duration;

use trueline_core::{Outcome, Tokens};

use super::style::per_second;
use super::{LogStyle, RateField, Verbosity};
use crate::{LedgerEntry, SimTime};

/// A moment as the log's clock shows it: minutes, seconds, milliseconds, microseconds since the start.
struct Clock(SimTime);

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = self.0.as_nanos() / 1_000;
        let (seconds, rest) = (micros / 1_000_000, micros % 1_000_000);
        let (minutes, seconds) = (seconds / 60, seconds % 60);
        write!(f, "{minutes}.{seconds:02}.{:03}.{:03}", rest / 1_000, rest % 1_000)
    }
}

/// The lines of one request, each with its moment, without line ends; none where it never got a place
/// and was not taken back.
///
/// # Shape
/// In order of time. The task's number is the request's, the slot's the place it had last.
///
/// - Prompt tokens on the timing line are those computed, its time is from scheduled to first token:
///   the queue is left out. [`RateField::CachedTokensIn`] puts all prompt tokens there,
///   [`RateField::TimeLeftOut`] the computation alone.
/// - The rate on the eval line is of `n - 1` steps though it names `n` tokens; of one token it is 0.
/// - A request that was taken back has no timing lines.
/// - What was cached stands nowhere; with [`Verbosity::Verbose`] the whole prompt does.
///
/// # Source
/// Captures of llama.cpp b11434, default verbosity and `-lv 4` (made 2026-11-29).
pub fn llama_cpp_lines(entry: &LedgerEntry, style: &LogStyle) -> Vec<(SimTime, String)> {
    let mut lines = Vec::new();
    let task = entry.id.0;
    let (slot, at) = match (entry.slot, entry.scheduled, entry.finished) {
        (Some(slot), Some(at), _) => (slot, at),
        (_, _, Some(at)) if entry.outcome() == Outcome::Cancelled => {
            lines.push(cancelled(at, task));
            return lines;
        }
        _ => return lines,
    };
    let mut say = |at: SimTime, function: &str, task: &dyn fmt::Display, text: &str| {
        let clock = Clock(at);
        lines.push((
            at,
            format!("{clock} I slot {function:>12}: id {slot:>2} | task {task} | {text}"),
        ));
    };
    say(at, "get_availabl", &-1, "selected slot by LRU, t_last = -1");
    say(at, "launch_slot_", &task, "processing task, is_child = 0");
    if style.verbosity == Verbosity::Verbose {
        let (context, prompt) = (style.context.get(), entry.prompt.get());
        let text =
            format!("new prompt, n_ctx_slot = {context}, n_keep = 0, task.n_tokens = {prompt}");
        say(at, "operator()", &task, &text);
        let cached = entry.cached.get();
        let text = format!("cached n_tokens = {cached}, memory_seq_rm [{cached}, end)");
        say(at, "operator()", &task, &text);
    }
    let Some(end) = entry.finished else { return lines };
    if entry.outcome() == Outcome::Ok {
        for text in timings(entry, style) {
            say(end, "print_timing", &task, &text);
        }
    }
    let held = (entry.prompt.get() + entry.output.get()).saturating_sub(1);
    let text = format!("stop processing: n_tokens = {held}, truncated = 0");
    say(end, "release", &task, &text);
    if entry.outcome() == Outcome::Cancelled {
        let before_release = lines.len().saturating_sub(1);
        lines.insert(before_release, cancelled(end, task));
    }
    lines
}

fn cancelled(at: SimTime, task: u64) -> (SimTime, String) {
    (at, format!("{} W srv          stop: cancel task, id_task = {task}", Clock(at)))
}

/// The three timing lines.
fn timings(entry: &LedgerEntry, style: &LogStyle) -> Vec<String> {
    let (Some(scheduled), Some(first), Some(decode)) =
        (entry.scheduled, entry.first_token, entry.decode())
    else {
        return Vec::new();
    };
    let (new, took) = match style.rate {
        RateField::Honest => (entry.computed, first.since(scheduled)),
        RateField::CachedTokensIn => (entry.prompt, first.since(scheduled)),
        RateField::TimeLeftOut => (entry.computed, entry.compute),
    };
    let steps = Tokens::new(entry.output.get().saturating_sub(1));
    let all = new.get() + entry.output.get();
    let total = millis(took.saturating_add(decode));
    vec![
        timing("prompt eval time", took, new, new),
        timing("eval time", decode, entry.output, steps),
        format!("{:>16} = {total:>10.2} ms / {all:>5} tokens", "total time"),
    ]
}

/// One timing line: it names `tokens` and reckons with `steps`.
fn timing(label: &str, took: Duration, tokens: Tokens, steps: Tokens) -> String {
    let (ms, named) = (millis(took), tokens.get());
    let each = if steps.get() > 0 { ms / steps.as_f64() } else { 0.0 };
    let rate = per_second(steps, took).unwrap_or(0.0);
    format!(
        "{label:>16} = {ms:>10.2} ms / {named:>5} tokens ({each:>8.2} ms per token, {rate:>8.2} \
         tokens per second)"
    )
}

fn millis(took: Duration) -> f64 {
    took.as_secs_f64() * 1e3
}

/// Writes llama.cpp's text log: the lines of all requests in order of time, behind those of the start.
///
/// # Errors
/// What the writer fails with.
pub fn write_llama_cpp_log<'a>(
    entries: impl IntoIterator<Item = &'a LedgerEntry>,
    style: &LogStyle,
    mut to: impl Write,
) -> io::Result<()> {
    let start = Clock(SimTime::ZERO);
    writeln!(to, "{start} I srv    load_model: loading model '{}'", style.model)?;
    writeln!(to, "{start} I srv  llama_server: model loaded")?;
    let mut lines: Vec<(SimTime, String)> =
        entries.into_iter().flat_map(|entry| llama_cpp_lines(entry, style)).collect();
    lines.sort_by_key(|(at, _)| *at);
    for (_, line) in lines {
        writeln!(to, "{line}")?;
    }
    to.flush()
}
