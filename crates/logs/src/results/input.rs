//! A result file's text, cut into JSON documents and lines.

use std::borrow::Cow;
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
        // A run with all its requests may be one line, longer than any of a log.
        let bytes = source.read_all(Vec::new(), MOST_BYTES)?;
        if bytes.len() > MOST_BYTES {
            let message = "expected results of at most 1 GiB; give them in smaller files";
            return Err(Error::new(ErrorKind::Document, source.name(), message));
        }
        // Text that is sound is not copied: a file may be half as large as the memory.
        let text = String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        let mut input = Self::parse(source.name(), text);
        if let Some(why) = source.truncated() {
            input.truncated = Some(why.to_owned());
        }
        Ok(input)
    }

    /// Cuts a text up.
    fn parse(name: &str, text: String) -> Self {
        let text = repaired(without_prefixes(cleaned(text)));
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

    /// Documents where a line begins one, lines elsewhere. What follows a document on its line may
    /// be another.
    fn cut(&mut self, text: &str) {
        let (mut at, mut number) = (0, 1);
        while at < text.len() {
            let rest = text.get(at..).unwrap_or_default();
            let begins = rest.trim_start_matches(BLANKS);
            let length = if may_begin(begins) { document_length(rest) } else { Length::Nothing };
            if let Length::Of(length) = length {
                self.documents.push((at..at + length, number));
                let passed = text.get(at..at + length).unwrap_or_default();
                number += passed.matches('\n').count();
                at += length;
                let after = text.get(at..).unwrap_or_default();
                at += after.len() - after.trim_start_matches([' ', '\t', ',', '\r']).len();
                if text.get(at..).is_some_and(|t| t.starts_with('\n')) {
                    at += 1;
                    number += 1;
                }
                continue;
            }
            if length == Length::Open && (self.truncated.is_some() || is_sound_to_its_end(rest)) {
                // What is open inside a document that breaks off is part of it.
                let why = || format!("the document that begins on line {number} breaks off");
                self.truncated.get_or_insert_with(why);
            } else if is_object_start(begins) {
                self.broken.push(number);
            }
            let end = rest.find('\n').map_or(text.len(), |n| at + n + 1);
            let line = text.get(at..end).unwrap_or_default();
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

/// The deepest nesting of a document that is read; parsers of JSON take little more.
pub(crate) const DEEPEST: usize = 120;

/// The blanks inside a line.
const BLANKS: [char; 3] = [' ', '\t', '\r'];

/// How far the document that a text begins with goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Length {
    /// So many bytes.
    Of(usize),
    /// Its brackets do not close before the text ends.
    Open,
    /// It is no document.
    Nothing,
}

/// The length of the document that a text begins with.
///
/// Its end is looked for by its brackets alone, and only what lies between is parsed: what nests
/// without end or breaks off inside a string of a line is left where it does so, and a text of many
/// beginnings is not gone through again and again.
fn document_length(text: &str) -> Length {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\n' if quoted => return Length::Nothing,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'[' | b'{' if depth == DEEPEST => return Length::Nothing,
            b'[' | b'{' => depth += 1,
            b']' | b'}' if depth <= 1 => {
                let document = text.get(..=at).map(serde_json::from_str::<IgnoredAny>);
                let is_one = document.is_some_and(|parsed| parsed.is_ok());
                return if is_one { Length::Of(at + 1) } else { Length::Nothing };
            }
            b']' | b'}' => depth -= 1,
            _ => {}
        }
    }
    Length::Open
}

/// Whether an open document has no other fault than that its text ends. No more beginnings are open
/// than brackets may nest.
fn is_sound_to_its_end(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_err_and(|error| error.is_eof())
}

/// Whether a text may begin with a document: an object, or a list of objects or of what stands on
/// the next line. `[info]` is none.
fn may_begin(text: &str) -> bool {
    let after = text.trim_start_matches('[').trim_start_matches(BLANKS);
    let is_list = after.is_empty() || after.starts_with(['{', ']', '\n']);
    text.starts_with('{') || (text.starts_with('[') && is_list)
}

fn is_object_start(text: &str) -> bool {
    text.starts_with('{')
        && text.trim_start_matches('{').trim_start_matches(BLANKS).starts_with('"')
}

/// The text without colours; what a progress bar wrote over is a line of its own.
fn cleaned(text: String) -> String {
    let is_odd = |b: u8| b < 0x20 && b != b'\n' && b != b'\t';
    if !text.starts_with('\u{feff}') && !text.bytes().any(is_odd) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.trim_start_matches('\u{feff}').chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            // Neither sequence goes beyond its line.
            '\u{1b}' => match chars.next() {
                // A control sequence ends with a letter or another byte from @ to ~.
                Some('[') => {
                    while chars.next_if(|c| !('@'..='~').contains(c) && *c != '\n').is_some() {}
                    chars.next_if(|c| *c != '\n');
                }
                // A title ends with a bell or an escape.
                Some(']') => {
                    let ends = |c: &char| matches!(c, '\u{7}' | '\u{1b}' | '\n');
                    while chars.next_if(|c| !ends(c)).is_some() {}
                    chars.next_if(|c| *c != '\n');
                }
                Some('\n') => out.push('\n'),
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

/// The text with each line repaired on its own: a quote that never closes does not reach beyond its
/// line.
fn repaired(text: String) -> String {
    let mut out: Option<String> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.strip_suffix('\n').unwrap_or(line);
        if let Cow::Owned(fixed) = repair(bare).0 {
            let out = out.get_or_insert_with(|| text.get(..at).unwrap_or_default().to_owned());
            out.push_str(&fixed);
            out.push_str(line.get(bare.len()..).unwrap_or_default());
        } else if let Some(out) = &mut out {
            out.push_str(line);
        }
        at += line.len();
    }
    out.unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (usize, Vec<String>, usize) {
        let input = Input::parse("t", text.to_owned());
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
        let of = |text: &str| Input::parse("t", text.to_owned());
        for (text, line) in [
            ("{\"a\":1}\n{\"a\": 1, \"b\": [2,", 2),
            ("{\"a\":1}\n{\"a\": 1, \"b\": \"cut", 2),
            ("[\n {\"a\": 1},\n {\"a\"", 1),
        ] {
            let input = of(text);
            let why = format!("the document that begins on line {line} breaks off");
            assert_eq!((input.truncated, input.broken.len()), (Some(why), 0), "{text}");
        }
        for whole in ["{\"a\":1}\n", "{'a': 1\nend\n", "[info] start\nend\n"] {
            assert_eq!(of(whole).truncated, None, "{whole}");
        }
    }

    #[test]
    fn a_quote_that_never_closes_spoils_its_own_line_alone() {
        let (documents, lines, broken) =
            parts("say \"yes\nMean TTFT (ms): 3\n{\"a\": \"cut\n{\"b\":NaN}\n{\"c\":\"d\"}\n");
        assert_eq!((documents, broken), (2, 1));
        assert_eq!(lines, ["1:say \"yes", "2:Mean TTFT (ms): 3", "3:{\"a\": \"cut"]);
    }

    #[test]
    fn brackets_that_never_close_or_nest_without_end_are_no_document() {
        for text in ["[".repeat(100_000), "[\n".repeat(1_000), "{\"a\":[".repeat(50_000)] {
            assert_eq!(parts(&text).0, 0);
        }
        let nested = |n: usize| format!("{}1{}", "{\"a\":".repeat(n), "}".repeat(n));
        assert_eq!((parts(&nested(DEEPEST)).0, parts(&nested(300)).0), (1, 0));
        assert_eq!(parts("{\"a\":1} {\"b\":\"}\"},{\"c\":\"\\\"\"}\nx").0, 3);
    }

    #[test]
    fn a_title_or_colour_that_never_ends_swallows_no_line() {
        let (_, lines, _) = parts("\u{1b}]0;title\nMean TTFT (ms): 3\n\u{1b}[31\nx");
        assert_eq!(lines, ["1:", "2:Mean TTFT (ms): 3", "3:", "4:x"]);
    }

    #[test]
    fn colours_and_progress_bars_do_not_hide_labels() {
        let (_, lines, _) = parts("\u{1b}[1;32mMean TTFT\u{1b}[0m (ms): 3\r\n 10%|#\r100%|##\nx");
        assert_eq!(lines, ["1:Mean TTFT (ms): 3", "2: 10%|#", "3:100%|##", "4:x"]);
    }
}
