//! The report as one JSON object.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use trueline_core::{CheckOutcome, Finding, Severity};

use super::{Report, SCHEMA};
use crate::judge::Judged;

impl Report {
    /// The report as one JSON object of the schema [`SCHEMA`].
    pub fn to_json(&self) -> Value {
        let mut findings: Vec<&Finding> = self.outcomes.findings().collect();
        findings.sort_by_key(|f| std::cmp::Reverse(f.severity));
        let found: BTreeSet<&str> =
            findings.iter().filter(|f| f.severity > Severity::Note).map(|f| f.code).collect();
        let mut clear = BTreeSet::new();
        let mut not_observed: Vec<Value> = Vec::new();
        for outcome in self.outcomes.iter() {
            match outcome {
                CheckOutcome::Clear { code, .. } if !found.contains(code) => {
                    clear.insert(*code);
                }
                CheckOutcome::NotObserved { code, need, about } => {
                    let entry = json!({ "check": code, "needs": need, "about": about });
                    if !not_observed.contains(&entry) {
                        not_observed.push(entry);
                    }
                }
                _ => {}
            }
        }
        json!({
            "schema": SCHEMA,
            "program": self.program,
            "version": env!("CARGO_PKG_VERSION"),
            "claims": self.claims.iter().map(claim).collect::<Vec<_>>(),
            "findings": findings,
            "not_observed": not_observed,
            "clear": clear,
            "thresholds_set": self.overrides,
            "results": self.results,
        })
    }
}

fn claim(judged: &Judged) -> Value {
    let mut because = Map::new();
    for missing in &judged.missing {
        if let (Some(detail), Ok(Value::String(need))) =
            (&missing.detail, serde_json::to_value(missing.need))
        {
            because.insert(need, Value::from(detail.as_str()));
        }
    }
    json!({
        "id": judged.claim.id,
        "kind": judged.claim.kind,
        "text": judged.claim.text,
        "metric": judged.claim.metric,
        "statistic": judged.claim.statistic,
        "value": judged.claim.value,
        "of": judged.claim.of,
        "baseline": judged.claim.baseline,
        "load": judged.claim.load,
        "cell": judged.claim.cell.map(|cell| cell.to_string()),
        "field": judged.claim.field,
        "measured": judged.measured,
        "status": judged.status,
        "revoked_by": judged.revoked_by,
        "weakened_by": judged.weakened_by,
        "missing": judged.missing.iter().map(|m| m.need).collect::<Vec<_>>(),
        "missing_because": because,
        "rests_on": judged.claim.rests_on,
        "unjudged": judged.claim.unjudged,
        "instead": judged.instead,
    })
}
