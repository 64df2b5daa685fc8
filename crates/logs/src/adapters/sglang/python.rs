//! Python's literals as JSON: what `repr` writes of dictionaries, texts and numbers.

use memchr::memchr3;

use crate::shape::DEPTH_LIMIT;

/// The first literal of a text as JSON, and what follows it; `None` where it is no literal or is cut off.
///
/// Texts may be in single or double quotes with Python's escapes; `None`, `True` and `False` become JSON's;
/// `nan` and `inf` become texts, which readers of numbers know; tuples become lists. Whatever else stands for
/// a value, such as `<Object at 0x…>`, is refused.
pub(super) fn to_json(text: &str) -> Option<(String, &str)> {
    let mut out = String::with_capacity(text.len().min(4_096));
    let rest = value(text, &mut out, 1)?;
    Some((out, rest))
}

fn value<'t>(text: &'t str, out: &mut String, depth: u32) -> Option<&'t str> {
    if depth > DEPTH_LIMIT {
        return None;
    }
    let text = text.trim_start();
    match text.as_bytes().first()? {
        b'{' => items(text.get(1..)?, out, depth, ['{', '}']),
        b'[' => items(text.get(1..)?, out, depth, ['[', ']']),
        b'(' => items(text.get(1..)?, out, depth, ['(', ')']),
        b'\'' | b'"' => quoted(text, out),
        _ => word(text, out),
    }
}

/// What stands between brackets; a dictionary has keys.
fn items<'t>(
    text: &'t str,
    out: &mut String,
    depth: u32,
    [open, close]: [char; 2],
) -> Option<&'t str> {
    let keyed = open == '{';
    out.push(if keyed { '{' } else { '[' });
    let mut rest = text.trim_start();
    let mut first = true;
    while !rest.starts_with(close) {
        if !first {
            rest = rest.strip_prefix(',')?.trim_start();
            if rest.starts_with(close) {
                break;
            }
            out.push(',');
        }
        first = false;
        if keyed {
            // A key that is a number or None is a text in JSON.
            let from = out.len();
            rest = value(rest, out, depth + 1)?.trim_start().strip_prefix(':')?;
            if !out.get(from..)?.starts_with('"') {
                out.insert(from, '"');
                out.push('"');
            }
            out.push(':');
        }
        rest = value(rest, out, depth + 1)?.trim_start();
    }
    out.push(if keyed { '}' } else { ']' });
    rest.strip_prefix(close)
}

/// A text; one that was shortened is two of them with dots between.
fn quoted<'t>(text: &'t str, out: &mut String) -> Option<&'t str> {
    out.push('"');
    let mut rest = piece(text, out)?;
    while let Some(more) = rest.strip_prefix(" ... ") {
        out.push_str(" ... ");
        rest = piece(more, out)?;
    }
    out.push('"');
    Some(rest)
}

/// What stands between two quotes of one kind, with JSON's escapes.
fn piece<'t>(text: &'t str, out: &mut String) -> Option<&'t str> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let mut rest = text.get(1..)?;
    loop {
        let end = memchr3(u8::try_from(quote).ok()?, b'\\', b'"', rest.as_bytes())?;
        let (plain, from) = rest.split_at_checked(end)?;
        if plain.contains(char::is_control) {
            out.extend(plain.chars().map(|c| if c.is_control() { ' ' } else { c }));
        } else {
            out.push_str(plain);
        }
        let mut chars = from.chars();
        match chars.next()? {
            c if c == quote => return Some(chars.as_str()),
            '"' => out.push_str("\\\""),
            _ => {
                let escaped = chars.next()?;
                match escaped {
                    '\'' => out.push('\''),
                    '"' | '\\' | 'n' | 'r' | 't' => out.extend(['\\', escaped]),
                    // Whatever else is escaped is no character that anything here reads.
                    _ => out.push(' '),
                }
            }
        }
        rest = chars.as_str();
    }
}

/// A number or a word.
fn word<'t>(text: &'t str, out: &mut String) -> Option<&'t str> {
    let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b')' | b':' | b' ');
    let end = text.as_bytes().iter().position(ends).unwrap_or(text.len());
    let (word, rest) = text.split_at_checked(end)?;
    match word {
        "None" => out.push_str("null"),
        "True" => out.push_str("true"),
        "False" => out.push_str("false"),
        "nan" | "inf" | "-inf" => out.extend(["\"", word, "\""]),
        number if number.parse::<f64>().is_ok_and(f64::is_finite) && !number.starts_with('+') => {
            // Python writes no number that JSON does not take, but a cut one may end in a point.
            let is_json = number.starts_with(|c: char| c.is_ascii_digit() || c == '-')
                && number.ends_with(|c: char| c.is_ascii_digit());
            out.push_str(is_json.then_some(number)?);
        }
        _ => return None,
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn literals_become_the_json_that_means_the_same() {
        for (python, json) in [
            ("{'a': 1, 'b': None}", r#"{"a":1,"b":null}"#),
            (
                "{'a': {'type': 'stop', 'matched': 151643}, 'b': [1, 2.5e-05]}",
                r#"{"a":{"type":"stop","matched":151643},"b":[1,2.5e-05]}"#,
            ),
            ("{'t': \"it's {'out': 1}\"}", r#"{"t":"it's {'out': 1}"}"#),
            (r#"{'t': 'both \' and "'}"#, r#"{"t":"both ' and \""}"#),
            (r"{'t': 'line\nend\x1b \u4f60'}", r#"{"t":"line\nend 1b  4f60"}"#),
            ("{'t': 'first' ... 'last'}", r#"{"t":"first ... last"}"#),
            ("{'你': '好}', 'x': (1, 'a',)}", r#"{"你":"好}","x":[1,"a"]}"#),
            ("{0: True, None: False}", r#"{"0":true,"null":false}"#),
            ("{'r': nan, 's': -inf}", r#"{"r":"nan","s":"-inf"}"#),
            ("{}", "{}"),
        ] {
            let (found, rest) = to_json(python).unwrap_or_else(|| panic!("{python}"));
            assert_eq!((found.as_str(), rest), (json, ""), "{python}");
            assert!(serde_json::from_str::<serde_json::Value>(&found).is_ok(), "{found}");
        }
        assert_eq!(to_json("{'a': 1}}").map(|(_, rest)| rest), Some("}"));
    }

    #[test]
    fn what_is_cut_off_or_no_literal_is_refused() {
        for text in [
            "",
            "{",
            "{'a",
            "{'a'",
            "{'a': ",
            "{'a': 1",
            "{'a': 1,",
            "{'a': <x>}",
            "{'a': +1}",
            "{'a': 1.}",
        ] {
            assert_eq!(to_json(text), None, "{text}");
        }
        assert_eq!(to_json(&"[".repeat(500)), None);
    }

    proptest! {
        #[test]
        fn what_comes_out_is_json(text in r#"\{('(a|\\'|"|\\x1b|é|\{)*': ?(1|-2\.5|None|nan|\[1, \(2,\)\]|"it's"|\{\}),? ?){0,4}\}?"#) {
            if let Some((json, _)) = to_json(&text) {
                prop_assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok(), "{}", json);
            }
        }
    }
}
