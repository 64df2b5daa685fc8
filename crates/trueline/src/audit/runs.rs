//! What the runs say of themselves: failures, times, cold or not, host.

use std::collections::{BTreeMap, BTreeSet};

use trueline_baseline::{check_cold_run, check_time_order, metric_values};
use trueline_core::{
    BenchRun, Claim, ClaimKind, Disorder, Load, Metric, Need, RequestRecord, Scope,
};

use super::Work;
use crate::given::check_host_record;

impl<'a> Work<'a> {
    /// Gives a claim that names no run the only one it can be about.
    pub(super) fn resolve_runs(&mut self) {
        let runs = &self.audit.runs;
        for claim in &mut self.claims {
            let about_two = matches!(claim.kind, ClaimKind::Relative | ClaimKind::Ranking);
            if claim.of.is_some() || about_two {
                continue;
            }
            if claim.field.is_some() {
                // A stated field is the log's own: nothing about a run concerns it.
                claim.of = Some(Claim::THE_LOG.to_owned());
                continue;
            }
            let arms: BTreeSet<&str> = runs
                .iter()
                .filter(|run| claim.metric.is_none_or(|m| has_values(run, m)))
                .map(BenchRun::arm)
                .collect();
            if let (1, Some(only)) = (arms.len(), arms.first()) {
                claim.of = Some((*only).to_owned());
            }
        }
    }

    /// The claims with runs named by arm, as findings and evidence name them.
    pub(super) fn scoped_claims(&self) -> Vec<Claim> {
        let arm_of = |name: &String| match self.runs_of(name, None).first() {
            Some(run) => run.arm().to_owned(),
            None => name.clone(),
        };
        self.claims
            .iter()
            .map(|claim| {
                let mut scoped = claim.clone();
                scoped.of = claim.of.as_ref().map(arm_of);
                scoped.baseline = claim.baseline.as_ref().map(arm_of);
                scoped
            })
            .collect()
    }

    /// The runs of an arm, by arm or label, at a load if one is named.
    pub(super) fn runs_of(&self, name: &str, load: Option<Load>) -> Vec<&'a BenchRun> {
        self.audit
            .runs
            .iter()
            .filter(|run| run.arm() == name || run.label == name)
            .filter(|run| load.is_none_or(|load| run.plan.load == Some(load)))
            .collect()
    }

    /// Says of a claim whose run is not clear, or not there, what was found instead.
    pub(super) fn note_unclear_run(&mut self, claim: &Claim) {
        let arms: BTreeSet<&str> = self.audit.runs.iter().map(BenchRun::arm).collect();
        let arms = arms.into_iter().collect::<Vec<_>>().join(", ");
        let detail = match &claim.of {
            _ if arms.is_empty() => return,
            None => format!("which run it is about is not clear; name one of: {arms}"),
            Some(of) if of != Claim::THE_LOG && self.runs_of(of, None).is_empty() => {
                format!("there is no run {of:?}; there are: {arms}")
            }
            Some(_) => return,
        };
        self.evidence.lacking(Need::Definition, Scope::of_claim(&claim.id), detail.clone());
        self.evidence.lacking(Need::ProductionLog, Scope::of_claim(&claim.id), detail);
    }

    pub(super) fn check_runs(&mut self) {
        let thresholds = &self.audit.thresholds;
        for run in &self.audit.runs {
            let about = Scope::of_run(run);
            if self.audit.cold || run.plan.cold == Some(true) {
                self.outcomes.extend(check_cold_run(run, thresholds));
            }
            let mut disorders: BTreeMap<Disorder, u64> = BTreeMap::new();
            for kind in run.measured().filter_map(RequestRecord::disorder) {
                *disorders.entry(kind).or_default() += 1;
            }
            let n = run.measured().count() as u64;
            self.outcomes.extend(check_time_order(about, n, &disorders, thresholds));
            let (_, host) = check_host_record(&self.audit.hosts, run, thresholds);
            self.outcomes.extend(host);
        }
        let arms: BTreeSet<&str> = self.audit.runs.iter().map(BenchRun::arm).collect();
        for arm in arms {
            let runs = self.runs_of(arm, None);
            let about = || Scope::default().with_run(arm);
            if runs.iter().all(|run| run.failures().is_some()) {
                self.evidence.met(Need::FailuresCounted, about());
            } else {
                self.evidence.lacking(
                    Need::FailuresCounted,
                    about(),
                    format!("{arm} does not say which requests failed"),
                );
            }
            if runs.iter().all(|run| check_host_record(&self.audit.hosts, run, thresholds).0) {
                self.evidence.met(Need::HostRecord, about());
            }
            for metric in Metric::ALL {
                if runs.iter().any(|run| has_values(run, metric)) {
                    self.evidence.met(Need::Definition, about().with_metric(metric));
                }
            }
        }
    }

    /// The samples behind a claim: its own, else those of the runs it is about.
    pub(super) fn samples_behind(&self, claim: &Claim) -> Vec<f64> {
        if !claim.samples.is_empty() {
            return claim.samples.clone();
        }
        let (Some(of), Some(metric)) = (&claim.of, claim.metric) else { return Vec::new() };
        self.runs_of(of, claim.load)
            .iter()
            .flat_map(|run| match claim.cell {
                Some(cell) if metric == Metric::PrefillTokPerS => {
                    self.samples_in(run, cell).into_iter().map(|sample| sample.rate).collect()
                }
                _ => metric_values(run, metric).unwrap_or_default(),
            })
            .collect()
    }
}

fn has_values(run: &BenchRun, metric: Metric) -> bool {
    metric_values(run, metric).is_some_and(|values| !values.is_empty())
}
