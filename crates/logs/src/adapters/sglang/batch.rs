//! What SGLang's scheduler says of each prefill batch and of some decode steps.
//!
//! Its rates are none of a batch. The input throughput divides by the time since the line of the batch before,
//! with decode steps and idle time inside; up to 0.5.10 it counts the tokens of the batch before besides. The
//! numbers of tokens are honest, and are summed.

use std::collections::BTreeMap;
use std::time::Duration;

use trueline_core::TokenScope;

use crate::Generations;
use crate::generations::INPUT_THROUGHPUT;
use crate::intervals::{IntervalField, Intervals, Said, States};
use crate::lines::{Told, Words, named, parts};
use crate::stamp::parse_stamp;

/// How many schedulers are told apart; lines of others count as unreadable.
const SCHEDULERS: usize = 1_024;

const PREFILL: &str =
    "SGLang 0.5.10.post1, scheduler_metrics_mixin.py, and 0.5.23, metrics_reporter.py";

static INPUT: IntervalField = rate("input throughput (token/s)", States::PromptRate)
    .counting(&[TokenScope::NewPrompt])
    .note(
        "no prefill speed: up to 0.5.10 the tokens of the batch before over the time from its line to this \
         one, in 0.5.23 those of this batch over the same time",
    )
    .fault(
        "up to 0.5.10 it even divides the tokens of the batch before by the time of this one, so that no line \
         belongs to its own batch",
    );
static OUTPUT: IntervalField = rate("gen throughput (token/s)", States::OutputRate)
    .counting(&[TokenScope::Output])
    .note("over the time since the last such line, prefill and idle time inside");
static NEW: IntervalField = gauge("#new-token", States::Tokens)
    .counting(&[TokenScope::NewPrompt])
    .note("of a prefill batch; an honest count, to be summed");
static CACHED: IntervalField =
    gauge("#cached-token", States::Tokens).note("of a prefill batch; to be summed");
static NEW_REQUESTS: IntervalField = gauge("#new-seq", States::Requests)
    .note("of a prefill batch; a prompt in several chunks counts with each");
static RUNNING: IntervalField = gauge("#running-req", States::Running);
static WAITING: IntervalField = gauge("#queue-req", States::Waiting);
static USE: IntervalField = gauge("token usage", States::CacheUse)
    .note("of full attention where pools are split (full token usage)");

/// All of them.
pub(super) static FIELDS: [&IntervalField; 8] =
    [&INPUT, &OUTPUT, &NEW, &CACHED, &NEW_REQUESTS, &RUNNING, &WAITING, &USE];

const fn rate(name: &'static str, states: States) -> IntervalField {
    IntervalField::rate("sglang", name, states).source(PREFILL)
}

const fn gauge(name: &'static str, states: States) -> IntervalField {
    IntervalField::gauge("sglang", name, states).source(PREFILL)
}

/// What the input throughput may count.
const BEFORE: &str = "tokens of the batch before (up to 0.5.10)";
const THIS: &str = "tokens of its own batch (0.5.23)";

/// Whether a line tells of a batch.
pub(super) fn is_one(text: &str) -> bool {
    static RUNNING_REQUESTS: Words = Words::new("#running-req: ");
    kind(text).is_some() && RUNNING_REQUESTS.are_in(text)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Prefill,
    Decode,
}

/// The kind of batch, and its parts. Its number and, in old versions, a full stop stand behind the name.
fn kind(text: &str) -> Option<(Kind, &str)> {
    let (kind, rest) = match text.strip_prefix("Prefill batch") {
        Some(rest) => (Kind::Prefill, rest),
        None => (Kind::Decode, text.strip_prefix("Decode batch")?),
    };
    let rest = match rest.strip_prefix(" [") {
        Some(numbered) => numbered.split_once(']')?.1,
        None => rest,
    };
    Some((kind, rest.strip_prefix(", ").or_else(|| rest.strip_prefix(". "))?))
}

/// What is known of each scheduler.
#[derive(Debug, Default)]
pub(super) struct Batches(BTreeMap<String, Scheduler>);

#[derive(Debug, Default)]
struct Scheduler {
    /// The ranks that speak for it: lines of the others repeat what these say.
    ranks: String,
    /// Second and new tokens of the last prefill batch.
    prefill: Option<(i64, u64)>,
    /// Second of the last decode line.
    decode: Option<i64>,
}

/// The numbers of a line.
#[derive(Debug, Default)]
struct Parts {
    new_requests: Option<u64>,
    new: Option<u64>,
    cached: Option<u64>,
    running: Option<u64>,
    waiting: Option<u64>,
    usage: Option<f64>,
    input: Option<f64>,
    output: Option<f64>,
}

impl Parts {
    fn of(text: &str) -> Self {
        let mut found = Self::default();
        for (name, value) in parts(text).filter_map(named) {
            match name {
                "#new-seq" => found.new_requests = value.parse().ok(),
                "#new-token" => found.new = value.parse().ok(),
                "#cached-token" => found.cached = value.parse().ok(),
                "#running-req" => found.running = value.parse().ok(),
                "#queue-req" => found.waiting = value.parse().ok(),
                "token usage" | "full token usage" => found.usage = value.parse().ok(),
                "input throughput (token/s)" => found.input = value.parse().ok(),
                "gen throughput (token/s)" => found.output = value.parse().ok(),
                _ => {}
            }
        }
        found
    }
}

impl Batches {
    /// Takes a line of a batch; `inside` is what its brackets hold: a time, then ranks.
    pub(super) fn take(&mut self, writer: &str, inside: Option<&str>, text: &str, told: &mut Told) {
        let Some((kind, rest)) = kind(text) else {
            told.intervals.unreadable_line();
            return;
        };
        let (stamp, ranks) =
            inside.map_or(("", ""), |inside| inside.split_at(inside.len().min(19)));
        let group = ranks.split(' ').find(|rank| rank.starts_with("DP")).unwrap_or_default();
        let key = format!("{writer}\u{0}{group}");
        if self.0.len() >= SCHEDULERS && !self.0.contains_key(&key) {
            told.intervals.unreadable_line();
            return;
        }
        let scheduler = self
            .0
            .entry(key)
            .or_insert_with(|| Scheduler { ranks: ranks.to_owned(), ..Scheduler::default() });
        if scheduler.ranks != ranks {
            return;
        }
        let second = parse_stamp(stamp).map(|at| at.as_nanos().div_euclid(1_000_000_000));
        scheduler.say(kind, second, &Parts::of(rest), &mut told.intervals, &mut told.generations);
    }
}

impl Scheduler {
    fn say(
        &mut self,
        kind: Kind,
        second: Option<i64>,
        parts: &Parts,
        intervals: &mut Intervals,
        generations: &mut Generations,
    ) {
        let (rate, before) = match kind {
            Kind::Prefill => (parts.input, self.prefill.map(|(second, _)| second)),
            Kind::Decode => (parts.output, self.decode),
        };
        let gap = second.zip(before).and_then(|(now, before)| u64::try_from(now - before).ok());
        let said = |value| Said { value, after: gap.map(Duration::from_secs), hit: None };
        let moment = |value| Said { value, after: None, hit: None };
        intervals.line();
        if let Some(rate) = rate {
            intervals.say(if kind == Kind::Prefill { &INPUT } else { &OUTPUT }, said(rate));
        }
        for (field, number) in [(&RUNNING, parts.running), (&WAITING, parts.waiting)] {
            if let Some(number) = number.and_then(|n| u32::try_from(n).ok()) {
                intervals.say(field, moment(f64::from(number)));
            }
        }
        if let Some(usage) = parts.usage {
            intervals.say(&USE, moment(usage));
        }
        if kind == Kind::Decode {
            self.decode = second;
            return;
        }
        for (field, number) in
            [(&NEW, parts.new), (&CACHED, parts.cached), (&NEW_REQUESTS, parts.new_requests)]
        {
            if let Some(number) = number {
                intervals.count(field, number);
            }
        }
        if let (Some(rate), Some(gap), Some((_, earlier)), Some(new)) =
            (rate, gap, self.prefill, parts.new)
        {
            match (fits(earlier, rate, gap), fits(new, rate, gap)) {
                (true, false) => generations.add(INPUT_THROUGHPUT, BEFORE, 1),
                (false, true) => generations.add(INPUT_THROUGHPUT, THIS, 1),
                _ => {}
            }
        }
        self.prefill = second.zip(parts.new);
    }
}

/// Whether tokens at a rate take the time between two stamps, of whole seconds each.
fn fits(tokens: u64, rate: f64, gap: u64) -> bool {
    let (Ok(tokens), Ok(gap)) = (u32::try_from(tokens), u32::try_from(gap)) else { return false };
    let took = f64::from(tokens) / rate;
    // A rate of two decimals and a line that is written a little later than the rate is taken.
    rate > 0.0 && (took - f64::from(gap)).abs() <= 1.0 + 0.01 * took
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(lines: &[(&str, &str)]) -> Told {
        let (mut batches, mut told) = (Batches::default(), Told::default());
        for (inside, text) in lines {
            assert!(is_one(text), "{text}");
            batches.take("", Some(inside), text, &mut told);
        }
        told
    }

    fn prefill(new: u64, rate: f64) -> String {
        format!(
            "Prefill batch, #new-seq: 1, #new-token: {new}, #cached-token: 100, token usage: 0.10, \
             #running-req: 2, #queue-req: 3, cuda graph: False, input throughput (token/s): {rate:.2}"
        )
    }

    #[test]
    fn tokens_are_summed_and_whose_tokens_the_rate_counts_is_told() {
        // Batches of 8,000, 400 and 2,000 tokens at 0, 10 and 30 s. By the batch before: 800 and 20 tok/s; by its
        // own: 40 and 100.
        for (rates, counts) in [([800.0, 20.0], BEFORE), ([40.0, 100.0], THIS)] {
            let lines = [prefill(8_000, 3.0), prefill(400, rates[0]), prefill(2_000, rates[1])];
            let stamps =
                ["2026-11-29 12:00:00 TP0", "2026-11-29 12:00:10 TP0", "2026-11-29 12:00:30 TP0"];
            let lines: Vec<(&str, &str)> =
                stamps.into_iter().zip(lines.iter().map(String::as_str)).collect();
            let told = told(&lines);
            let total = |name| told.intervals.get("sglang", name).unwrap().total();
            assert_eq!((total("#new-token"), total("#cached-token")), (10_400, 300));
            assert_eq!(told.generations.get(INPUT_THROUGHPUT, counts), Some(2), "{counts}");
            assert_eq!(told.intervals.lines(), 3);
        }
    }

    #[test]
    fn ranks_that_repeat_each_other_count_once_and_groups_of_data_count_each() {
        let line = prefill(500, 1.0);
        let of = |inside: &[&'static str]| {
            let lines: Vec<(&str, &str)> = inside.iter().map(|i| (*i, line.as_str())).collect();
            told(&lines).intervals.get("sglang", "#new-token").unwrap().total()
        };
        assert_eq!(
            of(&["2026-11-29 12:00:00 PP0 ATTN_CP0 TP0", "2026-11-29 12:00:00 PP0 ATTN_CP1 TP1"]),
            500
        );
        assert_eq!(of(&["2026-11-29 12:00:00 DP0 TP0", "2026-11-29 12:00:00 DP1 TP0"]), 1_000);
    }

    #[test]
    fn pools_of_several_kinds_and_old_lines_are_read() {
        let hybrid = "Decode batch [120], #running-req: 4, #full token: 4050, full token usage: 0.05, #swa token: 512, swa token usage: 0.25, accept len: 2.50, cuda graph: True, gen throughput (token/s): 110.02, #queue-req: 1";
        let old = "Prefill batch. #new-seq: 2, #new-token: 70, #cached-token: 5, token usage: 0.01, #running-req: 0, #queue-req: 0, ";
        let told = told(&[("2026-11-29 12:00:00", hybrid), ("2026-11-29 12:00:01", old)]);
        let median =
            |name| told.intervals.get("sglang", name).and_then(|stats| stats.values().median());
        assert_eq!(median("gen throughput (token/s)"), Some(110.02));
        assert_eq!(median("token usage"), Some(0.03));
        assert_eq!(median("#new-token"), Some(70.0));
        assert_eq!(median("input throughput (token/s)"), None);
        assert!(!is_one("Prefill batch done") && !is_one("x Decode batch, #running-req: 1"));
    }
}
