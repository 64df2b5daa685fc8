//! What a check of processes says in the end.

use trueline_core::{CheckInfo, Finding, Need, Outcomes};

use crate::judge::View;

/// Records the one outcome of a check: what it found, what it needed, or that it is clear.
pub(super) fn conclude(
    view: &View<'_>,
    outcomes: &mut Outcomes,
    check: &CheckInfo,
    found: Option<Finding>,
    missing: Option<Need>,
) {
    match (found, missing) {
        (Some(finding), _) => outcomes.found(finding),
        (None, Some(need)) => outcomes.not_observed(check, need, view.about.clone()),
        (None, None) => outcomes.clear(check, view.about.clone()),
    }
}
