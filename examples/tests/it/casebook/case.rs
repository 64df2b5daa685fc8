//! What a case says, and what was found when it was run.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;
use trueline::checks::check_tables;
use trueline::core::Severity;

/// What `case.toml` says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    /// What is wrong here, or why it is healthy.
    pub(crate) about: String,
    pub(crate) healthy: bool,
    pub(crate) program: String,
    #[serde(default)]
    pub(crate) arguments: Vec<String>,
    /// Arguments of `make_story`, which writes to `{made}`; without them `{made}` is empty.
    pub(crate) make: Option<Vec<String>>,
    /// Trees of `/proc` and `/sys` to lay over each other, by the folder of `{made}` that they make.
    #[serde(default)]
    pub(crate) trees: BTreeMap<String, Vec<String>>,
    /// Arguments with which `check_host` first writes the record `{made}/host.json`.
    pub(crate) record: Option<Vec<String>>,
    pub(crate) stdin: Option<String>,
    pub(crate) exit: i32,
    /// Codes that are found above a note.
    #[serde(default)]
    pub(crate) expect: BTreeSet<String>,
    /// Codes that are found at any severity.
    #[serde(default)]
    pub(crate) notes: BTreeSet<String>,
    /// Codes that are not found above a note.
    #[serde(default)]
    pub(crate) forbid: BTreeSet<String>,
    /// Codes whose check runs and stays quiet although the case comes close.
    #[serde(default)]
    pub(crate) near_miss: BTreeSet<String>,
    /// Codes that may be found besides.
    #[serde(default)]
    pub(crate) tolerates: BTreeSet<String>,
    /// Part of the one line on standard error.
    pub(crate) stderr: Option<String>,
    #[serde(default)]
    pub(crate) statuses: BTreeMap<String, String>,
    /// JSON pointers into the report.
    #[serde(default)]
    pub(crate) values: BTreeMap<String, toml::Value>,
}

/// A case that was run.
pub(crate) struct Told {
    pub(crate) case: Case,
    pub(crate) report: Value,
    /// Code to the highest severity at which it was found.
    pub(crate) found: BTreeMap<String, Severity>,
    pub(crate) faults: Vec<String>,
}

impl Told {
    pub(crate) fn loud(&self, code: &str) -> bool {
        self.found.get(code).is_some_and(|severity| *severity > Severity::Note)
    }

    pub(crate) fn wants(&self, code: &str) -> bool {
        self.case.expect.contains(code)
    }

    /// Whether the check ran to an end and did not fire.
    pub(crate) fn ran_quiet(&self, code: &str) -> bool {
        let clear =
            self.report["clear"].as_array().is_some_and(|all| all.iter().any(|c| c == code));
        // A judgement about other claims has no outcome of its own where it stays quiet.
        let rests = code == "rests-on-revoked"
            && self.claims().any(|c| c["rests_on"].as_array().is_some_and(|r| !r.is_empty()));
        let noted = self.found.contains_key(code) && highest(code) > Severity::Note;
        !self.loud(code) && (clear || rests || noted)
    }

    pub(crate) fn claims(&self) -> impl Iterator<Item = &Value> {
        self.report["claims"].as_array().into_iter().flatten()
    }
}

fn highest(code: &str) -> Severity {
    codes().find(|(known, _)| *known == code).map_or(Severity::Note, |(_, severity)| severity)
}

/// Every check with the most that a finding of it weighs.
pub(crate) fn codes() -> impl Iterator<Item = (&'static str, Severity)> {
    check_tables().into_iter().flat_map(|(_, all)| all).map(|check| (check.code, check.severity.1))
}
