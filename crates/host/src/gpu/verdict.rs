//! What a check says of each GPU, and of all of them together.

use trueline_core::{CheckInfo, Finding, Need, Outcomes, Scope, Why};

/// What a check says of one GPU.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Verdict {
    /// It found something.
    Found(Box<Finding>),
    /// It ran and found nothing.
    Clear,
    /// It could not run.
    Missing(Need),
    /// This kind of GPU has no such thing.
    NotApplicable,
}

impl Verdict {
    /// It found something.
    pub(super) fn found(finding: Finding) -> Self {
        Self::Found(Box::new(finding))
    }

    /// What a reading that is not there means for a check.
    pub(super) fn without(why: Option<Why>) -> Self {
        match why {
            Some(Why::NotApplicable) => Self::NotApplicable,
            Some(Why::Denied) => Self::Missing(Need::HostReading),
            _ => Self::Missing(Need::GpuReadings),
        }
    }
}

/// Says in the end what a check says of all GPUs: the worst finding, with how many share it.
///
/// One GPU that was judged and is well makes it clear: the others may not have worked at all.
pub(super) fn conclude(
    check: &CheckInfo,
    about: &Scope,
    verdicts: Vec<Verdict>,
    outcomes: &mut Outcomes,
) {
    let gpus = verdicts.len();
    let mut found: Vec<Finding> = Vec::new();
    let mut missing = None;
    let mut clear = false;
    for verdict in verdicts {
        match verdict {
            Verdict::Found(finding) => found.push(*finding),
            Verdict::Clear => clear = true,
            Verdict::Missing(need) => missing = missing.or(Some(need)),
            Verdict::NotApplicable => {}
        }
    }
    let affected = found.len();
    // The first of the worst: `max_by_key` would take the last.
    let worst = found.into_iter().rev().max_by_key(|finding| finding.severity);
    match (worst, missing) {
        (Some(mut finding), _) => {
            if affected > 1 {
                finding.message += &format!(" (and {} more of {gpus} GPUs)", affected - 1);
            }
            outcomes.found(finding.with("gpus_affected", affected).with("gpus", gpus));
        }
        (None, _) if clear => outcomes.clear(check, about.clone()),
        (None, Some(need)) => outcomes.not_observed(check, need, about.clone()),
        (None, None) => {}
    }
}
