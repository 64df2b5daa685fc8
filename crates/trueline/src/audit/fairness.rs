//! Whether a comparison is fair: the order, failures, machines and spread of two arms, and what a
//! relative claim says of itself.

use std::collections::{BTreeMap, BTreeSet};

use trueline_baseline::comparison::{
    DEGRADED_STATES, Estimate, Served, Site, check_arm_spread, check_autocorrelation,
    check_bottleneck, check_direction, check_one_direction, check_order, check_peeking,
    check_pooled_requests, check_sites, check_speedup, check_uneven_failures,
};
use trueline_baseline::{check_a_vs_a, is_of_a_run};
use trueline_core::{
    BenchRun, CheckOutcome, Claim, ClaimKind, Metric, RequestRecord, Scope, Severity,
};

use super::Work;
use super::arms::{ArmOf, Pair, joint};
use super::groups::Meant;
use super::hosts::{check_host_records, first_over};

impl<'a> Work<'a> {
    /// What a claim about a comparison says of itself: no data are needed for it.
    pub(super) fn check_said(&mut self, claim: &Claim) {
        self.outcomes.extend(check_speedup(claim, &self.audit.thresholds));
        self.outcomes.extend(check_peeking(claim));
        self.outcomes.extend(check_direction(claim));
    }

    /// The checks of two arms: order, failures, spread, bottleneck, places, and what the claim's
    /// interval rests on.
    pub(super) fn check_fairness(&mut self, claim: &Claim, metric: Metric, pair: &Pair<'a>) {
        let (ours, theirs) = (&pair.ours, &pair.theirs);
        let about = || Scope::of_claim(&claim.id);
        let thresholds = &self.audit.thresholds;
        let runs = (ours.runs.as_slice(), theirs.runs.as_slice());
        self.outcomes.extend(check_order(about(), runs, thresholds));
        self.outcomes.extend(check_uneven_failures(about(), runs, thresholds));
        for arm in [ours, theirs] {
            let name = arm.runs.first().map_or("", |run| run.arm());
            let step = arm.figures.iter().map(|figure| figure.step).fold(0.0, f64::max);
            let values: Vec<f64> = arm.values.iter().map(|run| run.value).collect();
            let values = (values.as_slice(), step);
            self.outcomes.extend(check_arm_spread(about(), name, metric, values, thresholds));
        }
        if claim.same {
            let values = |arm: &ArmOf<'_>| arm.values.iter().map(|r| r.value).collect::<Vec<_>>();
            let (a, b) = (values(ours), values(theirs));
            let rows = self.rows_together();
            self.outcomes.extend(check_a_vs_a(claim, &a, &b, rows, thresholds));
        }
        let ((first, _), (second, _)) = (joint(ours, claim), joint(theirs, claim));
        let load = |arm: &ArmOf<'_>| arm.runs.first().and_then(|run| run.plan.load);
        let served = (
            Served { conditions: &first, load: load(ours) },
            Served { conditions: &second, load: load(theirs) },
        );
        let states = self.degraded_states(runs);
        self.outcomes.extend(check_bottleneck(about(), metric, states.as_deref(), served));
        let sites: Vec<Site> =
            ours.runs.iter().chain(&theirs.runs).map(|run| self.site_of(run)).collect();
        let measured = self.estimate_of(claim).map(|estimate| estimate.ratio);
        self.outcomes.extend(check_sites(claim, measured, &sites, thresholds));
        // Only an interval that the claim states can be one of requests.
        if claim.interval.is_some() && !is_of_a_run(metric) {
            let (ours, theirs) =
                (self.by_run(claim, metric, &ours.runs), self.by_run(claim, metric, &theirs.runs));
            let of_runs = self.estimate_of(claim).and_then(|estimate| estimate.interval);
            let pooled = check_pooled_requests(claim, &ours, &theirs, of_runs, thresholds);
            self.outcomes.extend(pooled);
            let single = [&ours, &theirs].into_iter().filter(|arm| arm.len() == 1);
            let single: Vec<Vec<f64>> = single.flatten().cloned().collect();
            self.outcomes.extend(check_autocorrelation(claim, &single, thresholds));
        }
    }

    /// Whether the requests behind a quantile are as many witnesses as they are requests.
    pub(super) fn check_tail_witnesses(&mut self, claim: &Claim) {
        let (ClaimKind::Tail, Some(of), Some(metric)) = (claim.kind, &claim.of, claim.metric)
        else {
            return;
        };
        let Meant::Runs(runs) = self.meant(of, claim.load) else { return };
        let values = self.by_run(claim, metric, &runs);
        self.outcomes.extend(check_autocorrelation(claim, &values, &self.audit.thresholds));
    }

    /// Whether the ratios of a table all move the same small way. One row is one pair of arms at one
    /// load in one cell: its metrics are of the same runs.
    pub(super) fn check_table(&mut self) {
        let mut rows: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        let mut candidates: BTreeSet<&str> = BTreeSet::new();
        for claim in self.claims.iter().filter(|c| c.kind == ClaimKind::Relative) {
            let (Some(metric), Some(over)) = (claim.metric, &claim.baseline) else { continue };
            let ratio = self.estimate_of(claim).map(|estimate| estimate.ratio).or(claim.value);
            let faster = ratio.zip(metric.higher_is_better());
            let Some((ratio, higher)) = faster.filter(|(ratio, _)| *ratio > 0.0) else { continue };
            let of = claim.of.as_deref().unwrap_or_default();
            let key = format!("{of}\n{over}\n{:?}\n{:?}", claim.load, claim.cell);
            rows.entry(key).or_default().push(if higher { ratio } else { ratio.recip() });
            candidates.insert(of);
        }
        let about = match candidates.first() {
            Some(of) if candidates.len() == 1 && !of.is_empty() => Scope::default().with_run(*of),
            _ => Scope::default(),
        };
        let middle = |ratios: Vec<f64>| {
            let logs: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
            #[expect(clippy::cast_precision_loss, reason = "a handful of metrics")]
            let n = ratios.len() as f64;
            (logs / n).exp()
        };
        let rows: Vec<f64> = rows.into_values().map(middle).collect();
        self.outcomes.extend(check_one_direction(about, &rows, &self.audit.thresholds));
    }

    /// What the arms of a claim show.
    fn estimate_of(&self, claim: &Claim) -> Option<Estimate> {
        self.compared.iter().find(|c| c.claim == claim.id)?.estimate
    }

    /// The degraded states that host records find over the runs of two arms; `None` where no record
    /// reads any of them.
    fn degraded_states(&mut self, arms: (&[&BenchRun], &[&BenchRun])) -> Option<Vec<&'static str>> {
        let mut all: Option<BTreeSet<&'static str>> = None;
        for run in arms.0.iter().chain(arms.1) {
            if !self.degraded.contains_key(&run.label) {
                let states = self.degraded_states_of(run);
                self.degraded.insert(run.label.clone(), states);
            }
            if let Some(states) = self.degraded.get(&run.label).and_then(Option::as_ref) {
                all.get_or_insert_default().extend(states);
            }
        }
        all.map(|states| states.into_iter().collect())
    }

    fn degraded_states_of(&self, run: &BenchRun) -> Option<BTreeSet<&'static str>> {
        let (_, said) = check_host_records(&self.audit.hosts, run, &self.audit.thresholds);
        let mut states: Option<BTreeSet<&'static str>> = None;
        for outcome in said.iter().filter(|o| DEGRADED_STATES.contains(&o.code())) {
            match outcome {
                CheckOutcome::NotObserved { .. } => {}
                CheckOutcome::Found(finding) if finding.severity > Severity::Note => {
                    states.get_or_insert_default().insert(finding.code);
                }
                _ => drop(states.get_or_insert_default()),
            }
        }
        states
    }

    /// On which machine a run was made, after which start of it.
    fn site_of(&self, run: &BenchRun) -> Site {
        let record = first_over(&self.audit.hosts, &[run]);
        let known = |key: &str| {
            let by_record = || record.and_then(|record| record.conditions.get(key));
            run.conditions.get(key).or_else(by_record).map(str::to_owned)
        };
        Site::new(known("machine"), known("boot_id"))
    }

    /// The values of a metric by run, each in order of the requests' starts where all are known.
    fn by_run(&self, claim: &Claim, metric: Metric, runs: &[&'a BenchRun]) -> Vec<Vec<f64>> {
        let of = |run: &&'a BenchRun| {
            let mut requests: Vec<&RequestRecord> = Self::spoken_of(claim, &[*run]);
            let known = requests.iter().all(|r| r.started.is_known());
            let after = requests.iter().all(|r| r.sent_after.is_known());
            if known {
                requests.sort_by_key(|r| r.started.value());
            } else if after {
                requests.sort_by_key(|r| r.sent_after.value());
            }
            self.values(claim, &requests, metric)
        };
        runs.iter().map(of).filter(|values| !values.is_empty()).collect()
    }
}
