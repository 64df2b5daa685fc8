//! Absolute claims on rates against the ceiling of what served them.

use std::collections::BTreeMap;

use trueline_baseline::metric_values;
use trueline_core::{
    BenchRun, Cell, Claim, ClaimKind, Each, Metric, Outcomes, RequestRecord, Scope,
};

use super::Work;
use super::groups::Meant;
use super::hosts::all_over;
use crate::ceiling::{Ceiling, Facts, Place, check_ceiling, is_bounded, not_observed, place_of};
use crate::given::GivenWhat;
use crate::judge::{Judged, Status};

impl Work<'_> {
    /// Holds each absolute claim on a prefill, decode or output rate against its ceiling.
    pub(super) fn check_ceilings(&mut self) {
        let mut all = Outcomes::default();
        let mut ceilings = Vec::new();
        for claim in &self.claims {
            let bounded = claim.metric.is_some_and(is_bounded);
            let is_judged = claim.kind == ClaimKind::Absolute && claim.value.is_some();
            if bounded && is_judged {
                let (said, ceiling) = match &claim.field {
                    Some(_) => self.check_field(claim),
                    None => self.check_one(claim),
                };
                all.extend(said);
                ceilings.extend(ceiling);
            }
        }
        self.outcomes.extend(all);
        self.ceilings = ceilings;
    }

    fn check_one(&self, claim: &Claim) -> (Outcomes, Option<Ceiling>) {
        let runs = match claim.of.as_ref().map(|of| self.meant(of, claim.load)) {
            Some(Meant::Runs(runs)) => runs,
            None if self.audit.runs.is_empty() => Vec::new(),
            // Which run it is about is not clear, or there is none of that name.
            _ => return (Outcomes::default(), None),
        };
        let mut about = Scope::of_claim(&claim.id);
        about.run = runs.first().map(|run| run.arm().to_owned());
        (about.metric, about.load) = (claim.metric, claim.load);
        let hosts = all_over(&self.audit.hosts, &runs);
        let of_runs = runs.first().map(|run| run.conditions.clone()).unwrap_or_default();
        let conditions = of_runs.with_missing_from(&claim.conditions);
        let given = self.audit.deployment.as_ref();
        let place = place_of(given, &conditions, &hosts, &self.models());
        if let Place::Lacking(need) = place {
            // Whoever states a ceiling does not ask for one.
            if self.audit.given.iter().any(|given| given.what == GivenWhat::Ceiling) {
                return (Outcomes::default(), None);
            }
            return (not_observed(need, &about), None);
        }
        let requests = Self::spoken_of(claim, &runs);
        let facts = Facts::of(&runs, &requests, claim.load);
        let each = is_of_one_request(claim, &runs, &requests);
        check_ceiling(claim, &about, &place, &facts, each, &self.audit.thresholds)
    }

    /// A claim that quotes a rate field of the log: of any request of its cells.
    fn check_field(&self, claim: &Claim) -> (Outcomes, Option<Ceiling>) {
        let Some(log) = &self.audit.log else { return (Outcomes::default(), None) };
        let mut about = Scope::of_claim(&claim.id).with_run(Claim::THE_LOG);
        about.metric = claim.metric;
        let conditions = log.conditions().clone().with_missing_from(&claim.conditions);
        let given = self.audit.deployment.as_ref();
        let place = place_of(given, &conditions, &[], &self.models());
        if matches!(place, Place::Lacking(_)) {
            return (Outcomes::default(), None);
        }
        let named = Scope { cell: claim.cell, ..Scope::default() };
        let cells = log.production().cells().map(|(cell, _)| cell);
        let meant = |cell: &Cell| Scope::default().with_cell(*cell).overlaps(&named);
        let facts = Facts::of_cells(&cells.filter(meant).collect::<Vec<Cell>>());
        check_ceiling(claim, &about, &place, &facts, true, &self.audit.thresholds)
    }

    /// The models that the runs name, each once.
    fn models(&self) -> Vec<&str> {
        let named = self.audit.runs.iter().filter_map(|run| run.conditions.get("model"));
        let mut by_name: BTreeMap<String, &str> = BTreeMap::new();
        for name in named {
            let last = name.trim().trim_end_matches('/').rsplit('/').next().unwrap_or(name);
            by_name.entry(last.to_lowercase()).or_insert(name);
        }
        by_name.into_values().collect()
    }

    /// Says of a claim that stands how much of its ceiling it reaches.
    pub(super) fn add_share_of_ceiling(&self, judged: &mut Judged) {
        if judged.status == Status::Revoked {
            return;
        }
        let of_claim = |ceiling: &&Ceiling| ceiling.claim == judged.claim.id;
        let share = self.ceilings.iter().find(of_claim).and_then(|ceiling| ceiling.share.clone());
        if let Some(share) = share {
            judged.measured = Some(match judged.measured.take() {
                Some(measured) => format!("{measured}; {share}"),
                None => share,
            });
        }
    }
}

/// Whether a claim's value is one of single requests, not a sum over those at once.
fn is_of_one_request(claim: &Claim, runs: &[&BenchRun], requests: &[&RequestRecord]) -> bool {
    let Some(metric) = claim.metric else { return false };
    if metric == Metric::TpotS
        || metric_values(requests, metric).is_some_and(|values| !values.is_empty())
    {
        return true;
    }
    let figures = runs.iter().flat_map(|run| run.reported.figures_of(metric));
    let mut figures = figures.map(|figure| figure.definition.each).peekable();
    // llama-bench decodes one sequence.
    let alone =
        |run: &&BenchRun| run.reported.tool.as_ref().is_some_and(|tool| tool.name == "llama-bench");
    let each = |each| matches!(each, Each::Request | Each::Chunk | Each::Token);
    figures.peek().is_some() && (runs.iter().all(alone) || figures.all(each))
}
