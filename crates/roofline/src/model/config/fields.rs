//! Typed reading of a config: what was read, what was left, what was assumed.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::ignored;
use super::limit::Limit;
use crate::model::error::shown;
use crate::model::{ModelError, ModelErrorKind, Warning};

/// Fields of the text model that multimodal configs state for the whole.
const AROUND: [&str; 2] = ["tie_word_embeddings", "vocab_size"];

/// The fields of a config, with a record of those that were read.
pub(super) struct Fields<'a> {
    map: &'a Map<String, Value>,
    /// The description around this one, where it is nested.
    outer: Option<&'a Map<String, Value>>,
    read: BTreeSet<&'static str>,
    warnings: Vec<Warning>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(map: &'a Map<String, Value>) -> Self {
        Self { map, outer: None, read: BTreeSet::new(), warnings: Vec::new() }
    }

    /// With the description around it, for the fields that stand there ([`AROUND`]).
    pub(super) fn within(mut self, outer: &'a Map<String, Value>) -> Self {
        self.outer = Some(outer);
        self
    }

    /// A field that is there and not null.
    fn given(&mut self, name: &'static str) -> Option<&'a Value> {
        self.read.insert(name);
        let given = |map: &'a Map<String, Value>| map.get(name).filter(|value| !value.is_null());
        let outer = self.outer.filter(|_| AROUND.contains(&name));
        given(self.map).or_else(|| outer.and_then(given))
    }

    /// A size that may be absent or null.
    pub(super) fn optional(
        &mut self,
        name: &'static str,
        limit: Limit,
    ) -> Result<Option<u64>, ModelError> {
        self.given(name).map(|value| size(name, value, limit)).transpose()
    }

    /// A size that must be there.
    pub(super) fn required(&mut self, name: &'static str, limit: Limit) -> Result<u64, ModelError> {
        let found = if self.map.contains_key(name) { "null" } else { "no such field" };
        self.optional(name, limit)?.ok_or_else(|| missing(name, "a size", found))
    }

    /// A size; the default of the model's library stands in, with a warning.
    pub(super) fn or(
        &mut self,
        name: &'static str,
        limit: Limit,
        default: u64,
        because: &str,
    ) -> Result<u64, ModelError> {
        let given = self.optional(name, limit)?;
        Ok(given.unwrap_or_else(|| {
            self.default(name, &default.to_string(), because);
            default
        }))
    }

    /// A yes or no; the default of the model's library stands in, with a warning.
    pub(super) fn flag(
        &mut self,
        name: &'static str,
        default: bool,
        because: &str,
    ) -> Result<bool, ModelError> {
        match self.given(name) {
            Some(Value::Bool(given)) => Ok(*given),
            Some(other) => Err(wrong_type(name, "true or false", other)),
            None => {
                self.default(name, &default.to_string(), because);
                Ok(default)
            }
        }
    }

    /// A yes or no that older configs lack, where absence means no.
    pub(super) fn switch(&mut self, name: &'static str) -> Result<bool, ModelError> {
        match self.given(name) {
            Some(Value::Bool(given)) => Ok(*given),
            Some(other) => Err(wrong_type(name, "true or false", other)),
            None => Ok(false),
        }
    }

    /// A text that may be absent.
    pub(super) fn text(&mut self, name: &'static str) -> Result<Option<&'a str>, ModelError> {
        self.given(name)
            .map(|value| value.as_str().ok_or_else(|| wrong_type(name, "text", value)))
            .transpose()
    }

    /// A list of texts that may be absent.
    pub(super) fn texts(&mut self, name: &'static str) -> Result<Option<Vec<&'a str>>, ModelError> {
        let Some(value) = self.given(name) else { return Ok(None) };
        let wrong = || wrong_type(name, "a list of texts", value);
        let list = value.as_array().ok_or_else(wrong)?;
        list.iter().map(|v| v.as_str().ok_or_else(wrong)).collect::<Result<_, _>>().map(Some)
    }

    /// A list of sizes; empty where it is absent.
    pub(super) fn sizes(
        &mut self,
        name: &'static str,
        limit: Limit,
    ) -> Result<Vec<u64>, ModelError> {
        match self.given(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(list)) => list.iter().map(|v| size(name, v, limit)).collect(),
            Some(other) => Err(wrong_type(name, "a list of sizes", other)),
        }
    }

    /// An object inside this one, to be read with `Fields` of its own.
    pub(super) fn inner(&mut self, name: &'static str) -> Result<Fields<'a>, ModelError> {
        match self.given(name) {
            Some(Value::Object(inner)) => Ok(Fields::new(inner)),
            Some(other) => Err(wrong_type(name, "an object", other)),
            None => Err(missing(name, "an object", "no such field")),
        }
    }

    /// Whether a field is there and not null.
    pub(super) fn has(&self, name: &str) -> bool {
        self.map.get(name).is_some_and(|value| !value.is_null())
    }

    /// Takes over the warnings of an object inside this one.
    pub(super) fn adopt(&mut self, inner: Fields<'_>) {
        self.warnings.extend(inner.finish());
    }

    /// The width of a head; absent or null it is `hidden / heads`, with a warning.
    ///
    /// For families whose library computes it so. For others the field is required.
    pub(super) fn head_dim(&mut self, hidden: u64, heads: u64) -> Result<u64, ModelError> {
        if let Some(given) = self.optional("head_dim", super::limit::HEAD_DIM)? {
            return Ok(given);
        }
        if heads == 0 || !hidden.is_multiple_of(heads) {
            return Err(ModelError::new(
                ModelErrorKind::Contradiction,
                format!(
                    "expected head_dim, as {hidden} does not divide by {heads} heads; found none"
                ),
            ));
        }
        let assumed = hidden / heads;
        self.warnings.push(Warning::MissingHeadDim { assumed });
        Ok(assumed)
    }

    pub(super) fn warn(&mut self, warning: Warning) {
        self.warnings.push(warning);
    }

    fn default(&mut self, name: &str, value: &str, because: &str) {
        self.warnings.push(Warning::Defaulted {
            field: name.to_owned(),
            value: value.to_owned(),
            because: because.to_owned(),
        });
    }

    /// Warnings, with one for each field that was neither read nor is known not to matter.
    pub(super) fn finish(mut self) -> Vec<Warning> {
        for (name, value) in self.map {
            let known = self.read.contains(name.as_str()) || ignored::is_ignored(name);
            if !known && !value.is_null() {
                self.warnings.push(Warning::UnknownField { field: shown(name) });
            }
        }
        self.warnings
    }
}

/// A whole number within its limit.
pub(super) fn size(name: &str, value: &Value, limit: Limit) -> Result<u64, ModelError> {
    let Value::Number(number) = value else {
        return Err(wrong_type(name, "a whole number", value));
    };
    let whole = number.as_u64().filter(|n| (limit.low..=limit.high).contains(n));
    whole.ok_or_else(|| {
        let fraction = number.is_f64() && number.as_f64().is_some_and(|f| f.abs() < 1e18);
        let kind = if fraction { ModelErrorKind::WrongType } else { ModelErrorKind::OutOfRange };
        let (low, high) = (limit.low, limit.high);
        ModelError::new(
            kind,
            format!("expected a whole number from {low} to {high} in {name}, found {number}"),
        )
    })
}

fn missing(name: &str, what: &str, found: &str) -> ModelError {
    ModelError::new(ModelErrorKind::Missing, format!("expected {what} in {name}, found {found}"))
}

pub(super) fn wrong_type(name: &str, expected: &str, found: &Value) -> ModelError {
    ModelError::new(
        ModelErrorKind::WrongType,
        format!("expected {expected} in {name}, found {}", kind(found)),
    )
}

/// What a value is, in words.
pub(super) const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
