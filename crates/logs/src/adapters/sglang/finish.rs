//! What a text line of SGLang's request log says of the request that ended.

use memchr::{memchr2, memmem};

use super::python::to_json;
use crate::lines::Words;

/// What a line of the request log is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// A request came in.
    Received,
    /// A request ended: its `meta_info` as JSON.
    Ended(String),
    /// The line is of an end and cannot be read to its own end.
    Torn,
    /// None of these.
    Else,
}

/// What begins a line of an end, of a request that came in, and of one before it was translated.
static ENDED: Words = Words::new("Finish: obj=");
static RECEIVED: Words = Words::new("Receive: obj=");
static RECEIVED_AS_OPENAI: Words = Words::new("Receive OpenAI: obj=");
/// What stands before the numbers of an end; the texts before it may hold it too, so the last one counts.
const META: &str = "'meta_info': ";
static OUT: Words = Words::new(", out={");

/// How far into a line these may begin: a collector's stamps stand before some of them.
const WITHIN: usize = 96;

/// Whether a line is of the log of requests.
pub(super) fn is_of_request(text: &str) -> bool {
    [&ENDED, &RECEIVED, &RECEIVED_AS_OPENAI].iter().any(|start| behind(text, start).is_some())
}

/// What follows the start of a line, whatever stamps stand before it.
fn behind<'t>(text: &'t str, start: &Words) -> Option<&'t str> {
    // Not every byte begins a character.
    let head = (0..4).find_map(|less| text.get(..text.len().min(WITHIN).checked_sub(less)?))?;
    let (before, after) = start.split(head)?;
    let is_start = !before.contains(['\'', '"', '{']);
    is_start.then(|| text.get(head.len() - after.len()..))?
}

/// Reads a line, its stamp taken off.
pub(super) fn read(text: &str) -> Said {
    if behind(text, &RECEIVED).is_some() {
        return Said::Received;
    }
    let Some(request) = behind(text, &ENDED) else { return Said::Else };
    let found = memmem::rfind(request.as_bytes(), META.as_bytes()).and_then(|at| {
        let (before, from) = request.split_at_checked(at)?;
        let (json, rest) = to_json(from.strip_prefix(META)?)?;
        // Behind it the braces of `out` close and the line ends.
        let closes = rest.strip_prefix('}').is_some_and(|after| after.trim().is_empty());
        (closes && OUT.are_in(before) && !in_quotes(before)).then_some(json)
    });
    found.map_or(Said::Torn, Said::Ended)
}

/// Whether a text ends inside a quoted one: then what follows is a prompt's or a reply's.
fn in_quotes(text: &str) -> bool {
    let mut rest = text.as_bytes();
    while let Some(open) = memchr2(b'\'', b'"', rest) {
        let quote = rest.get(open).copied().unwrap_or_default();
        rest = rest.get(open + 1..).unwrap_or_default();
        loop {
            let Some(at) = memchr2(quote, b'\\', rest) else { return true };
            let is_escape = rest.get(at) == Some(&b'\\');
            rest = rest.get(at + 1 + usize::from(is_escape)..).unwrap_or_default();
            if !is_escape {
                break;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(text: &str) -> Option<String> {
        match read(text) {
            Said::Ended(json) => Some(json),
            _ => None,
        }
    }

    #[test]
    fn the_numbers_are_found_whatever_the_texts_hold() {
        let meta = "{'id': 'r1', 'prompt_tokens': 12, 'cached_tokens': 0}";
        let json = r#"{"id":"r1","prompt_tokens":12,"cached_tokens":0}"#;
        for (asked, answered) in [
            ("'hi'", "'ho'"),
            (r#""it's {'a': [1,""#, r#"'say "out={" }}'"#),
            ("'你好 {'", r"'\'meta_info\': {\'id\': 3}}'"),
            // The reply quotes such a line, in quotes of the other kind.
            ("'x'", r#""Finish: obj=A(), out={'meta_info': {'id': 'no'}}""#),
            ("'first' ... 'last'", "'', 'output_ids': [1, 2]"),
        ] {
            let line = format!(
                "Finish: obj=GenerateReqInput(rid='r1', text={asked}, stream=True), out={{'text': {answered}, 'meta_info': {meta}}}"
            );
            assert_eq!(ended(&line).as_deref(), Some(json), "{line}");
        }
        assert_eq!(read("Receive: obj=GenerateReqInput(rid='r1')"), Said::Received);
        assert_eq!(read("Receive OpenAI: obj={'model': 'm'}"), Said::Else);
        assert_eq!(read("The server is fired up"), Said::Else);
        // A collector's stamps, with tabs; and a text that tells of such a line.
        let stamped =
            "1779264164565\t2026-05-20T08:02:44.565Z\tFinish: obj=A(), out={'meta_info': {}}";
        assert_eq!(ended(stamped).as_deref(), Some("{}"));
        assert_eq!(read("log: 'Finish: obj=A(), out={'meta_info': {}}"), Said::Else);
    }

    #[test]
    fn a_line_that_is_cut_off_is_torn_even_where_its_texts_look_whole() {
        let whole = "Finish: obj=A(text='x'), out={'text': \"'meta_info': {'id': 'no'}}\", 'meta_info': {'id': 'yes'}}";
        assert_eq!(ended(whole).as_deref(), Some(r#"{"id":"yes"}"#));
        for cut in "Finish: obj=".len()..whole.len() {
            assert_eq!(read(&whole[..cut]), Said::Torn, "{}", &whole[..cut]);
        }
    }
}
