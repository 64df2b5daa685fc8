//! Whether runs are whole, and whether they are runs of their own.

use std::collections::HashMap;
use std::time::Duration;

use trueline_core::{
    BenchRun, Finding, Need, Outcome, Outcomes, RequestRecord, Scope, Severity, Thresholds, Tokens,
    WallTime,
};

use crate::checks::{DUPLICATE_RUN, HIDDEN_FAILURES};

/// Checks that every request asked for is accounted for, and that few failed.
///
/// # Shape
/// `runs` are those of one arm at one load.
pub fn check_failures(about: Scope, runs: &[&BenchRun], thresholds: &Thresholds) -> Outcomes {
    let check = &HIDDEN_FAILURES;
    let mut outcomes = Outcomes::default();
    let sent = |run: &BenchRun| run.requests.iter().filter(|r| !r.warmup).count() as u64;
    let lost: u64 =
        runs.iter().map(|run| run.plan.requests.unwrap_or(0).saturating_sub(sent(run))).sum();
    let recorded: u64 = runs.iter().map(|run| sent(run)).sum();
    if lost > 0 {
        let share = share(lost, recorded + lost);
        let severe = share > thresholds.get(check, "warning_share");
        outcomes.found(
            Finding::new(
                check,
                about,
                format!("{lost} of {} requests asked for are not recorded at all", recorded + lost),
            )
            .at(if severe { Severity::Error } else { Severity::Warning })
            .with("lost", lost)
            .with("recorded", recorded),
        );
        return outcomes;
    }
    let outcome_of = |wanted: &[Outcome]| {
        let all = runs.iter().flat_map(|run| &run.requests).filter(|r| !r.warmup);
        all.filter(|r| wanted.contains(&r.outcome)).count() as u64
    };
    let (failed, unknown) =
        (outcome_of(&[Outcome::Failed, Outcome::Cancelled]), outcome_of(&[Outcome::Unknown]));
    // What is known to have failed counts, whatever the silent rows hide.
    let share = share(failed, recorded);
    if recorded == 0 || share <= thresholds.get(check, "warning_share") {
        if unknown > 0 || recorded == 0 {
            outcomes.not_observed(check, Need::FailuresCounted, about);
        } else {
            outcomes.clear(check, about);
        }
        return outcomes;
    }
    let severe = share > thresholds.get(check, "error_share");
    outcomes.found(
        Finding::new(
            check,
            about,
            format!("{failed} of {recorded} requests failed or were cancelled"),
        )
        .at(if severe { Severity::Error } else { Severity::Warning })
        .with("failed_or_cancelled", failed)
        .with("requests", recorded)
        .with("share", share),
    );
    outcomes
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Checks that no two runs hold the same requests, in whatever order.
///
/// # Formula
/// Two runs are copies where at least 90 % of the smaller one's requests stand in the other with
/// the same times and token counts, to the nanosecond, and the same start where both runs know
/// theirs: times that were written in milliseconds agree by chance. Without starts at least eight
/// requests must agree.
///
/// # Shape
/// The finding is about each arm. Runs without times cannot be told apart and are not compared.
pub fn check_duplicate_runs(runs: &[BenchRun]) -> Outcomes {
    let mut outcomes = Outcomes::default();
    for (i, first) in runs.iter().enumerate() {
        let twin = runs.iter().enumerate().find(|(j, second)| *j != i && same(first, second));
        let Some((_, second)) = twin else {
            outcomes.clear(&DUPLICATE_RUN, Scope::of_run(first));
            continue;
        };
        let mut labels = [first.label.clone(), second.label.clone()];
        labels.sort();
        outcomes.found(
            Finding::new(
                &DUPLICATE_RUN,
                Scope::of_run(first),
                format!("two runs hold the same requests: {}", labels.join(" and ")),
            )
            .with("runs", labels.to_vec()),
        );
    }
    outcomes
}

fn same(a: &BenchRun, b: &BenchRun) -> bool {
    let (a, b) = (timed(a), timed(b));
    let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let by_start_too = few.iter().chain(&many).all(|r| r.started.is_known());
    if !by_start_too && few.len() < 8 {
        return false;
    }
    let mut left: HashMap<Trace, usize> = HashMap::new();
    for request in &many {
        *left.entry(trace(request, by_start_too)).or_default() += 1;
    }
    let shared = few
        .iter()
        .filter(|request| match left.get_mut(&trace(request, by_start_too)) {
            Some(n) if *n > 0 => {
                *n -= 1;
                true
            }
            _ => false,
        })
        .count();
    !few.is_empty() && shared * 10 >= few.len() * 9
}

fn timed(run: &BenchRun) -> Vec<&RequestRecord> {
    run.measured().filter(|r| r.any_ttft().is_some() || r.any_e2e().is_some()).collect()
}

/// What a copy of a request would share with it: TTFT, end-to-end latency, tokens; and its start,
/// where that is asked for.
type Trace = (Option<Duration>, Option<Duration>, [Option<Tokens>; 3], Option<WallTime>);

fn trace(request: &RequestRecord, by_start_too: bool) -> Trace {
    let tokens = request.tokens;
    (
        request.any_ttft().map(|span| span.took),
        request.any_e2e().map(|span| span.took),
        [tokens.prompt.value(), tokens.cached.value(), tokens.output.value()],
        request.started.value().filter(|_| by_start_too),
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use trueline_core::{By, Known, Plan, Side, Stretch};

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
        assert_eq!(severity(&run("a", &[5; 100], 0, 101)), Some(Severity::Warning));
        assert_eq!(severity(&run("a", &[5; 100], 0, 110)), Some(Severity::Error));
    }

    #[test]
    fn a_copy_is_no_repetition_and_a_like_run_is() {
        let a = run("a", &[101, 102, 103, 104, 105, 106, 107, 108], 0, 8);
        let copy = {
            let mut copy = a.clone();
            copy.label = "b".into();
            copy
        };
        let like = run("c", &[101, 102, 104, 103, 110, 111, 112, 113], 0, 8);
        assert!(check_duplicate_runs(&[a.clone(), copy]).has("duplicate-run"));
        assert!(!check_duplicate_runs(&[a.clone(), like]).has("duplicate-run"));
        let mut turned = run("d", &[108, 107, 106, 105, 104, 103, 102, 101], 0, 8);
        assert!(check_duplicate_runs(&[a, turned.clone()]).has("duplicate-run"));
        // One request alike may be chance.
        turned.requests.truncate(1);
        let one = run("e", &[108], 0, 1);
        assert!(!check_duplicate_runs(&[turned, one]).has("duplicate-run"));
    }
}
