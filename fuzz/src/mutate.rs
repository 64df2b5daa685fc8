//! Mutations that know the shape of a result file: one value, word or line of it at a time, so that a
//! reader's own code is reached and not only what cuts the text up.

use std::ops::Range;

/// What a value is replaced by.
const INSTEAD: &[&str] = &[
    "null",
    "[]",
    "{}",
    "\"x\"",
    "\"\"",
    "-1",
    "0",
    "1e400",
    "-1e400",
    "1e308",
    "NaN",
    "-Infinity",
    "true",
    "0.5",
    "9007199254740993",
    "18446744073709551615",
    "[[1]]",
    "[{}]",
    "{\"x\":{}}",
    "1,234.5",
    "\"1e309\"",
    "\u{1b}[1m",
    "\u{fffd}",
];

/// A text changed in one to four places that `seed` chooses; `None` where the seed asks for changes
/// of bytes, or nothing in the text can be changed.
pub fn mutated(data: &[u8], most: usize, seed: u32) -> Option<Vec<u8>> {
    let mut dice = Dice(u64::from(seed));
    if dice.of(4) == Some(0) {
        return None;
    }
    let mut bytes = data.to_vec();
    for _ in 0..=dice.of(4)? {
        bytes = once(&bytes, &mut dice)?;
    }
    bytes.truncate(most);
    Some(bytes)
}

fn once(data: &[u8], dice: &mut Dice) -> Option<Vec<u8>> {
    let pieces = pieces(data);
    let piece = pieces.get(dice.of(pieces.len())?)?.clone();
    let lines = line_of(data, piece.start);
    let at = |range: Range<usize>| data.get(range).unwrap_or_default();
    Some(match dice.of(8)? {
        0 => [at(0..piece.start), at(piece.end..data.len())].concat(),
        1 => {
            let other = pieces.get(dice.of(pieces.len())?)?.clone();
            [at(0..piece.start), at(other), at(piece.end..data.len())].concat()
        }
        2 => [at(0..lines.end), at(lines.clone()), at(lines.end..data.len())].concat(),
        3 => [at(0..lines.start), at(lines.end..data.len())].concat(),
        4 => {
            let long = at(piece.clone()).repeat(1 + dice.of(40)?);
            [at(0..piece.start), &long, at(piece.end..data.len())].concat()
        }
        5 => {
            let list = format!("[{}1]", "1,".repeat(dice.of(400)?));
            [at(0..piece.start), list.as_bytes(), at(piece.end..data.len())].concat()
        }
        _ => {
            let instead = INSTEAD.get(dice.of(INSTEAD.len())?)?;
            [at(0..piece.start), instead.as_bytes(), at(piece.end..data.len())].concat()
        }
    })
}

/// The values of documents, and the words of every other text. A value may hold others.
fn pieces(data: &[u8]) -> Vec<Range<usize>> {
    let (mut found, mut open, mut at) = (Vec::new(), Vec::new(), 0);
    while let Some(&byte) = data.get(at) {
        let from = at;
        at += 1;
        match byte {
            b'{' | b'[' => open.push(from),
            b'}' | b']' => found.extend(open.pop().map(|begin| begin..at)),
            b'"' => {
                while let Some(&inner) = data.get(at).filter(|b| **b != b'\n') {
                    at += if inner == b'\\' { 2 } else { 1 };
                    if inner == b'"' {
                        break;
                    }
                }
                at = at.min(data.len());
                // A key gives way only with its value.
                if data.get(at) != Some(&b':') {
                    found.push(from..at);
                }
            }
            b' ' | b'\t' | b'\r' | b'\n' | b',' | b':' | b'|' => {}
            _ => {
                let ends = |b: &&u8| b" \t\r\n,:|[]{}\"".contains(b);
                at += data.get(at..).unwrap_or_default().iter().take_while(|b| !ends(b)).count();
                found.push(from..at);
            }
        }
    }
    found
}

/// The line, with its end, that a place lies in.
fn line_of(data: &[u8], at: usize) -> Range<usize> {
    let before = data.get(..at).unwrap_or_default();
    let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
    let after = data.get(at..).unwrap_or_default();
    let end = after.iter().position(|b| *b == b'\n').map_or(data.len(), |i| at + i + 1);
    start..end
}

/// Chances that a seed sets: splitmix64.
struct Dice(u64);

impl Dice {
    /// One of `n` numbers from 0; `None` where there is none.
    fn of(&mut self, n: usize) -> Option<usize> {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((x ^ (x >> 31)) >> 1).ok()?.checked_rem(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_whole_and_keys_are_not() {
        let text = br#"{"a": [1, "b\"c"], "d": NaN} Mean (ms): 3"#;
        let found: Vec<&str> =
            pieces(text).into_iter().map(|r| std::str::from_utf8(&text[r]).unwrap()).collect();
        let whole = r#"{"a": [1, "b\"c"], "d": NaN}"#;
        let expected = ["1", r#""b\"c""#, r#"[1, "b\"c"]"#, "NaN", whole, "Mean", "(ms)", "3"];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_seed_always_makes_the_same_change() {
        let text = br#"{"a":1,"b":[2,3]}"#;
        let all: Vec<_> = (0..200).map(|seed| mutated(text, 4096, seed)).collect();
        assert_eq!(all, (0..200).map(|seed| mutated(text, 4096, seed)).collect::<Vec<_>>());
        let changed = all.iter().flatten().filter(|new| new.as_slice() != text).count();
        assert!(changed > 100, "{changed}");
    }
}
