//! Which evidence the data hold, and what each kind of claim requires.

use trueline_core::{Claim, ClaimKind, Need, Scope, Statistic};

/// What the data hold, by scope, with a word on what is missing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evidence {
    met: Vec<(Need, Scope)>,
    lacking: Vec<(Need, Scope, String)>,
}

impl Evidence {
    /// Records that a piece of evidence is there for a part of the data.
    pub fn met(&mut self, need: Need, scope: Scope) {
        self.met.push((need, scope));
    }

    /// Says why a piece of evidence is missing; it is missing either way.
    pub fn lacking(&mut self, need: Need, scope: Scope, detail: impl Into<String>) {
        self.lacking.push((need, scope, detail.into()));
    }

    /// Whether a claim has a piece of evidence: for each part of the data that it uses.
    pub fn has(&self, need: Need, claim: &Claim) -> bool {
        parts(claim)
            .iter()
            .all(|used| self.met.iter().any(|(met, scope)| *met == need && covers(scope, used)))
    }

    /// Why a piece of evidence is missing for a claim, if somebody said.
    pub fn why_lacking(&self, need: Need, claim: &Claim) -> Option<&str> {
        let uses = parts(claim);
        self.lacking
            .iter()
            .find(|(lacking, scope, _)| *lacking == need && uses.iter().any(|u| covers(scope, u)))
            .map(|(_, _, detail)| detail.as_str())
    }
}

/// What evidence must serve: the parts that a claim uses, or the claim itself where it names none.
fn parts(claim: &Claim) -> Vec<Scope> {
    let mut uses = claim.uses();
    if claim.kind == ClaimKind::Production {
        // What is required of the log is recorded for the run that it is to witness.
        uses.retain(|used| used.run.as_deref() != Some(Claim::THE_LOG));
    }
    if uses.is_empty() { vec![Scope::of_claim(&claim.id)] } else { uses }
}

/// Whether evidence about `scope` serves what `used` names. Unlike a finding, evidence about one
/// run does not serve a claim that names none.
fn covers(scope: &Scope, used: &Scope) -> bool {
    let named = scope.run.is_none() || scope.run == used.run;
    named && scope.overlaps(used)
}

/// The evidence that a kind of claim requires.
pub const fn required(kind: ClaimKind) -> &'static [Need] {
    use Need::{
        BothArms, CacheState, ClientNotBound, Definition, FailuresCounted, FiveWaves,
        ForeignTraffic, HostRecord, MaterialConditions, MixCovered, ProductionLog, RowsInCell,
        SameMeaning, Saturation, Streamed, TailSamples, ThreeLevels, TokensCounted,
    };
    match kind {
        ClaimKind::Absolute => &[Definition, FailuresCounted, HostRecord, ForeignTraffic],
        ClaimKind::Relative | ClaimKind::Ranking => {
            &[BothArms, SameMeaning, MaterialConditions, FailuresCounted]
        }
        ClaimKind::Trend => &[ThreeLevels, FiveWaves, CacheState],
        ClaimKind::Capacity => &[Saturation, ClientNotBound, FailuresCounted],
        ClaimKind::Tail => &[TailSamples],
        ClaimKind::Breakdown => &[Streamed, TokensCounted],
        ClaimKind::Production => &[ProductionLog, RowsInCell, MixCovered],
    }
}

/// What a particular claim requires: what its kind does; a quantity and samples that were measured
/// for it, where its kind speaks of one; a measurement at the load or in the cell that it names;
/// enough samples for a quantile.
pub fn required_by(claim: &Claim) -> Vec<Need> {
    let mut needs = required(claim.kind).to_vec();
    let of_a_quantity = matches!(
        claim.kind,
        ClaimKind::Absolute | ClaimKind::Production | ClaimKind::Tail | ClaimKind::Capacity
    );
    if of_a_quantity && claim.field.is_none() {
        needs.extend([Need::Quantity, Need::QuotedSamples]);
    }
    if claim.kind == ClaimKind::Relative {
        needs.extend([Need::Quantity, Need::Direction]);
    }
    if claim.load.is_some() || claim.cell.is_some() {
        needs.push(Need::ThatLevel);
    }
    let is_tail = claim.statistic.and_then(Statistic::tail).is_some();
    if is_tail && !needs.contains(&Need::TailSamples) {
        needs.push(Need::TailSamples);
    }
    needs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_arms_of_a_ratio_need_their_own_evidence() {
        let mut claim = Claim::new("c", ClaimKind::Relative, "t");
        claim.of = Some("a".into());
        claim.baseline = Some("b".into());
        let mut evidence = Evidence::default();
        evidence.met(Need::FailuresCounted, Scope::default().with_run("a"));
        assert!(!evidence.has(Need::FailuresCounted, &claim));
        evidence.met(Need::FailuresCounted, Scope::default().with_run("b"));
        assert!(evidence.has(Need::FailuresCounted, &claim));
    }

    #[test]
    fn evidence_about_a_run_does_not_serve_a_claim_that_names_none() {
        let claim = Claim::new("c", ClaimKind::Absolute, "t");
        let mut evidence = Evidence::default();
        evidence.met(Need::HostRecord, Scope::default().with_run("a"));
        assert!(!evidence.has(Need::HostRecord, &claim));
        evidence.met(Need::HostRecord, Scope::of_claim("c"));
        assert!(evidence.has(Need::HostRecord, &claim));
    }
}
