//! How readings are taken off texts, compared, and turned into shares.

use trueline_core::{Known, Why};

use crate::root::known;

/// A text understood by `parse`; what it does not understand is unreadable.
pub(super) fn parsed<T>(
    read: Result<String, Why>,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Known<T> {
    known(read.and_then(|text| parse(&text).ok_or(Why::Unreadable)))
}

/// A part of a text that was read; a part that is not in it is absent.
pub(super) fn part<T>(
    read: &Result<String, Why>,
    find: impl FnOnce(&str) -> Option<T>,
) -> Known<T> {
    known(read.as_ref().map_err(|why| *why).and_then(|text| find(text).ok_or(Why::Absent)))
}

/// What follows a key on its line, between blanks, tabs or colons: `key 12`, `key: 12 kB`.
pub(super) fn after_key<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let is_end = |c: char| c == ':' || c.is_ascii_whitespace();
    text.lines()
        .filter_map(|line| line.trim_start().strip_prefix(key))
        .find(|rest| rest.starts_with(is_end))
        .map(|rest| rest.trim_matches(is_end))
}

/// The whole number after a key; a unit behind it is left out.
pub(super) fn number_after(text: &str, key: &str) -> Option<u64> {
    after_key(text, key)?.split_ascii_whitespace().next()?.parse().ok()
}

/// The kibibytes after a key (`MemTotal: 12 kB`), in bytes.
pub(super) fn bytes_after(text: &str, key: &str) -> Option<u64> {
    let mut words = after_key(text, key)?.split_ascii_whitespace();
    let (number, unit) = (words.next()?.parse::<u64>().ok()?, words.next()?);
    (unit == "kB").then(|| number.checked_mul(1024))?
}

/// The value, by reference, if known.
pub(super) fn seen<T>(known: &Known<T>) -> Option<&T> {
    match known {
        Known::Is { value, .. } => Some(value),
        Known::Not(_) => None,
    }
}

/// The text, if known.
pub(super) fn word(known: &Known<String>) -> Option<&str> {
    seen(known).map(String::as_str)
}

/// By how much a counter grew; `None` where either end is not known or it went back.
pub(super) fn grown(before: Known<u64>, after: Known<u64>) -> Option<u64> {
    after.value()?.checked_sub(before.value()?)
}

/// A part of a whole; `None` of nothing.
pub(super) fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| float(part) / float(whole))
}

/// A count as a float.
#[expect(clippy::cast_precision_loss, reason = "counts here stay far below 2^53")]
pub(super) fn float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_whole_words() {
        let text = "pswpin 7\npswpout 9\nMemTotal:   24684084 kB\nPid:\t12";
        assert_eq!(number_after(text, "pswpin"), Some(7));
        assert_eq!(number_after(text, "pswp"), None);
        assert_eq!(number_after(text, "Pid"), Some(12));
        // By hand: 24,684,084 x 1,024.
        assert_eq!(bytes_after(text, "MemTotal"), Some(25_276_502_016));
        assert_eq!(bytes_after(text, "pswpin"), None);
    }

    #[test]
    fn a_counter_that_went_back_grew_by_nothing_known() {
        let is = |value| Known::is(value, trueline_core::By::Measured);
        assert_eq!(grown(is(3), is(10)), Some(7));
        assert_eq!(grown(is(10), is(3)), None);
        assert_eq!(grown(Known::Not(Why::Absent), is(3)), None);
        assert_eq!(share(0, 0), None);
    }
}
