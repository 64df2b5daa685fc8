//! What stands before a server's own words on a line: colours, a container's name, a time of the collector.

use std::borrow::Cow;

use memchr::memchr;

use super::Line;

/// How many prefixes may stand before each other: service, pod, time.
const PARTS: usize = 3;

/// A line without its colours.
pub(crate) fn uncoloured(line: &str) -> Cow<'_, str> {
    if memchr(0x1b, line.as_bytes()).is_none() {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('\u{1b}') {
        out += rest.get(..at).unwrap_or_default();
        let after = rest.get(at + 1..).unwrap_or_default();
        // An escape sequence ends with a letter; one that breaks off takes the rest of the line.
        rest = match after.strip_prefix('[') {
            Some(code) => match code.find(|c: char| c.is_ascii_alphabetic()) {
                Some(end) => code.get(end + 1..).unwrap_or_default(),
                None => "",
            },
            None => after,
        };
    }
    Cow::Owned(out + rest)
}

/// A line without what a container's log or a router puts before it, and the name that stood there.
pub(crate) fn bare(line: &str, unended: bool) -> Line<'_> {
    let mut text = line.trim_end_matches(['\r', ' ', '\t']);
    let (mut writer, mut stamp) = ("", "");
    for _ in 0..PARTS {
        if let Some((name, rest)) = service(text).or_else(|| bracketed(text)) {
            (writer, text) = (name, rest);
        } else if let Some(rest) = collected_at(text) {
            stamp = text.get(..text.len() - rest.len() - 1).unwrap_or_default();
            text = rest;
        } else {
            break;
        }
    }
    Line { text, writer, stamp, unended }
}

/// `service-1  | `, as Compose writes it.
fn service(text: &str) -> Option<(&str, &str)> {
    let (before, rest) = text.split_once('|')?;
    let name = before.trim_end_matches(' ');
    let is_name = !name.is_empty()
        && name.len() < before.len()
        && name.len() <= 64
        && name.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b'.'))
        && name.bytes().any(|c| c.is_ascii_alphabetic());
    is_name.then(|| (name, rest.strip_prefix(' ').unwrap_or(rest)))
}

/// `[pod/server-x1/main] `, as kubectl writes it, and `[8081] `, as llama.cpp's router does.
fn bracketed(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.strip_prefix('[')?.split_once("] ")?;
    let is_port = (2..=5).contains(&name.len()) && name.bytes().all(|c| c.is_ascii_digit());
    let is_pod = name.starts_with("pod/") && name.len() <= 512;
    (is_port || is_pod).then_some((name, rest))
}

/// `2026-11-01T12:00:00.123456789Z `: a stamp of the collector, told from a server's own by its nine
/// fractional digits or its letter `T` before nothing but text.
fn collected_at(text: &str) -> Option<&str> {
    const SHAPE: &[u8] = b"dddd-dd-ddTdd:dd:dd";
    let head = text.as_bytes().get(..SHAPE.len())?;
    let fits = |(c, s): (&u8, &u8)| if *s == b'd' { c.is_ascii_digit() } else { c == s };
    let (stamp, rest) = text.split_once(' ')?;
    let tail = stamp.get(SHAPE.len()..)?;
    let is_plain =
        tail.bytes().all(|c| c.is_ascii_digit() || matches!(c, b'.' | b':' | b'Z' | b'+' | b'-'));
    (head.iter().zip(SHAPE).all(fits) && is_plain && tail.len() > 1).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_before_a_servers_words_is_taken_off_and_its_writer_kept() {
        let words = "slot print_timing: id 0 | task 3 | x";
        for (before, writer) in [
            ("", ""),
            ("llama-1  | ", "llama-1"),
            ("[8081] ", "8081"),
            ("[pod/vllm-0/main] 2026-11-01T12:00:00.123456789Z ", "pod/vllm-0/main"),
            ("2026-11-01T12:00:00.1Z ", ""),
        ] {
            let line = format!("{before}{words}\r");
            let found = bare(&line, false);
            assert_eq!((found.text, found.writer), (words, writer), "{before}");
        }
        let line = "2026-11-01T12:00:00.123456789Z 2026-11-01T12:00:00.1Z  INFO up";
        let found = bare(line, false);
        assert_eq!((found.text, found.stamp), (" INFO up", "2026-11-01T12:00:00.1Z"));
        // A server's own bracket or bar is none of these.
        for own in
            ["[2026-11-01 12:00:00] Prefill batch", "id 0 | task 3", "| a | b |", "[info] up"]
        {
            assert_eq!((bare(own, false).text, bare(own, false).writer), (own, ""));
        }
    }

    #[test]
    fn colours_are_taken_off_wherever_they_stand() {
        assert_eq!(
            uncoloured("\u{1b}[1;36m(APIServer pid=1)\u{1b}[0;0m INFO"),
            "(APIServer pid=1) INFO"
        );
        assert_eq!(uncoloured("plain"), "plain");
        assert_eq!(uncoloured("cut \u{1b}[3"), "cut ");
    }
}
