//! Named rules, their thresholds as data, and what came of running them.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::{ClaimKind, Finding, Need, Scope};

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// It neither revokes nor weakens.
    Note,
    /// It weakens: the claim keeps its status and says so.
    Warning,
    /// It revokes.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// A number that a check decides by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// Its name within the check, unit included.
    pub name: &'static str,
    /// Its default.
    pub default: f64,
    /// Why this default.
    pub why: &'static str,
}

/// A check as data: everything about it but its code.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CheckInfo {
    /// Its name: kebab-case, stable once released.
    pub code: &'static str,
    /// The least and the most a finding of it can weigh.
    pub severity: (Severity, Severity),
    /// The kinds of claims it can touch.
    pub touches: &'static [ClaimKind],
    /// What it needs to run.
    pub needs: &'static [Need],
    /// Codes that explain a finding of it: it then folds under theirs.
    pub implied_by: &'static [&'static str],
    /// The numbers it decides by.
    pub thresholds: &'static [Threshold],
    /// The rule in one sentence.
    pub rule: &'static str,
    /// What to do when it fires.
    pub advice: &'static str,
}

/// Thresholds that somebody set in place of the defaults.
///
/// # Shape
/// Keys are `code.name`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Thresholds(BTreeMap<String, f64>);

impl Thresholds {
    /// Sets one threshold. Whether check and name exist is for the joined table to say.
    pub fn set(&mut self, code: &str, name: &str, value: f64) {
        self.0.insert(format!("{code}.{name}"), value);
    }

    /// The value in force for a check's threshold.
    ///
    /// # Panics
    /// If the check declares no such threshold: the name stands in its own code.
    pub fn get(&self, check: &CheckInfo, name: &str) -> f64 {
        let declared = check.thresholds.iter().find(|t| t.name == name);
        let default = declared.expect("a check reads only thresholds it declares").default;
        self.0.get(&format!("{}.{name}", check.code)).copied().unwrap_or(default)
    }

    /// What was set, in key order.
    pub fn overrides(&self) -> impl Iterator<Item = (&str, f64)> {
        self.0.iter().map(|(k, v)| (k.as_str(), *v))
    }
}

/// What came of running one check on one part of the data.
#[derive(Debug, Clone, PartialEq)]
pub enum CheckOutcome {
    /// It found something.
    Found(Finding),
    /// It ran and found nothing.
    Clear {
        /// The check.
        code: &'static str,
        /// On what.
        about: Scope,
    },
    /// It could not run.
    NotObserved {
        /// The check.
        code: &'static str,
        /// What it would need.
        need: Need,
        /// On what.
        about: Scope,
    },
}

/// The outcomes of several checks, in the order in which they ran.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcomes(Vec<CheckOutcome>);

impl Outcomes {
    /// Records a finding.
    pub fn found(&mut self, finding: Finding) {
        self.0.push(CheckOutcome::Found(finding));
    }

    /// Records that a check ran and found nothing.
    pub fn clear(&mut self, check: &CheckInfo, about: Scope) {
        self.0.push(CheckOutcome::Clear { code: check.code, about });
    }

    /// Records that a check could not run.
    pub fn not_observed(&mut self, check: &CheckInfo, need: Need, about: Scope) {
        self.0.push(CheckOutcome::NotObserved { code: check.code, need, about });
    }

    /// Records an outcome as it is.
    pub fn push(&mut self, outcome: CheckOutcome) {
        self.0.push(outcome);
    }

    /// Adds the outcomes of others.
    pub fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &CheckOutcome> {
        self.0.iter()
    }

    /// The findings alone.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.0.iter().filter_map(|o| match o {
            CheckOutcome::Found(finding) => Some(finding),
            _ => None,
        })
    }

    /// The findings, to be changed in place.
    pub fn findings_mut(&mut self) -> impl Iterator<Item = &mut Finding> {
        self.0.iter_mut().filter_map(|o| match o {
            CheckOutcome::Found(finding) => Some(finding),
            _ => None,
        })
    }

    /// Whether a check of this code found something.
    pub fn has(&self, code: &str) -> bool {
        self.findings().any(|f| f.code == code)
    }
}

/// A value with the outcomes of the checks that ran on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked<T> {
    /// The value.
    pub value: T,
    /// What the checks said.
    pub outcomes: Outcomes,
}
