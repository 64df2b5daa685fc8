//! From a line that is no plain object to the objects in it, with what was lost counted.

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::repair::{depth, repair};
use crate::shape::DEPTH_LIMIT;

/// Attempts to find an object in a damaged line, so that no line takes time without end.
const ATTEMPTS: usize = 256;
/// Bytes that those attempts may pass over together.
const BUDGET: usize = 128 << 20;

/// What a line holds.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Envelope<'a> {
    /// The whole objects in it, in order.
    pub(crate) objects: Vec<&'a str>,
    /// Records of which only a piece is left.
    pub(crate) torn: u64,
    /// Text that starts as an object and is no JSON.
    pub(crate) broken: u64,
    /// Objects that nest too deep.
    pub(crate) too_deep: u64,
    /// Whether the input ends inside a record.
    pub(crate) incomplete: bool,
}

/// Takes a line apart. `unended` says that the input ends in this line without a line end;
/// `is_key` whether a key belongs to the format.
pub(crate) fn open<'a>(
    line: &'a str,
    unended: bool,
    is_key: &dyn Fn(&str) -> bool,
) -> Envelope<'a> {
    let mut found = Envelope::default();
    let line = line.trim();
    if depth(line) > DEPTH_LIMIT {
        // A cut line can only seem deep by being deep: brackets in strings do not count.
        found.too_deep = u64::from(line.starts_with('{') || mentions_key(line, is_key));
        return found;
    }
    let mut rest = line;
    if !rest.starts_with('{') {
        let start = object_start(rest, 0).or_else(|| rest.find('{')).unwrap_or(rest.len());
        let (before, after) = rest.split_at(start);
        if mentions_key(before, is_key) {
            // It starts in the middle of a record.
            found.torn += 1;
            rest = salvage(rest, start, is_key);
        } else {
            // A prefix such as a time stamp or a container's name before the record.
            rest = if after.is_empty() || !is_row(after, is_key) { "" } else { after };
        }
    }
    while rest.starts_with('{') {
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<IgnoredAny>();
        match stream.next() {
            Some(Ok(_)) => {
                let (object, after) = rest.split_at(stream.byte_offset().min(rest.len()));
                found.objects.push(object);
                let after = after.trim_start_matches([' ', '\t', '\r', ',']);
                if !after.is_empty() && !after.starts_with('{') {
                    // Something follows that no record starts with.
                    found.torn += u64::from(mentions_key(after, is_key));
                }
                rest = after;
            }
            Some(Err(error)) => {
                let saved = salvage(rest, 1, is_key);
                if !saved.is_empty() {
                    found.torn += 1;
                } else if unended && (error.is_eof() || error.column() >= rest.len()) {
                    // Cut within a number the text is bad JSON, but only at its very end.
                    found.incomplete = true;
                } else {
                    found.broken += 1;
                }
                rest = saved;
            }
            None => break,
        }
    }
    found
}

/// Where in a line that holds no whole record one begins behind what is cut, if its bare NaN and
/// infinities are repaired from there: a cut string before it turns inside and outside round.
pub(crate) fn hidden_record(line: &str, is_key: &dyn Fn(&str) -> bool) -> Option<usize> {
    let mut spent = 0;
    let mut at = object_start(line, 1)?;
    for _ in 0..ATTEMPTS {
        let candidate = line.get(at..).unwrap_or_default();
        spent += candidate.len();
        if spent > BUDGET {
            return None;
        }
        let (repaired, repairs) = repair(candidate);
        if repairs.non_finite > 0 && !may_be_nested(line, at) && is_row(&repaired, is_key) {
            return Some(at);
        }
        at = object_start(line, at + 1)?;
    }
    None
}

/// Where the next object begins at or after a place: a brace with a key behind it.
fn object_start(text: &str, from: usize) -> Option<usize> {
    let mut from = from;
    loop {
        let at = from + text.get(from..)?.find('{')?;
        let after = text.get(at + 1..)?.trim_start_matches([' ', '\t', '\r']);
        if after.starts_with('"') {
            return Some(at);
        }
        from = at + 1;
    }
}

/// Whether the object at a place may be a value of the record that is cut, rather than a record of
/// its own: it stands where a value would. Nothing is made a request on a guess.
fn may_be_nested(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let (mut open, mut quoted, mut escaped) = (Vec::new(), false, false);
    for byte in before.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => open.push(byte),
            b'}' | b']' if !quoted => drop(open.pop()),
            _ => {}
        }
    }
    match before.trim_end().as_bytes().last() {
        _ if quoted => false,
        Some(b':') => true,
        Some(b',' | b'[') => open.last() == Some(&b'['),
        _ => false,
    }
}

/// The first whole record of a damaged text from a place on: an object with a key of the format
/// that reaches, with others behind it, to the end of the line.
fn salvage<'a>(text: &'a str, from: usize, is_key: &dyn Fn(&str) -> bool) -> &'a str {
    let (mut from, mut spent) = (from, 0);
    for _ in 0..ATTEMPTS {
        let Some(at) = object_start(text, from) else { return "" };
        let candidate = text.get(at..).unwrap_or_default();
        spent += candidate.len();
        if spent > BUDGET {
            return "";
        }
        if is_row(candidate, is_key) && !may_be_nested(text, at) {
            return candidate;
        }
        from = at + 1;
    }
    ""
}

/// Whether a text is one or more whole objects to its end, the first with a key of the format.
fn is_row(text: &str, is_key: &dyn Fn(&str) -> bool) -> bool {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Keys>();
    let Some(Ok(Keys(keys))) = stream.next() else { return false };
    let whole = text.get(stream.byte_offset()..).unwrap_or_default().trim_start();
    (whole.is_empty() || whole.starts_with('{')) && keys.iter().any(|k| is_key(k))
}

/// Whether a text mentions a key of the format: its name in quotes and a colon.
fn mentions_key(text: &str, is_key: &dyn Fn(&str) -> bool) -> bool {
    let mut pieces = text.split('"');
    let mut name = pieces.next();
    for after in pieces {
        if after.trim_start().starts_with(':') && name.is_some_and(is_key) {
            return true;
        }
        name = Some(after);
    }
    false
}

/// The keys of an object, values skipped.
pub(crate) struct Keys(pub(crate) Vec<String>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Keys;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Keys, A::Error> {
                let mut keys = Vec::new();
                while let Some((key, _)) = map.next_entry::<String, IgnoredAny>()? {
                    keys.push(key);
                }
                Ok(Keys(keys))
            }
        }
        from.deserialize_map(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, unended: bool, objects: &[&str], rest: (u64, u64, bool)) {
        let is_key = |k: &str| ["prompt_tokens", "ttft_s", "usage", "id"].contains(&k);
        let found = open(line, unended, &is_key);
        assert_eq!(found.objects, objects, "{line}");
        assert_eq!((found.torn, found.broken, found.incomplete), rest, "{line}");
    }

    #[test]
    fn whole_objects_are_found_and_pieces_counted() {
        let row = r#"{"id":"a","ttft_s":1}"#;
        check(row, false, &[row], (0, 0, false));
        check(&format!("{row}{row}"), false, &[row, row], (0, 0, false));
        check(&format!("{row} , {row}\r"), false, &[row, row], (0, 0, false));
        check(&format!("[12:00:01] {row}"), false, &[row], (0, 0, false));
        // Cut record, then a whole one; and a line that starts in the middle of one.
        check(&format!(r#"{{"id":"b","tt{row}"#), false, &[row], (1, 0, false));
        check(r#", "ttft_s": 3, "x": {"y": 1}}"#, false, &[], (1, 0, false));
        check(&format!(r#""ttft_s": 3}}{row}"#), false, &[row], (1, 0, false));
        // The outer record of a nested one is cut: the nested one is no row.
        check(r#"{"id":1,"usage":{"id_":5}"#, false, &[], (0, 1, false));
        // So it is where the nested one has keys of the format, and in a list.
        check(r#"{"id":"q","x":{"ttft_s":9}"#, false, &[], (0, 1, false));
        check(r#"{"id":"q","x":[1,{"id":2}"#, false, &[], (0, 1, false));
        // White space behind the brace hides nothing.
        let spaced = r#"{ "id":"a","ttft_s":1}"#;
        check(&format!(r#"{{"id":"q","st{spaced}"#), false, &[spaced], (1, 0, false));
        let nested = r#"{ "id":"b","usage":{"tps":5.0},"ttft_s":7 }"#;
        check(&format!("[12:00] {nested}"), false, &[nested], (0, 0, false));
        check(r#"{"id":"a","ttft"#, true, &[], (0, 0, true));
        check(r#"{"id":"a","ttft"#, false, &[], (0, 1, false));
        check(r#"{"id":"a" "ttft"}"#, true, &[], (0, 1, false));
    }

    #[test]
    fn what_is_no_record_is_left_alone() {
        for line in ["", "Server started {port: 1}", r#"GET "/health" 200"#, "[1,2]", "\"x\""] {
            check(line, false, &[], (0, 0, false));
        }
    }

    #[test]
    fn deep_nesting_is_counted_not_followed() {
        let deep = format!(r#"{{"id":{}{}}}"#, "[".repeat(200), "]".repeat(200));
        let found = open(&deep, false, &|_| true);
        assert_eq!((found.too_deep, found.objects.len()), (1, 0));
    }
}
