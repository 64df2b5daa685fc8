//! Whether different loads gave the same figures.

use std::collections::BTreeSet;

use trueline_core::{BenchRun, Finding, Need, Outcomes, Thresholds};

use super::checks::IDENTICAL_ACROSS_LEVELS;
use super::curve::{arm_of, curves};
use super::exact::{Exact, agreement, listed, measurements, sharing};
use crate::conclusion::conclude;
use crate::form::Form;
use crate::stats::count;

/// Checks that no two loads share their measured times and rates to the last digit.
///
/// # Formula
/// Two runs at different loads agree in at least two measurements, each in a figure of at least four
/// digits (all rates over the duration are one measurement); or one measurement agrees at all of
/// three or more levels. A figure of fewer digits says nothing.
pub(super) fn check_identical(runs: &[&BenchRun], thresholds: &Thresholds) -> Outcomes {
    let check = &IDENTICAL_ACROSS_LEVELS;
    let about = arm_of(runs);
    let mut outcomes = Outcomes::default();
    let digits = thresholds.get(check, "digits");
    let wanted = thresholds.get(check, "metrics");
    let mut compared = false;
    for curve in curves(runs) {
        let all: Vec<(usize, &BenchRun)> = curve
            .iter()
            .enumerate()
            .flat_map(|(i, level)| level.runs.iter().map(move |run| (i, *run)))
            .collect();
        let figures: Vec<Vec<Exact>> = all.iter().map(|(_, run)| measurements(run)).collect();
        let told = all.iter().zip(&figures).filter(|(_, own)| !own.is_empty());
        compared |= told.map(|((level, _), _)| *level).collect::<BTreeSet<_>>().len() > 1;
        for (a, b) in sharing(&figures, digits) {
            let at = |n: usize| Some((all.get(n)?, figures.get(n)?));
            let (Some(((level, run), own)), Some(((other_level, other), others))) = (at(a), at(b))
            else {
                continue;
            };
            if level == other_level {
                continue;
            }
            let same = agreement(own, others, digits).families;
            if count(same.len()) >= wanted {
                let (Some(a), Some(b)) = (run.plan.load, other.plan.load) else { continue };
                let names: Vec<String> = same.iter().map(ToString::to_string).collect();
                let message = format!("{} are equal at {a} and {b}", listed(&names));
                outcomes.found(
                    Finding::new(check, about, message)
                        .with("form", Form::Aggregate)
                        .with("runs", vec![run.label.clone(), other.label.clone()])
                        .with("equal", names),
                );
                return outcomes;
            }
        }
        let first = all.first().zip(figures.first()).filter(|_| curve.len() >= 3);
        let Some(((_, first), own)) = first else { continue };
        // One measurement that agrees at every level with the first.
        let same = all
            .iter()
            .zip(&figures)
            .filter(|((level, _), _)| *level > 0)
            .map(|(_, others)| agreement(own, others, digits).families)
            .reduce(|a, b| a.intersection(&b).copied().collect());
        if let Some(name) = same.and_then(|same| same.first().copied()) {
            let message = format!("{name} is equal at all {} loads", curve.len());
            outcomes.found(
                Finding::new(check, about, message)
                    .with("form", Form::Aggregate)
                    .with("levels", curve.len())
                    .with("runs", vec![first.label.clone()])
                    .with("equal", vec![name.to_owned()]),
            );
            return outcomes;
        }
    }
    conclude(check, about, Vec::new(), (!compared).then_some(Need::ThreeLevels))
}

#[cfg(test)]
mod tests {
    use trueline_core::{CheckOutcome, Load};

    use super::super::curve::made::*;
    use super::*;

    /// `None` where the check could not run.
    fn found(runs: &[BenchRun]) -> Option<bool> {
        let outcomes = check_identical(&refs(runs), &Thresholds::default());
        match outcomes.iter().next() {
            Some(CheckOutcome::NotObserved { .. }) => None,
            _ => Some(outcomes.has("identical-across-levels")),
        }
    }

    fn level(n: u32, ttft: f64, tpot: f64, rate: f64) -> BenchRun {
        let figures = [("ttft_s.median", ttft), ("tpot_s.mean", tpot), ("output_tok_per_s", rate)];
        run(&format!("c{n}"), Load::Concurrency(n), &figures)
    }

    #[test]
    fn two_measurements_equal_at_two_loads_are_one_result_stored_twice() {
        let first = level(1, 0.186_175, 0.011_469_8, 53.1008);
        let copy = level(2, 0.186_175, 0.011_469_8, 75.2405);
        assert_eq!(found(&[first.clone(), copy]), Some(true));
        // One alone may be chance.
        let like = level(2, 0.186_175, 0.024_407_4, 75.2405);
        assert_eq!(found(&[first.clone(), like]), Some(false));
        // Two figures of three digits each say nothing.
        let coarse = |n, rate| level(n, 0.186, 0.0115, rate);
        assert_eq!(found(&[coarse(1, 53.1008), coarse(2, 75.2405)]), Some(false));
    }

    #[test]
    fn rates_over_one_duration_are_one_measurement() {
        let rates = |n, tpot| {
            let rates = [("output_tok_per_s", 75.2405), ("request_per_s", 3.25952)];
            let mut run = run(&format!("c{n}"), Load::Concurrency(n), &rates);
            run.reported.figures.extend(level(n, 0.1, tpot, 1.0).reported.figures.get(1).cloned());
            run
        };
        assert_eq!(found(&[rates(1, 0.011_469_8), rates(2, 0.024_407_4)]), Some(false));
        let same: Vec<BenchRun> = [1, 2, 4].map(|n| rates(n, 0.01 * f64::from(n))).to_vec();
        assert_eq!(found(&same), Some(true));
    }

    #[test]
    fn equal_token_counts_are_the_plan_and_repetitions_at_one_load_are_not_compared() {
        let tokens = [("output_tokens.mean", 23.083_333), ("prompt_tokens.mean", 94.416_667)];
        let runs = [1, 2, 4].map(|n| run("t", Load::Concurrency(n), &tokens));
        assert_eq!(found(&runs), None);
        let twice = [level(1, 0.186_175, 0.011_469_8, 53.1008); 1];
        assert_eq!(found(&[twice[0].clone(), twice[0].clone()]), None);
    }
}
