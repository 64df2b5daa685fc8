//! The parts of a line that states several numbers: `name: value, name: value`.

use memchr::memchr_iter;

/// The parts of a text between commas with a blank behind them.
pub(crate) fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        match split_at_mark(text, b',') {
            Some((part, after)) => {
                rest = Some(after);
                Some(part)
            }
            None => rest.take(),
        }
    })
}

/// The name and the value of a part.
pub(crate) fn named(part: &str) -> Option<(&str, &str)> {
    split_at_mark(part, b':')
}

/// What stands before and behind the first mark with a blank behind it.
fn split_at_mark(text: &str, mark: u8) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    let at = memchr_iter(mark, bytes).find(|at| bytes.get(at + 1) == Some(&b' '))?;
    Some((text.get(..at)?, text.get(at + 2..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_those_between_commas_and_blanks() {
        for text in ["a: 1, b: 2:3, c,d: é, ", "", ", ", "a", "a,b", ": , : "] {
            let found: Vec<&str> = parts(text).collect();
            assert_eq!(found, text.split(", ").collect::<Vec<_>>(), "{text}");
            for part in found {
                assert_eq!(named(part), part.split_once(": "), "{part}");
            }
        }
    }
}
