//! What a check found.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::{CheckInfo, ClaimKind, Scope, Severity};

/// One operand of a finding.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Evidence {
    /// A count.
    Count(u64),
    /// A finite number; its unit stands in its name.
    Number(f64),
    /// A word or two.
    Text(String),
    /// Several numbers.
    Numbers(Vec<f64>),
    /// Several words.
    Texts(Vec<String>),
}

impl From<u64> for Evidence {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<usize> for Evidence {
    fn from(count: usize) -> Self {
        Self::Count(count as u64)
    }
}

impl From<f64> for Evidence {
    /// A number that is not finite becomes the text of it: JSON has none.
    fn from(number: f64) -> Self {
        if number.is_finite() { Self::Number(number) } else { Self::Text(number.to_string()) }
    }
}

impl From<&str> for Evidence {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Evidence {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<f64>> for Evidence {
    fn from(numbers: Vec<f64>) -> Self {
        Self::Numbers(numbers)
    }
}

impl From<Vec<String>> for Evidence {
    fn from(texts: Vec<String>) -> Self {
        Self::Texts(texts)
    }
}

/// What a check found, about which part of the data, with its operands and what to do.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The check.
    pub code: &'static str,
    /// How much it weighs.
    pub severity: Severity,
    /// The kinds of claims it touches.
    #[serde(rename = "revokes")]
    pub touches: Vec<ClaimKind>,
    /// What it is about.
    pub about: Scope,
    /// What was found, in one sentence.
    pub message: String,
    /// The numbers behind it, by name with unit.
    pub evidence: BTreeMap<&'static str, Evidence>,
    /// What to do.
    pub advice: String,
    /// The finding that explains this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because_of: Option<&'static str>,
    /// Why somebody chose to live with it; it then has no effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<String>,
}

impl Finding {
    /// A finding of a check at its usual weight, with the check's own advice.
    pub fn new(check: &CheckInfo, about: Scope, message: impl Into<String>) -> Self {
        Self {
            code: check.code,
            severity: check.severity.1,
            touches: check.touches.to_vec(),
            about,
            message: message.into(),
            evidence: BTreeMap::new(),
            advice: check.advice.to_owned(),
            because_of: None,
            allowed: None,
        }
    }

    /// The same at another weight.
    #[must_use]
    pub fn at(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// The same with an operand.
    #[must_use]
    pub fn with(mut self, name: &'static str, evidence: impl Into<Evidence>) -> Self {
        self.evidence.insert(name, evidence.into());
        self
    }

    /// The same with an operand where it is known: a missing one is left out, never zero.
    #[must_use]
    pub fn with_known(self, name: &'static str, evidence: Option<impl Into<Evidence>>) -> Self {
        match evidence {
            Some(evidence) => self.with(name, evidence),
            None => self,
        }
    }

    /// The same, touching other kinds of claims than its check usually does.
    #[must_use]
    pub fn touching(mut self, kinds: impl IntoIterator<Item = ClaimKind>) -> Self {
        self.touches = kinds.into_iter().collect();
        self
    }

    /// The same in other words.
    #[must_use]
    pub fn saying(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }

    /// The same with other advice.
    #[must_use]
    pub fn advising(mut self, advice: impl Into<String>) -> Self {
        self.advice = advice.into();
        self
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]: {}", self.severity, self.code, self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_nan_reaches_json() {
        let text = serde_json::to_string(&Evidence::from(f64::NAN)).unwrap();
        assert_eq!(text, r#""NaN""#);
        assert_eq!(serde_json::to_string(&Evidence::from(0.5)).unwrap(), "0.5");
    }
}
