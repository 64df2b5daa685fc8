//! Where benchmark samples stand among production requests of their kind.

use trueline_core::number::count;
use trueline_core::{
    CellScope, Checked, ClaimKind, Finding, Load, Metric, Need, Outcomes, Ranks, Relation, Scope,
    Severity, Thresholds, TokensPerSecond,
};

use crate::checks::SYNTHETIC_IN_TAIL;
use crate::stats::{self, all_among_lowest, median, real, sorted};

/// Production requests of one kind, and where the samples stand among them.
#[derive(Debug, Clone, PartialEq)]
pub struct Population {
    /// Which requests.
    pub scope: CellScope,
    /// Their median prefill rate; `None` where there are none.
    pub median: Option<TokensPerSecond>,
    /// Where each sample stands among them, in the samples' order.
    pub ranks: Vec<Ranks>,
}

impl Population {
    /// How many requests they are.
    pub fn n(&self) -> u64 {
        self.ranks.first().map_or(0, Ranks::n)
    }
}

/// How samples and production were timed, and in how many cells samples are placed at once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placing {
    /// How the meaning of the samples' rates relates to production's.
    pub relation: Relation,
    /// How many cells are judged together: the threshold is divided by it (Bonferroni).
    pub cells: usize,
    /// The load that was planned.
    pub load: Option<Load>,
}

/// Where samples stand.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
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
    /// Production's median.
    pub production_median: TokensPerSecond,
    /// The samples' median.
    pub sample_median: TokensPerSecond,
}

/// Places samples in their cell or, where it holds too few requests, in their bucket.
///
/// # Formula
/// With `w` the highest rank that any of the `k` samples reaches from one end, among `n`
/// production requests and the samples together, the probability is `C(w, k) / C(n + k, k)`. Ties
/// count against the samples' being extreme. The null hypothesis is that samples and production
/// requests are exchangeable. A finding needs medians that lie apart as well: among many samples a
/// single stray request makes a rank extreme.
///
/// Samples timed by a client contain what the server's log leaves out (the way to it): they read
/// slow. At the slow end that may be the whole difference, up to a factor of two, so the finding
/// there is a warning. So it is for samples at more than one request at a time: being slower under
/// a load of one's own is what such a run is for.
///
/// # Shape
/// `rates` in any order. The value is `None` where there is nothing to place, or nothing to
/// place it in.
pub fn place_samples(
    about: Scope,
    rates: &[TokensPerSecond],
    cell: &Population,
    bucket: &Population,
    placing: Placing,
    thresholds: &Thresholds,
) -> Checked<Option<Placed>> {
    let check = &SYNTHETIC_IN_TAIL;
    let mut outcomes = Outcomes::default();
    let enough = real(cell.n()) >= thresholds.get(check, "rows");
    let population = if enough { cell } else { bucket };
    let about = about.with_metric(Metric::PrefillTokPerS).with_cell(cell.scope);
    let mine: Vec<f64> = sorted(rates.iter().map(|rate| rate.get()).collect());
    let (Some(production_median), Some(sample_median)) =
        (population.median, median(&mine).and_then(|m| TokensPerSecond::new(m).ok()))
    else {
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
    let limit = thresholds.get(check, "p") / stats::count(placing.cells.max(1));
    let ratio = sample_median.get() / production_median.get();
    let apart = (ratio - 1.0).abs() > thresholds.get(check, "apart");
    // Two-sided: either end would have been reported.
    if apart && 2.0 * p < limit {
        let finding = tail_finding(&placed, about, p, end);
        let slow = end == "slowest";
        let way = ratio > thresholds.get(check, "way");
        let reads_slow = placing.relation == Relation::FirstContainsSecond && slow && way;
        let loaded = slow && !matches!(placing.load, None | Some(Load::Concurrency(0 | 1)));
        outcomes.found(if loaded {
            let message = format!("{}; they ran at a load of their own", finding.message);
            finding.at(Severity::Warning).saying(message)
        } else if reads_slow {
            let message = format!(
                "{}; the client timed them and the server timed production, which makes them \
                 read slow",
                finding.message
            );
            finding.at(Severity::Warning).saying(message)
        } else {
            finding
        });
    } else {
        outcomes.clear(check, about);
    }
    Checked { value: Some(placed), outcomes }
}

fn tail_finding(placed: &Placed, about: Scope, p: f64, end: &str) -> Finding {
    let k = placed.ranks.len() as u64;
    let within = if end == "slowest" { placed.within_slowest } else { placed.within_fastest };
    let all = count(placed.n + k);
    // Below what a float holds the product is zero; no probability is.
    let p_words = if p > 0.0 { format!("{p:.1e}") } else { "under 1e-300".to_owned() };
    let message = if within == k {
        format!(
            "the {k} {end} of {all} requests of its size ({}), one-sided p {p_words}",
            placed.scope
        )
    } else {
        format!(
            "all {k} samples among the {} {end} of {all} requests of its size ({}), one-sided p {p_words}",
            count(within),
            placed.scope
        )
    };
    Finding::new(&SYNTHETIC_IN_TAIL, about, message)
        .touching([ClaimKind::Absolute, ClaimKind::Production])
        .with("p", p)
        .with("samples", k)
        .with("production_requests", placed.n)
        .with("within_rank", within)
        .with("end", end)
        .with("placed_in", placed.scope.to_string())
        .with("requests_in_own_cell", placed.n_cell_and_bucket.0)
        .with("requests_in_bucket", placed.n_cell_and_bucket.1)
        .with("production_median_tok_per_s", placed.production_median.get())
        .with("sample_median_tok_per_s", placed.sample_median.get())
}

#[cfg(test)]
mod tests {
    use trueline_core::{CellEdges, Share, Tokens};

    use super::*;
    use crate::stats::ranks;

    fn population(scope: CellScope, sorted: &[f64], rates: &[f64]) -> Population {
        let ranks = rates.iter().map(|&rate| ranks(sorted, rate)).collect();
        let median = median(sorted).and_then(|m| TokensPerSecond::new(m).ok());
        Population { scope, median, ranks }
    }

    fn placed(rates: &[f64], in_cell: &[f64], in_bucket: &[f64]) -> Checked<Option<Placed>> {
        let cell = CellEdges::default().cell(Tokens::new(24_750), Share::new(0.0).unwrap());
        let typed: Vec<TokensPerSecond> =
            rates.iter().map(|&rate| TokensPerSecond::new(rate).unwrap()).collect();
        place_samples(
            Scope::default(),
            &typed,
            &population(cell.into(), in_cell, rates),
            &population(cell.bucket.into(), in_bucket, rates),
            Placing { relation: Relation::Same, cells: 1, load: None },
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
    fn many_samples_around_the_same_median_are_quiet_whatever_the_outermost_rank() {
        let many: Vec<f64> = (0..200).map(|i| 310.0 + f64::from(i) / 10.0).collect();
        let mut production = vec![318.0; 11];
        production.extend([900.0, 950.0]);
        let got = placed(&many, &production, &production);
        assert!(got.value.unwrap().p_slow < 0.01);
        assert!(!got.outcomes.has("synthetic-in-tail"));
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
