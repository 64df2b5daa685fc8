//! What a text is that is no request log.

use std::collections::BTreeSet;

use super::rows::{head_objects, keys_of};
use super::{KEYS_SHOWN, LINES};
use crate::adapters::LOG_FORMATS;
use crate::{Error, ErrorKind};

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

pub(super) fn unknown(name: &str, head: &str, rows: &[Vec<String>]) -> Error {
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
