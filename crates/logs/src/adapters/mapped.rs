//! Any JSON lines, through a mapping file that says what each field means.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;
use trueline_core::Side;

use super::Table;
use crate::{Error, ErrorKind, FieldMeaning, Holds, Unit};

/// A mapping from the fields of any JSON-lines log to what they mean.
///
/// # Examples
/// ```
/// use trueline_logs::Mapping;
/// let text = r#"
///     name = "my-gateway"
///     [[field]]
///     path = "usage.prompt_tokens"
///     meaning = "prompt_tokens"
///     unit = "tokens"
///     [[field]]
///     path = "first_ms"
///     meaning = "ttft"
///     unit = "ms"
///     clock = "client"
/// "#;
/// assert_eq!(Mapping::parse("my.toml", text)?.name(), "my-gateway");
/// # Ok::<(), trueline_logs::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Mapping {
    name: String,
    server: Option<String>,
    fields: Vec<FieldMeaning>,
    ok: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    server: Option<String>,
    field: Vec<Field>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Field {
    path: String,
    meaning: String,
    unit: Option<String>,
    clock: Option<String>,
    ok: Option<Vec<toml::Value>>,
    note: Option<String>,
}

impl Mapping {
    /// Reads a mapping file.
    ///
    /// # Errors
    /// As [`Mapping::parse`], or a file that cannot be read.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path).map_err(|e| Error::io(path, e))?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// Reads a mapping from its text.
    ///
    /// # Errors
    /// Text that is no such TOML; a word that is none of the accepted ones, which are listed; a
    /// unit or clock that does not go with the meaning.
    pub fn parse(name: &str, text: &str) -> Result<Self, Error> {
        let file: File = toml::from_str(text).map_err(|error| {
            Error::new(
                ErrorKind::Mapping,
                name,
                "expected a mapping: name, server, and [[field]] tables with path, meaning, unit, \
                 clock, ok, note; found something else; see docs/mapping-file.md",
            )
            .caused_by(error)
        })?;
        let mut mapping =
            Self { name: file.name, server: file.server, fields: Vec::new(), ok: Vec::new() };
        let mut paths = BTreeSet::new();
        for field in file.field {
            if !paths.insert(field.path.clone()) {
                let message = format!("expected each path once, found {:?} twice", field.path);
                return Err(Error::new(ErrorKind::Mapping, name, message));
            }
            if let Some(ok) = &field.ok {
                mapping.ok.extend(ok.iter().map(plain));
            }
            mapping.fields.push(field.meaning(name)?);
        }
        if !mapping.fields.iter().any(|f| f.holds == Holds::PromptTokens || is_time(f.holds)) {
            return Err(Error::new(
                ErrorKind::Mapping,
                name,
                "expected a field that means prompt_tokens or a time, found none; without one \
                 there is nothing to sum up",
            ));
        }
        Ok(mapping)
    }

    /// The name of the format it describes.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its fields.
    pub fn fields(&self) -> &[FieldMeaning] {
        &self.fields
    }

    pub(crate) fn table(&self) -> Table {
        Table {
            name: self.name.clone().into(),
            server: self.server.clone(),
            fields: self.fields.clone(),
            side: Side::Server,
            ok: self.ok.clone(),
            marks: &[],
        }
    }
}

impl Field {
    fn meaning(self, name: &str) -> Result<FieldMeaning, Error> {
        let bad = |what: &str, found: &str, known: Vec<&str>| {
            let message = format!(
                "expected a {what} for {:?}, one of {}; found {found:?}",
                self.path,
                known.join(", ")
            );
            Error::new(ErrorKind::UnknownWord, name, message)
        };
        if self.path.is_empty() || self.path.split('.').any(str::is_empty) {
            let message =
                format!("expected a path such as \"usage.tokens\", found {:?}", self.path);
            return Err(Error::new(ErrorKind::Mapping, name, message));
        }
        let words = || Holds::NAMED.iter().map(|(w, _)| *w).collect();
        let holds = Holds::NAMED
            .iter()
            .find(|(word, _)| *word == self.meaning)
            .map(|(_, holds)| *holds)
            .ok_or_else(|| bad("meaning", &self.meaning, words()))?;
        let accepted = units(holds);
        let listed = || accepted.iter().map(|u| u.word()).collect::<Vec<_>>();
        let unit = match &self.unit {
            None => match accepted {
                [only] => *only,
                _ => return Err(bad("unit", "no unit", listed())),
            },
            Some(word) => *accepted
                .iter()
                .find(|u| u.word() == word)
                .ok_or_else(|| bad("unit", word, listed()))?,
        };
        let sides = sides(holds);
        let clock = match (self.clock.as_deref(), sides) {
            (None | Some("client" | "server"), []) => None,
            (None, [(_, only)]) => Some(*only),
            (word, _) => {
                let side = sides.iter().find(|(name, _)| Some(*name) == word);
                let known = || sides.iter().map(|(name, _)| *name).collect();
                let side = side.ok_or_else(|| bad("clock", word.unwrap_or("no clock"), known()))?;
                Some(side.1)
            }
        };
        if holds == Holds::Outcome && self.ok.is_none() {
            return Err(bad("list \"ok\" of the values that mean success", "none", vec!["[200]"]));
        }
        Ok(FieldMeaning {
            path: self.path.into(),
            holds,
            unit,
            clock,
            note: self.note.unwrap_or_default().into(),
            source: "mapping file".into(),
        })
    }
}

fn is_time(holds: Holds) -> bool {
    holds.stretch(Side::Server).is_some()
}

/// The clocks that a meaning may be by; none where it is no time.
const fn sides(holds: Holds) -> &'static [(&'static str, Side)] {
    const CLIENT: (&str, Side) = ("client", Side::Client);
    const SERVER: (&str, Side) = ("server", Side::Server);
    match holds {
        Holds::Ttft | Holds::E2eLatency | Holds::Decode => &[CLIENT, SERVER],
        Holds::SendDelay => &[CLIENT],
        Holds::Queue | Holds::LockWait | Holds::CacheRestore | Holds::PrefillCompute => &[SERVER],
        _ => &[],
    }
}

/// The units that go with a meaning.
fn units(holds: Holds) -> &'static [Unit] {
    match holds {
        Holds::PromptTokens | Holds::CachedTokens | Holds::NewTokens | Holds::OutputTokens => {
            &[Unit::Tokens]
        }
        Holds::Started => {
            &[Unit::EpochSeconds, Unit::EpochMilliseconds, Unit::EpochNanoseconds, Unit::Iso8601]
        }
        Holds::ReportedPrefillRate => &[Unit::TokensPerSecond],
        _ if is_time(holds) => {
            &[Unit::Seconds, Unit::Milliseconds, Unit::Microseconds, Unit::Nanoseconds]
        }
        _ => &[Unit::None],
    }
}

fn plain(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
