//! The claims about a quantity, against the samples that they rest on.

use trueline_baseline::stats::smallest_n;
use trueline_baseline::{
    check_best_of_n, check_claim_conditions, check_sample_count, check_samples_measured,
    check_value_found, is_of_a_run,
};
use trueline_core::{Cell, Claim, ClaimKind, Metric, Need, RequestRecord, Scope, Statistic};

use super::Work;
use super::groups::Meant;

/// What a claim is of that quotes production's own log.
pub(super) const IN_PRODUCTION: &str = "production";

/// Fewest of the requests that must have the quantity for a statistic of it to be the run's.
const COMPLETE: f64 = 0.95;

impl Work<'_> {
    pub(super) fn check_claims(&mut self) {
        let claims = std::mem::take(&mut self.claims);
        for claim in &claims {
            if claim.value.is_some() {
                self.evidence.met(Need::Quantity, Scope::of_claim(&claim.id));
            }
            if matches!(claim.kind, ClaimKind::Relative | ClaimKind::Ranking) {
                self.check_said(claim);
            }
            match claim.kind {
                ClaimKind::Relative => self.check_ratio(claim),
                ClaimKind::Ranking => self.evidence.lacking(
                    Need::BothArms,
                    Scope::of_claim(&claim.id),
                    "rankings are not judged from runs yet; claim each pair as relative",
                ),
                _ if claim.field.is_none() => {
                    self.note_unclear_run(claim);
                    self.check_value(claim);
                    self.check_tail_witnesses(claim);
                }
                _ => {}
            }
        }
        self.claims = claims;
    }

    /// The measured samples behind a claim: one a request, or one a run for what a run has.
    pub(super) fn measured_for(&self, claim: &Claim) -> Vec<f64> {
        let (Some(of), Some(metric)) = (&claim.of, claim.metric) else { return Vec::new() };
        let Meant::Runs(runs) = self.meant(of, claim.load) else { return Vec::new() };
        if is_of_a_run(metric) {
            let each = |run| self.values(claim, &Self::spoken_of(claim, &[run]), metric);
            return runs.into_iter().flat_map(each).collect();
        }
        self.values(claim, &Self::spoken_of(claim, &runs), metric)
    }

    fn check_value(&mut self, claim: &Claim) {
        if self.is_of_production(claim) {
            self.check_production_value(claim);
            return;
        }
        if self.check_stated(claim) {
            return;
        }
        let thresholds = &self.audit.thresholds;
        let measured = self.measured_for(claim);
        // What was measured counts; a claim's own list is judged only besides.
        let samples = if measured.is_empty() { &claim.samples } else { &measured };
        if claim.value.is_some() {
            self.outcomes.extend(check_value_found(claim, samples, thresholds));
            let best = check_best_of_n(claim, samples, thresholds);
            if !measured.is_empty() && best.findings().next().is_none() && claim.samples.len() > 1 {
                // Not the best of the run, but perhaps of the few that the claim lists.
                self.outcomes.extend(check_best_of_n(claim, &claim.samples, thresholds));
            } else {
                self.outcomes.extend(best);
            }
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

    /// Whether a claim quotes what production itself shows: no run is meant, and a cell is named.
    fn is_of_production(&self, claim: &Claim) -> bool {
        let no_run = match &claim.of {
            None => self.audit.runs.is_empty(),
            Some(of) => of == IN_PRODUCTION,
        };
        let prefill = claim.metric == Some(Metric::PrefillTokPerS);
        no_run && prefill && claim.kind == ClaimKind::Production && self.audit.log.is_some()
    }

    /// Judges a claim that quotes production's own rate in a cell or bucket.
    fn check_production_value(&mut self, claim: &Claim) {
        let about = || Scope::of_claim(&claim.id);
        let Some((log, cell)) = self.audit.log.as_ref().zip(claim.cell) else {
            let detail = "production has no rate over all cells: name prompt_tokens and hit_share";
            self.evidence.lacking(Need::MixCovered, about(), detail);
            return;
        };
        let bucket = log.production().bucket(&cell.bucket);
        let stats = match cell.hit {
            Some(hit) => log.production().cell(&Cell { bucket: cell.bucket, hit }),
            None => Some(&bucket),
        };
        let rates = stats.and_then(|stats| stats.rates().sorted()).unwrap_or_default();
        let thresholds = &self.audit.thresholds;
        self.outcomes.extend(check_value_found(claim, rates, thresholds));
        let n = (!rates.is_empty()).then_some(rates.len());
        self.outcomes.extend(check_sample_count(claim, n, thresholds));
        self.evidence.met(Need::ProductionLog, about());
        if rates.is_empty() {
            let detail = format!("production shows no rate in {cell}; cells are those of read_log");
            self.evidence.lacking(Need::ThatLevel, about(), detail);
            return;
        }
        for need in [Need::ThatLevel, Need::QuotedSamples, Need::MixCovered] {
            self.evidence.met(need, about());
        }
        if rates.len() >= 10 {
            self.evidence.met(Need::RowsInCell, about());
        }
    }

    /// Which evidence the measured samples are.
    fn note_samples(&mut self, claim: &Claim, measured: &[f64]) {
        let about = || Scope::of_claim(&claim.id);
        let Some(of) = &claim.of else { return };
        let runs = match self.meant(of, claim.load) {
            Meant::Runs(runs) => runs,
            Meant::SeveralLoads(_) => return,
            Meant::Nothing => Vec::new(),
        };
        let spoken: Vec<&RequestRecord> = Self::spoken_of(claim, &runs);
        if spoken.is_empty() {
            let what = claim.load.filter(|_| runs.is_empty()).map(|l| l.to_string());
            let what = what.or(claim.cell.map(|c| c.to_string()));
            if let Some(what) = what {
                let detail = format!("nothing was measured at {what}");
                self.evidence.lacking(Need::ThatLevel, about(), detail);
            }
            return;
        }
        self.evidence.met(Need::ThatLevel, about());
        let Some(metric) = claim.metric else { return };
        // A prompt that is known to be short enters no prefill rate: it lacks nothing.
        let floor = self.audit.reading.min_new_tokens();
        let due = spoken
            .iter()
            .filter(|r| {
                metric != Metric::PrefillTokPerS
                    || r.new_tokens().value().is_none_or(|new| new >= floor)
            })
            .count();
        let expected = if is_of_a_run(metric) { runs.len() } else { due };
        #[expect(clippy::cast_precision_loss, reason = "for a share")]
        let share = measured.len() as f64 / expected.max(1) as f64;
        let detail = if due == 0 {
            format!("no request has {} new tokens, which a prefill rate needs", floor.get())
        } else if is_of_a_run(metric) && share < 1.0 {
            "not every request says what it counted and when it ran".to_owned()
        } else if share < COMPLETE {
            format!(
                "{} of {expected} requests have the counts and times that it needs",
                if measured.is_empty() {
                    "none".to_owned()
                } else {
                    format!("only {}", measured.len())
                }
            )
        } else {
            self.evidence.met(Need::QuotedSamples, about());
            String::new()
        };
        if !detail.is_empty() {
            self.evidence.lacking(Need::QuotedSamples, about(), detail);
        }
        if let Some(Statistic::Quantile(q)) = claim.statistic
            && smallest_n(q.get(), 0.95).is_some_and(|needed| measured.len() >= needed)
        {
            self.evidence.met(Need::TailSamples, about());
        }
    }
}
