//! The two arms of a ratio: their runs, their values, their conditions.

use std::collections::BTreeSet;

use trueline_baseline::stats::{median, quantile};
use trueline_core::{
    BenchRun, By, Claim, Conditions, Figure, Metric, RequestRecord, Side, Statistic,
};

use super::Work;
use super::groups::Meant;
use crate::claims::headline;

/// One arm of a ratio.
pub(super) struct ArmOf<'a> {
    pub(super) runs: Vec<&'a BenchRun>,
    pub(super) requests: Vec<&'a RequestRecord>,
    /// One value a run.
    pub(super) values: Vec<f64>,
    /// Fewest samples of one run.
    pub(super) fewest: usize,
    /// What the tool states, where the values are its figures.
    pub(super) figure: Option<&'a Figure>,
}

/// The figure of a run that a ratio is made of: of the statistic that the claim names, else the one
/// that a reader would quote. None for a part of the requests.
fn stated_of<'a>(run: &'a BenchRun, claim: &Claim, metric: Metric) -> Option<&'a Figure> {
    match claim.statistic {
        _ if claim.cell.is_some() => None,
        Some(_) => run.reported.figure(metric, claim.statistic),
        None => headline(&run.reported.figures, metric),
    }
}

/// How many requests stand behind a run's figures.
fn behind(run: &BenchRun) -> usize {
    run.completed().and_then(|n| usize::try_from(n).ok()).unwrap_or(0)
}

impl<'a> Work<'a> {
    /// The runs of an arm with their values, or why there are none.
    pub(super) fn arm(
        &self,
        claim: &Claim,
        name: &str,
        metric: Metric,
    ) -> Result<ArmOf<'a>, String> {
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
            figure: None,
        };
        for run in runs {
            if let Some(figure) = stated_of(run, claim, metric) {
                arm.values.extend(figure.value.value());
                arm.fewest = arm.fewest.min(behind(run));
                arm.requests.extend(run.measured());
                arm.figure = Some(figure);
                continue;
            }
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

pub(super) fn side_of(request: &RequestRecord) -> Option<Side> {
    let span = request.any_ttft().or_else(|| request.any_e2e())?;
    Some(span.stretch.marks().2)
}

/// The conditions of an arm: those its runs share, and what the claim records besides; and where
/// they contradict each other.
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
        if values.len() > 1 {
            contradictions.push(format!("{name} stands for {key} {}", values.join(" and ")));
        }
        if known.len() == arm.runs.len() {
            joint.set(key, *first, By::Reported);
        }
    }
    (joint.with_missing_from(&claim.conditions), contradictions)
}
