//! Which format an input has, from its content.

mod instead;
mod lines;
mod rows;

pub(crate) use instead::found_instead;
pub(crate) use rows::other_format;

use memchr::memmem;

use crate::adapters::{LOG_FORMATS, LogFormat, OWN, Reads};
use crate::columns::Columns;
use crate::{Error, ErrorKind, ReadOptions};
use instead::unknown;
use lines::all_of_lines;
use rows::{best_of_rows, head_objects, keys_of};

/// What says which format an input has where somebody named it.
pub(crate) const ASKED_FOR: &str = "the format asked for";
/// How many lines with objects decide.
const LINES: usize = 64;
/// How many keys an error message names.
const KEYS_SHOWN: usize = 12;
/// Formats of lines whose lines are objects: the keys of these may be those of rows too.
const OF_OBJECTS: [&str; 2] = ["openai-chunks", "otlp-lines"];
/// Formats in which lines of another one belong: Ollama writes down what its llama.cpp server says.
const INSIDE: [(&str, &str); 1] = [("ollama-log", "llama-cpp-log")];

/// Which format an input has and what says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recognition {
    format: String,
    evidence: String,
    /// Other formats of which some of the first lines are, and how many.
    beside: Vec<(&'static str, usize)>,
}

impl Recognition {
    /// The name of the format; that of the mapping where one was given.
    pub fn format(&self) -> &str {
        &self.format
    }

    /// What says so, in words.
    pub fn evidence(&self) -> &str {
        &self.evidence
    }

    /// Other formats of which some of the first lines are, and how many: those lines are not read as requests.
    pub fn beside(&self) -> &[(&'static str, usize)] {
        &self.beside
    }

    /// Adds to what says so.
    pub(crate) fn add(&mut self, evidence: &str) {
        self.evidence += "; ";
        self.evidence += evidence;
    }

    pub(crate) fn new(format: &str, evidence: impl Into<String>) -> Self {
        Self { format: format.to_owned(), evidence: evidence.into(), beside: Vec::new() }
    }
}

/// Recognises the format of an input by the head of its text.
pub(crate) fn recognize(
    name: &str,
    head: &str,
    options: &ReadOptions,
) -> Result<Recognition, Error> {
    if let Some(mapping) = &options.mapping {
        return Ok(Recognition::new(mapping.name(), "the mapping file given"));
    }
    if let Some(format) = &options.format {
        let format = LogFormat::named(format)?;
        return Ok(Recognition::new(format.name, ASKED_FOR));
    }
    let objects = head_objects(head);
    let rows = keys_of(&objects);
    if is_headed(&rows, head) {
        return Ok(Recognition::new(OWN, "a header of schema trueline.requests/1"));
    }
    if let Some(found) = LOG_FORMATS.iter().find_map(|format| begins(format, head)) {
        return Ok(found);
    }
    let (rows_of, mut lines_of) = (best_of_rows(&objects, &rows), all_of_lines(head));
    let best = lines_of
        .first()
        .map(|(format, seen)| (seen.lines, Recognition::new(format, seen.evidence.clone())));
    let mut found = match (&rows_of, best) {
        // Text between objects, or objects between text: what most lines are.
        (Some((n, Ok(_))), Some((lines, found))) if lines > *n => found,
        (Some((_, Err(misfit))), None) => {
            return Err(Error::new(ErrorKind::UnknownFormat, name, format!("expected {misfit}")));
        }
        (Some((_, Ok(found))), _) => found.clone(),
        (_, Some((_, found))) => found,
        (None, None) => return Err(unknown(name, head, &rows)),
    };
    lines_of.retain(|(format, _)| {
        *format != found.format
            && !OF_OBJECTS.contains(format)
            && !INSIDE.contains(&(found.format.as_str(), format))
    });
    found.beside = lines_of.into_iter().map(|(format, seen)| (format, seen.lines)).collect();
    if let Some((n, Ok(rows))) = rows_of
        && rows.format != found.format
        && !OF_OBJECTS.contains(&found.format.as_str())
        && let Ok(format) = LogFormat::named(&rows.format)
    {
        found.beside.push((format.name, n));
    }
    Ok(found)
}

/// Whether a text begins a document or a table of a format.
fn begins(format: &LogFormat, head: &str) -> Option<Recognition> {
    match &format.reads {
        Reads::Document { is, .. } => Some(Recognition::new(format.name, is(head)?)),
        Reads::Columns { must } => {
            Columns::of(head, &[], must)?;
            Some(Recognition::new(format.name, format!("its columns: {}", must.join(", "))))
        }
        _ => None,
    }
}

/// Whether one of the first objects is a header of our format.
fn is_headed(rows: &[Vec<String>], head: &str) -> bool {
    rows.iter().flatten().any(|key| key == "schema")
        && memmem::find(head.as_bytes(), b"\"trueline.requests/").is_some()
}
