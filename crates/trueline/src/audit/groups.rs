//! Runs of one arm at one load: what the checks look at together.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::Path;

use trueline_baseline::{is_of_a_run, metric_values};
use trueline_core::{BenchRun, CellScope, Claim, Load, Metric, RequestRecord, Scope, Tokens};

use super::Work;

/// The runs of one arm at one load.
#[derive(Debug, Clone)]
pub(super) struct Group<'a> {
    /// What its findings are about.
    pub(super) about: Scope,
    /// The runs, in the order given.
    pub(super) runs: Vec<&'a BenchRun>,
}

impl<'a> Group<'a> {
    /// The arm.
    pub(super) fn arm(&self) -> &'a str {
        self.runs.first().map_or("", |run| run.arm())
    }

    /// The load.
    pub(super) fn load(&self) -> Option<Load> {
        self.about.load
    }

    /// The measured requests of all its runs, in their order.
    pub(super) fn requests(&self) -> Vec<&'a RequestRecord> {
        self.runs.iter().flat_map(|run| run.measured()).collect()
    }
}

/// All groups, by arm, then by load.
pub(super) fn groups(runs: &[BenchRun]) -> Vec<Group<'_>> {
    let mut by_key: BTreeMap<(String, String), Group<'_>> = BTreeMap::new();
    for run in runs {
        let load = run.plan.load.map_or(String::new(), |load| load.to_string());
        by_key
            .entry((run.arm().to_owned(), load))
            .or_insert_with(|| Group { about: Scope::of_run(run), runs: Vec::new() })
            .runs
            .push(run);
    }
    by_key.into_values().collect()
}

/// The names by which claims mean runs, each with the places of its runs in their order.
#[derive(Debug, Clone, Default)]
pub(super) struct Names(BTreeMap<String, Vec<usize>>);

impl Names {
    /// The names of some runs: arm, label, file name and file name without its ending.
    pub(super) fn new(runs: &[BenchRun]) -> Self {
        let mut names: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, run) in runs.iter().enumerate() {
            let file = run.source.as_deref().map(Path::new);
            let part = |part: Option<&OsStr>| part.and_then(OsStr::to_str).map(str::to_owned);
            let of_file = [file.map(Path::file_name), file.map(Path::file_stem)];
            let of_file = of_file.into_iter().flatten().filter_map(part);
            let own = [run.arm().to_owned(), run.label.clone()];
            for name in own.into_iter().chain(of_file).collect::<BTreeSet<_>>() {
                names.entry(name).or_default().push(at);
            }
        }
        // What is called like an arm and is of another one is no run of it.
        let is_of = |name: &str, at: usize| runs.get(at).is_some_and(|run| run.arm() == name);
        for (name, places) in &mut names {
            if places.iter().any(|at| is_of(name, *at)) {
                places.retain(|at| is_of(name, *at));
            }
        }
        Self(names)
    }

    fn of(&self, name: &str) -> &[usize] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }
}

/// Which runs a claim means by a name.
#[derive(Debug, Clone)]
pub(super) enum Meant<'a> {
    /// These, all at one load.
    Runs(Vec<&'a BenchRun>),
    /// Runs at several loads, of which the claim names none.
    SeveralLoads(Vec<Load>),
    /// None of that name.
    Nothing,
}

impl<'a> Work<'a> {
    /// The runs that a claim means by an arm, a label or a file name, at its load if it names one.
    pub(super) fn meant(&self, name: &str, load: Option<Load>) -> Meant<'a> {
        let runs = &self.audit.runs;
        let all: Vec<&BenchRun> =
            self.names.of(name).iter().filter_map(|at| runs.get(*at)).collect();
        let at_load: Vec<&BenchRun> = all
            .iter()
            .copied()
            .filter(|run| load.is_none_or(|load| run.plan.load == Some(load)))
            .collect();
        let mut loads: Vec<Load> = at_load.iter().filter_map(|run| run.plan.load).collect();
        loads.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        loads.dedup();
        let some_silent = at_load.iter().any(|run| run.plan.load.is_none());
        match (at_load.is_empty(), loads.len() + usize::from(some_silent)) {
            (true, _) => Meant::Nothing,
            (false, 0 | 1) => Meant::Runs(at_load),
            (false, _) => Meant::SeveralLoads(loads),
        }
    }

    /// The measured requests of some runs that a claim speaks of: those in its cell.
    pub(super) fn spoken_of(claim: &Claim, runs: &[&'a BenchRun]) -> Vec<&'a RequestRecord> {
        runs.iter()
            .flat_map(|run| run.measured())
            .filter(|request| claim.cell.is_none_or(|cell| lies_in(request, cell)))
            .collect()
    }

    /// The values of a metric over some requests, by the rule that short prompts enter no prefill
    /// rate. A cell leaves no value of a whole run.
    pub(super) fn values(
        &self,
        claim: &Claim,
        requests: &[&RequestRecord],
        metric: Metric,
    ) -> Vec<f64> {
        if claim.cell.is_some() && is_of_a_run(metric) {
            return Vec::new();
        }
        values_of(requests, metric, self.audit.reading.min_new_tokens())
    }
}

/// The values of a metric; prefill rates only of requests with enough new tokens to mean one.
pub(crate) fn values_of(
    requests: &[&RequestRecord],
    metric: Metric,
    min_new_tokens: Tokens,
) -> Vec<f64> {
    let rated = |r: &&RequestRecord| {
        metric != Metric::PrefillTokPerS
            || r.new_tokens().value().is_some_and(|new| new >= min_new_tokens)
    };
    let rated: Vec<&RequestRecord> = requests.iter().copied().filter(rated).collect();
    metric_values(&rated, metric).unwrap_or_default()
}

/// Whether a request lies in a part of the requests; not if its place is not known.
fn lies_in(request: &RequestRecord, part: CellScope) -> bool {
    let in_bucket = request.tokens.prompt.value().is_some_and(|p| part.bucket.holds(p));
    let in_band = part.hit.is_none_or(|band| {
        request.hit_share().value().is_some_and(|hit| {
            let points = hit.get() * 10_000.0;
            points >= f64::from(band.low) && (points < f64::from(band.high) || band.high == 10_000)
        })
    });
    in_bucket && in_band
}
