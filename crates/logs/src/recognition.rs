//! Which format an input has, from its content.

use std::collections::BTreeSet;

use crate::adapters::{
    FORMATS, MOONCAKE, MTPLX, MisfitBlocks, OWN, Table, WEKA, mooncake, mtplx, own, unknown_format,
};
use crate::envelope::{self, Keys};
use crate::repair::repair;
use crate::{Error, ErrorKind, ReadOptions};
use trueline_core::Side;

/// How many lines decide.
const LINES: usize = 64;
/// How many keys an error message names.
const KEYS_SHOWN: usize = 12;

/// Which format an input has and what says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recognition {
    format: String,
    evidence: String,
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

    pub(crate) fn new(format: &str, evidence: impl Into<String>) -> Self {
        Self { format: format.to_owned(), evidence: evidence.into() }
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
        return FORMATS
            .iter()
            .find(|known| *known == format)
            .map(|format| Recognition::new(format, "the format asked for"))
            .ok_or_else(|| unknown_format(format));
    }
    let objects = head_objects(head);
    let rows = keys_of(&objects);
    if rows.iter().any(|keys| is_header(keys, head)) {
        return Ok(Recognition::new(OWN, "a header of schema trueline.requests/1"));
    }
    if is_weka(head) {
        return Ok(Recognition::new(WEKA, "one document with block_size, requests and hash_ids"));
    }
    let blocks = MisfitBlocks::of(objects.iter().map(String::as_str));
    let scored =
        [own(Side::Server), mtplx(), mooncake()].map(|table| (score(&table, &rows), table));
    let best = scored.iter().max_by_key(|((total, _, _), table)| {
        // On a tie ours is first: its keys are the plain ones.
        (*total, table.name == OWN)
    });
    match best {
        Some((_, table)) if table.name == MOONCAKE && !blocks.are_few() => {
            Err(other_blocks(name, blocks))
        }
        Some(((_, most, keys), table)) if *most >= 2 => {
            let keys = keys.iter().take(KEYS_SHOWN).cloned().collect::<Vec<_>>().join(", ");
            let mut evidence = format!("its keys: {keys}");
            if table.name == MOONCAKE && blocks.rows > 0 {
                let fit = blocks.rows - blocks.misfit;
                evidence += &format!(
                    "; {fit} of {} prompts have as many hash_ids as blocks of 512 tokens",
                    blocks.rows
                );
            }
            Ok(Recognition::new(&table.name, evidence))
        }
        _ => Err(unknown(name, head, &rows)),
    }
}

/// The table of another known format, by keys that only it has, among names that a file's own
/// table does not know.
pub(crate) fn other_format<'a>(
    format: &str,
    names: impl Iterator<Item = (&'a str, u64)>,
) -> Option<(&'static str, u64, String)> {
    let others = [(OWN, own(Side::Server)), (MTPLX, mtplx()), (MOONCAKE, mooncake())];
    let mut found: Option<(&'static str, u64, String)> = None;
    for (name, count) in names {
        for (other, table) in &others {
            if *other != format
                && table.marks.contains(&name)
                && found.as_ref().is_none_or(|(_, most, _)| count > *most)
            {
                found = Some((other, count, name.to_owned()));
            }
        }
    }
    found
}

/// Whether a text begins a Weka document.
pub(crate) fn is_weka(head: &str) -> bool {
    head.trim_start().starts_with('{')
        && ["\"block_size\"", "\"requests\"", "\"hash_ids\""].iter().all(|k| head.contains(k))
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

fn is_header(keys: &[String], head: &str) -> bool {
    keys.iter().any(|k| k == "schema") && head.contains("\"trueline.requests/")
}

/// The score over all rows, the most known keys of one row, and which keys they were.
fn score(table: &Table, rows: &[Vec<String>]) -> (usize, usize, BTreeSet<String>) {
    let firsts: BTreeSet<&str> =
        table.fields.iter().filter_map(|f| f.path.split('.').next()).collect();
    let (mut total, mut most, mut found) = (0, 0, BTreeSet::new());
    for keys in rows {
        let known = keys.iter().filter(|k| firsts.contains(k.as_str()));
        let marks = keys.iter().filter(|k| table.marks.contains(&k.as_str())).count();
        let mut here = 0;
        for key in known {
            here += 1;
            found.insert(key.clone());
        }
        total += here + 2 * marks;
        most = most.max(here);
    }
    (total, most, found)
}

/// What a text is that is no request log, in words.
pub(crate) fn found_instead(head: &str) -> String {
    found_in(head, &keys_of(&head_objects(head)))
}

fn found_in(head: &str, rows: &[Vec<String>]) -> String {
    let keys: BTreeSet<&str> = rows.iter().flatten().map(String::as_str).collect();
    let shown: Vec<&str> = keys.iter().copied().take(KEYS_SHOWN).collect();
    if shown.is_empty() {
        let line = head.lines().find(|l| !l.trim().is_empty()).unwrap_or_default();
        let line: String = line.trim().chars().take(60).collect();
        format!("no JSON object in its first {LINES} lines (the first is {line:?})")
    } else {
        format!("objects with the keys {}", shown.join(", "))
    }
}

fn other_blocks(name: &str, blocks: MisfitBlocks) -> Error {
    Error::new(
        ErrorKind::UnknownFormat,
        name,
        format!(
            "expected hash_ids of blocks of 512 tokens, as Mooncake's traces have them, found {} of {} \
             prompts with other numbers of them; describe the file with a mapping file that has \
             block_tokens (docs/mapping-file.md)",
            blocks.misfit, blocks.rows
        ),
    )
}

fn unknown(name: &str, head: &str, rows: &[Vec<String>]) -> Error {
    let found = found_in(head, rows);
    Error::new(
        ErrorKind::UnknownFormat,
        name,
        format!(
            "expected a request log in one of the formats {}; found {found}; describe it with a \
             mapping file (docs/mapping-file.md)",
            FORMATS.join(", ")
        ),
    )
}
