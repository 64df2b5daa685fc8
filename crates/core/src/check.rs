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

impl CheckOutcome {
    /// The check that ran, or could not.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Found(finding) => finding.code,
            Self::Clear { code, .. } | Self::NotObserved { code, .. } => code,
        }
    }

    /// Whether both say the same to a reader, whatever the exact numbers behind it.
    fn reads_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Found(one), Self::Found(two)) => {
                (one.code, &one.about, &one.message) == (two.code, &two.about, &two.message)
            }
            _ => self == other,
        }
    }
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

    /// Adds the outcomes of others.
    pub fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// The same, with one need for all that was not observed, those to keep apart: where one input
    /// is missing altogether, it is not asked for piece by piece.
    #[must_use]
    pub fn needing(mut self, whole: Need, keep: &[Need]) -> Self {
        for outcome in &mut self.0 {
            match outcome {
                CheckOutcome::NotObserved { need, .. } if !keep.contains(need) => *need = whole,
                _ => {}
            }
        }
        self
    }

    /// Adds those outcomes of others that are not said here yet: a group of runs judged one by one
    /// says the same thing once. Of two findings that read the same, the first stays.
    pub fn extend_new(&mut self, others: Self) {
        for outcome in others.0 {
            if !self.0.iter().any(|known| known.reads_like(&outcome)) {
                self.0.push(outcome);
            }
        }
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

    /// What each of them is about, to be changed in place.
    pub fn scopes_mut(&mut self) -> impl Iterator<Item = &mut Scope> {
        self.0.iter_mut().map(|o| match o {
            CheckOutcome::Found(finding) => &mut finding.about,
            CheckOutcome::Clear { about, .. } | CheckOutcome::NotObserved { about, .. } => about,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ClaimKind, Severity};

    const CHECK: CheckInfo = CheckInfo {
        code: "slow-clock",
        severity: (Severity::Error, Severity::Error),
        touches: &[ClaimKind::Absolute],
        thresholds: &[],
        needs: &[Need::HostRecord],
        implied_by: &[],
        rule: "",
        advice: "",
    };

    fn one_run(share: f64) -> Outcomes {
        let message = format!("GPU at {:.0} % of its clock", 100.0 * share);
        let mut outcomes = Outcomes::default();
        outcomes.found(Finding::new(&CHECK, Scope::default(), message).with("share", share));
        outcomes
    }

    #[test]
    fn runs_of_one_group_say_a_thing_once_and_keep_what_differs() {
        let mut group = Outcomes::default();
        for share in [0.331, 0.334, 0.5] {
            group.extend_new(one_run(share));
        }
        for _ in 0..2 {
            let mut outcomes = Outcomes::default();
            outcomes.clear(&CHECK, Scope::default());
            group.extend_new(outcomes);
        }
        // 33 % twice is one finding; 50 %, and the run on which the check was clear, stay.
        let messages: Vec<&str> = group.findings().map(|f| f.message.as_str()).collect();
        assert_eq!(messages, ["GPU at 33 % of its clock", "GPU at 50 % of its clock"]);
        assert_eq!(group.iter().count(), 3);
    }
}
