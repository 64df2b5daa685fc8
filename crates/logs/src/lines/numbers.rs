//! Numbers out of a line of text, by the words before them.

use std::time::Duration;

use trueline_core::{By, Known, Spans, Why};

/// The longest a stretch of a request may take, in milliseconds: 11.6 days, as for all readers.
const LONGEST_MS: f64 = 1e9;
/// The most tokens a count may hold.
const MOST_TOKENS: u64 = 1_000_000_000;

/// What stands after the first of some words.
pub(crate) fn after<'t>(text: &'t str, words: &str) -> Option<&'t str> {
    text.split_once(words).map(|(_, rest)| rest)
}

/// The number that a text begins with, blanks before it passed over, and what follows it.
pub(crate) fn number(text: &str) -> Option<(f64, &str)> {
    let (digits, rest) = begin(text, |c| c.is_ascii_digit() || c == '.')?;
    Some((digits.parse().ok()?, rest))
}

/// The count of tokens that a text begins with, and what follows it.
pub(crate) fn count(text: &str) -> Option<(u64, &str)> {
    let (digits, rest) = begin(text, |c| c.is_ascii_digit())?;
    Some((digits.parse().ok().filter(|n| *n <= MOST_TOKENS)?, rest))
}

/// The count after some words.
pub(crate) fn count_after(text: &str, words: &str) -> Option<u64> {
    Some(count(after(text, words)?)?.0)
}

/// Milliseconds that a server states.
pub(crate) fn milliseconds(ms: f64) -> Known<Duration> {
    if ms > LONGEST_MS {
        return Known::Not(Why::Impossible);
    }
    Spans::seconds(ms / 1e3, By::Measured)
}

/// The leading characters of a kind, blanks before them passed over; `None` where there are none.
fn begin(text: &str, of_kind: impl Fn(char) -> bool) -> Option<(&str, &str)> {
    let text = text.trim_start_matches(' ');
    let end = text.find(|c| !of_kind(c)).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_after_their_words() {
        let line = "eval time =     354.05 ms /    65 tokens";
        let (ms, rest) = number(after(line, "time =").unwrap()).unwrap();
        assert_eq!((ms, count_after(rest, "/")), (354.05, Some(65)));
        assert_eq!((number("x"), count(""), count_after(line, "no such")), (None, None, None));
        // More than any context: no count.
        assert_eq!(count("99999999999999999999"), None);
        assert_eq!(milliseconds(354.05).value(), Some(Duration::from_micros(354_050)));
        assert_eq!(milliseconds(1e12), Known::Not(Why::Impossible));
    }
}
