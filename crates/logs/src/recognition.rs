//! Which format an input has, from its content.

use std::collections::BTreeSet;

use memchr::memmem;

use crate::adapters::{Fit, LOG_FORMATS, LogFormat, OWN, Reads, Table};
use crate::columns::Columns;
use crate::envelope::{self, Keys};
use crate::lines::{Seen, bare, uncoloured};
use crate::repair::repair;
use crate::{Error, ErrorKind, ReadOptions};

/// What says which format an input has where somebody named it.
pub(crate) const ASKED_FOR: &str = "the format asked for";
/// How many lines with objects decide.
const LINES: usize = 64;
/// How many lines of text decide: a server says much before its first request.
const TEXT_LINES: usize = 4_096;
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

/// The format whose keys the first objects have, how many of them have some, and what says so or speaks
/// against it.
fn best_of_rows(
    objects: &[String],
    rows: &[Vec<String>],
) -> Option<(usize, Result<Recognition, String>)> {
    let of_rows = LOG_FORMATS.iter().filter_map(|format| match format.reads {
        Reads::Rows { fits } => Some((format, fits, score(&(format.table)(), rows))),
        _ => None,
    });
    let (format, fits, score) = of_rows.max_by_key(|(format, _, score)| {
        // On a tie ours is first: its keys are the plain ones.
        (score.total, format.name == OWN)
    })?;
    if score.most < 2 {
        return None;
    }
    let keys = score.keys.iter().take(KEYS_SHOWN).cloned().collect::<Vec<_>>().join(", ");
    let evidence = format!("its keys: {keys}");
    let found = match fits.map_or(Fit::Silent, |fits| fits(objects)) {
        Fit::Silent => Ok(Recognition::new(format.name, evidence)),
        Fit::Fits(why) => Ok(Recognition::new(format.name, format!("{evidence}; {why}"))),
        // Two keys that many have are no likeness.
        Fit::Misfit(_) if score.most < 3 => return None,
        Fit::Misfit(why) => Err(why),
    };
    Some((score.rows, found))
}

/// The formats of text of which some of the first lines are, that of most lines first.
fn all_of_lines(head: &str) -> Vec<(&'static str, Seen)> {
    let lines = || head.lines().filter(|line| !line.trim().is_empty()).take(TEXT_LINES);
    let mut buffers: Vec<String> = lines().map(|_| String::new()).collect();
    let lines: Vec<&str> = lines()
        .zip(&mut buffers)
        .map(|(line, buffer)| bare(uncoloured(line, buffer), false).text)
        .collect();
    let mut seen: Vec<(&str, Seen)> = LOG_FORMATS
        .iter()
        .filter_map(|format| match format.reads {
            Reads::Lines { words, is, .. } if any_holds(&lines, words) => {
                Some((format.name, is(&lines)?))
            }
            _ => None,
        })
        .collect();
    // Of formats with as many lines the last one is taken, as ever.
    seen.reverse();
    seen.sort_by_key(|(_, seen)| std::cmp::Reverse(seen.lines));
    seen
}

/// Whether one of some lines holds one of some words.
fn any_holds(lines: &[&str], words: &[&str]) -> bool {
    words.iter().any(|words| {
        let words = memmem::Finder::new(words);
        lines.iter().any(|line| words.find(line.as_bytes()).is_some())
    })
}

/// The table of another known format, by keys that only it has, among names that a file's own
/// table does not know.
pub(crate) fn other_format<'a>(
    format: &str,
    names: impl Iterator<Item = (&'a str, u64)>,
) -> Option<(&'static str, u64, String)> {
    let others: Vec<Table> = LOG_FORMATS
        .iter()
        .filter(|other| other.name != format)
        .map(|other| (other.table)())
        .collect();
    let mut found: Option<(&'static str, u64, String)> = None;
    for (name, count) in names {
        for other in &others {
            if other.marks.contains(&name)
                && found.as_ref().is_none_or(|(_, most, _)| count > *most)
                && let Ok(format) = LogFormat::named(&other.name)
            {
                found = Some((format.name, count, name.to_owned()));
            }
        }
    }
    found
}

/// The first objects.
fn head_objects(head: &str) -> Vec<String> {
    head.lines()
        .filter(|line| !line.trim().is_empty())
        .take(LINES)
        .flat_map(|line| {
            let (line, _) = repair(line);
            let found = envelope::open(&line, true, &|_| true);
            found.objects.iter().map(|object| (*object).to_owned()).collect::<Vec<_>>()
        })
        .collect()
}

/// The keys of each of some objects.
fn keys_of(objects: &[String]) -> Vec<Vec<String>> {
    let keys = objects.iter().filter_map(|object| serde_json::from_str::<Keys>(object).ok());
    keys.map(|Keys(keys)| keys).collect()
}

/// Whether one of the first objects is a header of our format.
fn is_headed(rows: &[Vec<String>], head: &str) -> bool {
    rows.iter().flatten().any(|key| key == "schema")
        && memmem::find(head.as_bytes(), b"\"trueline.requests/").is_some()
}

/// How well a table fits some rows.
struct Score {
    /// Known keys over all rows, those that only this format has three times.
    total: usize,
    /// The most known keys of one row.
    most: usize,
    /// Rows with at least two known keys.
    rows: usize,
    keys: BTreeSet<String>,
}

fn score(table: &Table, rows: &[Vec<String>]) -> Score {
    let firsts: BTreeSet<&str> =
        table.fields.iter().filter_map(|f| f.path.split('.').next()).collect();
    let mut score = Score { total: 0, most: 0, rows: 0, keys: BTreeSet::new() };
    for keys in rows {
        let known = keys.iter().filter(|k| firsts.contains(k.as_str()));
        let marks = keys.iter().filter(|k| table.marks.contains(&k.as_str())).count();
        let mut here = 0;
        for key in known {
            here += 1;
            score.keys.insert(key.clone());
        }
        score.total += here + 2 * marks;
        score.most = score.most.max(here);
        score.rows += usize::from(here >= 2);
    }
    score
}

/// What a text is that is no request log, in words.
pub(crate) fn found_instead(head: &str) -> String {
    found_in(head, &keys_of(&head_objects(head)))
}

fn found_in(head: &str, rows: &[Vec<String>]) -> String {
    let keys: BTreeSet<&str> = rows.iter().flatten().map(String::as_str).collect();
    let shown: Vec<&str> = keys.iter().copied().take(KEYS_SHOWN).collect();
    if let Some(shape) = document_shape(head).filter(|_| shown.is_empty()) {
        shape.to_owned()
    } else if shown.is_empty() {
        let line = head.lines().find(|l| !l.trim().is_empty()).unwrap_or_default();
        let line: String = line.trim().chars().take(60).collect();
        format!("no JSON object in its first {LINES} lines (the first is {line:?})")
    } else {
        format!("objects with the keys {}", shown.join(", "))
    }
}

/// What JSON that is no object a line is, and how to make it one.
fn document_shape(head: &str) -> Option<&'static str> {
    let text = head.trim_start();
    let first = text.lines().next()?.trim_end();
    let is_object = |text: &str| text.trim_start().starts_with(['{', '"', '}']);
    if text.strip_prefix('[').is_some_and(is_object) {
        Some("a JSON list (write one object a line: jq -c '.[]')")
    } else if !text.strip_prefix('{').is_some_and(is_object) {
        None
    } else if text.trim_end().len() > first.len() {
        Some("a JSON document over several lines (write it on one: jq -c .)")
    } else {
        Some("one JSON object that breaks off")
    }
}

fn unknown(name: &str, head: &str, rows: &[Vec<String>]) -> Error {
    let found = found_in(head, rows);
    Error::new(
        ErrorKind::UnknownFormat,
        name,
        format!(
            "expected a request log in one of {} formats (docs/formats.md), found {found}; describe it with a \
             mapping file (docs/mapping-file.md)",
            LOG_FORMATS.len()
        ),
    )
}
