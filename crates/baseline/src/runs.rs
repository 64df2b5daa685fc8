//! Whether runs are whole, and whether they are runs of their own.

use trueline_core::{BenchRun, Finding, Need, Outcomes, Scope, Severity, Spans, Thresholds};

use crate::checks::{DUPLICATE_RUN, HIDDEN_FAILURES};

/// Checks that every request asked for is accounted for, and that few failed.
///
/// # Shape
/// `runs` are those of one arm at one load.
pub fn check_failures(about: Scope, runs: &[&BenchRun], thresholds: &Thresholds) -> Outcomes {
    let check = &HIDDEN_FAILURES;
    let mut outcomes = Outcomes::default();
    let planned: u64 = runs.iter().filter_map(|run| run.plan.requests).sum();
    let recorded: u64 = runs
        .iter()
        .filter(|run| run.plan.requests.is_some())
        .map(|run| run.requests.iter().filter(|r| !r.warmup).count() as u64)
        .sum();
    if planned > recorded {
        outcomes.found(
            Finding::new(
                check,
                about,
                format!("{planned} requests were asked for and {recorded} are recorded"),
            )
            .with("planned", planned)
            .with("recorded", recorded),
        );
        return outcomes;
    }
    let failed: Option<usize> = runs.iter().map(|run| run.failures()).sum();
    let all: usize = runs.iter().map(|run| run.requests.len()).sum();
    let Some(failed) = failed.filter(|_| all > 0) else {
        outcomes.not_observed(check, Need::FailuresCounted, about);
        return outcomes;
    };
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    let share = failed as f64 / all as f64;
    if share <= thresholds.get(check, "warning_share") {
        outcomes.clear(check, about);
        return outcomes;
    }
    let severe = share > thresholds.get(check, "error_share");
    outcomes.found(
        Finding::new(check, about, format!("{failed} of {all} requests failed"))
            .at(if severe { Severity::Error } else { Severity::Warning })
            .with("failed", failed)
            .with("requests", all)
            .with("share", share),
    );
    outcomes
}

/// Checks that no two runs hold the same requests.
///
/// # Shape
/// The finding is about both arms: one outcome for each. Runs without times cannot be told apart
/// and are not compared.
pub fn check_duplicate_runs(runs: &[BenchRun]) -> Outcomes {
    let mut outcomes = Outcomes::default();
    for (i, first) in runs.iter().enumerate() {
        let twin = runs.iter().enumerate().find(|(j, second)| *j != i && same(first, second));
        match twin {
            Some((_, second)) => outcomes.found(
                Finding::new(
                    &DUPLICATE_RUN,
                    Scope::of_run(first),
                    format!("{} and {} hold the same requests", first.label, second.label),
                )
                .with("runs", vec![first.label.clone(), second.label.clone()]),
            ),
            None => outcomes.clear(&DUPLICATE_RUN, Scope::of_run(first)),
        }
    }
    outcomes
}

fn same(a: &BenchRun, b: &BenchRun) -> bool {
    let timed = |run: &BenchRun| {
        run.requests.iter().any(|r| r.any_ttft().is_some() || r.any_e2e().is_some())
    };
    let spans = |run: &BenchRun| run.requests.iter().map(|r| r.spans).collect::<Vec<Spans>>();
    timed(a) && a.requests.len() == b.requests.len() && spans(a) == spans(b)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use trueline_core::{By, Known, Outcome, Plan, RequestRecord, Side, Stretch};

    use super::*;

    fn run(label: &str, ttfts_ms: &[u64], failed: usize, planned: u64) -> BenchRun {
        let requests = ttfts_ms.iter().enumerate().map(|(i, ms)| {
            let mut r = RequestRecord::default();
            r.outcome = if i < failed { Outcome::Failed } else { Outcome::Ok };
            let took = Duration::from_millis(*ms);
            r.spans.set(Stretch::ClientTtft, Known::is(took, By::Measured));
            r
        });
        let mut plan = Plan::default();
        plan.requests = Some(planned);
        BenchRun::new(label, Side::Client, requests.collect()).with_plan(plan)
    }

    #[test]
    fn lost_and_failed_requests_are_told_apart_from_a_whole_run() {
        let severity = |run: &BenchRun| {
            let got = check_failures(Scope::default(), &[run], &Thresholds::default());
            got.findings().next().map(|f| f.severity)
        };
        assert_eq!(severity(&run("a", &[5; 100], 1, 100)), None);
        assert_eq!(severity(&run("a", &[5; 100], 2, 100)), Some(Severity::Warning));
        assert_eq!(severity(&run("a", &[5; 100], 11, 100)), Some(Severity::Error));
        assert_eq!(severity(&run("a", &[5; 100], 0, 101)), Some(Severity::Error));
    }

    #[test]
    fn a_copy_is_no_repetition_and_a_like_run_is() {
        let a = run("a", &[101, 102, 103], 0, 3);
        let copy = {
            let mut copy = a.clone();
            copy.label = "b".into();
            copy
        };
        let like = run("c", &[101, 102, 104], 0, 3);
        assert!(check_duplicate_runs(&[a.clone(), copy]).has("duplicate-run"));
        assert!(!check_duplicate_runs(&[a, like]).has("duplicate-run"));
    }
}
