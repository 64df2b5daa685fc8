//! What one line of a llama.cpp server's log says of a request.

use std::time::Duration;

use trueline_core::Known;

use crate::lines::{Words, count, milliseconds, number};

/// A task in a slot; a slot runs one task at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Task {
    pub(crate) slot: u64,
    pub(crate) task: u64,
}

/// A stretch with the tokens and the rate that the server prints for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Timed {
    pub(crate) took: Known<Duration>,
    pub(crate) tokens: u64,
    /// Tokens per second as printed; `None` where it is not finite.
    pub(crate) rate: Option<f64>,
}

/// What a line says of a request. Lines without a task belong to the one that the writer named last.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Event {
    /// A slot begins a task.
    Launched(Task),
    /// How many tokens the prompt of a task has.
    Prompt(Task, u64),
    /// The timings of a task follow on lines of their own.
    Head(Task),
    /// The prompt's computation: new tokens.
    Computed(Option<Task>, Timed),
    /// What was generated.
    Generated(Option<Task>, Timed),
    /// Both together.
    Total(Option<Task>),
    /// A task was cancelled.
    Cancelled(u64),
    /// A slot is free again: the tokens that it holds, `None` where the line does not say or where the
    /// context was shifted.
    Released(Task, Option<u64>),
    /// The line breaks off within what it says.
    Torn,
}

/// What both times have before them: most lines have none.
static TIME: Words = Words::new(" time");
static EVAL: Words = Words::new("eval time");
static TOTAL: Words = Words::new("total time =");
static CANCEL: Words = Words::new("cancel task, id_task = ");
static TASK: Words = Words::new(" | task ");
static SLOT_OF_2024: Words = Words::new("id_slot=");
static TASK_OF_2024: Words = Words::new("id_task=");
static STOPPED: Words = Words::new("stop processing");
static FREED: Words = Words::new("slot released");
static NOT_SHIFTED: [Words; 2] = [Words::new("truncated = 0"), Words::new("truncated=false")];
static HELD: Words = Words::new("n_tokens = ");
static LAUNCHED: Words = Words::new("processing task");
static PROMPT: Words = Words::new("new prompt,");
static PROMPT_TOKENS: [Words; 2] =
    [Words::new("n_prompt_tokens = "), Words::new("task.n_tokens = ")];
static PER_TOKEN: Words = Words::new("per token,");
static PER_SECOND: Words = Words::new("per second");
static TIMING: Words = Words::new("print_timing");

/// What a line says of a request, if it does.
pub(crate) fn event(text: &str) -> Option<Event> {
    let has_time = TIME.are_in(text);
    if has_time && let Some((before, rest)) = EVAL.split(text) {
        // The library's own summaries count all requests of a process together.
        if is_library(before) {
            return None;
        }
        let Some(timed) = timed(rest) else { return Some(Event::Torn) };
        let task = task(text);
        let of_prompt = before.trim_end().ends_with("prompt");
        return Some(if of_prompt {
            Event::Computed(task, timed)
        } else {
            Event::Generated(task, timed)
        });
    }
    if has_time && let Some((before, _)) = TOTAL.split(text) {
        return (!is_library(before)).then(|| Event::Total(task(text)));
    }
    if let Some(rest) = CANCEL.after(text) {
        return Some(count(rest).map_or(Event::Torn, |(task, _)| Event::Cancelled(task)));
    }
    let task = task(text)?;
    if STOPPED.are_in(text) || FREED.are_in(text) {
        let shifted = !NOT_SHIFTED.iter().any(|no| no.are_in(text));
        let held = HELD.after(text).and_then(count).map(|(held, _)| held).filter(|_| !shifted);
        return Some(Event::Released(task, held));
    }
    if LAUNCHED.are_in(text) {
        return Some(Event::Launched(task));
    }
    if let Some(rest) = PROMPT.after(text) {
        let tokens = PROMPT_TOKENS.iter().find_map(|words| count(words.after(rest)?));
        return tokens.map(|(tokens, _)| Event::Prompt(task, tokens));
    }
    let (before, rest) = TASK.split(text)?;
    let is_head = TIMING.are_in(before)
        && rest.split_once('|').is_some_and(|(_, rest)| rest.trim().is_empty());
    is_head.then_some(Event::Head(task))
}

/// Whether words before a time are those of the library and not of its server.
fn is_library(before: &str) -> bool {
    // All of them name it.
    static OWN: Words = Words::new("_p");
    OWN.are_in(before)
        && ["llama_print_timings", "llama_perf", "perf_context"]
            .iter()
            .any(|own| before.contains(own))
}

/// `id  1 | task 0 |`, or `id_slot=1 id_task=0` of 2024.
fn task(text: &str) -> Option<Task> {
    if let Some((before, rest)) = TASK.split(text) {
        let slot = before.rsplit_once(' ').map_or(before, |(_, slot)| slot).parse().ok()?;
        return Some(Task { slot, task: count(rest)?.0 });
    }
    let of = |words: &Words| Some(count(words.after(text)?)?.0);
    Some(Task { slot: of(&SLOT_OF_2024)?, task: of(&TASK_OF_2024)? })
}

/// ` =  354.05 ms /  65 tokens ( 5.45 ms per token,  183.59 tokens per second)`; `runs` for `tokens` before
/// 2025.
fn timed(rest: &str) -> Option<Timed> {
    let (ms, rest) = number(rest.split_once('=')?.1)?;
    let (tokens, rest) = count(rest.trim_start().strip_prefix("ms /")?)?;
    let rest = rest.trim_start();
    let rest = rest.strip_prefix("tokens").or_else(|| rest.strip_prefix("runs"))?;
    let per_second = PER_TOKEN.after(rest)?;
    // "nan" and "inf" stand there where one of the two is 0.
    let rate = number(per_second).map(|(rate, _)| rate);
    PER_SECOND.are_in(per_second).then_some(Timed { took: milliseconds(ms), tokens, rate })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(slot: u64, task: u64) -> Task {
        Task { slot, task }
    }

    fn timed(ms: f64, tokens: u64, rate: Option<f64>) -> Timed {
        Timed { took: milliseconds(ms), tokens, rate }
    }

    #[test]
    fn lines_of_all_generations_say_the_same() {
        let new = timed(400.0, 80, Some(200.0));
        let numbers =
            "400.00 ms /    80 tokens (    5.00 ms per token,   200.00 tokens per second)";
        for (before, after, task) in [
            ("0.01.880.653 I slot print_timing: id  1 | task 7 | ", "", Some(of(1, 7))),
            ("", "", None),
            ("print_timings: ", "", None),
            (
                "INFO [print_timings] ",
                " | tid=\"0x1\" timestamp=1720645909 id_slot=1 id_task=7 t_prompt_processing=400.0 \
                 n_prompt_tokens_processed=80 t_token=5 n_tokens_second=200",
                Some(of(1, 7)),
            ),
        ] {
            let line = format!("{before}prompt eval time =     {numbers}{after}");
            assert_eq!(event(&line), Some(Event::Computed(task, new)), "{line}");
            let line = line.replace("prompt eval", "       eval").replace("80 tokens", "80 runs");
            assert_eq!(event(&line), Some(Event::Generated(task, new)), "{line}");
        }
    }

    #[test]
    fn a_task_is_launched_told_and_released() {
        for (line, expected) in [
            (
                "slot launch_slot_: id  0 | task 3 | processing task, is_child = 0",
                Event::Launched(of(0, 3)),
            ),
            (
                "slot   operator(): id  0 | task 3 | new prompt, n_ctx_slot = 4096, n_keep = 0, task.n_tokens = 975",
                Event::Prompt(of(0, 3), 975),
            ),
            (
                "slot update_slots: id  0 | task 3 | new prompt, n_ctx_slot = 4096, n_keep = 0, n_prompt_tokens = 975",
                Event::Prompt(of(0, 3), 975),
            ),
            ("9.01.002.003 I slot print_timing: id  0 | task 3 | ", Event::Head(of(0, 3))),
            ("       total time =     710.96 ms /    81 tokens", Event::Total(None)),
            ("0.12 W srv          stop: cancel task, id_task = 281", Event::Cancelled(281)),
            (
                "slot      release: id  0 | task 3 | stop processing: n_tokens = 80, truncated = 0",
                Event::Released(of(0, 3), Some(80)),
            ),
            (
                "slot      release: id  0 | task 3 | stop processing: n_tokens = 80, truncated = 1",
                Event::Released(of(0, 3), None),
            ),
        ] {
            assert_eq!(event(line), Some(expected), "{line}");
        }
    }

    #[test]
    fn what_is_no_word_on_a_request_says_nothing() {
        for line in [
            "",
            "srv  update_slots: all slots are idle",
            // Printed once for each chunk of one prompt: no hit count.
            "slot   operator(): id  1 | task 0 | cached n_tokens = 459, memory_seq_rm [459, end)",
            "slot print_timing: id  0 | task 388 | n_decoded =    172, tg =  12.00 t/s",
            "slot print_timing: id  0 | task 1 | prompt processing, n_tokens =  36864, progress = 0.24, t =  21.09 s / 1748.02 tokens per second",
            "slot print_timing: id  1 | task 0 |    graphs reused =         15",
            "llama_print_timings: prompt eval time =  400.00 ms /   80 tokens (    5.00 ms per token,   200.00 tokens per second)",
            "llama_perf_context_print:       total time =     710.96 ms /    81 tokens",
        ] {
            assert_eq!(event(line), None, "{line}");
        }
    }

    #[test]
    fn a_timing_that_breaks_off_is_torn_and_one_without_a_rate_is_not() {
        let whole = "prompt eval time =  0.00 ms /    0 tokens (    -nan ms per token,     -nan tokens per second)";
        assert_eq!(event(whole), Some(Event::Computed(None, timed(0.0, 0, None))));
        for end in 16..whole.len() - 1 {
            let cut = event(&whole[..end]);
            assert!(matches!(cut, Some(Event::Torn | Event::Computed(..))), "{end}");
        }
        assert_eq!(event(&whole[..30]), Some(Event::Torn));
    }
}
