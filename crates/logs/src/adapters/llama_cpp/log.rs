//! The text log of llama.cpp's server, in its three generations.

use trueline_core::Side;

use super::event::{Event, Timed, event};
use super::reader::Slots;
use crate::adapters::{LogFormat, Reads, Table};
use crate::lines::Seen;
use crate::{Evidence, FieldMeaning, Holds, Unit};

/// The format.
pub(crate) const FORMAT: LogFormat = LogFormat {
    name: "llama-cpp-log",
    writer: "llama.cpp's server, on standard error",
    versions: "b11434; of 2023 and 2024 as described",
    evidence: Evidence::Captured,
    table,
    reads: Reads::Lines {
        words: &["eval time", "total time =", "cancel task", " | task ", "id_task="],
        apart: false,
        is,
        reader: || Box::new(Slots::default()),
    },
};

/// The name of the stated prefill rate.
pub(super) const RATE: &str = "prompt eval, tokens per second";

/// Whether the first lines are of it.
fn is(lines: &[&str]) -> Option<Seen> {
    let events: Vec<Event> = lines.iter().filter_map(|line| event(line)).collect();
    let timings = events.iter().filter(|e| matches!(e, Event::Computed(..))).count();
    let mut evidence = format!("{timings} timings of prompts (prompt eval time = … ms / … tokens)");
    if let Some(steps) = Steps::of(&events).words() {
        evidence += &format!("; {steps}");
    }
    let is_one = events.iter().any(|e| !matches!(e, Event::Torn));
    is_one.then_some(Seen { lines: events.len(), evidence })
}

/// Whether the printed decode rate counts all tokens or the steps between them: it was the first before
/// August 2026.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Steps {
    /// Rates that only n tokens over the time explain.
    pub(crate) all: u64,
    /// Rates that only n - 1 tokens over the time explain.
    pub(crate) between: u64,
}

impl Steps {
    fn of(events: &[Event]) -> Self {
        let mut steps = Self::default();
        for event in events {
            if let Event::Generated(_, timed) = event {
                steps.add(timed);
            }
        }
        steps
    }

    fn add(&mut self, timed: &Timed) {
        let (Some(took), Some(rate)) = (timed.took.value(), timed.rate) else { return };
        self.count(timed.tokens, took.as_secs_f64(), rate);
    }

    /// Counts one rate. It tells the two apart where it is printed closely enough.
    pub(crate) fn count(&mut self, tokens: u64, seconds: f64, rate: f64) {
        #[expect(clippy::cast_precision_loss, reason = "counts of tokens are below 2^53")]
        let n = tokens as f64;
        // Half of one token's part of the rate lies between the two.
        let close = |steps: f64| (rate * seconds - steps).abs() < 0.4;
        match (tokens > 1 && seconds > 0.0 && rate > 0.0, close(n), close(n - 1.0)) {
            (true, true, false) => self.all += 1,
            (true, false, true) => self.between += 1,
            _ => {}
        }
    }

    /// What they say, if anything.
    pub(crate) fn words(self) -> Option<String> {
        let n = self.all + self.between;
        match (self.all, self.between) {
            (0, 0) => None,
            (0, _) => Some(format!("{n} of {n} decode rates count the n - 1 steps between tokens")),
            (_, 0) => {
                Some(format!("{n} of {n} decode rates count all n tokens: too high by one step"))
            }
            (all, _) => Some(format!(
                "{all} of {n} decode rates count all n tokens, the others the n - 1 steps: two versions"
            )),
        }
    }
}

/// The table, for its name and fields; its lines are read by [`Slots`].
fn table() -> Table {
    use Holds as H;
    const AT: &str =
        "llama.cpp b11434, default and -lv 4; 2023 and 2024 by issues of its repository";
    let f = |path, holds, unit| FieldMeaning::new(path, holds, unit).source(AT);
    Table {
        name: FORMAT.name.into(),
        server: Some("llama.cpp".to_owned()),
        fields: vec![
            f("task", H::Id, Unit::None).note("the server's own number; begins again at 0 with it"),
            f("prompt eval time, tokens", H::NewTokens, Unit::Tokens),
            f("new prompt, task.n_tokens", H::PromptTokens, Unit::Tokens)
                .note("with -lv 4 alone; n_prompt_tokens in 2025"),
            f("stop processing, n_tokens", H::PromptTokens, Unit::Tokens).note(
                "what the slot holds: the prompt and all output but its last token; used where truncated = 0",
            ),
            f("cached n_tokens", H::Unused, Unit::Tokens)
                .note("printed for each chunk of a prompt as it fills: no hit count"),
            f("eval time, tokens", H::OutputTokens, Unit::Tokens).note("runs before 2025"),
            f("prompt eval time", H::PrefillCompute, Unit::Milliseconds).clock(Side::Server).note(
                "from the slot's start to its last batch: cache lookup inside, waiting for a slot outside",
            ),
            f("eval time", H::Decode, Unit::Milliseconds)
                .clock(Side::Server)
                .note("its rate counts n - 1 steps since August 2026, n tokens before"),
            f(RATE, H::ReportedPrefillRate, Unit::TokensPerSecond)
                .note("new tokens over prompt eval time"),
            f("total time", H::Unused, Unit::Milliseconds).note("the two times added: no latency"),
            f("cancel task", H::Outcome, Unit::None).note("such tasks have no timings"),
        ],
        side: Side::Server,
        ok: Vec::new(),
        block: None,
        marks: &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decode_rate_says_whether_it_counts_steps_or_tokens() {
        let mut steps = Steps::default();
        // By hand: 16 tokens in 0.4 s are 40 tok/s, 15 steps are 37.5.
        steps.count(16, 0.4, 40.0);
        steps.count(16, 0.4, 37.5);
        steps.count(1, 0.000_001, 0.0);
        assert_eq!((steps.all, steps.between), (1, 1));
        assert!(steps.words().unwrap().starts_with("1 of 2"));
        assert_eq!(Steps::default().words(), None);
    }
}
