//! Whether both arms lost requests alike.

use trueline_core::number::{count, percent};
use trueline_core::{BenchRun, Finding, Need, Outcomes, Scope, Severity, Thresholds};

use super::checks::UNEVEN_FAILURES;
use crate::failures::failed_of;
use crate::stats::{fisher_exact, real};

/// Checks that neither arm lost more of its requests than the other.
///
/// # Formula
/// Failed, cancelled and lost requests over those asked for, an arm. Found where Fisher's exact
/// test is below its threshold and one share is at least so many times the other; an error where
/// the larger share is one that can move what is compared, else a warning, and nothing where it is
/// below any.
///
/// # Shape
/// Runs of the candidate, then of the baseline. Not observed where a run does not say what became of
/// its requests.
pub fn check_uneven_failures(
    about: Scope,
    (candidate, baseline): (&[&BenchRun], &[&BenchRun]),
    thresholds: &Thresholds,
) -> Outcomes {
    let check = &UNEVEN_FAILURES;
    let mut outcomes = Outcomes::default();
    if candidate.is_empty() || baseline.is_empty() {
        outcomes.not_observed(check, Need::BothArms, about);
        return outcomes;
    }
    let Some((ours, theirs)) = failed_of(candidate).zip(failed_of(baseline)) else {
        outcomes.not_observed(check, Need::FailuresCounted, about);
        return outcomes;
    };
    let share = |(failed, asked): (u64, u64)| real(failed) / real(asked);
    let (more, less) = (share(ours).max(share(theirs)), share(ours).min(share(theirs)));
    let p = fisher_exact(ours, theirs).unwrap_or(1.0);
    let uneven = p < thresholds.get(check, "p") && more >= thresholds.get(check, "times") * less;
    if !uneven || more < thresholds.get(check, "least_share") {
        outcomes.clear(check, about);
        return outcomes;
    }
    let severe = more >= thresholds.get(check, "error_share");
    let arm = |runs: &[&BenchRun], (failed, asked): (u64, u64)| {
        let name = runs.first().map_or("", |run| run.arm()).to_owned();
        format!("{} of {} of {name}", count(failed), count(asked))
    };
    let message = format!(
        "{} failed or are lost ({}), {} ({}): what failed may be what was slow",
        arm(candidate, ours),
        percent(share(ours)),
        arm(baseline, theirs),
        percent(share(theirs))
    );
    outcomes.found(
        Finding::new(check, about, message)
            .at(if severe { Severity::Error } else { Severity::Warning })
            .with("candidate_failed", ours.0)
            .with("candidate_requests", ours.1)
            .with("baseline_failed", theirs.0)
            .with("baseline_requests", theirs.1)
            .with("p", p),
    );
    outcomes
}

#[cfg(test)]
mod tests {
    use trueline_core::{CheckOutcome, Outcome, RequestRecord, Side};

    use super::*;

    fn run(arm: &str, failed: usize, asked: usize) -> BenchRun {
        let requests = (0..asked).map(|i| {
            let mut request = RequestRecord::default();
            request.outcome = if i < failed { Outcome::Failed } else { Outcome::Ok };
            request
        });
        BenchRun::new(arm, Side::Client, requests.collect())
    }

    fn outcome(a: &BenchRun, b: &BenchRun) -> CheckOutcome {
        let got = check_uneven_failures(Scope::default(), (&[a], &[b]), &Thresholds::default());
        got.iter().next().cloned().unwrap()
    }

    fn severity(a: (usize, usize), b: (usize, usize)) -> Option<Severity> {
        match outcome(&run("a", a.0, a.1), &run("b", b.0, b.1)) {
            CheckOutcome::Found(finding) => Some(finding.severity),
            CheckOutcome::Clear { .. } => None,
            CheckOutcome::NotObserved { need, .. } => panic!("{need:?}"),
        }
    }

    #[test]
    fn an_arm_that_loses_a_tenth_against_none_is_found() {
        // scipy.stats.fisher_exact([[10, 90], [0, 100]]): p = 0.0015.
        assert_eq!(severity((10, 100), (0, 100)), Some(Severity::Error));
        assert_eq!(severity((0, 100), (10, 100)), Some(Severity::Error));
        let CheckOutcome::Found(finding) = outcome(&run("a", 10, 100), &run("b", 0, 100)) else {
            panic!()
        };
        let expected = "10 of 100 of a failed or are lost (10 %), 0 of 100 of b (0 %): what failed \
                        may be what was slow";
        assert_eq!(finding.message, expected);
    }

    #[test]
    fn arms_that_fail_alike_or_by_chance_are_quiet() {
        assert_eq!(severity((0, 100), (0, 100)), None);
        assert_eq!(severity((10, 100), (10, 100)), None);
        // 3 against none of 100: p = 0.25.
        assert_eq!(severity((3, 100), (0, 100)), None);
        // 150 against 100 of 1,000: p < 0.001, but 1.5 times.
        assert_eq!(severity((150, 1_000), (100, 1_000)), None);
    }

    #[test]
    fn a_few_in_a_thousand_weaken_and_fewer_say_nothing() {
        // 8 against none of 2,000: p = 0.0077; 0.4 %.
        assert_eq!(severity((8, 2_000), (0, 2_000)), Some(Severity::Warning));
        // 7 against none of 10,000: p = 0.016; 0.07 %.
        assert_eq!(severity((7, 10_000), (0, 10_000)), None);
    }

    #[test]
    fn an_arm_that_does_not_say_is_not_observed() {
        let silent = BenchRun::new("b", Side::Client, vec![RequestRecord::default(); 10]);
        let got = outcome(&run("a", 5, 10), &silent);
        assert!(matches!(got, CheckOutcome::NotObserved { need: Need::FailuresCounted, .. }));
    }
}
