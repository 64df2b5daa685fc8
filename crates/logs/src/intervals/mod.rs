//! What servers say of themselves from time to time, of no request: rates over a log interval, what a step
//! computed, how many requests run and wait.

mod check;
mod field;
mod stats;

use std::time::Duration;

use trueline_core::{Share, Tokens};

pub use check::{INTERVAL_CHECKS, check_intervals};
pub use field::{IntervalField, Over, States};
pub use stats::IntervalStats;

/// What servers say of themselves from time to time.
///
/// Nothing in it is a request, so nothing in it enters a cell or a rate of [`Production`](crate::Production).
/// Merging is associative and commutative to the bit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Intervals {
    lines: u64,
    unreadable: u64,
    /// In the order of the fields.
    fields: Vec<(&'static IntervalField, IntervalStats)>,
}

/// One number that a line states, with what the same line says beside it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Said {
    pub(crate) value: f64,
    /// How long before it the same writer stated it last; `None` for the first time and without stamps.
    pub(crate) after: Option<Duration>,
    /// The prefix hit rate that the same line states.
    pub(crate) hit: Option<Share>,
}

impl Intervals {
    /// The fields that were stated, by server and name, each with what it said.
    pub fn iter(&self) -> impl Iterator<Item = (&'static IntervalField, &IntervalStats)> {
        self.fields.iter().map(|(field, stats)| (*field, stats))
    }

    /// What a field of a server said; where its meaning differs by version, that of the first meaning met.
    pub fn get(&self, server: &str, name: &str) -> Option<&IntervalStats> {
        self.iter().find(|(f, _)| f.server == server && f.name == name).map(|(_, stats)| stats)
    }

    /// How many lines stated something.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// How many lines begin as such a line and cannot be read.
    pub fn unreadable(&self) -> u64 {
        self.unreadable
    }

    /// Whether no line stated anything.
    pub fn is_empty(&self) -> bool {
        self.lines == 0
    }

    /// Counts a line that states something; its fields follow.
    pub(crate) fn line(&mut self) {
        self.lines += 1;
    }

    /// Counts a line that begins as one and cannot be read.
    pub(crate) fn unreadable_line(&mut self) {
        self.unreadable += 1;
    }

    /// Takes a rate, a number of requests or a share. What is no finite number or below zero is counted as
    /// refused.
    pub(crate) fn say(&mut self, field: &'static IntervalField, said: Said) {
        self.stats(field).say(field, said);
    }

    /// Takes what one step computed and how long it took.
    pub(crate) fn step(&mut self, field: &'static IntervalField, tokens: Tokens, took: Duration) {
        self.stats(field).step(tokens, took);
    }

    /// Takes a number that is to be summed: tokens of a batch, events since the line before.
    pub(crate) fn count(&mut self, field: &'static IntervalField, number: u64) {
        self.stats(field).count(number);
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.lines += other.lines;
        self.unreadable += other.unreadable;
        for (field, theirs) in &other.fields {
            self.stats(field).merge(theirs);
        }
    }

    /// What a field has said so far. A server has a handful of them, so they are looked through.
    fn stats(&mut self, field: &'static IntervalField) -> &mut IntervalStats {
        let known = self.fields.iter().position(|(known, _)| std::ptr::eq(*known, field));
        let place =
            known.map_or_else(|| self.fields.binary_search_by(|(f, _)| (*f).cmp(field)), Ok);
        let at = place.unwrap_or_else(|at| {
            self.fields.insert(at, (field, IntervalStats::default()));
            at
        });
        &mut self.fields.get_mut(at).expect("it was found there or put there").1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_core::{TokenScope, TokensPerSecond};

    static RATE: IntervalField = IntervalField::rate("s", "in", States::PromptRate)
        .counting(&[TokenScope::AllPrompt, TokenScope::NewPrompt]);
    static STEP: IntervalField =
        IntervalField::rate("s", "step", States::PromptRate).over(Over::Step);

    fn said(value: f64, after: Option<u64>, hit: f64) -> Said {
        Said { value, after: after.map(Duration::from_secs), hit: Share::new(hit).ok() }
    }

    fn some() -> Intervals {
        let mut all = Intervals::default();
        for (value, after, hit) in [
            (100.0, None, 0.5),
            (0.0, Some(10), 0.5),
            (300.0, Some(10), 0.75),
            (200.0, Some(60), 0.75),
        ] {
            all.line();
            all.say(&RATE, said(value, after, hit));
        }
        all.say(&RATE, said(f64::NAN, None, 0.0));
        all
    }

    #[test]
    fn a_rate_keeps_its_zeros_its_gaps_and_what_its_hit_rate_makes_of_it() {
        let all = some();
        let stats = all.get("s", "in").unwrap();
        assert_eq!((stats.values().len(), stats.zeros(), stats.refused()), (4, 1, 1));
        assert_eq!(stats.values().median(), Some(150.0));
        // By hand: gaps of 10, 10 and 60 s: one line each 10 s, 60 s of them silent.
        assert_eq!(stats.every(), Some(Duration::from_secs(10)));
        assert_eq!(stats.silent(), Some(Duration::from_secs(60)));
        assert_eq!(stats.span(), Duration::from_secs(80));
        // By hand: 1/(1 - 0.5) = 2 once, 1/(1 - 0.75) = 4 twice; a rate of zero is inflated by nothing.
        assert_eq!(stats.hit_factors().sorted(), Some(&[2.0, 4.0, 4.0][..]));
    }

    #[test]
    fn steps_sum_tokens_over_time() {
        let mut all = Intervals::default();
        for (tokens, ms) in [(2_048, 100), (1_024, 100)] {
            all.step(&STEP, Tokens::new(tokens), Duration::from_millis(ms));
        }
        // A step of no time gives no rate; its tokens are not summed.
        all.step(&STEP, Tokens::new(5), Duration::ZERO);
        let stats = all.get("s", "step").unwrap();
        // By hand: 3,072 tokens in 0.2 s.
        assert_eq!(stats.sum_over_sum().map(TokensPerSecond::get), Some(15_360.0));
        assert_eq!((stats.total(), stats.values().len(), stats.refused()), (3_072, 2, 1));
    }

    #[test]
    fn merging_in_any_order_gives_the_same() {
        let (a, mut b) = (some(), Intervals::default());
        b.line();
        b.say(&RATE, said(7.0, Some(3), 0.25));
        b.step(&STEP, Tokens::new(9), Duration::from_secs(1));
        let (mut ab, mut ba) = (a.clone(), b.clone());
        ab.merge(&b);
        ba.merge(&a);
        assert_eq!(ab, ba);
        assert_eq!((ab.lines(), ab.iter().count()), (5, 2));
    }
}
