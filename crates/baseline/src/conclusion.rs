//! What a check says in the end.

use trueline_core::{CheckInfo, Finding, Need, Outcomes, Scope};

/// The outcomes of one check: its findings; without any, that it is clear, or what it needed.
pub(crate) fn conclude(
    check: &CheckInfo,
    about: Scope,
    findings: Vec<Finding>,
    missing: Option<Need>,
) -> Outcomes {
    let mut outcomes = Outcomes::default();
    if findings.is_empty() {
        match missing {
            Some(need) => outcomes.not_observed(check, need, about),
            None => outcomes.clear(check, about),
        }
    }
    for finding in findings {
        outcomes.found(finding);
    }
    outcomes
}
