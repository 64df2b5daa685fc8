//! Relative claims: what the two arms say.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use trueline_baseline::stats::{RatioEstimate, median, quantile, smallest_n};
use trueline_baseline::{
    ArmNotes, Workload, check_baseline_named, check_same_conditions, check_same_work,
    check_sample_count, compare_arms,
};
use trueline_core::number::short;
use trueline_core::{
    BenchRun, By, Claim, Conditions, Metric, Need, RequestRecord, Scope, Side, Statistic,
};

use super::Work;
use super::groups::Meant;
use crate::given::{GivenWhat, explain_loss};

/// A ratio that was computed for a claim.
#[derive(Debug, Clone)]
pub(super) struct Compared {
    pub(super) claim: String,
    pub(super) metric: Metric,
    pub(super) estimate: RatioEstimate,
}

/// One arm of a ratio.
struct ArmOf<'a> {
    runs: Vec<&'a BenchRun>,
    requests: Vec<&'a RequestRecord>,
    /// One value a run.
    values: Vec<f64>,
    /// Fewest samples of one run.
    fewest: usize,
}

impl<'a> Work<'a> {
    pub(super) fn check_ratio(&mut self, claim: &Claim) {
        let thresholds = &self.audit.thresholds;
        self.outcomes.extend(check_baseline_named(claim));
        self.outcomes.extend(explain_loss(claim, thresholds));
        let about = || Scope::of_claim(&claim.id);
        if claim.unjudged.iter().any(|key| key == "aligns with") {
            let detail = "whether two quantities align is not judged yet";
            self.evidence.lacking(Need::BothArms, about(), detail);
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
    }

    /// The runs of an arm with their values, or why there are none.
    fn arm(&self, claim: &Claim, name: &str, metric: Metric) -> Result<ArmOf<'a>, String> {
        let runs = match self.meant(name, claim.load) {
            Meant::Runs(runs) => runs,
            Meant::SeveralLoads(_) => {
                return Err(format!("{name} was measured at several loads; name one"));
            }
            Meant::Nothing => return Err(format!("no measurement of {name} here")),
        };
        let mut arm = ArmOf {
            runs: runs.clone(),
            requests: Vec::new(),
            values: Vec::new(),
            fewest: usize::MAX,
        };
        for run in runs {
            let requests = Self::spoken_of(claim, &[run]);
            let mut values = self.values(claim, &requests, metric);
            values.sort_by(f64::total_cmp);
            arm.fewest = arm.fewest.min(values.len());
            arm.values.extend(statistic_of(&values, claim.statistic, metric));
            arm.requests.extend(requests);
        }
        if arm.values.len() < arm.runs.len() {
            return Err(format!("no {metric} of {name} here, or not of every run"));
        }
        Ok(arm)
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

/// The statistic that a claim speaks of, of one run; the median where it names none.
fn statistic_of(sorted: &[f64], statistic: Option<Statistic>, metric: Metric) -> Option<f64> {
    match statistic {
        None | Some(Statistic::Median) => median(sorted),
        #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
        Some(Statistic::Mean) => {
            (!sorted.is_empty()).then(|| sorted.iter().sum::<f64>() / sorted.len() as f64)
        }
        Some(Statistic::Quantile(q)) => quantile(sorted, q.get()),
        Some(Statistic::Best) if metric.higher_is_better() == Some(false) => {
            sorted.first().copied()
        }
        Some(Statistic::Min) => sorted.first().copied(),
        Some(Statistic::Best | Statistic::Max) => sorted.last().copied(),
        Some(Statistic::Deviation) => None,
    }
}

fn side_of(request: &RequestRecord) -> Option<Side> {
    let span = request.any_ttft().or_else(|| request.any_e2e())?;
    Some(span.stretch.marks().2)
}

/// The conditions of an arm: those its runs share, and what the claim records besides; and where
/// they contradict each other.
fn joint(arm: &ArmOf<'_>, claim: &Claim) -> (Conditions, Vec<String>) {
    let (mut joint, mut contradictions) = (Conditions::default(), Vec::new());
    let keys: BTreeSet<&str> =
        arm.runs.iter().flat_map(|run| run.conditions.iter().map(|(key, _)| key)).collect();
    for key in keys {
        let known: Vec<&str> = arm.runs.iter().filter_map(|r| r.conditions.get(key)).collect();
        let Some(first) = known.first() else { continue };
        let mut values: Vec<&str> = Vec::new();
        for value in known.iter().copied().chain(claim.conditions.get(key)) {
            if !values.iter().any(|v| v.eq_ignore_ascii_case(value)) {
                values.push(value);
            }
        }
        let name = arm.runs.first().map_or("", |run| run.arm());
        if values.len() > 1 {
            contradictions.push(format!("{name} stands for {key} {}", values.join(" and ")));
        }
        if known.len() == arm.runs.len() {
            joint.set(key, *first, By::Reported);
        }
    }
    (joint.with_missing_from(&claim.conditions), contradictions)
}
