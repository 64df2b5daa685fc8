//! What stands before a server's own words on a line: colours, a container's name, a time of the collector.

use memchr::memchr;

use super::Line;

/// How many prefixes may stand before each other: service, pod, time.
const PARTS: usize = 3;

/// A line without its colours; where it has some, the rest of it is put into a buffer.
pub(crate) fn uncoloured<'l>(line: &'l str, buffer: &'l mut String) -> &'l str {
    if memchr(0x1b, line.as_bytes()).is_none() {
        return line;
    }
    buffer.clear();
    let mut rest = line;
    while let Some(at) = memchr(0x1b, rest.as_bytes()) {
        *buffer += rest.get(..at).unwrap_or_default();
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
    *buffer += rest;
    buffer
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
    // Looked at by its first bytes: the whole line is not searched for a bar.
    let of_name = |c: &u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b'.');
    let length = text.bytes().take(65).take_while(of_name).count();
    let (name, after) = text.split_at_checked(length)?;
    let rest = after.trim_start_matches(' ').strip_prefix('|')?;
    let is_name = (1..=64).contains(&name.len())
        && after.starts_with(' ')
        && name.bytes().any(|c| c.is_ascii_alphabetic());
    is_name.then(|| (name, rest.strip_prefix(' ').unwrap_or(rest)))
}

/// `[pod/server-x1/main] `, as kubectl writes it, and `[8081] `, as llama.cpp's router does.
fn bracketed(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix('[')?;
    if inside.starts_with("pod/") {
        return inside.split_once("] ").filter(|(name, _)| name.len() <= 512);
    }
    let digits = inside.bytes().take(6).take_while(u8::is_ascii_digit).count();
    let (port, after) = inside.split_at_checked(digits)?;
    Some((port, after.strip_prefix("] ")?)).filter(|(port, _)| (2..=5).contains(&port.len()))
}

/// `2026-11-01T12:00:00.123456789Z `: a stamp of the collector, told from a server's own by its nine
/// fractional digits or its letter `T` before nothing but text.
fn collected_at(text: &str) -> Option<&str> {
    const SHAPE: &[u8] = b"dddd-dd-ddTdd:dd:dd";
    let head = text.as_bytes().get(..SHAPE.len())?;
    let fits = |(c, s): (&u8, &u8)| if *s == b'd' { c.is_ascii_digit() } else { c == s };
    if !head.iter().zip(SHAPE).all(fits) {
        return None;
    }
    let (tail, rest) = text.get(SHAPE.len()..)?.split_once(' ')?;
    let is_plain =
        tail.bytes().all(|c| c.is_ascii_digit() || matches!(c, b'.' | b':' | b'Z' | b'+' | b'-'));
    (is_plain && tail.len() > 1).then_some(rest)
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
        for (line, expected) in [
            ("\u{1b}[1;36m(APIServer pid=1)\u{1b}[0;0m INFO", "(APIServer pid=1) INFO"),
            ("plain", "plain"),
            ("cut \u{1b}[3", "cut "),
        ] {
            assert_eq!(uncoloured(line, &mut String::from("left over")), expected);
        }
    }
}
