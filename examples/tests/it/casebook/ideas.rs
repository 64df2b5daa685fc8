//! Which cases show the shapes that logs have in the wild, and what those cases come to.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::case::Told;

/// How many shapes there are: the ideas that issue 9 lists.
const SHAPES: u32 = 46;

/// What `cases/log-ideas.toml` says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ideas {
    idea: Vec<Idea>,
    case: BTreeMap<String, Outcome>,
}

/// A shape of logs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Idea {
    number: u32,
    /// The shape in words.
    says: String,
    /// The cases that hold it.
    shown_by: Vec<String>,
}

/// What a case comes to.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Outcome {
    /// Records read, used and rejected; absent of a case that reads no log.
    rows: Option<[u64; 3]>,
    /// The codes of all findings, in the order of the alphabet.
    findings: Vec<String>,
}

/// What is wrong with the table, given what all cases told.
pub(super) fn faults(cases: &Path, all: &BTreeMap<String, Told>) -> Vec<String> {
    let text = std::fs::read_to_string(cases.join("log-ideas.toml")).expect("the table is there");
    let table: Ideas = toml::from_str(&text).expect("it is as described above");
    let mut faults = Vec::new();
    let numbers: Vec<u32> = table.idea.iter().map(|idea| idea.number).collect();
    if !numbers.iter().copied().eq(1..=SHAPES) {
        faults.push(format!("expected the ideas 1 to {SHAPES} in order, found {numbers:?}"));
    }
    for idea in &table.idea {
        if idea.shown_by.is_empty() || idea.says.is_empty() {
            faults.push(format!("idea {} is shown by no case", idea.number));
        }
        let unknown = idea.shown_by.iter().filter(|name| !table.case.contains_key(*name));
        faults.extend(unknown.map(|name| format!("idea {}: {name} has no outcome", idea.number)));
    }
    for (name, outcome) in &table.case {
        if !table.idea.iter().any(|idea| idea.shown_by.contains(name)) {
            faults.push(format!("{name} shows none of the ideas"));
        }
        match all.get(name) {
            Some(told) => faults.extend(outcome.faults(told).map(|f| format!("{name}: {f}"))),
            None => faults.push(format!("{name} is no case")),
        }
    }
    faults
}

impl Outcome {
    fn faults(&self, told: &Told) -> impl Iterator<Item = String> {
        let rows = &told.report["results"]["requests"];
        let found = ["read", "used", "rejected"].map(|key| rows[key].as_u64());
        let rows = (found != self.rows.map_or([None; 3], |rows| rows.map(Some)))
            .then(|| format!("rows are {found:?}, expected {:?}", self.rows));
        let codes: Vec<&String> = told.found.keys().collect();
        let codes = (!codes.iter().copied().eq(&self.findings))
            .then(|| format!("findings are {codes:?}, expected {:?}", self.findings));
        rows.into_iter().chain(codes)
    }
}
