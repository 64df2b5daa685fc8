//! Requests that are alike because they follow each other.

use trueline_core::number::percent;
use trueline_core::{Claim, ClaimKind, Finding, Need, Outcomes, Scope, Thresholds};

use super::checks::AUTOCORRELATED;
use crate::stats::{count, effective_size, ranks, real, sorted};

/// Checks that the requests of a run on which an interval rests are about as many witnesses as they
/// are requests.
///
/// # Formula
/// [`effective_size`] of the ranks of each run's values in order of time, all runs together, over the
/// requests, against the threshold. Ranks, as a few extreme values beside each other say nothing of the rest.
///
/// # Shape
/// `runs` holds the values of each run in order of time, one a request. A quantile's interval is
/// always one of requests; that of a ratio is where an arm has a single run. Other claims, and those
/// that state no interval and no quantile, give no outcome. Runs of fewer requests than the
/// threshold are left out; where none is longer the check is not observed.
pub fn check_autocorrelation(
    claim: &Claim,
    runs: &[Vec<f64>],
    thresholds: &Thresholds,
) -> Outcomes {
    let check = &AUTOCORRELATED;
    let mut outcomes = Outcomes::default();
    let rests_on_requests = match claim.kind {
        ClaimKind::Tail => true,
        ClaimKind::Relative => claim.interval.is_some(),
        _ => false,
    };
    if !rests_on_requests || runs.is_empty() {
        return outcomes;
    }
    let about = Scope::of_claim(&claim.id);
    let least = thresholds.get(check, "requests");
    let long: Vec<&Vec<f64>> = runs.iter().filter(|run| count(run.len()) >= least).collect();
    let requests: usize = long.iter().map(|run| run.len()).sum();
    if requests == 0 {
        outcomes.not_observed(check, Need::MoreRequests, about);
        return outcomes;
    }
    let effective: f64 = long.iter().map(|run| effective(run)).sum();
    let share = effective / count(requests);
    if share >= thresholds.get(check, "share") {
        outcomes.clear(check, about);
        return outcomes;
    }
    let message = format!(
        "{requests} requests that follow each other say as much as {effective:.0} independent ones \
         ({}): an interval that takes them for independent is {:.1} times too narrow",
        percent(share),
        share.sqrt().recip()
    );
    outcomes.found(
        Finding::new(check, about, message)
            .with("requests", requests)
            .with("effective_requests", effective)
            .with("share", share),
    );
    outcomes
}

/// How many independent values say as much; all of them where nothing can be said.
fn effective(values: &[f64]) -> f64 {
    effective_size(&ranked(values)).map_or(count(values.len()), |size| size.effective)
}

/// The ranks of values, those that are equal at their middle.
fn ranked(values: &[f64]) -> Vec<f64> {
    let sorted = sorted(values.to_vec());
    let rank = |value: &f64| {
        let place = ranks(&sorted, *value);
        real(place.below) + real(place.equal) / 2.0
    };
    values.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use trueline_core::CheckOutcome;

    use super::*;

    /// A series in which each value keeps a share of the one before.
    fn series(keep: f64, n: usize) -> Vec<f64> {
        // Knuth's multiplier; the high bits are a uniform deviate.
        let mut state: u64 = 42;
        let mut x = 0.0;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            count(usize::try_from(state >> 33).unwrap()) / f64::from(u32::MAX >> 1) - 0.5
        };
        (0..n)
            .map(|_| {
                x = keep * x + next();
                10.0 + x
            })
            .collect()
    }

    fn outcome(kind: ClaimKind, interval: bool, runs: &[Vec<f64>]) -> Option<CheckOutcome> {
        let mut claim = Claim::new("c", kind, "t");
        claim.interval = interval.then_some((0.9, 1.1));
        check_autocorrelation(&claim, runs, &Thresholds::default()).iter().next().cloned()
    }

    fn fires(runs: &[Vec<f64>]) -> bool {
        matches!(outcome(ClaimKind::Tail, false, runs), Some(CheckOutcome::Found(_)))
    }

    #[test]
    fn requests_that_keep_a_part_of_the_one_before_are_fewer() {
        // Kept 0.6: (1 - 0.6) / (1 + 0.6) = a quarter; kept 0.1: 0.82.
        assert!(fires(&[series(0.6, 400)]));
        assert!(!fires(&[series(0.1, 400)]));
        assert!(!fires(&[series(0.0, 60)]));
    }

    #[test]
    fn only_what_rests_on_requests_is_judged() {
        let bad = [series(0.8, 400)];
        assert!(matches!(outcome(ClaimKind::Relative, true, &bad), Some(CheckOutcome::Found(_))));
        assert!(outcome(ClaimKind::Relative, false, &bad).is_none());
        assert!(outcome(ClaimKind::Absolute, true, &bad).is_none());
        assert!(outcome(ClaimKind::Tail, true, &[]).is_none());
    }

    #[test]
    fn a_short_run_shows_nothing() {
        let short = [series(0.9, 49)];
        assert!(matches!(
            outcome(ClaimKind::Tail, false, &short),
            Some(CheckOutcome::NotObserved { need: Need::MoreRequests, .. })
        ));
        // A first wave that is slow is another matter.
        let wave: Vec<f64> = (0..8).map(|_| 40.0).chain(series(0.0, 392)).collect();
        assert!(!fires(&[wave]));
        // Without spread there is nothing to correlate.
        assert!(!fires(&[vec![1.0; 100]]));
    }
}
