//! What must be equal for two runs to be compared.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{By, Known, Why};

/// What a difference in a condition means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// A difference forbids a comparison, and an unknown value leaves it without ground.
    Material,
    /// A difference forbids a comparison; an unknown value only weakens it.
    Setting,
    /// What a comparison of two arms may be about. It must still be equal between a benchmark and
    /// the log that is to witness it.
    Subject,
    /// Recorded for the reader.
    Context,
}

/// A condition that a crate declares: its key and what a difference in it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConditionKey {
    /// The key, lower case with underscores.
    pub name: &'static str,
    /// What a difference means.
    pub role: Role,
    /// What it holds.
    pub about: &'static str,
}

/// The conditions that every run has, whatever recorded it.
pub const RUN_CONDITIONS: &[ConditionKey] = &[
    ConditionKey { name: "model", role: Role::Material, about: "the model that was served" },
    ConditionKey {
        name: "quantization",
        role: Role::Material,
        about: "how its weights are stored",
    },
    ConditionKey { name: "hardware", role: Role::Material, about: "the accelerator or processor" },
    ConditionKey { name: "server", role: Role::Subject, about: "the serving engine" },
    ConditionKey { name: "server_version", role: Role::Subject, about: "its version" },
    ConditionKey { name: "machine", role: Role::Setting, about: "the machine it ran on" },
    ConditionKey { name: "client", role: Role::Context, about: "the tool that sent the requests" },
    ConditionKey { name: "flags", role: Role::Subject, about: "the server's options" },
];

/// The conditions of a run: a map from key to a known value or the reason why it is not known.
///
/// # Shape
/// Keys are free; a crate declares those it knows as [`ConditionKey`]s. Iteration is in key order.
///
/// # Examples
/// ```
/// use trueline_core::Conditions;
/// let a = Conditions::from_iter([("model", "qwen3-8b"), ("machine", "box1")]);
/// let b = Conditions::from_iter([("model", "qwen3-8b")]);
/// assert!(a.differing(&b, ["model"]).is_empty());
/// assert_eq!(a.unknown_in_either(&b, ["model", "machine"]), ["machine"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Conditions(BTreeMap<String, Known<String>>);

/// One key on which two sets of conditions differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The key.
    pub key: String,
    /// The first set's value.
    pub first: String,
    /// The second set's value.
    pub second: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} against {}", self.key, self.first, self.second)
    }
}

impl Conditions {
    /// Records a value.
    pub fn set(&mut self, key: impl Into<String>, value: impl Into<String>, by: By) {
        self.0.insert(key.into(), Known::is(value.into(), by));
    }

    /// Takes a value back: what was recorded is contradicted.
    pub fn forget(&mut self, key: impl Into<String>, why: Why) {
        self.0.insert(key.into(), Known::Not(why));
    }

    /// A value, if known.
    pub fn get(&self, key: &str) -> Option<&str> {
        match self.0.get(key) {
            Some(Known::Is { value, .. }) => Some(value),
            _ => None,
        }
    }

    /// All keys with what is known of them, in key order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Known<String>)> {
        self.0.iter().map(|(k, v)| (k.as_str(), v))
    }

    /// Whether nothing is recorded.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// These conditions, with what only `other` knows added.
    #[must_use]
    pub fn with_missing_from(mut self, other: &Self) -> Self {
        for (key, value) in &other.0 {
            if !self.0.get(key).is_some_and(Known::is_known) {
                self.0.insert(key.clone(), value.clone());
            }
        }
        self
    }

    /// The keys on which both are known and differ. Case and outer blanks make no difference.
    pub fn differing<'a>(
        &self,
        other: &Self,
        keys: impl IntoIterator<Item = &'a str>,
    ) -> Vec<Difference> {
        keys.into_iter()
            .filter_map(|key| {
                let (first, second) = (self.get(key)?, other.get(key)?);
                let same = first.trim().eq_ignore_ascii_case(second.trim());
                (!same).then(|| Difference {
                    key: key.to_owned(),
                    first: first.to_owned(),
                    second: second.to_owned(),
                })
            })
            .collect()
    }

    /// The keys that at least one side does not know: unknown is not equal.
    pub fn unknown_in_either<'a>(
        &self,
        other: &Self,
        keys: impl IntoIterator<Item = &'a str>,
    ) -> Vec<&'a str> {
        keys.into_iter().filter(|k| self.get(k).is_none() || other.get(k).is_none()).collect()
    }
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for Conditions {
    /// Conditions that a source reports.
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let mut all = Self::default();
        for (key, value) in pairs {
            all.set(key, value, By::Reported);
        }
        all
    }
}

/// A value as it stands in a file: plain for a reported one, a table where more is said.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Whole(i64),
    Float(f64),
    Switch(bool),
    Full(Known<String>),
}

impl Serialize for Conditions {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_map(self.0.iter().map(|(key, value)| {
            (
                key,
                match value {
                    Known::Is { value, by: By::Reported } => Written::Text(value.clone()),
                    other => Written::Full(other.clone()),
                },
            )
        }))
    }
}

impl<'de> Deserialize<'de> for Conditions {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let written = BTreeMap::<String, Option<Written>>::deserialize(d)?;
        Ok(Self(
            written
                .into_iter()
                .map(|(key, value)| {
                    let known = match value {
                        None => Known::Not(Why::Null),
                        Some(Written::Text(text)) => Known::is(text, By::Reported),
                        Some(Written::Whole(n)) => Known::is(n.to_string(), By::Reported),
                        Some(Written::Float(x)) => Known::is(x.to_string(), By::Reported),
                        Some(Written::Switch(b)) => Known::is(b.to_string(), By::Reported),
                        Some(Written::Full(known)) => known,
                    };
                    (key, known)
                })
                .collect(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_is_not_equal_and_not_different() {
        let a = Conditions::from_iter([("model", "x"), ("machine", "m")]);
        let b = Conditions::from_iter([("model", "y")]);
        let keys = || RUN_CONDITIONS.iter().filter(|k| k.role != Role::Context).map(|k| k.name);
        let differing = a.differing(&b, keys());
        assert_eq!(differing.len(), 1);
        assert_eq!(differing[0].to_string(), "model: x against y");
        assert!(a.unknown_in_either(&b, keys()).contains(&"machine"));
    }

    #[test]
    fn conditions_survive_json_and_plain_values_are_taken() {
        let mut c: Conditions =
            serde_json::from_str(r#"{"model":"x","nice":5,"turbo":true,"gpu":null}"#).unwrap();
        c.set("sm_clock_mhz", "660", By::Measured);
        assert_eq!(c.get("nice"), Some("5"));
        assert_eq!(c.get("gpu"), None);
        let text = serde_json::to_string(&c).unwrap();
        assert_eq!(serde_json::from_str::<Conditions>(&text).unwrap(), c);
        assert!(text.contains(r#""gpu":{"not":"null"}"#), "{text}");
    }
}
