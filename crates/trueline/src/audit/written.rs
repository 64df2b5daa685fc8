//! The checks on runs themselves, whoever wrote them down, and the evidence that checks leave.

use std::collections::BTreeMap;

use trueline_baseline::{
    check_arithmetic, check_client_account, check_levels, check_load_shape, check_saturation,
    check_server_counts,
};
use trueline_core::number::things;
use trueline_core::{BenchRun, CheckOutcome, Claim, ClaimKind, Need, Outcomes, Scope, Side};
use trueline_logs::Part;

use super::Work;
use super::groups::{Group, Meant};

/// Checks that are evidence of something where they ran and found nothing.
const SHOWN_BY: &[(&str, Need)] = &[
    ("burst-delivery", Need::Streamed),
    ("chunks-are-not-tokens", Need::TokensCounted),
    ("client-bound", Need::ClientNotBound),
    ("saturation-not-reached", Need::Saturation),
    ("warm-between-levels", Need::CacheState),
];

impl Work<'_> {
    /// Checks each run of a group: do its numbers hold together, was it long and steady enough. Of a run in
    /// our own lines, what its client says of itself.
    pub(super) fn check_numbers(&mut self, group: &Group<'_>) {
        let thresholds = &self.audit.thresholds;
        let mut said = Outcomes::default();
        for run in &group.runs {
            if self.is_written(run) {
                said.extend_new(check_arithmetic(run, thresholds));
                said.extend_new(check_load_shape(run, thresholds));
            } else {
                said.extend_new(check_client_account(run));
            }
        }
        self.outcomes.extend(said);
    }

    /// Checks the runs of each arm against one another: levels of a sweep, repetitions of a level.
    pub(super) fn check_sweeps(&mut self) {
        let mut arms: BTreeMap<&str, Vec<&BenchRun>> = BTreeMap::new();
        for run in self.audit.runs.iter().filter(|run| self.is_written(run)) {
            arms.entry(run.arm()).or_default().push(run);
        }
        for (arm, runs) in arms {
            self.outcomes.extend(check_levels(&runs, &self.audit.thresholds));
            self.note_levels(arm, &runs);
        }
        self.check_server_runs();
        let capacities: Vec<Claim> =
            self.claims.iter().filter(|c| c.kind == ClaimKind::Capacity).cloned().collect();
        for claim in capacities {
            // Saturation is a matter of all levels, whichever the claim names.
            let runs = claim.of.as_ref().map(|of| self.all_levels(of)).unwrap_or_default();
            self.outcomes.extend(check_saturation(&claim, &runs, &self.audit.thresholds));
        }
    }

    /// Holds what a server counted over a run against what the benchmark sent, where a tool wrote both
    /// into one folder.
    fn check_server_runs(&mut self) {
        let written = |run: &BenchRun| {
            self.audit.written.iter().find(|written| written.run.label == run.label)
        };
        let tool = |run: &BenchRun| run.reported.tool.as_ref().map(|tool| tool.name.clone());
        let folder = |run: &BenchRun| {
            let source = run.source.as_deref().map(std::path::Path::new);
            source.and_then(std::path::Path::parent).map(std::path::Path::to_path_buf)
        };
        let mut said = Outcomes::default();
        for server in self.audit.runs.iter().filter(|run| run.side == Side::Server) {
            let beside: Vec<&BenchRun> = self
                .audit
                .runs
                .iter()
                .filter(|run| run.side == Side::Client && self.is_written(run))
                .filter(|run| tool(run) == tool(server) && folder(run) == folder(server))
                .collect();
            // The sum over all stages where there is one, else all that is there.
            let is_sum = |run: &&BenchRun| written(run).is_some_and(|w| w.part == Part::Sum);
            let sum = beside.iter().copied().find(is_sum);
            let whole: Vec<&BenchRun> = sum.map_or_else(|| beside.clone(), |sum| vec![sum]);
            let sent: Option<u64> = whole
                .iter()
                .map(|run| Some(run.completed()? + run.failures().unwrap_or(0) as u64))
                .sum();
            let sent = sent.filter(|_| !whole.is_empty());
            for run in &beside {
                let about = Scope::of_run(run);
                let counted = server.completed();
                said.extend_new(check_server_counts(about, sent, counted, &self.audit.thresholds));
            }
        }
        self.outcomes.extend(said);
    }

    /// Whether a tool wrote a run down: one in our own lines that no result set brought is judged by
    /// what its owner claims of its requests.
    fn is_written(&self, run: &BenchRun) -> bool {
        let says_of_itself = run.conditions.get("client_bottleneck").is_some();
        says_of_itself || self.audit.written.iter().any(|written| written.run.label == run.label)
    }

    /// The runs of an arm at every load.
    fn all_levels(&self, name: &str) -> Vec<&BenchRun> {
        let arm = match self.meant(name, None) {
            Meant::Runs(runs) => runs.first().map(|run| run.arm()),
            Meant::SeveralLoads(_) => Some(name),
            Meant::Nothing => None,
        };
        let is_of = |run: &&BenchRun| arm.is_some_and(|arm| run.arm() == arm || run.label == arm);
        self.audit.runs.iter().filter(is_of).collect()
    }

    /// Notes which levels an arm has: three, and five waves at each.
    fn note_levels(&mut self, arm: &str, runs: &[&BenchRun]) {
        let mut loads: Vec<String> =
            runs.iter().filter_map(|run| Some(run.plan.load?.to_string())).collect();
        loads.sort();
        loads.dedup();
        let about = || Scope::default().with_run(arm);
        if loads.len() >= 3 {
            self.evidence.met(Need::ThreeLevels, about());
        } else {
            let detail = format!("{} of {arm}; a trend needs 3", things(loads.len(), "level"));
            self.evidence.lacking(Need::ThreeLevels, about(), detail);
        }
        let waves = |run: &&&BenchRun| {
            let scope = Scope::of_run(run);
            self.outcomes.iter().any(|outcome| {
                matches!(outcome, CheckOutcome::Clear { code: "too-few-waves", about } if *about == scope)
            })
        };
        if runs.iter().filter(waves).count() == runs.len() {
            self.evidence.met(Need::FiveWaves, about());
        }
    }

    /// Notes the evidence that checks leave behind them.
    pub(super) fn note_evidence(&mut self) {
        let shown: Vec<(Need, Scope)> = self
            .outcomes
            .iter()
            .filter_map(|outcome| match outcome {
                CheckOutcome::Clear { code, about } => {
                    let (_, need) = SHOWN_BY.iter().find(|(shows, _)| shows == code)?;
                    Some((*need, about.clone()))
                }
                _ => None,
            })
            .collect();
        for (need, about) in shown {
            self.evidence.met(need, about);
        }
    }
}
