//! The one place that sets a claim's status.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use trueline_baseline::comparison::Verdict;
use trueline_core::ClaimKind;
use trueline_core::{CheckInfo, Claim, Finding, Need, Outcomes, Scope, Severity};

use crate::checks::check_info;
use crate::evidence::{Evidence, required_by};

pub(crate) const RESTS_ON_REVOKED: CheckInfo = CheckInfo {
    code: "rests-on-revoked",
    severity: (Severity::Error, Severity::Error),
    touches: &ClaimKind::ALL,
    needs: &[],
    implied_by: &[],
    thresholds: &[],
    rule: "a claim that this one rests on was revoked",
    advice: "draw the conclusion again from a number that stands",
};

/// A claim's fate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The data support it.
    Supported,
    /// Something contradicts it.
    Revoked,
    /// Nothing contradicts it, and evidence that its kind requires is missing.
    NotShown,
}

/// A piece of evidence that a claim lacks.
#[derive(Debug, Clone, PartialEq)]
pub struct Missing {
    /// Which.
    pub need: Need,
    /// Why, where more is known than that it is not there.
    pub detail: Option<String>,
}

/// What may be said instead of a revoked claim.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Instead {
    /// In words.
    pub text: String,
    /// The value.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// On how many samples it rests.
    pub n: usize,
    /// Its interval at 95 %.
    pub interval: Option<(f64, f64)>,
    /// The cell it stands in.
    pub cell: Option<String>,
}

/// A claim with its fate.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Judged {
    /// The claim.
    pub claim: Claim,
    /// Its fate.
    pub status: Status,
    /// The codes that revoke it; empty unless revoked.
    pub revoked_by: Vec<&'static str>,
    /// The codes that weaken it.
    pub weakened_by: Vec<&'static str>,
    /// The evidence it lacks, whatever its status.
    pub missing: Vec<Missing>,
    /// What was measured for it, in words.
    pub measured: Option<String>,
    /// What may be said instead.
    pub instead: Option<Instead>,
    /// What may be said of the two arms, for a ratio of one quantity.
    pub verdict: Option<Verdict>,
}

/// Claims with their fates, and the outcomes that led to them.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The claims in the order given.
    pub claims: Vec<Judged>,
    /// All outcomes, consequences marked with their cause.
    pub outcomes: Outcomes,
}

/// Findings that somebody chose to live with: code to reason.
pub type Allowed = BTreeMap<String, String>;

/// Sets the status of every claim.
///
/// Errors revoke, warnings weaken, notes do neither; each only where kind and scope both overlap. A
/// check that could not run never revokes: a claim that nothing revokes and that lacks evidence
/// its kind requires is not shown. A claim that rests on a revoked one is revoked. An allowed
/// finding stays visible and has no effect.
///
/// # Shape
/// The claims' ids are unique and `rests_on` has no circles
/// ([`crate::claims::check_claim_list`]); a circle leaves its claims to their own findings.
pub fn judge(
    claims: &[Claim],
    mut outcomes: Outcomes,
    evidence: &Evidence,
    allowed: &Allowed,
) -> Judgement {
    for finding in outcomes.findings_mut() {
        finding.allowed = allowed.get(finding.code).cloned();
    }
    mark_consequences(&mut outcomes);
    let mut revoked = revoked_ids(claims, &outcomes);
    loop {
        let falling: Vec<&Claim> = claims
            .iter()
            .filter(|c| !has_fallen(c, &outcomes))
            .filter(|c| c.rests_on.iter().any(|id| revoked.contains(id.as_str())))
            .collect();
        if falling.is_empty() {
            break;
        }
        for claim in falling {
            let finding = fallen(claim, claims, &revoked, allowed);
            outcomes.found(finding);
        }
        revoked = revoked_ids(claims, &outcomes);
    }
    let mut judged: Vec<Judged> =
        claims.iter().map(|claim| fate(claim, &outcomes, evidence)).collect();
    leave_without_ground(&mut judged);
    Judgement { claims: judged, outcomes }
}

/// What rests on a claim that is not shown is not shown either.
fn leave_without_ground(judged: &mut [Judged]) {
    loop {
        let not_shown: BTreeSet<String> = judged
            .iter()
            .filter(|j| j.status == Status::NotShown)
            .map(|j| j.claim.id.clone())
            .collect();
        let falling = judged.iter_mut().find(|j| {
            j.status == Status::Supported
                && j.claim.rests_on.iter().any(|id| not_shown.contains(id))
        });
        let Some(falling) = falling else { return };
        let under = falling.claim.rests_on.iter().filter(|id| not_shown.contains(*id));
        let detail = format!(
            "it rests on what is not shown: {}",
            under.map(String::as_str).collect::<Vec<_>>().join(", ")
        );
        falling.missing.push(Missing { need: Need::Ground, detail: Some(detail) });
        falling.status = Status::NotShown;
    }
}

fn touches(finding: &Finding, claim: &Claim) -> bool {
    finding.allowed.is_none()
        && finding.touches.contains(&claim.kind)
        && claim.is_concerned_by(&finding.about)
}

fn codes(claim: &Claim, outcomes: &Outcomes, severity: Severity) -> Vec<&'static str> {
    let mut seen = BTreeSet::new();
    outcomes
        .findings()
        .filter(|f| f.severity == severity && touches(f, claim))
        .map(|f| f.code)
        .filter(|code| seen.insert(*code))
        .collect()
}

fn revoked_ids(claims: &[Claim], outcomes: &Outcomes) -> BTreeSet<String> {
    claims
        .iter()
        .filter(|claim| !codes(claim, outcomes, Severity::Error).is_empty())
        .map(|claim| claim.id.clone())
        .collect()
}

fn has_fallen(claim: &Claim, outcomes: &Outcomes) -> bool {
    outcomes
        .findings()
        .any(|f| f.code == RESTS_ON_REVOKED.code && f.about == Scope::of_claim(&claim.id))
}

fn fallen(
    claim: &Claim,
    claims: &[Claim],
    revoked: &BTreeSet<String>,
    allowed: &Allowed,
) -> Finding {
    let under: Vec<String> = claims
        .iter()
        .filter(|c| claim.rests_on.contains(&c.id) && revoked.contains(&c.id))
        .map(|c| c.text.clone())
        .collect();
    let mut finding = Finding::new(
        &RESTS_ON_REVOKED,
        Scope::of_claim(&claim.id),
        format!("it rests on what was revoked: {}", under.join("; ")),
    )
    .with("rests_on", under);
    finding.allowed = allowed.get(RESTS_ON_REVOKED.code).cloned();
    finding
}

/// Marks findings that another one explains, where their scopes overlap.
fn mark_consequences(outcomes: &mut Outcomes) {
    let causes: Vec<(&'static str, Scope)> =
        outcomes.findings().map(|f| (f.code, f.about.clone())).collect();
    for finding in outcomes.findings_mut() {
        let implied_by = check_info(finding.code).map_or(&[][..], |check| check.implied_by);
        finding.because_of = causes
            .iter()
            .find(|(code, about)| {
                implied_by.contains(code)
                    && (about.overlaps(&finding.about) || finding.about.overlaps(about))
            })
            .map(|(code, _)| *code);
    }
}

fn fate(claim: &Claim, outcomes: &Outcomes, evidence: &Evidence) -> Judged {
    let revoked_by = codes(claim, outcomes, Severity::Error);
    let missing: Vec<Missing> = required_by(claim)
        .into_iter()
        .filter(|need| !evidence.has(*need, claim))
        .map(|need| Missing { need, detail: evidence.why_lacking(need, claim).map(str::to_owned) })
        .collect();
    let status = if !revoked_by.is_empty() {
        Status::Revoked
    } else if !missing.is_empty() {
        Status::NotShown
    } else {
        Status::Supported
    };
    Judged {
        claim: claim.clone(),
        status,
        revoked_by,
        weakened_by: codes(claim, outcomes, Severity::Warning),
        missing,
        measured: None,
        instead: None,
        verdict: None,
    }
}

#[cfg(test)]
mod tests {
    use trueline_core::{Load, Metric};

    use super::*;

    fn claim(id: &str, kind: ClaimKind) -> Claim {
        Claim::new(id, kind, id)
    }

    fn slow_clock() -> &'static CheckInfo {
        crate::checks::check_info("gpu-clock-low").unwrap()
    }

    fn error(about: Scope) -> Outcomes {
        let mut outcomes = Outcomes::default();
        outcomes.found(Finding::new(slow_clock(), about, "low"));
        outcomes
    }

    fn status(claims: &[Claim], outcomes: Outcomes, evidence: &Evidence) -> Vec<Status> {
        let judged = judge(claims, outcomes, evidence, &Allowed::new());
        judged.claims.iter().map(|j| j.status).collect()
    }

    /// Everything that any kind requires, for a claim.
    fn full(claims: &[Claim]) -> Evidence {
        let mut evidence = Evidence::default();
        for claim in claims {
            for need in required_by(claim) {
                evidence.met(need, Scope::of_claim(&claim.id));
            }
        }
        evidence
    }

    #[test]
    fn an_error_revokes_only_where_kind_and_scope_overlap() {
        let mut level = claim("level", ClaimKind::Absolute);
        level.load = Some(Load::Concurrency(1));
        let mut metric = claim("metric", ClaimKind::Absolute);
        metric.metric = Some(Metric::TtftS);
        let claims = [level, metric, claim("ratio", ClaimKind::Relative)];
        let bad = Scope::default().with_load(Load::Concurrency(64)).with_metric(Metric::ItlS);
        assert_eq!(status(&claims, error(bad), &full(&claims)), [Status::Supported; 3]);
        let bad = Scope::default().with_metric(Metric::TtftS);
        assert_eq!(
            status(&claims, error(bad), &full(&claims)),
            [Status::Revoked, Status::Revoked, Status::Supported]
        );
    }

    #[test]
    fn missing_evidence_is_not_shown_and_never_revoked() {
        let claims = [claim("a", ClaimKind::Absolute)];
        let nothing = Evidence::default();
        assert_eq!(status(&claims, Outcomes::default(), &nothing), [Status::NotShown]);
        let judged = judge(&claims, Outcomes::default(), &nothing, &Allowed::new());
        // Definition, failures, host, foreign traffic, a quantity, samples.
        assert_eq!(judged.claims[0].missing.len(), 6);
        assert!(judged.claims[0].revoked_by.is_empty());
    }

    #[test]
    fn what_rests_on_a_revoked_claim_falls_all_the_way() {
        let mut b = claim("b", ClaimKind::Ranking);
        b.rests_on = vec!["a".into()];
        let mut c = claim("c", ClaimKind::Relative);
        c.rests_on = vec!["b".into()];
        let claims = [c, b, claim("a", ClaimKind::Absolute), claim("d", ClaimKind::Relative)];
        let judged = judge(&claims, error(Scope::of_claim("a")), &full(&claims), &Allowed::new());
        let statuses: Vec<Status> = judged.claims.iter().map(|j| j.status).collect();
        assert_eq!(
            statuses,
            [Status::Revoked, Status::Revoked, Status::Revoked, Status::Supported]
        );
        assert_eq!(judged.claims[0].revoked_by, ["rests-on-revoked"]);
    }

    #[test]
    fn warnings_weaken_and_notes_do_nothing() {
        let claims = [claim("a", ClaimKind::Absolute)];
        for (severity, weakened) in [(Severity::Warning, 1), (Severity::Note, 0)] {
            let mut outcomes = Outcomes::default();
            outcomes.found(Finding::new(slow_clock(), Scope::default(), "low").at(severity));
            let judged = judge(&claims, outcomes, &full(&claims), &Allowed::new());
            assert_eq!(judged.claims[0].status, Status::Supported);
            assert_eq!(judged.claims[0].weakened_by.len(), weakened);
        }
    }

    #[test]
    fn an_allowed_finding_stays_visible_and_has_no_effect() {
        let claims = [claim("a", ClaimKind::Absolute)];
        let allowed = Allowed::from([("gpu-clock-low".to_owned(), "known".to_owned())]);
        let judged = judge(&claims, error(Scope::default()), &full(&claims), &allowed);
        assert_eq!(judged.claims[0].status, Status::Supported);
        assert_eq!(judged.outcomes.findings().count(), 1);
    }
}
