//! How often two arms are called different, where they are and where they are not.

use std::fmt;

use trueline_baseline::stats::{Random, label_test, mann_whitney, ratio_of_means, runs_to_show};

use super::{Effort, SEED};

/// How often two arms were called different.
#[derive(Debug, Clone, PartialEq)]
pub struct Arms {
    /// What was compared, and how.
    pub method: &'static str,
    /// By how much the arms truly differ.
    pub apart: &'static str,
    /// How often it was tried.
    pub tries: u32,
    /// How often the arms were called different.
    pub called: u32,
}

impl fmt::Display for Arms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = 100.0 * f64::from(self.called) / f64::from(self.tries);
        write!(f, "| {} | {} | {share:.1} % |", self.method, self.apart)
    }
}

pub(super) const RUNS_ALIKE: &str =
    "5 runs of 1,000 requests, run-level log-Welch of the runs' means";
pub(super) const LABELS_ALIKE: &str = "the same, labels of the runs exchanged in all ways";
pub(super) const POOLED_ALIKE: &str = "the same, all requests pooled in a rank test";
pub(super) const RUNS_APART: &str = "as many runs as planning asks for a power of 80 %, run-level";

/// How far the runs of one arm lie apart, and its requests: standard deviations of the logarithm.
const RUN_SPREAD: f64 = 0.03;
const REQUEST_SPREAD: f64 = 0.3;

/// Counts A/A comparisons, and comparisons of arms that differ.
///
/// # Panics
/// If planning names no number of runs for 5 % at a spread of 5 %.
pub fn arms(effort: Effort) -> Vec<Arms> {
    let tries = effort.tries;
    let row = |method, apart| Arms { method, apart, tries, called: 0 };
    let mut rows =
        [row(RUNS_ALIKE, "nothing"), row(LABELS_ALIKE, "nothing"), row(POOLED_ALIKE, "nothing")];
    let mut random = Random::seeded(SEED);
    for _ in 0..tries {
        let (a, b) = (runs(&mut random), runs(&mut random));
        let (means_a, means_b) = (means(&a), means(&b));
        let logs = |means: &[f64]| means.iter().map(|mean| mean.ln()).collect::<Vec<_>>();
        let labels = label_test(&logs(&means_a), &logs(&means_b), SEED).is_some_and(|t| t.p < 0.05);
        let ranks = mann_whitney(&a.concat(), &b.concat()).is_some_and(|t| t.p < 0.05);
        let called = [differ(&means_a, &means_b), labels, ranks];
        for (row, called) in rows.iter_mut().zip(called) {
            row.called += u32::from(called);
        }
    }
    let n = runs_to_show(0.05, 0.05, 0.8, 0.05).expect("planning names a number");
    let mut apart = row(RUNS_APART, "5 %, with a spread of 5 % between runs");
    for _ in 0..tries {
        let mut arm = |ratio: f64| -> Vec<f64> {
            (0..n).map(|_| ratio * (0.05 * random.normal()).exp()).collect()
        };
        let (a, b) = (arm(1.05), arm(1.0));
        apart.called += u32::from(differ(&a, &b));
    }
    rows.into_iter().chain([apart]).collect()
}

fn differ(a: &[f64], b: &[f64]) -> bool {
    let interval = ratio_of_means(a, b, 0.95).and_then(|estimate| estimate.interval);
    interval.is_some_and(|(low, high)| low > 1.0 || high < 1.0)
}

fn runs(random: &mut Random) -> Vec<Vec<f64>> {
    let mut run = |_| -> Vec<f64> {
        let luck = RUN_SPREAD * random.normal();
        (0..1_000).map(|_| (luck + REQUEST_SPREAD * random.normal()).exp()).collect()
    };
    (0..5).map(&mut run).collect()
}

fn means(runs: &[Vec<f64>]) -> Vec<f64> {
    runs.iter().map(|run| run.iter().sum::<f64>() / 1_000.0).collect()
}
