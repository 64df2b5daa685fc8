//! Where benchmark samples stand among production requests of their kind.

use trueline_core::{
    CellScope, Checked, Finding, Metric, Need, Outcomes, Ranks, Scope, Thresholds,
};

use crate::checks::SYNTHETIC_IN_TAIL;
use crate::stats::{all_among_lowest, median};

/// Production requests of one kind, and where the samples stand among them.
#[derive(Debug, Clone, PartialEq)]
pub struct Population {
    /// Which requests.
    pub scope: CellScope,
    /// Their median prefill rate, tok/s; `None` where there are none.
    pub median: Option<f64>,
    /// Where each sample stands among them, in the samples' order.
    pub ranks: Vec<Ranks>,
}

impl Population {
    /// How many requests they are.
    fn n(&self) -> u64 {
        self.ranks.first().map_or(0, Ranks::n)
    }
}

/// Where samples stand.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    /// Among which requests they were placed.
    pub scope: CellScope,
    /// How many production requests that are.
    pub n: u64,
    /// How many production requests the samples' own cell and whole bucket hold.
    pub n_cell_and_bucket: (u64, u64),
    /// Where each sample stands, in the order given.
    pub ranks: Vec<Ranks>,
    /// The slowest rank such that all samples are within it, counted from the slow end among
    /// production and samples together.
    pub within_slowest: u64,
    /// The same from the fast end.
    pub within_fastest: u64,
    /// The exact probability that all samples are within that slow end by chance.
    pub p_slow: f64,
    /// The same for the fast end.
    pub p_fast: f64,
    /// Production's median, tok/s.
    pub production_median: f64,
    /// The samples' median, tok/s.
    pub sample_median: f64,
}

/// Places samples in their cell or, where it holds too few requests, in their bucket.
///
/// # Formula
/// With `w` the highest rank that any of the `k` samples reaches from one end, among `n`
/// production requests and the samples together, the probability is `C(w, k) / C(n + k, k)`. Ties
/// count against the samples' being extreme. The null hypothesis is that samples and production
/// requests are exchangeable.
///
/// # Shape
/// `rates` in any order, tok/s. The value is `None` where there is nothing to place, or nothing to
/// place it in.
pub fn place_samples(
    about: Scope,
    rates: &[f64],
    cell: &Population,
    bucket: &Population,
    thresholds: &Thresholds,
) -> Checked<Option<Placed>> {
    let check = &SYNTHETIC_IN_TAIL;
    let mut outcomes = Outcomes::default();
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    let enough = cell.n() as f64 >= thresholds.get(check, "rows");
    let population = if enough { cell } else { bucket };
    let about = about.with_metric(Metric::PrefillTokPerS).with_cell(cell.scope);
    let mut mine = rates.to_vec();
    mine.sort_by(f64::total_cmp);
    let (Some(production_median), Some(sample_median)) = (population.median, median(&mine)) else {
        let need = if mine.is_empty() { Need::Samples } else { Need::RowsInCell };
        outcomes.not_observed(check, need, about);
        return Checked { value: None, outcomes };
    };
    let (n, k) = (population.n(), mine.len() as u64);
    let reached = |side: fn(&Ranks) -> u64| population.ranks.iter().map(side).max().unwrap_or(0);
    let within_slowest = k + reached(|r| r.below + r.equal);
    let within_fastest = k + reached(|r| r.above + r.equal);
    let placed = Placed {
        scope: population.scope,
        n,
        n_cell_and_bucket: (cell.n(), bucket.n()),
        ranks: population.ranks.clone(),
        within_slowest,
        within_fastest,
        p_slow: all_among_lowest(n, k, within_slowest),
        p_fast: all_among_lowest(n, k, within_fastest),
        production_median,
        sample_median,
    };
    let (p, end) = if placed.p_slow <= placed.p_fast {
        (placed.p_slow, "slowest")
    } else {
        (placed.p_fast, "fastest")
    };
    // Two-sided: either end would have been reported.
    if 2.0 * p < thresholds.get(check, "p") {
        outcomes.found(tail_finding(&placed, about, p, end));
    } else {
        outcomes.clear(check, about);
    }
    Checked { value: Some(placed), outcomes }
}

fn tail_finding(placed: &Placed, about: Scope, p: f64, end: &str) -> Finding {
    let k = placed.ranks.len() as u64;
    let within = if end == "slowest" { placed.within_slowest } else { placed.within_fastest };
    let all = placed.n + k;
    let message = if within == k {
        format!("the {k} {end} of {all} requests of its size ({}), p {p:.1e}", placed.scope)
    } else {
        format!(
            "all {k} samples among the {within} {end} of {all} requests of its size ({}), p {p:.1e}",
            placed.scope
        )
    };
    Finding::new(&SYNTHETIC_IN_TAIL, about, message)
        .with("p", p)
        .with("samples", k)
        .with("production_requests", placed.n)
        .with("within_rank", within)
        .with("end", end)
        .with("placed_in", placed.scope.to_string())
        .with("requests_in_own_cell", placed.n_cell_and_bucket.0)
        .with("requests_in_bucket", placed.n_cell_and_bucket.1)
        .with("production_median_tok_per_s", placed.production_median)
        .with("sample_median_tok_per_s", placed.sample_median)
}

#[cfg(test)]
mod tests {
    use trueline_core::{CellEdges, Share, Tokens};

    use super::*;
    use crate::stats::ranks;

    fn population(scope: CellScope, sorted: &[f64], rates: &[f64]) -> Population {
        let ranks = rates.iter().map(|&rate| ranks(sorted, rate)).collect();
        Population { scope, median: median(sorted), ranks }
    }

    fn placed(rates: &[f64], in_cell: &[f64], in_bucket: &[f64]) -> Checked<Option<Placed>> {
        let cell = CellEdges::default().cell(Tokens::new(24_750), Share::new(0.0).unwrap());
        place_samples(
            Scope::default(),
            rates,
            &population(cell.into(), in_cell, rates),
            &population(cell.bucket.into(), in_bucket, rates),
            &Thresholds::default(),
        )
    }

    fn production() -> Vec<f64> {
        (0..38).map(|i| 300.0 + f64::from(i)).collect()
    }

    #[test]
    fn three_below_all_38_are_extreme_and_the_probability_is_exact() {
        let got = placed(&[115.4, 107.0, 101.0], &[], &production());
        let value = got.value.unwrap();
        assert!(got.outcomes.has("synthetic-in-tail"));
        assert!((value.p_slow - 1.0 / 10_660.0).abs() < 1e-15);
        assert_eq!(value.n_cell_and_bucket, (0, 38));
    }

    #[test]
    fn the_fast_end_is_as_extreme_as_the_slow_one() {
        let got = placed(&[600.0, 596.0, 605.0], &production()[..17], &production());
        let value = got.value.unwrap();
        assert!(got.outcomes.has("synthetic-in-tail"));
        // 1 / C(20, 3) = 1 / 1140, in its own cell of 17.
        assert!((value.p_fast - 1.0 / 1140.0).abs() < 1e-12);
        let finding = got.outcomes.findings().next().unwrap();
        assert!(finding.message.contains("the 3 fastest of 20"), "{}", finding.message);
    }

    #[test]
    fn samples_from_the_middle_and_single_samples_are_quiet() {
        assert!(
            !placed(&[310.0, 318.0, 325.0], &[], &production()).outcomes.has("synthetic-in-tail")
        );
        // One sample below all 38 happens once in 39: no evidence.
        assert!(!placed(&[100.0], &[], &production()).outcomes.has("synthetic-in-tail"));
        // Three below all of 5: 1 / C(8, 3) = 1 / 56.
        assert!(
            !placed(&[1.0, 2.0, 3.0], &[], &production()[..5]).outcomes.has("synthetic-in-tail")
        );
    }

    #[test]
    fn ties_with_production_are_not_extreme() {
        let flat = vec![300.0; 38];
        assert!(!placed(&[300.0; 3], &[], &flat).outcomes.has("synthetic-in-tail"));
    }

    #[test]
    fn nothing_to_place_in_is_not_observed() {
        let got = placed(&[1.0], &[], &[]);
        assert_eq!(got.value, None);
        assert_eq!(got.outcomes.iter().count(), 1);
        assert_eq!(placed(&[], &[], &production()).value, None);
    }
}
