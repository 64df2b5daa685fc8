//! How late tokens leave, and whether the simulator itself is what a client measures.

use std::fmt;
use std::time::Duration;

use hdrhistogram::Histogram;
use serde::Serialize;

/// A token that leaves later than this after it is due is the simulator's doing, not the model's.
const LATE: Duration = Duration::from_millis(2);
/// Fewer timed tokens than this say nothing about the 99th percentile: with so many, one of them
/// lies above it on average.
const ENOUGH: u64 = 100;

/// How late tokens left, against the moments at which the model says that they leave.
///
/// # Formula
/// Of each token, the moment after the operating system took the write that holds it, less the moment
/// at which it was due. Due moments are counted from the server's start, so that one late token does
/// not move those after it.
///
/// # Assumptions
/// Tokens that a fault holds back on purpose are left out, and so is flood mode, where nothing is due.
/// A write that waited because the client does not read counts under [`LoadReport::blocked_writes`]
/// and enters with the moment at which it was first tried.
#[derive(Debug)]
pub(super) struct Lateness {
    late: Histogram<u64>,
    tokens: u64,
    writes: u64,
    blocked: u64,
}

impl Lateness {
    pub(super) fn new() -> Self {
        // From a microsecond to a minute, with two digits.
        let late = Histogram::new_with_bounds(1, 60_000_000, 2).expect("the bounds are valid");
        Self { late, tokens: 0, writes: 0, blocked: 0 }
    }

    /// One write of so many tokens.
    pub(super) fn wrote(&mut self, tokens: u64, blocked: bool) {
        self.writes += 1;
        self.tokens += tokens;
        self.blocked += u64::from(blocked);
    }

    /// How late some tokens were.
    pub(super) fn were_late(&mut self, late: Duration, tokens: u64) {
        let micros = u64::try_from(late.as_micros()).unwrap_or(u64::MAX);
        self.late.saturating_record_n(micros.max(1), tokens);
    }

    pub(super) fn report(&self) -> LoadReport {
        let at = |quantile| {
            (!self.late.is_empty())
                .then(|| Duration::from_micros(self.late.value_at_quantile(quantile)).as_secs_f64())
        };
        LoadReport {
            tokens: self.tokens,
            timed_tokens: self.late.len(),
            writes: self.writes,
            blocked_writes: self.blocked,
            late_p50_s: at(0.5),
            late_p99_s: at(0.99),
            late_max_s: at(1.0),
        }
    }
}

/// How much the server sent and how late.
///
/// # Units
/// Lateness in seconds, to two digits and no finer than a microsecond; absent where no token was timed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LoadReport {
    /// Tokens sent.
    pub tokens: u64,
    /// Of these, those whose lateness was taken.
    pub timed_tokens: u64,
    /// Writes that held tokens.
    pub writes: u64,
    /// Of these, those that waited for the client to read.
    pub blocked_writes: u64,
    /// The median lateness.
    pub late_p50_s: Option<f64>,
    /// The lateness of one token in a hundred, or more.
    pub late_p99_s: Option<f64>,
    /// The largest lateness.
    pub late_max_s: Option<f64>,
}

/// Whether what a client measures is the model or the simulator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Bottleneck {
    /// Tokens leave when they are due.
    Model,
    /// Tokens leave late: the simulator is what is measured.
    Simulator,
    /// Too few tokens were timed to tell.
    NotObserved,
}

impl LoadReport {
    /// What limits a client's figures: the simulator where one token in a hundred leaves 2 ms late or
    /// later, and only of a hundred timed tokens or more.
    pub fn bottleneck(&self) -> Bottleneck {
        match self.late_p99_s {
            Some(late) if self.timed_tokens >= ENOUGH => {
                if late >= LATE.as_secs_f64() {
                    Bottleneck::Simulator
                } else {
                    Bottleneck::Model
                }
            }
            _ => Bottleneck::NotObserved,
        }
    }
}

impl fmt::Display for LoadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let late = self.late_p99_s.unwrap_or_default() * 1e3;
        let limit = LATE.as_secs_f64() * 1e3;
        match self.bottleneck() {
            Bottleneck::Simulator => write!(
                f,
                "the simulator itself is the bottleneck: one token in a hundred left {late:.1} ms or more \
                 after it was due (limit {limit} ms, {} tokens); what a client measures is this machine, not \
                 the model: use fewer streams, slower tokens or an idle machine",
                self.timed_tokens
            ),
            Bottleneck::Model => write!(
                f,
                "tokens left on time: all but one in a hundred within {late:.2} ms of being due ({} tokens)",
                self.timed_tokens
            ),
            Bottleneck::NotObserved => write!(
                f,
                "not observed whether tokens leave on time: {} of {} tokens were timed, {ENOUGH} are needed",
                self.timed_tokens, self.tokens
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(late_ms: &[u64]) -> LoadReport {
        let mut load = Lateness::new();
        for &ms in late_ms {
            load.wrote(1, false);
            load.were_late(Duration::from_millis(ms), 1);
        }
        load.report()
    }

    #[test]
    fn the_simulator_is_the_bottleneck_when_two_tokens_in_a_hundred_are_late() {
        let mut late = vec![0; 98];
        late.extend([5, 5]);
        let report = load(&late);
        assert_eq!(report.bottleneck(), Bottleneck::Simulator);
        assert!(
            report.to_string().starts_with("the simulator itself is the bottleneck: "),
            "{report}"
        );
    }

    #[test]
    fn one_late_token_in_two_hundred_is_no_bottleneck() {
        let mut late = vec![0; 199];
        late.push(50);
        let report = load(&late);
        assert_eq!(report.bottleneck(), Bottleneck::Model);
        assert_eq!(report.late_max_s.map(|s| (s * 1e3).round()), Some(50.0));
    }

    #[test]
    fn few_or_no_timed_tokens_are_not_observed() {
        assert_eq!(load(&[9; 99]).bottleneck(), Bottleneck::NotObserved);
        let none = load(&[]);
        assert_eq!((none.late_p99_s, none.bottleneck()), (None, Bottleneck::NotObserved));
        assert!(none.to_string().starts_with("not observed"), "{none}");
    }

    #[test]
    fn lateness_beyond_the_histogram_is_kept_as_its_largest() {
        assert!(load(&[100_000_000]).late_max_s.is_some_and(|s| s >= 60.0));
    }
}
