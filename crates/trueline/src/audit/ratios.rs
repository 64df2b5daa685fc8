//! Relative claims: what the two arms say.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use trueline_baseline::stats::{RatioEstimate, smallest_n};
use trueline_baseline::{
    ArmNotes, Workload, check_aligned, check_definitions, check_same_conditions, check_same_work,
    check_sample_count, compare_arms,
};
use trueline_core::number::short;
use trueline_core::{Claim, Metric, Need, Scope, Side, Statistic};

use super::Work;
use super::arms::{ArmOf, joint, side_of};
use super::hosts::check_hosts_of_arms;
use crate::given::{GivenWhat, explain_loss};

/// A ratio that was computed for a claim.
#[derive(Debug, Clone)]
pub(super) struct Compared {
    pub(super) claim: String,
    pub(super) metric: Metric,
    pub(super) estimate: RatioEstimate,
}

impl Work<'_> {
    pub(super) fn check_ratio(&mut self, claim: &Claim) {
        self.check_baseline(claim);
        let thresholds = &self.audit.thresholds;
        self.outcomes.extend(explain_loss(claim, thresholds));
        let about = || Scope::of_claim(&claim.id);
        if claim.aligned.is_some() {
            self.check_alignment(claim);
            return;
        }
        let (Some(of), Some(over), Some(metric)) = (&claim.of, &claim.baseline, claim.metric)
        else {
            let lacks = [
                (claim.metric.is_none(), "metric"),
                (claim.of.is_none(), "candidate (of)"),
                (claim.baseline.is_none(), "baseline"),
            ];
            let lacks: Vec<&str> = lacks.iter().filter(|l| l.0).map(|l| l.1).collect();
            let detail = format!("the claim names no {}", lacks.join(" and no "));
            self.evidence.lacking(Need::BothArms, about(), detail);
            return;
        };
        let (ours, theirs) = (self.arm(claim, of, metric), self.arm(claim, over, metric));
        let (ours, theirs) = match (ours, theirs) {
            (Ok(ours), Ok(theirs)) => (ours, theirs),
            (ours, theirs) => {
                let why: Vec<String> = [ours.err(), theirs.err()].into_iter().flatten().collect();
                let mut detail = why.join("; ");
                if let Some(chain) = self.chain_words(claim, metric) {
                    detail += &format!("; {chain}");
                }
                self.evidence.lacking(Need::BothArms, about(), detail);
                return;
            }
        };
        if ours.runs.iter().any(|run| theirs.runs.iter().any(|r| r.label == run.label)) {
            let detail = "both arms are the same runs";
            self.evidence.lacking(Need::BothArms, about(), detail);
            return;
        }
        self.evidence.met(Need::ThatLevel, about());
        let compared = compare_arms(claim, &ours.values, &theirs.values, thresholds);
        self.outcomes.extend(compared.outcomes);
        let runs = ours.values.len().min(theirs.values.len());
        self.outcomes.extend(check_sample_count(claim, Some(runs), thresholds));
        self.check_arm_conditions(claim, &ours, &theirs);
        if ours.figure.is_some() || theirs.figure.is_some() {
            self.outcomes.extend(check_definitions(claim, ours.figure, theirs.figure));
        }
        let sides: BTreeSet<Side> =
            ours.requests.iter().chain(&theirs.requests).filter_map(|r| side_of(r)).collect();
        if sides.len() > 1 {
            let detail = "some requests were timed by the client, others by the server";
            self.evidence.lacking(Need::SameMeaning, about(), detail);
        } else {
            self.evidence.met(Need::SameMeaning, about());
        }
        if let Some(Statistic::Quantile(q)) = claim.statistic {
            let needed = smallest_n(q.get(), 0.95).unwrap_or(usize::MAX);
            let fewest = ours.fewest.min(theirs.fewest);
            if fewest >= needed {
                self.evidence.met(Need::TailSamples, about());
            } else {
                let detail =
                    format!("too few samples in a run: {fewest}; the quantile needs {needed}");
                self.evidence.lacking(Need::TailSamples, about(), detail);
            }
        }
        if let Some(estimate) = compared.value {
            self.note_estimate(claim, metric, estimate);
        } else {
            let detail = "an arm's value is zero or not finite";
            self.evidence.lacking(Need::BothArms, about(), detail);
        }
        self.check_arms(claim, metric, &ours, &theirs);
    }

    /// Judges that two quantities agree: one quantity twice, or two that are near each other.
    fn check_alignment(&mut self, claim: &Claim) {
        let about = || Scope::of_claim(&claim.id);
        let outcomes = check_aligned(claim);
        if outcomes.findings().next().is_none() {
            let detail = "two numbers of one quantity agree only beside what each was measured on; \
                          claim each, or a ratio of two runs";
            self.evidence.lacking(Need::BothArms, about(), detail);
        }
        self.outcomes.extend(outcomes);
    }

    fn note_estimate(&mut self, claim: &Claim, metric: Metric, estimate: RatioEstimate) {
        let about = Scope::of_claim(&claim.id);
        self.evidence.met(Need::BothArms, about.clone());
        // A claim that two are alike takes no direction from its interval.
        let alike = claim.value.is_some_and(|v| (v - 1.0).abs() < 0.02);
        match estimate.interval {
            Some((low, high)) if low < 1.0 && high > 1.0 && !alike => {
                let detail = "the interval holds 1: no direction is shown";
                self.evidence.lacking(Need::Direction, about, detail);
            }
            _ => self.evidence.met(Need::Direction, about),
        }
        if claim.value.is_none() {
            let about = Scope::of_claim(&claim.id);
            self.evidence.lacking(Need::Quantity, about, "it states no ratio");
        }
        self.compared.push(Compared { claim: claim.id.clone(), metric, estimate });
    }

    /// Conditions and workload of the two arms, each with itself and with the other.
    fn check_arm_conditions(&mut self, claim: &Claim, ours: &ArmOf<'_>, theirs: &ArmOf<'_>) {
        let about = Scope::of_claim(&claim.id);
        let ((first, mut contradictions), (second, others)) =
            (joint(ours, claim), joint(theirs, claim));
        contradictions.extend(others);
        let load = |arm: &ArmOf<'_>| arm.runs.first().and_then(|run| run.plan.load);
        let one_load = load(ours).is_some() != load(theirs).is_some();
        let one_sided = if one_load { vec!["load".to_owned()] } else { Vec::new() };
        let mut varies = claim.varies.clone();
        if claim.metric == Some(Metric::CacheHitShare) {
            // It is what is compared.
            varies.push("hit_share".to_owned());
        }
        let notes = ArmNotes { contradictions, one_sided, varies: varies.clone() };
        let checked = check_same_conditions(about.clone(), &first, &second, notes);
        self.outcomes.extend(checked.outcomes);
        let work = |arm: &ArmOf<'_>| Workload::of(&arm.requests, load(arm));
        let thresholds = &self.audit.thresholds;
        let works = (&work(ours), &work(theirs));
        self.outcomes.extend(check_same_work(about.clone(), &varies, works, thresholds));
        let arms = (ours.runs.as_slice(), theirs.runs.as_slice());
        let hosts = &self.audit.hosts;
        self.outcomes.extend(check_hosts_of_arms(&about, hosts, arms, &varies, thresholds));
        if checked.value.is_empty() {
            self.evidence.met(Need::MaterialConditions, about);
        } else {
            let detail = format!("not recorded for both arms: {}", checked.value.join(", "));
            self.evidence.lacking(Need::MaterialConditions, about, detail);
        }
    }

    /// What a chain of ratios would come to with a stated figure, beside what production does.
    fn chain_words(&self, claim: &Claim, metric: Metric) -> Option<String> {
        let link = claim.chain.first()?;
        let figure = self.audit.given.iter().find(|g| {
            g.what == GivenWhat::Figure
                && g.metric == metric
                && g.of.as_deref() == Some(link.over.as_str())
        })?;
        let unit = metric.words().0;
        let mut text = format!(
            "{} x {} = {} {unit}",
            link.ratio,
            figure.value,
            short(link.ratio * figure.value, 3)
        );
        let production = match metric {
            Metric::DecodeTokPerS => self.audit.log.as_ref()?.production().decode().median(),
            _ => None,
        };
        if let Some(median) = production {
            text += &format!(
                " against {} in production, at other context lengths: not shown either way",
                short(median, 2)
            );
        }
        Some(text)
    }

    /// What the arms of a ratio say, in words.
    pub(super) fn measured_words(&self, claim: &Claim) -> Option<String> {
        let compared = self.compared.iter().find(|c| c.claim == claim.id)?;
        let ratio = short(compared.estimate.ratio, 3);
        Some(match compared.estimate.interval {
            Some((low, high)) => {
                format!("{ratio}x, 95 % [{}, {}]", short(low, 3), short(high, 3))
            }
            None => format!("{ratio}x"),
        })
    }

    /// The ratios as JSON.
    pub(super) fn comparisons(&self) -> Value {
        self.compared
            .iter()
            .map(|c| {
                json!({
                    "claim": c.claim,
                    "metric": c.metric,
                    "ratio": c.estimate.ratio,
                    "ci_low": c.estimate.interval.map(|i| i.0),
                    "ci_high": c.estimate.interval.map(|i| i.1),
                    "confidence": c.estimate.interval.map(|_| 0.95),
                    "n_runs": [c.estimate.n.0, c.estimate.n.1],
                })
            })
            .collect()
    }
}
