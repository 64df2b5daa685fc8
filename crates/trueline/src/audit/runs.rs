//! What the runs say of themselves: whole or not, times, cold or not, host.

use std::collections::{BTreeMap, BTreeSet};

use trueline_baseline::{
    check_cold_run, check_copied_figures, check_duplicate_runs, check_failures, check_time_order,
    metric_values,
};
use trueline_core::{
    BenchRun, Claim, ClaimKind, Disorder, Metric, Need, Outcomes, RequestRecord, Scope,
};

use super::Work;
use super::claims::IN_PRODUCTION;
use super::groups::{Group, Meant, groups};
use super::hosts::check_host_records;

impl Work<'_> {
    /// Gives a claim that names no run the only one it can be about. A conclusion from other
    /// claims is about none.
    pub(super) fn resolve_runs(&mut self) {
        let runs = &self.audit.runs;
        for claim in &mut self.claims {
            if claim.of.is_some() || claim.kind == ClaimKind::Ranking {
                continue;
            }
            if claim.field.is_some() {
                // A stated field is the log's own: nothing about a run concerns it.
                claim.of = Some(Claim::THE_LOG.to_owned());
                continue;
            }
            let Some(metric) = claim.metric else { continue };
            let has_values = |run: &&BenchRun| {
                if run.reported.figures_of(metric).next().is_some() {
                    return true;
                }
                let requests: Vec<&RequestRecord> = run.measured().collect();
                metric_values(&requests, metric).is_some_and(|values| !values.is_empty())
            };
            let mut arms: BTreeSet<&str> =
                runs.iter().filter(has_values).map(BenchRun::arm).collect();
            if claim.kind == ClaimKind::Relative {
                // A ratio over a known arm is of the other one, if there is one other.
                match &claim.baseline {
                    Some(over) if arms.remove(over.as_str()) => {}
                    _ => continue,
                }
            }
            if arms.is_empty() && claim.kind != ClaimKind::Relative {
                // Nothing has the quantity: a claim about it is still about the only arm there is.
                arms = runs.iter().map(BenchRun::arm).collect();
            }
            if let (1, Some(only)) = (arms.len(), arms.first()) {
                claim.of = Some((*only).to_owned());
            }
        }
    }

    /// The claims with runs named by arm, as findings and evidence name them.
    pub(super) fn scoped_claims(&self) -> Vec<Claim> {
        let arm_of = |name: &String| match self.meant(name, None) {
            Meant::Runs(runs) => runs.first().map_or(name.clone(), |run| run.arm().to_owned()),
            _ => name.clone(),
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

    pub(super) fn check_runs(&mut self) {
        self.outcomes.extend(check_duplicate_runs(&self.audit.runs));
        let all: Vec<&BenchRun> = self.audit.runs.iter().collect();
        self.outcomes.extend(check_copied_figures(&all));
        for group in groups(&self.audit.runs) {
            self.check_group(&group);
        }
    }

    fn check_group(&mut self, group: &Group<'_>) {
        let thresholds = &self.audit.thresholds;
        let about = || group.about.clone();
        let requests = group.requests();
        self.outcomes.extend(check_failures(about(), &group.runs, thresholds));
        if group.runs.iter().any(|run| self.audit.cold || run.plan.cold == Some(true)) {
            self.outcomes.extend(check_cold_run(about(), &requests, thresholds));
        }
        let mut disorders: BTreeMap<Disorder, u64> = BTreeMap::new();
        for kind in requests.iter().filter_map(|r| r.disorder()) {
            *disorders.entry(kind).or_default() += 1;
        }
        let n = requests.len() as u64;
        self.outcomes.extend(check_time_order(about(), n, &disorders, thresholds));
        if group.runs.iter().all(|run| run.failures().is_some()) {
            self.evidence.met(Need::FailuresCounted, about());
        } else {
            let detail = format!("{} does not say which requests failed", group.arm());
            self.evidence.lacking(Need::FailuresCounted, about(), detail);
        }
        self.check_numbers(group);
        self.check_host(group);
        for metric in Metric::ALL {
            if metric_values(&requests, metric).is_some_and(|values| !values.is_empty()) {
                self.evidence.met(Need::Definition, about().with_metric(metric));
            }
        }
    }

    /// Judges the host over each run of a group; it counts as known only over all of them.
    fn check_host(&mut self, group: &Group<'_>) {
        let mut known = !group.runs.is_empty();
        let mut said = Outcomes::default();
        for run in &group.runs {
            let (present, outcomes) =
                check_host_records(&self.audit.hosts, run, &self.audit.thresholds);
            known &= present;
            said.extend_new(outcomes);
        }
        self.outcomes.extend(said);
        if known {
            self.evidence.met(Need::HostRecord, group.about.clone());
        } else if !self.audit.hosts.is_empty() {
            let detail =
                "no host record given is of this machine, over all of the run, with readings";
            self.evidence.lacking(Need::HostRecord, group.about.clone(), detail);
        }
    }

    /// Says of a claim whose run is not clear, or not there, what was found instead.
    pub(super) fn note_unclear_run(&mut self, claim: &Claim) {
        let arms: BTreeSet<&str> = self.audit.runs.iter().map(BenchRun::arm).collect();
        let arms = arms.into_iter().collect::<Vec<_>>().join(", ");
        let about = Scope::of_claim(&claim.id);
        let detail = match &claim.of {
            _ if arms.is_empty() || claim.metric.is_none() => return,
            None => format!("which run it is about is not clear; name one of: {arms}"),
            Some(of) if of == IN_PRODUCTION => return,
            Some(of) => match self.meant(of, claim.load) {
                Meant::Runs(_) => return,
                Meant::SeveralLoads(mut loads) => {
                    loads.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
                    let loads: Vec<String> = loads.iter().map(ToString::to_string).collect();
                    let detail = format!(
                        "{of} was measured at several loads; name one of: {}",
                        loads.join(", ")
                    );
                    self.evidence.lacking(Need::QuotedSamples, about, detail);
                    return;
                }
                Meant::Nothing if claim.load.is_some() => return,
                Meant::Nothing => format!("there is no run {of:?}; there are: {arms}"),
            },
        };
        self.evidence.lacking(Need::Definition, about.clone(), detail.clone());
        self.evidence.lacking(Need::ProductionLog, about, detail);
    }
}
