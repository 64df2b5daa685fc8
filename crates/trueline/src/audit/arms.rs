//! The two arms of a ratio: their runs, one value a run, what the values mean.

use std::collections::BTreeSet;

use trueline_baseline::comparison::RunValue;
use trueline_baseline::is_of_a_run;
use trueline_baseline::stats::{median, quantile};
use trueline_core::{
    BenchRun, By, Claim, Conditions, Figure, Known, Metric, RUN_CONDITIONS, RequestRecord, Role,
    Side, Statistic,
};

use super::Work;
use super::began::began;
use super::groups::Meant;
use super::shown::derived_figure;

/// One arm of a ratio.
pub(super) struct ArmOf<'a> {
    pub(super) runs: Vec<&'a BenchRun>,
    pub(super) requests: Vec<&'a RequestRecord>,
    /// One value a run.
    pub(super) values: Vec<RunValue>,
    /// Fewest samples of one run.
    pub(super) fewest: usize,
    /// What the values are: one figure for each meaning that they have.
    pub(super) figures: Vec<Figure>,
    /// Whether a tool states any of them.
    pub(super) is_stated: bool,
}

/// What two arms say of one quantity.
pub(super) struct Pair<'a> {
    /// The candidate.
    pub(super) ours: ArmOf<'a>,
    /// The baseline.
    pub(super) theirs: ArmOf<'a>,
    /// The statistic of a run's samples that is compared; `None` for what a run has one of.
    pub(super) statistic: Option<Statistic>,
}

/// The statistics that a comparison takes where nobody names one: what a run has one of, else the
/// median, else the mean.
const USUAL: [Option<Statistic>; 3] = [None, Some(Statistic::Median), Some(Statistic::Mean)];

/// What one run tells of a metric.
struct Told<'a> {
    run: &'a BenchRun,
    requests: Vec<&'a RequestRecord>,
    /// Derived from the requests, rising.
    derived: Vec<f64>,
    stated: bool,
}

/// One value of a run, with what it means and how many samples are behind it.
struct OfRun {
    value: f64,
    figure: Figure,
    behind: usize,
    stated: bool,
}

impl Told<'_> {
    /// The value of a statistic: as the tool states it, else as the requests give it.
    fn value(&self, metric: Metric, statistic: Option<Statistic>) -> Option<OfRun> {
        let stated = self.run.reported.figure(metric, statistic).filter(|_| self.stated);
        if let Some((figure, value)) = stated.and_then(|f| Some((f, f.value.value()?))) {
            let behind = self.run.completed().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
            return Some(OfRun { value, figure: figure.clone(), behind, stated: true });
        }
        let value = match statistic {
            // A run has one value of it, or none.
            None if !is_of_a_run(metric) => None,
            None => self.derived.first().copied(),
            Some(statistic) => statistic_of(&self.derived, statistic, metric),
        }?;
        let known = Known::is(value, By::Derived);
        let figure = derived_figure(self.run, metric, statistic, known, self.requests.len());
        Some(OfRun { value, figure, behind: self.derived.len(), stated: false })
    }
}

impl<'a> Work<'a> {
    /// Both arms of a relative claim with their values, or why there are none.
    pub(super) fn pair(&self, claim: &Claim, metric: Metric) -> Result<Pair<'a>, String> {
        let named = |name: &Option<String>| name.clone().unwrap_or_default();
        let (of, over) = (named(&claim.of), named(&claim.baseline));
        let (ours, theirs) = (self.told(claim, &of, metric), self.told(claim, &over, metric));
        let (ours, theirs) = match (ours, theirs) {
            (Ok(ours), Ok(theirs)) => (ours, theirs),
            (ours, theirs) => {
                let why: Vec<String> = [ours.err(), theirs.err()].into_iter().flatten().collect();
                return Err(why.join("; "));
            }
        };
        let all_have = |told: &[Told<'_>], statistic| {
            told.iter().all(|told| told.value(metric, statistic).is_some())
        };
        let asked = [claim.statistic];
        let may_be = if claim.statistic.is_some() { &asked[..] } else { &USUAL[..] };
        let both = may_be.iter().find(|s| all_have(&ours, **s) && all_have(&theirs, **s));
        let Some(statistic) = both.copied() else {
            let any = |told: &[Told<'_>]| may_be.iter().any(|s| all_have(told, *s));
            let what = claim.statistic.map_or(metric.to_string(), |s| format!("{metric}.{s}"));
            let without: Vec<String> = [(&of, any(&ours)), (&over, any(&theirs))]
                .iter()
                .filter(|(_, has)| !has)
                .map(|(name, _)| format!("no {what} of {name} here, or not of every run"))
                .collect();
            return Err(if without.is_empty() {
                format!("no statistic of {what} that both arms have")
            } else {
                without.join("; ")
            });
        };
        let (mut ours, mut theirs) = (arm(ours, metric, statistic), arm(theirs, metric, statistic));
        let runs: Vec<&BenchRun> = ours.runs.iter().chain(&theirs.runs).copied().collect();
        let values = ours.values.iter_mut().chain(&mut theirs.values);
        for (value, began) in values.zip(began(&runs)) {
            value.began = began;
        }
        Ok(Pair { ours, theirs, statistic })
    }

    /// What the runs of an arm tell, at the claim's load.
    fn told(&self, claim: &Claim, name: &str, metric: Metric) -> Result<Vec<Told<'a>>, String> {
        let runs = match self.meant(name, claim.load) {
            Meant::Runs(runs) => runs,
            Meant::SeveralLoads(_) => {
                return Err(format!("{name} was measured at several loads; name one"));
            }
            Meant::Nothing => {
                let elsewhere = !matches!(self.meant(name, None), Meant::Nothing);
                return Err(match claim.load.filter(|_| elsewhere) {
                    Some(load) => format!("{name} was not measured at {load}"),
                    None => format!("no measurement of {name} here"),
                });
            }
        };
        let tell = |run: &'a BenchRun| {
            let requests = Self::spoken_of(claim, &[run]);
            let mut derived = self.values(claim, &requests, metric);
            derived.sort_by(f64::total_cmp);
            Told { run, requests, derived, stated: claim.cell.is_none() }
        };
        Ok(runs.into_iter().map(tell).collect())
    }
}

/// An arm of runs that all have the statistic.
fn arm(told: Vec<Told<'_>>, metric: Metric, statistic: Option<Statistic>) -> ArmOf<'_> {
    let mut arm = ArmOf {
        runs: Vec::new(),
        requests: Vec::new(),
        values: Vec::new(),
        fewest: usize::MAX,
        figures: Vec::new(),
        is_stated: false,
    };
    for told in told {
        let Some(value) = told.value(metric, statistic) else { continue };
        arm.values.push(RunValue::untimed(value.value));
        arm.fewest = arm.fewest.min(value.behind);
        arm.is_stated |= value.stated;
        if !arm.figures.iter().any(|f| f.definition.means_same_as(&value.figure.definition)) {
            arm.figures.push(value.figure);
        }
        arm.runs.push(told.run);
        arm.requests.extend(told.requests);
    }
    arm
}

/// A statistic of one run's values.
fn statistic_of(sorted: &[f64], statistic: Statistic, metric: Metric) -> Option<f64> {
    match statistic {
        Statistic::Median => median(sorted),
        #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
        Statistic::Mean => {
            (!sorted.is_empty()).then(|| sorted.iter().sum::<f64>() / sorted.len() as f64)
        }
        Statistic::Quantile(q) => quantile(sorted, q.get()),
        Statistic::Best if metric.higher_is_better() == Some(false) => sorted.first().copied(),
        Statistic::Min => sorted.first().copied(),
        Statistic::Best | Statistic::Max => sorted.last().copied(),
        Statistic::Deviation => None,
    }
}

pub(super) fn side_of(request: &RequestRecord) -> Option<Side> {
    let span = request.any_ttft().or_else(|| request.any_e2e())?;
    Some(span.stretch.marks().2)
}

/// The conditions of an arm: those its runs share, and what the claim records besides; and where
/// they contradict each other. Two runs of one arm may well have other dates and labels.
pub(super) fn joint(arm: &ArmOf<'_>, claim: &Claim) -> (Conditions, Vec<String>) {
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
        let is_declared = RUN_CONDITIONS.iter().any(|c| c.name == key && c.role != Role::Context);
        let decides = is_declared || claim.conditions.get(key).is_some();
        if values.len() > 1 && decides {
            contradictions.push(format!("{name} stands for {key} {}", values.join(" and ")));
        }
        if known.len() == arm.runs.len() {
            joint.set(key, *first, By::Reported);
        }
    }
    (joint.with_missing_from(&claim.conditions), contradictions)
}
