//! A result file's text, cut into JSON documents and lines.

use std::io::Read;
use std::ops::Range;
use std::path::Path;

use serde::de::IgnoredAny;

use super::Part;
use super::node::Node;
use super::prefix::without_prefixes;
use crate::repair::repair;
use crate::source::{BLOCK_BYTES, Source};
use crate::{Error, ErrorKind};

/// The largest text that is read, in bytes after decompression: results are held in memory whole.
const MOST_BYTES: usize = 1 << 30;

/// One line of a text, cleaned: no colours, no progress bars, no line end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// Its number, from 1.
    pub(crate) number: usize,
    /// What it says.
    pub(crate) text: &'a str,
}

/// A result file.
#[derive(Debug)]
pub(crate) struct Input {
    /// What it is called.
    pub(crate) name: String,
    /// Cleaned text, bare NaN and infinities inside documents in quotes.
    text: String,
    /// Where the documents lie, with the line each begins on.
    documents: Vec<(Range<usize>, usize)>,
    /// Where the other lines lie.
    lines: Vec<(Range<usize>, usize)>,
    /// Lines that begin like a document and are none.
    pub(crate) broken: Vec<usize>,
    /// Why the input ends early, if it does.
    pub(crate) truncated: Option<String>,
}

impl Input {
    /// Reads a file; `-` is the standard input.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        Self::read(Source::open(path, BLOCK_BYTES)?)
    }

    /// Reads anything that yields bytes.
    pub(crate) fn from_reader(name: &str, from: impl Read + Send) -> Result<Self, Error> {
        Self::read(Source::new(name, Box::new(from), BLOCK_BYTES)?)
    }

    fn read(mut source: Source<'_>) -> Result<Self, Error> {
        // All at once: a result file is often one line, however long.
        let bytes = source.read_all(Vec::new(), MOST_BYTES)?;
        if bytes.len() > MOST_BYTES {
            let message = "expected results of at most 1 GiB; give them in smaller files";
            return Err(Error::new(ErrorKind::Document, source.name(), message));
        }
        let mut input = Self::parse(source.name(), &String::from_utf8_lossy(&bytes));
        if let Some(why) = source.truncated() {
            input.truncated = Some(why.to_owned());
        }
        Ok(input)
    }

    /// Cuts a text up.
    pub(crate) fn parse(name: &str, text: &str) -> Self {
        let text = cleaned(text.trim_start_matches('\u{feff}'));
        let text = repair(&without_prefixes(&text)).0.into_owned();
        let mut input = Self {
            name: name.to_owned(),
            documents: Vec::new(),
            lines: Vec::new(),
            broken: Vec::new(),
            truncated: None,
            text: String::new(),
        };
        input.cut(&text);
        input.text = text;
        input
    }

    /// Documents where a line begins one, lines elsewhere.
    fn cut(&mut self, text: &str) {
        let (mut at, mut number) = (0, 1);
        while at < text.len() {
            let rest = text.get(at..).unwrap_or_default();
            let end = rest.find('\n').map_or(text.len(), |n| at + n + 1);
            let line = text.get(at..end).unwrap_or_default();
            let begins = line.trim_start();
            if begins.starts_with('{') || (begins.starts_with('[') && may_be_list(begins)) {
                let length = document_length(rest);
                if let Length::Of(length) = length {
                    self.documents.push((at..at + length, number));
                    let passed = text.get(at..at + length).unwrap_or_default();
                    number += passed.matches('\n').count();
                    at += length;
                    // Another document may follow on the same line.
                    let after = text.get(at..).unwrap_or_default();
                    let blank =
                        after.len() - after.trim_start_matches([' ', '\t', ',', '\r']).len();
                    at += blank;
                    if text.get(at..).is_some_and(|t| t.starts_with('\n')) {
                        at += 1;
                        number += 1;
                    }
                    continue;
                }
                if length == Length::BreaksOff && self.truncated.is_none() {
                    let why = format!("the document that begins on line {number} breaks off");
                    self.truncated = Some(why);
                } else if begins.starts_with('{') && is_object_start(begins) {
                    self.broken.push(number);
                }
            }
            let trimmed = line.trim_end_matches(['\n', '\r']);
            self.lines.push((at..at + trimmed.len(), number));
            at = end;
            number += 1;
        }
    }

    /// The documents, parsed one by one, with the line each begins on and whether it is an element
    /// of a list: a list at the top yields its elements.
    pub(crate) fn documents(&self) -> impl Iterator<Item = (usize, Node, Part)> + '_ {
        self.documents.iter().flat_map(|(range, line)| {
            let text = self.text.get(range.clone()).unwrap_or_default();
            let parsed = serde_json::from_str(text).unwrap_or(Node::Null);
            let (all, part) = match parsed {
                Node::List(list) if list.iter().all(|n| n.map().is_some()) => (list, Part::OfList),
                other => (vec![other], Part::Alone),
            };
            all.into_iter().map(move |node| (*line, node, part))
        })
    }

    /// The lines that belong to no document.
    pub(crate) fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        self.lines.iter().map(|(range, number)| Line {
            number: *number,
            text: self.text.get(range.clone()).unwrap_or_default(),
        })
    }

    /// The whole text, for formats that are no lines: CSV, YAML.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether there is any document.
    pub(crate) fn has_documents(&self) -> bool {
        !self.documents.is_empty()
    }
}

/// How far the document that a text begins with goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Length {
    /// So many bytes.
    Of(usize),
    /// To the end of the text and beyond.
    BreaksOff,
    /// It is no document.
    Nothing,
}

fn document_length(text: &str) -> Length {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    match stream.next() {
        Some(Ok(_)) => Length::Of(stream.byte_offset()),
        Some(Err(error)) if error.is_eof() => Length::BreaksOff,
        _ => Length::Nothing,
    }
}

/// Whether a line that begins with a bracket may begin a list of objects or of numbers; `[info]`
/// does not.
fn may_be_list(line: &str) -> bool {
    let after = line.trim_start_matches('[').trim_start();
    after.is_empty() || after.starts_with(['{', ']'])
}

fn is_object_start(line: &str) -> bool {
    line.trim_start_matches('{').trim_start().starts_with('"')
}

/// The text without colours; what a progress bar wrote over is a line of its own.
fn cleaned(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => match chars.next() {
                // A control sequence ends with a letter or another byte from @ to ~.
                Some('[') => while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
                // A title ends with a bell or an escape.
                Some(']') => while chars.next().is_some_and(|c| c != '\u{7}' && c != '\u{1b}') {},
                _ => {}
            },
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' => out.push('\n'),
            '\u{0}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' => {}
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (usize, Vec<String>, usize) {
        let input = Input::parse("t", text);
        let lines = input.lines().map(|l| format!("{}:{}", l.number, l.text)).collect();
        (input.documents().count(), lines, input.broken.len())
    }

    #[test]
    fn documents_and_lines_are_told_apart() {
        let (documents, lines, broken) =
            parts("[info] start\nMean TTFT (ms): 3\n{\"a\": Infinity,\n \"b\": 2}{\"c\":1}\nend\n");
        assert_eq!((documents, broken), (2, 0));
        assert_eq!(lines, ["1:[info] start", "2:Mean TTFT (ms): 3", "5:end"]);
        let (documents, lines, broken) = parts("[\n {\"a\":1},\n {\"a\":2}\n]\n{\"a\": 1, \"b\"");
        assert_eq!((documents, broken), (2, 0));
        assert_eq!(lines.len(), 1);
        let (documents, _, broken) = parts("{\"a\": 1, \"b\"\n{\"a\":1}\n");
        assert_eq!((documents, broken), (1, 1));
    }

    #[test]
    fn what_breaks_off_at_the_end_cuts_the_file_and_breaks_no_line() {
        let of = |text: &str| Input::parse("t", text).truncated;
        let cut = of("{\"a\":1}\n{\"a\": 1, \"b\": [2,");
        assert_eq!(cut.as_deref(), Some("the document that begins on line 2 breaks off"));
        assert_eq!(
            of("[\n {\"a\": 1},\n {\"a\"").as_deref().map(|w| w.contains("line 1")),
            Some(true)
        );
        for whole in ["{\"a\":1}\n", "{'a': 1\nend\n", "[info] start\nend\n"] {
            assert_eq!(of(whole), None, "{whole}");
        }
    }

    #[test]
    fn a_document_of_one_very_long_line_is_read_whole() {
        // Longer than a line of a log may be.
        let text = format!("{{\"errors\": \"{}\"}}\n", "x".repeat(65 << 20));
        let input = Input::from_reader("t", text.as_bytes()).unwrap();
        assert_eq!((input.documents.len(), input.lines.len(), input.broken.len()), (1, 0, 0));
    }

    #[test]
    fn colours_and_progress_bars_do_not_hide_labels() {
        let (_, lines, _) = parts("\u{1b}[1;32mMean TTFT\u{1b}[0m (ms): 3\r\n 10%|#\r100%|##\nx");
        assert_eq!(lines, ["1:Mean TTFT (ms): 3", "2: 10%|#", "3:100%|##", "4:x"]);
    }
}
