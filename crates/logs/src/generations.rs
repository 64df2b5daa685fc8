//! Which generations of a format an input's rows are of, by the fields that they have and by how these count.

use std::collections::BTreeMap;

use crate::NameCounts;

/// The share of rows from which on a generation told by rounding counts as there: times are stamped apart
/// from the rate, so single rows may seem to be of another one.
const SHARE: f64 = 0.1;

/// How many rows say which of several things, for each thing in which generations of a format differ.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Generations(BTreeMap<String, NameCounts>);

impl Generations {
    /// What differs, each with how many rows say what.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &NameCounts)> {
        self.0.iter().map(|(what, says)| (what.as_str(), says))
    }

    /// How many rows say this of that.
    pub fn get(&self, what: &str, says: &str) -> Option<u64> {
        self.0.get(what)?.get(says)
    }

    /// What rows of one input say differently.
    pub(crate) fn mixed(&self) -> impl Iterator<Item = String> {
        self.0.iter().filter_map(|(what, says)| {
            let all: u64 = says.iter().map(|(_, n)| n).sum();
            #[expect(clippy::cast_precision_loss, reason = "a share is compared with a coarse one")]
            let counts =
                |n: u64| !BY_ROUNDING.contains(&what.as_str()) || n as f64 >= SHARE * all as f64;
            let there: Vec<String> = says
                .iter()
                .filter(|(_, n)| counts(*n))
                .map(|(name, n)| format!("{name} ({n} rows)"))
                .collect();
            (there.len() > 1).then(|| format!("{what}: {}", there.join(", ")))
        })
    }

    pub(crate) fn add(&mut self, what: &str, says: &str, count: u64) {
        if let Some(held) = self.0.get_mut(what) {
            held.add(says, count);
            return;
        }
        let mut held = NameCounts::default();
        held.add(says, count);
        self.0.insert(what.to_owned(), held);
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (what, says) in &other.0 {
            for (name, count) in says.iter() {
                self.add(what, name, count);
            }
        }
    }
}

/// How a stated decode rate counts.
pub(crate) const DECODE_RATE: &str = "stated decode rate";
/// Whose tokens a stated input throughput counts.
pub(crate) const INPUT_THROUGHPUT: &str = "input throughput";
/// What is told by rounding.
const BY_ROUNDING: [&str; 2] = [DECODE_RATE, INPUT_THROUGHPUT];

/// How a stated decode rate counts tokens over the time from first to last token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DecodeReading {
    /// All of them, the first one too.
    All,
    /// All but the first.
    Steps,
}

impl DecodeReading {
    /// What a rate of a number of tokens over a time counts: the nearer of both, within a quarter of a token.
    ///
    /// # Formula
    /// `rate x time = n` or `n - 1`.
    pub(crate) fn of(rate: f64, seconds: f64, tokens: f64) -> Option<Self> {
        let counted = rate * seconds;
        let near = |n: f64| (counted - n).abs() <= 0.25;
        if tokens < 2.0 {
            None
        } else if near(tokens) {
            Some(Self::All)
        } else {
            near(tokens - 1.0).then_some(Self::Steps)
        }
    }

    /// In words.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::All => "all tokens over the time from first to last",
            Self::Steps => "tokens but the first over the time from first to last",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_a_rate_counts_shows_by_its_product_with_the_time() {
        // 101 tokens in 10 s: 10.1 counts all of them, 10.0 all but the first.
        assert_eq!(DecodeReading::of(10.1, 10.0, 101.0), Some(DecodeReading::All));
        assert_eq!(DecodeReading::of(10.0, 10.0, 101.0), Some(DecodeReading::Steps));
        assert_eq!(DecodeReading::of(10.05, 10.0, 101.0), None);
        assert_eq!(DecodeReading::of(f64::NAN, 10.0, 101.0), None);
        assert_eq!(DecodeReading::of(0.1, 10.0, 1.0), None);
    }

    #[test]
    fn a_stray_row_is_no_second_generation() {
        let mut all = Generations::default();
        all.add(DECODE_RATE, DecodeReading::All.words(), 95);
        all.add(DECODE_RATE, DecodeReading::Steps.words(), 5);
        assert_eq!(all.mixed().count(), 0);
        all.add(DECODE_RATE, DecodeReading::Steps.words(), 10);
        assert_eq!(all.mixed().count(), 1);
        // A key is no rounding: one row that has it is enough.
        let mut keys = Generations::default();
        keys.add("retractions", "a", 99);
        keys.add("retractions", "b", 1);
        let words: Vec<String> = keys.mixed().collect();
        assert_eq!(words, ["retractions: a (99 rows), b (1 rows)"]);
        all.merge(&keys);
        assert_eq!(all.get("retractions", "b"), Some(1));
    }
}
