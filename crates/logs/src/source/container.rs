//! Lines as a container's runtime keeps them: what the program wrote is taken out of its entries.

use std::borrow::Cow;
use std::io::{self, Read};

use memchr::memchr;
use serde::Deserialize;

use super::LINE_LIMIT;

/// How many bytes are asked for at a time.
const STEP: usize = 64 << 10;

/// How many lines of a head are looked at: the first one may be what is left of an entry.
const LINES: usize = 4;

/// How a runtime keeps lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Runtime {
    /// One JSON object a line: `{"log":"…\n","stream":"stderr","time":"…"}`.
    Docker,
    /// `2026-11-01T12:00:00.123456789Z stderr F …`, as Kubernetes keeps it.
    Cri,
}

/// One entry of Docker's json-file driver.
#[derive(Deserialize)]
struct Entry<'l> {
    #[serde(borrow)]
    log: Cow<'l, str>,
    #[serde(borrow, default)]
    stream: Cow<'l, str>,
    #[serde(borrow)]
    time: Cow<'l, str>,
}

impl Runtime {
    /// The runtime that the first lines of a head show, if any.
    ///
    /// # Source
    /// Docker's json-file logging driver, whose entries hold log, stream and time; the log format of the
    /// Kubernetes CRI: time, stream, and `P` or `F` for a part of a line or its last one.
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        let lines = head.split(|b| *b == b'\n').map(<[u8]>::trim_ascii);
        lines.filter(|line| !line.is_empty()).take(LINES).find_map(Self::of_line)
    }

    fn of_line(line: &[u8]) -> Option<Self> {
        if line.starts_with(b"{") {
            let entry = serde_json::from_slice::<Entry<'_>>(line);
            // An entry that is longer than the head shows its first key alone.
            let is_docker = entry.is_ok_and(|entry| !entry.time.is_empty())
                || (line.len() > STEP / 4 && line.starts_with(br#"{"log":""#));
            return is_docker.then_some(Self::Docker);
        }
        let start = String::from_utf8_lossy(line.get(..64).unwrap_or(line));
        cri(&start).map(|_| Self::Cri)
    }

    /// What says so, in words.
    pub(super) const fn evidence(self) -> &'static str {
        match self {
            Self::Docker => "taken out of the entries of Docker's json-file log",
            Self::Cri => "taken out of the entries of a Kubernetes container log",
        }
    }

    /// A reader of what the program wrote.
    pub(super) fn reader<'r>(self, raw: impl Read + Send + 'r) -> Box<dyn Read + Send + 'r> {
        let parts = [const { Vec::new() }; 2];
        let [pending, out] = [const { Vec::new() }; 2];
        Box::new(Entries { raw, runtime: self, pending, parts, out, at: 0, ended: false })
    }
}

struct Entries<R> {
    raw: R,
    runtime: Runtime,
    /// Bytes of an entry whose end has not been read.
    pending: Vec<u8>,
    /// Of standard output and of standard error, what stands before the end of their line.
    parts: [Vec<u8>; 2],
    out: Vec<u8>,
    at: usize,
    ended: bool,
}

impl<R: Read> Read for Entries<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.at >= self.out.len() {
            if self.ended {
                return Ok(0);
            }
            self.out.clear();
            self.at = 0;
            self.step()?;
        }
        let ready = self.out.get(self.at..).unwrap_or_default();
        let n = ready.len().min(into.len());
        if let (Some(into), Some(from)) = (into.get_mut(..n), ready.get(..n)) {
            into.copy_from_slice(from);
        }
        self.at += n;
        Ok(n)
    }
}

impl<R: Read> Entries<R> {
    /// Reads on and takes the entries that are whole.
    fn step(&mut self) -> io::Result<()> {
        let searched = self.pending.len();
        let read = self.raw.by_ref().take(STEP as u64).read_to_end(&mut self.pending)?;
        self.ended = read < STEP;
        let pending = std::mem::take(&mut self.pending);
        let (mut from, mut look) = (0, searched);
        while let Some(end) = memchr(b'\n', pending.get(look..).unwrap_or_default()) {
            let end = look + end;
            self.entry(pending.get(from..end).unwrap_or_default(), true);
            from = end + 1;
            look = from;
        }
        let rest = pending.get(from..).unwrap_or_default();
        if self.ended {
            self.entry(rest, false);
            // What a program wrote last may lack its line end.
            let [out, err] = std::mem::take(&mut self.parts);
            self.out.extend(out);
            if !err.is_empty() && self.out.last().is_some_and(|last| *last != b'\n') {
                self.out.push(b'\n');
            }
            self.out.extend(err);
        } else if rest.len() > LINE_LIMIT {
            // Too long for any reader: handed on, to be skipped and counted there.
            self.out.extend_from_slice(rest);
        } else {
            self.pending.extend_from_slice(rest);
        }
        Ok(())
    }

    /// Takes an entry; what is none is passed on as it is.
    fn entry(&mut self, line: &[u8], ended: bool) {
        let text = std::str::from_utf8(line).ok();
        let whole = |stream: &str| usize::from(stream == "stderr");
        match (self.runtime, text) {
            (Runtime::Docker, Some(text)) => {
                if let Ok(entry) = serde_json::from_str::<Entry<'_>>(text) {
                    let stream = whole(&entry.stream);
                    return match entry.log.strip_suffix('\n') {
                        Some(log) => self.line(stream, log.as_bytes()),
                        None => self.part(stream, entry.log.as_bytes()),
                    };
                }
            }
            (Runtime::Cri, Some(text)) => {
                if let Some((stream, full, log)) = cri(text) {
                    let stream = whole(stream);
                    return if full {
                        self.line(stream, log.as_bytes());
                    } else {
                        self.part(stream, log.as_bytes());
                    };
                }
            }
            (_, None) => {}
        }
        self.out.extend_from_slice(line);
        if ended {
            self.out.push(b'\n');
        }
    }

    fn part(&mut self, stream: usize, log: &[u8]) {
        if let Some(part) = self.parts.get_mut(stream) {
            part.extend_from_slice(log);
            if part.len() > LINE_LIMIT {
                self.out.append(part);
            }
        }
    }

    fn line(&mut self, stream: usize, log: &[u8]) {
        if let Some(part) = self.parts.get_mut(stream) {
            self.out.append(part);
        }
        self.out.extend_from_slice(log);
        self.out.push(b'\n');
    }
}

/// The stream of a CRI entry, whether its line ends in it, and what was written.
fn cri(line: &str) -> Option<(&str, bool, &str)> {
    let (stamp, rest) = line.split_once(' ')?;
    let is_stamp = stamp.len() >= 20
        && stamp.as_bytes().get(10) == Some(&b'T')
        && stamp.bytes().all(|b| b.is_ascii_digit() || b"-:.+TZ".contains(&b));
    let (stream, rest) = rest.split_once(' ')?;
    let (tag, log) = rest.split_once(' ').unwrap_or((rest, ""));
    let tag = tag.split(':').next().unwrap_or_default();
    (is_stamp && matches!(stream, "stdout" | "stderr") && matches!(tag, "F" | "P")).then_some((
        stream,
        tag == "F",
        log.trim_end_matches('\r'),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(text: &str) -> String {
        let runtime = Runtime::of(text.as_bytes()).expect("a runtime");
        let mut out = String::new();
        runtime.reader(text.as_bytes()).read_to_string(&mut out).unwrap();
        out
    }

    #[test]
    fn what_a_program_wrote_is_taken_out_and_parts_are_put_together() {
        let entry = |log: &str, stream: &str| {
            format!(r#"{{"log":"{log}","stream":"{stream}","time":"2026-11-01T12:00:00.1Z"}}"#)
        };
        let docker = [
            entry(r#"{\"id\":\"a\"}\n"#, "stdout"),
            // A line of which the driver made two entries, with one of the other stream between them.
            entry("first ", "stderr"),
            entry(r"other\n", "stdout"),
            entry(r"second\n", "stderr"),
            "no entry".to_owned(),
            entry("without an end", "stdout"),
        ]
        .join("\n");
        let expected = "{\"id\":\"a\"}\nother\nfirst second\nno entry\nwithout an end";
        assert_eq!(taken(&docker), expected);
        let at = "2026-11-01T12:00:00.123456789Z";
        let cri = format!("{at} stderr F one\n{at} stderr P tw\n{at} stderr F o\n{at} stdout F\n");
        assert_eq!(taken(&cri), "one\ntwo\n\n");
    }

    #[test]
    fn a_log_with_a_field_of_that_name_is_no_containers() {
        for text in [
            r#"{"log":"x","level":"info"}"#,
            r#"{"time":"12:00","log":{"id":1},"stream":true}"#,
            "2026-11-01T12:00:00Z stderr said: F",
            "",
        ] {
            assert_eq!(Runtime::of(text.as_bytes()), None, "{text}");
        }
    }
}
