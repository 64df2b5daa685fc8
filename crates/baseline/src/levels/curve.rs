//! Runs in the order of their load.

use trueline_core::{BenchRun, Each, Load, Metric, Scope, Statistic};

use crate::samples::{is_of_a_run, median_over};
use crate::stats::median_of;

/// The runs at one load.
#[derive(Debug, Clone)]
pub(super) struct Level<'a> {
    /// The load.
    pub(super) load: Load,
    /// Slots or requests a second.
    pub(super) size: f64,
    /// The runs, in the order in which they were given.
    pub(super) runs: Vec<&'a BenchRun>,
}

/// The levels of some runs in rising order of load: those of slots and those of rates apart. Runs
/// whose load nobody states are left out.
pub(super) fn curves<'a>(runs: &[&'a BenchRun]) -> Vec<Vec<Level<'a>>> {
    let (mut slots, mut rates): (Vec<Level<'a>>, Vec<Level<'a>>) = (Vec::new(), Vec::new());
    for run in runs {
        let capped = run.plan.max_concurrency.map(Load::Concurrency);
        let Some(load) = run.plan.load.or(capped) else { continue };
        let (curve, size) = match load {
            Load::Concurrency(n) => (&mut slots, f64::from(n)),
            Load::Rate(rate) => (&mut rates, rate),
        };
        match curve.iter_mut().find(|level| level.load == load) {
            Some(level) => level.runs.push(run),
            None => curve.push(Level { load, size, runs: vec![run] }),
        }
    }
    let mut curves = vec![slots, rates];
    curves.retain(|curve| !curve.is_empty());
    for curve in &mut curves {
        curve.sort_by(|a, b| a.size.total_cmp(&b.size));
    }
    curves
}

/// What a finding about all of some runs is about: their arm.
pub(super) fn arm_of(runs: &[&BenchRun]) -> Scope {
    runs.first().map_or_else(Scope::default, |run| Scope::default().with_run(run.arm()))
}

/// A value with half of the step in which it is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stepped {
    /// The value.
    pub(super) value: f64,
    /// By how much rounding may have moved it.
    pub(super) half_step: f64,
}

/// A run's value of a metric: of a rate the rate, of a time its median, else its mean. As the tool
/// states it, else from the requests.
pub(super) fn value_of(run: &BenchRun, metric: Metric) -> Option<Stepped> {
    let statistics: &[Option<Statistic>] = if is_of_a_run(metric) {
        &[None, Some(Statistic::Mean)]
    } else {
        &[Some(Statistic::Median), Some(Statistic::Mean)]
    };
    let stated = statistics.iter().find_map(|statistic| {
        let figure = run.reported.figure(metric, *statistic)?;
        let value = figure.value.value().filter(|_| figure.definition.each != Each::Slice)?;
        Some(Stepped { value, half_step: figure.step / 2.0 })
    });
    stated.or_else(|| Some(Stepped { value: median_over(run, metric)?, half_step: 0.0 }))
}

/// The metric by which throughput is judged, and its median at each level: the first that every
/// level has.
pub(super) fn throughput(curve: &[Level<'_>]) -> Option<(Metric, Vec<f64>)> {
    [Metric::OutputTokPerS, Metric::TotalTokPerS, Metric::RequestPerS]
        .into_iter()
        .find_map(|metric| Some((metric, at_levels(curve, metric)?)))
}

/// The median of a metric over the runs of each level; `None` where a level has no value.
pub(super) fn at_levels(curve: &[Level<'_>], metric: Metric) -> Option<Vec<f64>> {
    curve.iter().map(|level| of_level(level, |run| Some(value_of(run, metric)?.value))).collect()
}

/// The median over the runs of a level of what they have.
pub(super) fn of_level(level: &Level<'_>, of: impl Fn(&BenchRun) -> Option<f64>) -> Option<f64> {
    median_of(level.runs.iter().filter_map(|run| of(run)).collect())
}

/// Runs made up for the tests of this folder.
#[cfg(test)]
pub(super) mod made {
    use trueline_core::{By, Definition, Figure, Known, Mark, Plan, Side, Total};

    use super::*;

    /// A run without requests at a load, with figures such as `("ttft_s.median", 0.186)`.
    pub(crate) fn run(label: &str, load: Load, figures: &[(&str, f64)]) -> BenchRun {
        let mut plan = Plan::default();
        plan.load = Some(load);
        let mut run =
            BenchRun::new(label, Side::Client, Vec::new()).with_arm("arm").with_plan(plan);
        for (name, value) in figures {
            let (metric, statistic) = match name.split_once('.') {
                Some((metric, statistic)) => (metric, Some(statistic.parse().unwrap())),
                None => (*name, None),
            };
            let metric = Metric::parse_with_unit(metric).unwrap().0;
            let meaning = Definition::new(Mark::Sent, Mark::LastToken, Side::Client);
            let value = Known::is(*value, By::Reported);
            run.reported.figures.push(Figure::new(metric, statistic, value, meaning, *name));
        }
        run
    }

    /// The same with totals.
    pub(crate) fn with_totals(mut run: BenchRun, totals: &[(Total, u64)]) -> BenchRun {
        for (total, n) in totals {
            run.reported.set_total(*total, Known::is(*n, By::Reported), "total");
        }
        run
    }

    /// Runs at concurrencies with one figure each.
    pub(crate) fn sweep(name: &str, levels: &[(u32, f64)]) -> Vec<BenchRun> {
        levels
            .iter()
            .map(|(n, value)| run(&format!("c{n}"), Load::Concurrency(*n), &[(name, *value)]))
            .collect()
    }

    pub(crate) fn refs(runs: &[BenchRun]) -> Vec<&BenchRun> {
        runs.iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::made::*;
    use super::*;

    #[test]
    fn levels_stand_in_order_of_load_with_rates_apart() {
        let mut runs = sweep("output_tok_per_s", &[(8, 3.0), (1, 1.0), (8, 5.0), (2, 2.0)]);
        runs.push(run("r", Load::Rate(0.5), &[]));
        let mut unknown = run("u", Load::Rate(0.5), &[]);
        unknown.plan.load = None;
        runs.push(unknown);
        let runs = refs(&runs);
        let curves = curves(&runs);
        assert_eq!(curves.len(), 2);
        let sizes: Vec<f64> = curves[0].iter().map(|level| level.size).collect();
        assert_eq!(sizes, [1.0, 2.0, 8.0]);
        // The two runs at 8 have the median 4.
        assert_eq!(throughput(&curves[0]).unwrap().1, [1.0, 2.0, 4.0]);
        assert_eq!(throughput(&curves[1]), None);
    }
}
