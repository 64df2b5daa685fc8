//! The claims about a quantity, against the samples that they rest on.

use trueline_baseline::stats::smallest_n;
use trueline_baseline::{
    check_best_of_n, check_claim_conditions, check_sample_count, check_samples_measured,
    check_value_found,
};
use trueline_core::{Claim, ClaimKind, Need, RequestRecord, Scope, Statistic};

use super::Work;
use super::groups::Meant;

/// Fewest of the requests that must have the quantity for a statistic of it to be the run's.
const COMPLETE: f64 = 0.95;

impl Work<'_> {
    pub(super) fn check_claims(&mut self) {
        let claims = std::mem::take(&mut self.claims);
        for claim in &claims {
            if claim.value.is_some() {
                self.evidence.met(Need::Quantity, Scope::of_claim(&claim.id));
            }
            match claim.kind {
                ClaimKind::Relative => self.check_ratio(claim),
                ClaimKind::Ranking => self.evidence.lacking(
                    Need::BothArms,
                    Scope::of_claim(&claim.id),
                    "no pair of neighbours was measured here",
                ),
                _ if claim.field.is_none() => {
                    self.note_unclear_run(claim);
                    self.check_value(claim);
                }
                _ => {}
            }
        }
        self.claims = claims;
    }

    /// The measured samples behind a claim.
    pub(super) fn measured_for(&self, claim: &Claim) -> Vec<f64> {
        let (Some(of), Some(metric)) = (&claim.of, claim.metric) else { return Vec::new() };
        let Meant::Runs(runs) = self.meant(of, claim.load) else { return Vec::new() };
        self.values(claim, &Self::spoken_of(claim, &runs), metric)
    }

    fn check_value(&mut self, claim: &Claim) {
        let thresholds = &self.audit.thresholds;
        let measured = self.measured_for(claim);
        // What was measured counts; a claim's own list only where nothing was.
        let samples = if measured.is_empty() { &claim.samples } else { &measured };
        if claim.value.is_some() {
            // The best of a list is told by that list, however long the run is.
            let listed = if claim.samples.is_empty() { samples } else { &claim.samples };
            self.outcomes.extend(check_best_of_n(claim, listed, thresholds));
            let found_in = if listed.len() < samples.len() { listed } else { samples };
            self.outcomes.extend(check_value_found(claim, found_in, thresholds));
        }
        if !measured.is_empty() {
            self.outcomes.extend(check_samples_measured(claim, &measured));
        }
        if let Some(Meant::Runs(runs)) = claim.of.as_ref().map(|of| self.meant(of, claim.load)) {
            for run in runs {
                self.outcomes.extend(check_claim_conditions(claim, &run.conditions));
            }
        }
        let n = (!samples.is_empty()).then_some(samples.len());
        self.outcomes.extend(check_sample_count(claim, n, thresholds));
        self.note_samples(claim, &measured);
        if let (ClaimKind::Production, Some(of)) = (claim.kind, &claim.of)
            && let Meant::Runs(runs) = self.meant(of, claim.load)
            && let Some(run) = runs.first()
        {
            self.check_mix(claim, run.arm());
        }
    }

    /// Which evidence the measured samples are.
    fn note_samples(&mut self, claim: &Claim, measured: &[f64]) {
        let about = || Scope::of_claim(&claim.id);
        let spoken: Vec<&RequestRecord> =
            match claim.of.as_ref().map(|of| self.meant(of, claim.load)) {
                Some(Meant::Runs(runs)) => Self::spoken_of(claim, &runs),
                _ => Vec::new(),
            };
        if spoken.is_empty() {
            let what = claim.load.map(|l| l.to_string());
            let what = what.or(claim.cell.map(|c| c.to_string()));
            if let Some(what) = what {
                let detail = format!("nothing was measured at {what}");
                self.evidence.lacking(Need::ThatLevel, about(), detail);
            }
            return;
        }
        self.evidence.met(Need::ThatLevel, about());
        if claim.metric.is_none() {
            return;
        }
        let of_requests = claim.metric.is_some_and(|m| !trueline_baseline::is_of_a_run(m));
        #[expect(clippy::cast_precision_loss, reason = "for a share")]
        let share = measured.len() as f64 / spoken.len() as f64;
        if measured.is_empty() {
            let detail = "no request has the counts and times that it needs";
            self.evidence.lacking(Need::QuotedSamples, about(), detail);
        } else if of_requests && share < COMPLETE {
            let detail = format!(
                "only {} of {} requests have the counts and times that it needs",
                measured.len(),
                spoken.len()
            );
            self.evidence.lacking(Need::QuotedSamples, about(), detail);
        } else {
            self.evidence.met(Need::QuotedSamples, about());
        }
        if let Some(Statistic::Quantile(q)) = claim.statistic
            && smallest_n(q.get(), 0.95).is_some_and(|needed| measured.len() >= needed)
        {
            self.evidence.met(Need::TailSamples, about());
        }
    }
}
