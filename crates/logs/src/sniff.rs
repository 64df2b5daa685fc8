//! What a file is, by its content.

use std::io::Read;
use std::path::Path;

use crate::adapters::{Role, parse_header};
use crate::recognition::{found_instead, recognize};
use crate::results::{ResultFile, read_results, read_results_from};
use crate::source::Source;
use crate::{Error, ErrorKind, ReadOptions, Recognition};

/// How much of a file decides.
const HEAD_BYTES: usize = 1 << 20;

/// What a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A request log.
    RequestLog(Recognition),
    /// Benchmark runs in our own format.
    Runs,
    /// Results of a benchmark tool, in these formats.
    Results(Vec<&'static str>),
    /// A host record.
    HostRecord,
    /// A claim file.
    Claims,
    /// A mapping file.
    Mapping,
    /// A model's configuration.
    ModelConfig,
    /// None of these.
    Unknown {
        /// What was found, in words.
        found: String,
    },
}

/// Says what a file is.
///
/// # Errors
/// A file that is missing, may not be read or is a directory. An empty or binary one is
/// [`Kind::Unknown`].
pub fn sniff(path: &Path) -> Result<Kind, Error> {
    let kind = unknown_if_unreadable(Source::open(path, HEAD_BYTES).and_then(kind))?;
    // Results are read whole to be known: a document that is cut is none.
    Ok(results_else(kind, || read_results(path)))
}

/// Says what bytes are.
///
/// # Errors
/// None for bytes at hand; the signature is that of [`sniff`].
///
/// # Examples
/// ```
/// use trueline_logs::{Kind, sniff_bytes};
/// assert_eq!(sniff_bytes("c.toml", b"[[claim]]\nid = \"a\"\n")?, Kind::Claims);
/// assert_eq!(sniff_bytes("config.json", br#"{"model_type":"qwen3"}"#)?, Kind::ModelConfig);
/// # Ok::<(), trueline_logs::Error>(())
/// ```
pub fn sniff_bytes(name: &str, bytes: &[u8]) -> Result<Kind, Error> {
    let from: Box<dyn Read + Send + '_> = Box::new(bytes);
    let kind = unknown_if_unreadable(Source::new(name, from, HEAD_BYTES).and_then(kind))?;
    Ok(results_else(kind, || read_results_from(name, bytes)))
}

/// Results, where something is nothing else and can be read as such.
fn results_else(kind: Kind, read: impl FnOnce() -> Result<ResultFile, Error>) -> Kind {
    if !matches!(kind, Kind::Unknown { .. }) {
        return kind;
    }
    match read() {
        Ok(file) => {
            let mut formats: Vec<&str> = file.runs.iter().map(|r| r.format.name).collect();
            formats.extend(file.beside);
            formats.dedup();
            Kind::Results(formats)
        }
        // A document that breaks off says more than that it is no log.
        Err(error) if error.kind() == ErrorKind::Document => {
            Kind::Unknown { found: error.message().to_owned() }
        }
        Err(_) => kind,
    }
}

fn unknown_if_unreadable(kind: Result<Kind, Error>) -> Result<Kind, Error> {
    match kind {
        Err(error) if matches!(error.kind(), ErrorKind::Empty | ErrorKind::Binary) => {
            Ok(Kind::Unknown { found: error.message().to_owned() })
        }
        other => other,
    }
}

fn kind(mut source: Source<'_>) -> Result<Kind, Error> {
    let block = source.next_block(Vec::new())?.unwrap_or_default();
    let text = String::from_utf8_lossy(&block.bytes);
    let name = source.name();
    if text.trim_start().starts_with('{') {
        if let Some(header) = text.lines().take(8).find_map(|l| parse_header(name, l).transpose())
            && header?.role == Role::Run
        {
            return Ok(Kind::Runs);
        }
        if let Some(kind) = document(&text) {
            return Ok(kind);
        }
    } else if let Ok(table) = text.parse::<toml::Table>() {
        let tables = |key| table.get(key).is_some_and(toml::Value::is_array);
        if tables("claim") || tables("given") {
            return Ok(Kind::Claims);
        }
        if tables("field") {
            return Ok(Kind::Mapping);
        }
    }
    match recognize(name, &text, &ReadOptions::default()) {
        Ok(recognition) => Ok(Kind::RequestLog(recognition)),
        Err(_) => Ok(Kind::Unknown { found: found_instead(&text) }),
    }
}

/// What a text that is one JSON object is.
fn document(text: &str) -> Option<Kind> {
    // A host record can be longer than the head that is looked at.
    let start: String = text.chars().take(400).filter(|c| !c.is_whitespace()).collect();
    if start.contains("\"schema\":\"trueline.host/1\"") {
        return Some(Kind::HostRecord);
    }
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    let has = |key: &str| value.get(key).is_some();
    match value.get("schema").and_then(serde_json::Value::as_str) {
        Some("trueline.host/1") => Some(Kind::HostRecord),
        Some(other) if other.starts_with("trueline.report/") => {
            Some(Kind::Unknown { found: format!("a report of schema {other}") })
        }
        _ if has("architectures") || has("model_type") => Some(Kind::ModelConfig),
        _ => None,
    }
}
