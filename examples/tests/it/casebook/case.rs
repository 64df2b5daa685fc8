//! What a case says, and what was found when it was run.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;
use trueline::checks::check_tables;
use trueline::core::Severity;

/// What `case.toml` says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    /// What is wrong here, or why it is healthy.
    pub(super) about: String,
    pub(super) healthy: bool,
    pub(super) program: String,
    #[serde(default)]
    pub(super) arguments: Vec<String>,
    /// Arguments of `make_story`, which writes to `{made}`; without them `{made}` is empty.
    pub(super) make: Option<Vec<String>>,
    /// Trees of `/proc` and `/sys` to lay over each other, by the folder of `{made}` that they make.
    #[serde(default)]
    pub(super) trees: BTreeMap<String, Vec<String>>,
    /// Arguments with which `check_host` first writes the record `{made}/host.json`.
    pub(super) record: Option<Vec<String>>,
    pub(super) stdin: Option<String>,
    pub(super) exit: i32,
    /// Codes that are found above a note.
    #[serde(default)]
    pub(super) expect: BTreeSet<String>,
    /// Codes that are found at any severity.
    #[serde(default)]
    pub(super) notes: BTreeSet<String>,
    /// Codes that are not found above a note.
    #[serde(default)]
    pub(super) forbid: BTreeSet<String>,
    /// Codes whose check runs and stays quiet although the case comes close.
    #[serde(default)]
    pub(super) near_miss: BTreeSet<String>,
    /// Codes that may be found besides.
    #[serde(default)]
    pub(super) tolerates: BTreeSet<String>,
    /// Part of the one line on standard error.
    pub(super) stderr: Option<String>,
    #[serde(default)]
    pub(super) statuses: BTreeMap<String, String>,
    /// JSON pointers into the report.
    #[serde(default)]
    pub(super) values: BTreeMap<String, toml::Value>,
}

/// A case that was run.
pub(super) struct Told {
    pub(super) case: Case,
    pub(super) report: Value,
    /// Code to the highest severity at which it was found.
    pub(super) found: BTreeMap<String, Severity>,
    pub(super) faults: Vec<String>,
}

impl Told {
    pub(super) fn loud(&self, code: &str) -> bool {
        self.found.get(code).is_some_and(|severity| *severity > Severity::Note)
    }

    pub(super) fn wants(&self, code: &str) -> bool {
        self.case.expect.contains(code)
    }

    /// Whether the check ran to an end and did not fire.
    pub(super) fn ran_quiet(&self, code: &str) -> bool {
        let clear =
            self.report["clear"].as_array().is_some_and(|all| all.iter().any(|c| c == code));
        // A judgement about other claims has no outcome of its own where it stays quiet.
        let rests = code == "rests-on-revoked"
            && self.claims().any(|c| c["rests_on"].as_array().is_some_and(|r| !r.is_empty()));
        let noted = self.found.contains_key(code) && highest(code) > Severity::Note;
        !self.loud(code) && (clear || rests || noted)
    }

    pub(super) fn claims(&self) -> impl Iterator<Item = &Value> {
        self.report["claims"].as_array().into_iter().flatten()
    }
}

fn highest(code: &str) -> Severity {
    codes().find(|(known, _)| *known == code).map_or(Severity::Note, |(_, severity)| severity)
}

/// Every check with the most that a finding of it weighs.
pub(super) fn codes() -> impl Iterator<Item = (&'static str, Severity)> {
    check_tables().into_iter().flat_map(|(_, all)| all).map(|check| (check.code, check.severity.1))
}
