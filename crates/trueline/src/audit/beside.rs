//! The checks on two arms beside each other, and on a whole table of ratios.

use std::collections::BTreeSet;

use trueline_baseline::check_same_work;
use trueline_baseline::comparison::{Estimate, check_denominator};
use trueline_baseline::{ArmNotes, Workload, check_same_conditions};
use trueline_core::{BenchRun, Claim, Finding, Load, Metric, Need, Scope};

use super::Work;
use super::arms::{ArmOf, Pair, joint};
use super::hosts::{check_hosts_of_arms, take_machine};

impl<'a> Work<'a> {
    /// All that two arms must have in common, whatever their ratio is.
    ///
    /// Checks on the runs of both arms (their order, their failures, where they ran) belong here.
    pub(super) fn check_arms(&mut self, claim: &Claim, metric: Metric, pair: &Pair<'a>) {
        self.check_arm_conditions(claim, &pair.ours, &pair.theirs);
        self.check_fairness(claim, metric, pair);
    }

    /// Checks that a gain is not over a baseline that lies in production's tail.
    pub(super) fn check_baseline_place(
        &mut self,
        claim: &Claim,
        metric: Metric,
        theirs: &ArmOf<'_>,
        estimate: &Estimate,
    ) {
        let Some(up) = metric.higher_is_better() else { return };
        let is_faster = (estimate.ratio > 1.0) == up;
        let Some(arm) = theirs.runs.first().map(|run| Scope::of_run(run)) else { return };
        let of_baseline = |f: &&Finding| {
            f.about.run == arm.run && f.about.load == arm.load && f.about.claim.is_none()
        };
        if self.audit.log.is_none() {
            return;
        }
        let found: Vec<&Finding> = self.outcomes.findings().filter(of_baseline).collect();
        let mut cells = self.placed.iter().filter(|p| p.about == arm);
        let placed = match cells.next() {
            // The log is none of this server, or nobody tells of single requests.
            None => Err(Need::ProductionLog),
            Some(cell) if cell.placed.is_none() && cells.all(|p| p.placed.is_none()) => {
                Err(Need::RowsInCell)
            }
            Some(_) => Ok(found.as_slice()),
        };
        let outcomes = check_denominator(claim, is_faster, placed);
        self.outcomes.extend(outcomes);
    }

    /// Conditions, workload and hosts of the two arms, each with itself and with the other.
    fn check_arm_conditions(&mut self, claim: &Claim, ours: &ArmOf<'_>, theirs: &ArmOf<'_>) {
        let about = Scope::of_claim(&claim.id);
        let ((mut first, mut contradictions), (mut second, others)) =
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
        take_machine(&mut first, &self.audit.hosts, &ours.runs);
        take_machine(&mut second, &self.audit.hosts, &theirs.runs);
        let clients = (clients(&ours.runs), clients(&theirs.runs));
        let notes = ArmNotes { contradictions, clients, one_sided, varies: varies.clone() };
        let checked = check_same_conditions(about.clone(), &first, &second, notes);
        self.outcomes.extend(checked.outcomes);
        let work =
            |arm: &ArmOf<'_>, load: Option<Load>| Workload::of_runs(&arm.runs, &arm.requests, load);
        let thresholds = &self.audit.thresholds;
        let works = (&work(ours, load(ours)), &work(theirs, load(theirs)));
        self.outcomes.extend(check_same_work(about.clone(), &varies, works, thresholds));
        let arms: (&[&BenchRun], &[&BenchRun]) = (&ours.runs, &theirs.runs);
        let hosts = &self.audit.hosts;
        self.outcomes.extend(check_hosts_of_arms(&about, hosts, arms, &varies, thresholds));
        if checked.value.is_empty() {
            self.evidence.met(Need::MaterialConditions, about);
        } else {
            let detail = format!("not recorded for both arms: {}", checked.value.join(", "));
            self.evidence.lacking(Need::MaterialConditions, about, detail);
        }
    }
}

/// The clients that measured some runs, by name: the tool that wrote them, else what they say.
fn clients(runs: &[&BenchRun]) -> BTreeSet<String> {
    let name = |run: &&BenchRun| {
        let tool = run.reported.tool.as_ref().map(|tool| tool.name.as_str());
        tool.or_else(|| run.conditions.get("client")).map(str::to_lowercase)
    };
    runs.iter().filter_map(name).collect()
}
