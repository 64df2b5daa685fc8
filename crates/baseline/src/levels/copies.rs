//! Whether runs are copies of each other, judged by their figures.

use std::collections::{BTreeMap, BTreeSet};

use trueline_core::{BenchRun, Finding, Need, Outcomes, Scope, Thresholds};

use super::checks::ZERO_SPREAD;
use super::curve::{arm_of, curves};
use super::exact::{Exact, agreement, listed, measurements, sharing};
use crate::checks::DUPLICATE_RUN;
use crate::form::Form;
use crate::stats::count;

/// So many figures that are equal in full are no chance.
const FULL_FIGURES: usize = 4;

/// Fewer digits do not show that a figure is written in full.
const FULL_DIGITS: f64 = 5.0;

/// So many figures of a console that are equal as far as they are written are none either, of as
/// many measurements as are named below: a whole console has about twenty, of five.
const ROUNDED_FIGURES: usize = 10;

/// Of so many measurements.
const ROUNDED_FAMILIES: usize = 3;

/// In so many digits each.
const ROUNDED_DIGITS: f64 = 4.0;

/// Checks that no two runs of different labels state the same figures.
///
/// # Formula
/// All times and rates that both state are equal, at least four of them written in full to five
/// digits or more; or ten of three measurements, written in steps to four digits or more, as two
/// copies of a console are.
///
/// # Shape
/// `runs` are those of any arms at any loads. Runs whose requests are recorded on both sides are left
/// to [`crate::check_duplicate_runs`]. A finding is about each arm and load under which a copy
/// stands: it cannot be told which one was measured. Where nothing is found the one outcome is about
/// the first run's arm; there is none where every run has requests.
pub fn check_copied_figures(runs: &[&BenchRun]) -> Outcomes {
    let check = &DUPLICATE_RUN;
    let about = arm_of(runs);
    let mut outcomes = Outcomes::default();
    let figures: Vec<Vec<Exact>> = runs
        .iter()
        .map(|run| if run.reported.states_results() { measurements(run) } else { Vec::new() })
        .collect();
    // The copies of each run that is none itself, with how many figures are equal.
    let mut copies: BTreeMap<usize, (Vec<usize>, usize)> = BTreeMap::new();
    let mut told: BTreeSet<usize> = BTreeSet::new();
    for (a, b) in sharing(&figures, ROUNDED_DIGITS) {
        let at = |n: usize| Some((*runs.get(n)?, figures.get(n)?));
        let (Some((run, own)), Some((other, others))) = (at(a), at(b)) else { continue };
        let recorded = !run.requests.is_empty() && !other.requests.is_empty();
        if run.label == other.label || recorded || told.contains(&b) {
            continue;
        }
        if let Some(equal) = equal_figures(own, others) {
            told.insert(b);
            let (list, least) = copies.entry(a).or_insert((vec![a], usize::MAX));
            list.push(b);
            *least = equal.min(*least);
        }
    }
    for (list, equal) in copies.into_values() {
        let of: Vec<&BenchRun> = list.iter().filter_map(|n| runs.get(*n).copied()).collect();
        find_copies(&of, equal, &mut outcomes);
    }
    if outcomes.findings().count() > 0 {
        return outcomes;
    }
    let stating = runs.iter().zip(&figures).filter(|(_, own)| !own.is_empty());
    let stating: Vec<&BenchRun> = stating.map(|(run, _)| *run).collect();
    let labels: BTreeSet<&str> = stating.iter().map(|run| run.label.as_str()).collect();
    if labels.len() > 1 && stating.iter().any(|run| run.requests.is_empty()) {
        outcomes.clear(check, about);
    } else if runs.iter().any(|run| run.requests.is_empty()) {
        outcomes.not_observed(check, Need::Repetitions, about);
    }
    outcomes
}

/// How many figures two runs have in common, where all that both state are equal and that is no
/// chance.
fn equal_figures(a: &[Exact], b: &[Exact]) -> Option<usize> {
    let full = agreement(a, b, FULL_DIGITS);
    if full.different > 0 {
        return None;
    }
    if full.full >= FULL_FIGURES {
        return Some(full.full);
    }
    let rounded = agreement(a, b, ROUNDED_DIGITS);
    (rounded.equal >= ROUNDED_FIGURES && rounded.families.len() >= ROUNDED_FAMILIES)
        .then_some(rounded.equal)
}

/// One finding for each arm and load under which a copy stands.
fn find_copies(copies: &[&BenchRun], equal: usize, outcomes: &mut Outcomes) {
    let labels: Vec<String> = copies.iter().map(|run| run.label.clone()).collect();
    let many = match copies.len() {
        2 => "two runs".to_owned(),
        n => format!("{n} runs"),
    };
    let message =
        format!("{many} state the same {equal} figures to the last digit: {}", listed(&labels));
    let mut scopes: Vec<Scope> = Vec::new();
    for about in copies.iter().map(|run| Scope::of_run(run)) {
        if !scopes.contains(&about) {
            scopes.push(about);
        }
    }
    for about in scopes {
        outcomes.found(
            Finding::new(&DUPLICATE_RUN, about, message.clone())
                .with("form", Form::Aggregate)
                .with("runs", labels.clone())
                .with("equal_figures", equal),
        );
    }
}

/// Checks that three or more repetitions at one load do not agree in every figure.
pub(super) fn check_zero_spread(runs: &[&BenchRun], thresholds: &Thresholds) -> Outcomes {
    let check = &ZERO_SPREAD;
    let mut outcomes = Outcomes::default();
    let enough = |n: usize| count(n) >= thresholds.get(check, "runs");
    for level in curves(runs).into_iter().flatten().filter(|level| enough(level.runs.len())) {
        let about = arm_of(runs).with_load(level.load);
        let figures: Vec<_> = level.runs.iter().map(|run| measurements(run)).collect();
        let Some((first, others)) = figures.split_first() else { continue };
        let digits = thresholds.get(check, "digits");
        let agreements: Vec<_> =
            others.iter().map(|other| agreement(first, other, digits)).collect();
        let copies = agreements.iter().all(|a| a.different == 0 && a.families.len() >= 2);
        if first.is_empty() || others.iter().any(Vec::is_empty) {
            outcomes.not_observed(check, Need::Samples, about);
        } else if copies {
            let message =
                format!("{} repetitions at {} agree in every figure", figures.len(), level.load);
            outcomes.found(
                Finding::new(check, about, message)
                    .with("form", Form::Aggregate)
                    .with("runs", level.runs.iter().map(|r| r.label.clone()).collect::<Vec<_>>()),
            );
        } else {
            outcomes.clear(check, about);
        }
    }
    if outcomes.iter().count() == 0 {
        outcomes.not_observed(check, Need::Repetitions, arm_of(runs));
    }
    outcomes
}

#[cfg(test)]
mod tests {
    use trueline_core::{CheckOutcome, Load};

    use super::super::curve::made::*;
    use super::*;

    fn full(label: &str, ttft: f64) -> BenchRun {
        let figures = [
            ("ttft_s.mean", ttft),
            ("ttft_s.median", 0.059_896_447),
            ("tpot_s.mean", 0.024_407_358),
            ("e2e_latency_s.mean", 0.600_429_867),
            ("output_tok_per_s", 75.240_508_8),
        ];
        run(label, Load::Concurrency(2), &figures)
    }

    /// `None` where the check could not run.
    fn found(outcomes: &Outcomes) -> Option<bool> {
        match outcomes.iter().next() {
            Some(CheckOutcome::NotObserved { .. }) => None,
            _ => Some(outcomes.findings().count() > 0),
        }
    }

    #[test]
    fn a_copy_under_another_label_is_found_by_its_figures() {
        let copied = |runs: &[BenchRun]| found(&check_copied_figures(&refs(runs)));
        assert_eq!(copied(&[full("a", 0.060_816_21), full("b", 0.060_816_21)]), Some(true));
        assert_eq!(copied(&[full("a", 0.060_816_21), full("b", 0.060_816_22)]), Some(false));
        // The same run listed twice is one run.
        assert_eq!(copied(&[full("a", 0.060_816_21), full("a", 0.060_816_21)]), None);
    }

    #[test]
    fn a_copy_under_another_load_condemns_no_third_level() {
        let at = |label, load, ttft| {
            let mut run = full(label, ttft);
            run.plan.load = Some(Load::Concurrency(load));
            run
        };
        let runs = [at("a", 1, 0.05), at("b", 2, 0.06), at("c", 4, 0.06), at("d", 8, 0.07)];
        let outcomes = check_copied_figures(&refs(&runs));
        let loads: Vec<_> = outcomes.findings().map(|f| f.about.load).collect();
        assert_eq!(loads, [2, 4].map(|n| Some(Load::Concurrency(n))));
    }

    #[test]
    fn three_copies_at_one_load_are_one_finding() {
        let outcomes =
            check_copied_figures(&refs(&["a", "b", "c"].map(|label| full(label, 0.060_816_21))));
        let messages: Vec<_> = outcomes.findings().map(|f| f.message.as_str()).collect();
        assert_eq!(messages, ["3 runs state the same 5 figures to the last digit: a, b and c"]);
    }

    #[test]
    fn rounded_figures_that_agree_are_no_proof_of_a_copy() {
        let rounded = |label| {
            let mut run = full(label, 0.060_816_21);
            for figure in &mut run.reported.figures {
                *figure = figure.clone().in_steps_of(1e-5);
            }
            run
        };
        assert_eq!(found(&check_copied_figures(&[&rounded("a"), &rounded("b")])), Some(false));
    }

    #[test]
    fn a_whole_console_that_agrees_is_a_copy() {
        let console = |label: &str, p99: f64| {
            let figures = [
                ("ttft_s.mean", 0.060_82),
                ("ttft_s.median", 0.059_90),
                ("ttft_s.p99", 0.091_11),
                ("tpot_s.mean", 0.024_41),
                ("tpot_s.median", 0.024_17),
                ("tpot_s.p99", p99),
                ("itl_s.mean", 0.024_39),
                ("itl_s.median", 0.023_98),
                ("e2e_latency_s.mean", 0.600_43),
                ("e2e_latency_s.median", 0.598_12),
                ("output_tok_per_s", 75.24),
            ];
            let mut run = run(label, Load::Concurrency(2), &figures);
            for figure in &mut run.reported.figures {
                let step =
                    if figure.metric == trueline_core::Metric::OutputTokPerS { 1e-2 } else { 1e-5 };
                *figure = figure.clone().in_steps_of(step);
            }
            run
        };
        let copied = |runs: &[BenchRun]| found(&check_copied_figures(&refs(runs)));
        assert_eq!(copied(&[console("a", 0.031_22), console("b", 0.031_22)]), Some(true));
        assert_eq!(copied(&[console("a", 0.031_22), console("b", 0.031_23)]), Some(false));
    }

    #[test]
    fn three_repetitions_without_spread_are_copies_and_two_are_not_judged() {
        let spread =
            |runs: &[BenchRun]| found(&check_zero_spread(&refs(runs), &Thresholds::default()));
        let same = ["a", "b", "c"].map(|label| full(label, 0.060_816_21));
        assert_eq!(spread(&same), Some(true));
        assert_eq!(spread(&same[..2]), None);
        let mut differ = same.clone();
        differ[2] = full("c", 0.060_9);
        assert_eq!(spread(&differ), Some(false));
        // Equal by rounding: 0.1 s and 3 tok/s are one digit each.
        let coarse = ["a", "b", "c"].map(|label| {
            run(label, Load::Concurrency(1), &[("ttft_s.mean", 0.1), ("output_tok_per_s", 3.0)])
        });
        assert_eq!(spread(&coarse), Some(false));
    }
}
