//! Text that is almost JSON: bare NaN and infinities, lone surrogates, control characters, nesting
//! without end.

use std::borrow::Cow;

/// What was changed in a line to make it readable.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Repairs {
    /// Bare NaN, infinities and numbers beyond any float put in quotes; the readers of numbers know
    /// those words.
    pub(crate) non_finite: u64,
    /// Lone surrogates and control characters in texts replaced.
    pub(crate) text: u64,
}

/// The line with bare NaN and infinities in quotes, and with lone surrogates and control characters
/// in texts replaced.
pub(crate) fn repair(line: &str) -> (Cow<'_, str>, Repairs) {
    let mut repairs = Repairs::default();
    let bytes = line.as_bytes();
    let (mut out, mut copied, mut at, mut quoted) = (String::new(), 0, 0, false);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => quoted = !quoted,
            b'\\' if quoted => {
                if let Some(taken) = lone_surrogate(bytes, at) {
                    out.push_str(line.get(copied..at).unwrap_or_default());
                    out.push_str("\\ufffd");
                    repairs.text += 1;
                    copied = at + taken;
                    at = copied;
                    continue;
                }
                let pair = hex_unit(bytes, at).is_some_and(|u| (0xd800..0xdc00).contains(&u));
                at += if pair { 11 } else { 1 };
            }
            0..0x20 if quoted => {
                out.push_str(line.get(copied..at).unwrap_or_default());
                out.push(' ');
                repairs.text += 1;
                copied = at + 1;
            }
            b'N' | b'n' | b'I' | b'i' | b'-' | b'0'..=b'9' if !quoted => {
                let before = at.checked_sub(1).and_then(|i| bytes.get(i));
                let free = before.is_none_or(|b| b":, \t[".contains(b));
                let rest = line.get(at..).unwrap_or_default();
                if let Some(length) = free.then(|| overflowing(rest)).flatten() {
                    out.push_str(line.get(copied..at).unwrap_or_default());
                    out.push_str("\"Infinity\"");
                    repairs.non_finite += 1;
                    at += length;
                    copied = at;
                    continue;
                }
                if let Some(word) = free.then(|| non_finite(rest)).flatten() {
                    out.push_str(line.get(copied..at).unwrap_or_default());
                    out.push('"');
                    out.push_str(word);
                    out.push('"');
                    repairs.non_finite += 1;
                    at += word.len();
                    copied = at;
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    if repairs == Repairs::default() {
        return (Cow::Borrowed(line), repairs);
    }
    out.push_str(line.get(copied..).unwrap_or_default());
    (Cow::Owned(out), repairs)
}

/// How deep the brackets of a line nest, strings left out.
pub(crate) fn depth(line: &str) -> u32 {
    let (mut now, mut most, mut quoted, mut escaped) = (0_u32, 0, false, false);
    for byte in line.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => {
                now += 1;
                most = most.max(now);
            }
            b'}' | b']' if !quoted => now = now.saturating_sub(1),
            _ => {}
        }
    }
    most
}

/// The length of a number at the start of a text that is too large for any float.
fn overflowing(text: &str) -> Option<usize> {
    let end = text.find(|c: char| !matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E'));
    let number = text.get(..end.unwrap_or(text.len()))?;
    number.parse::<f64>().ok().filter(|x| x.is_infinite()).map(|_| number.len())
}

/// The word for a number that is not finite at the start of a text, as common writers spell it.
fn non_finite(text: &str) -> Option<&str> {
    const WORDS: [&str; 11] = [
        "-Infinity",
        "Infinity",
        "-NaN",
        "NaN",
        "-nan",
        "nan",
        "-Inf",
        "-inf",
        "Inf",
        "inf",
        "NAN",
    ];
    let word = WORDS.into_iter().find(|w| text.starts_with(w))?;
    let after = text.as_bytes().get(word.len());
    after.is_none_or(|b| b",}] \t\r\n".contains(b)).then(|| text.get(..word.len()))?
}

fn hex_unit(bytes: &[u8], at: usize) -> Option<u32> {
    if bytes.get(at..at + 2)? != b"\\u" {
        return None;
    }
    let digits = std::str::from_utf8(bytes.get(at + 2..at + 6)?).ok()?;
    u32::from_str_radix(digits, 16).ok()
}

/// The length of a surrogate escape that has no partner.
fn lone_surrogate(bytes: &[u8], at: usize) -> Option<usize> {
    let unit = hex_unit(bytes, at)?;
    match unit {
        0xd800..0xdc00 => {
            let partner = hex_unit(bytes, at + 6).is_some_and(|u| (0xdc00..0xe000).contains(&u));
            (!partner).then_some(6)
        }
        0xdc00..0xe000 => Some(6),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bare_words_outside_strings_are_quoted() {
        let cases = [
            (r#"{"a":NaN,"b": -Infinity}"#, r#"{"a":"NaN","b": "-Infinity"}"#, 2),
            (r#"{"a":"NaN, nan","b":1}"#, r#"{"a":"NaN, nan","b":1}"#, 0),
            (r#"{"a":[inf,-nan ]}"#, r#"{"a":["inf","-nan" ]}"#, 2),
            (r#"{"a":nano,"b":-1}"#, r#"{"a":nano,"b":-1}"#, 0),
            (r#"{"a":1e400,"b":-1e999,"c":1e4}"#, r#"{"a":"Infinity","b":"Infinity","c":1e4}"#, 2),
            (r#"{"a":"\"NaN","b":null}"#, r#"{"a":"\"NaN","b":null}"#, 0),
        ];
        for (line, fixed, n) in cases {
            let (text, repairs) = repair(line);
            assert_eq!((&*text, repairs.non_finite), (fixed, n));
        }
    }

    #[test]
    fn only_lone_surrogates_are_replaced() {
        let (text, repairs) = repair(r#"{"a":"\ud83d\ude00 \ud83d x \ude00"}"#);
        assert_eq!(text, r#"{"a":"\ud83d\ude00 \ufffd x \ufffd"}"#);
        assert_eq!(repairs.text, 2);
    }

    #[test]
    fn brackets_in_strings_do_not_nest() {
        assert_eq!(depth(r#"{"a":"[[[[","b":[{"c":1}]}"#), 3);
        assert_eq!(depth(&"[".repeat(200)), 200);
    }
}
