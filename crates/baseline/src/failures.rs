//! Whether runs are whole: what became of the requests that were asked for.

use trueline_core::{
    BenchRun, Finding, Load, Need, Outcome, Outcomes, Scope, Severity, Thresholds, Total,
};

use crate::checks::HIDDEN_FAILURES;
use crate::form::Form;
use crate::stats::real;

/// What became of the requests of one run.
///
/// # Shape
/// Rows and totals are two accounts of the same requests: of each kind the larger one counts, as
/// some files record the answered requests alone, and others a sample of them.
#[derive(Debug, Clone, Copy, Default)]
struct Account {
    /// Requests of which anybody knows what became.
    known: u64,
    /// Requests asked for beyond those.
    lost: u64,
    /// The same of a run that says of itself that it ended before all was sent.
    unsent: u64,
    /// Those that failed or were cancelled, but for those that were cut off at the end.
    failed: u64,
    /// Whether somebody counted what became of all of them.
    told: bool,
    /// Whether requests are recorded one by one.
    rows: bool,
}

impl Account {
    fn of(run: &BenchRun) -> Self {
        let total = |total| run.reported.total(total);
        let rows = run.requests.iter().filter(|r| !r.warmup);
        let (mut recorded, mut failed_rows, mut cancelled_rows, mut silent) = (0, 0, 0, 0);
        for row in rows {
            recorded += 1;
            match row.outcome {
                Outcome::Failed => failed_rows += 1,
                Outcome::Cancelled => cancelled_rows += 1,
                Outcome::Unknown => silent += 1,
                _ => {}
            }
        }
        let stated_failed = total(Total::FailedRequests);
        let cancelled = cancelled_rows.max(total(Total::CancelledRequests).unwrap_or(0));
        let cut_off = cancelled.min(slots(run));
        let failed = failed_rows.max(stated_failed.unwrap_or(0)) + cancelled - cut_off;
        let answered = total(Total::CompletedRequests);
        let known = recorded.max(answered.map_or(0, |n| n + failed + cut_off));
        let planned = run.plan.requests.or(total(Total::PlannedRequests));
        // Without rows and totals it is not known what became of any request.
        let lost = planned.filter(|_| known > 0 || answered.is_some()).unwrap_or(0);
        let lost = lost.saturating_sub(known);
        let (lost, unsent) = if is_part(run) { (0, lost) } else { (lost, 0) };
        let by_totals = answered.is_some() && (stated_failed.is_some() || planned.is_some());
        let by_rows = recorded > 0 && silent == 0;
        Self { known, lost, unsent, failed, told: by_rows || by_totals, rows: recorded > 0 }
    }
}

/// Checks that every request asked for is accounted for, and that few failed: from the requests
/// where they are recorded one by one, and from what the tool counts.
///
/// # Formula
/// Lost are `planned - answered - failed - cancelled`; a run of which nobody says what became of
/// its requests has not lost them, nor has one that says of itself that it is a part. Cancelled requests up to the slots of a closed loop are those in
/// flight when the time was up: no failures, but a matter of `in-flight-at-edges`.
///
/// # Shape
/// `runs` are those of one arm at one load.
pub fn check_failures(about: Scope, runs: &[&BenchRun], thresholds: &Thresholds) -> Outcomes {
    let check = &HIDDEN_FAILURES;
    let mut outcomes = Outcomes::default();
    let accounts: Vec<Account> = runs.iter().map(|run| Account::of(run)).collect();
    let sum = |of: fn(&Account) -> u64| accounts.iter().map(of).sum::<u64>();
    let (lost, known, failed) = (sum(|a| a.lost), sum(|a| a.known), sum(|a| a.failed));
    let unsent = sum(|a| a.unsent);
    let asked = lost + known + unsent;
    let rows = accounts.iter().any(|a| a.rows);
    let form = if rows { Form::Requests } else { Form::Aggregate };
    if lost > 0 {
        let severe = share(lost, asked) > thresholds.get(check, "warning_share");
        let mut text = if rows {
            format!("{lost} of {asked} requests asked for are not recorded at all")
        } else {
            format!("{lost} of {asked} requests asked for were not answered, and nobody says why")
        };
        if failed > 0 {
            text += &format!("; {failed} more failed or were cancelled");
        }
        outcomes.found(
            Finding::new(check, about, text)
                .at(if severe { Severity::Error } else { Severity::Warning })
                .with("form", form)
                .with("lost", lost)
                .with("recorded", known)
                .with("failed_or_cancelled", failed),
        );
        return outcomes;
    }
    // What is known to have failed counts, whatever the silent rows hide.
    let share = share(failed, known);
    if known == 0 || share <= thresholds.get(check, "warning_share") {
        if unsent > 0 {
            let text = format!(
                "a part of a run: {known} of {asked} requests asked for; it ended before the others \
                 were sent, and says so"
            );
            outcomes.found(
                Finding::new(check, about, text)
                    .at(Severity::Warning)
                    .advising("let it run to its end")
                    .with("form", form)
                    .with("recorded", known)
                    .with("not_sent", unsent)
                    .with("failed_or_cancelled", failed),
            );
        } else if known > 0 && accounts.iter().all(|a| a.told) {
            outcomes.clear(check, about);
        } else {
            outcomes.not_observed(check, Need::FailuresCounted, about);
        }
        return outcomes;
    }
    let severe = share > thresholds.get(check, "error_share");
    let mut text = format!("{failed} of {known} requests failed or were cancelled");
    if unsent > 0 {
        text += &format!("; {unsent} more that were asked for were not sent");
    }
    outcomes.found(
        Finding::new(check, about, text)
            .at(if severe { Severity::Error } else { Severity::Warning })
            .with("form", form)
            .with("failed_or_cancelled", failed)
            .with("requests", known)
            .with("share", share),
    );
    outcomes
}

/// How many requests of some runs failed or are lost, and of how many; `None` where a run does not
/// say what became of all of them.
pub(crate) fn failed_of(runs: &[&BenchRun]) -> Option<(u64, u64)> {
    let accounts: Vec<Account> = runs.iter().map(|run| Account::of(run)).collect();
    let sum = |of: fn(&Account) -> u64| accounts.iter().map(of).sum::<u64>();
    let asked = sum(|a| a.known + a.lost);
    (asked > 0 && accounts.iter().all(|a| a.told))
        .then(|| (sum(|a| a.failed + a.lost).min(asked), asked))
}

/// Whether a run says of itself that it ended before all that was asked for was sent.
fn is_part(run: &BenchRun) -> bool {
    run.conditions.get("partial") == Some("yes")
}

/// How many requests can be in flight when a closed loop ends.
fn slots(run: &BenchRun) -> u64 {
    match (run.plan.load, run.plan.max_concurrency) {
        (Some(Load::Concurrency(n)), _) | (_, Some(n)) => u64::from(n),
        _ => 0,
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { real(part) / real(whole) }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use trueline_core::{By, CheckOutcome, Known, Plan, RequestRecord, Side, Stretch};

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
    fn requests_in_flight_when_the_time_was_up_did_not_fail() {
        let with = |cancelled| {
            let mut run = summed(None, Some(100), Some(0));
            run.plan.max_concurrency = Some(16);
            let cancelled = Known::is(cancelled, By::Reported);
            run.reported.set_total(Total::CancelledRequests, cancelled, "made");
            let got = check_failures(Scope::default(), &[&run], &Thresholds::default());
            got.findings().next().map(|f| f.severity)
        };
        assert_eq!(with(16), None);
        // Two of 118 more than can be in flight: 1.7 %.
        assert_eq!(with(18), Some(Severity::Warning));
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

    /// A run of which only sums are kept.
    fn summed(planned: Option<u64>, completed: Option<u64>, failed: Option<u64>) -> BenchRun {
        let mut run = BenchRun::new("a", Side::Client, Vec::new());
        run.plan.requests = planned;
        for (total, n) in [(Total::CompletedRequests, completed), (Total::FailedRequests, failed)] {
            if let Some(n) = n {
                run.reported.set_total(total, Known::is(n, By::Reported), "made");
            }
        }
        run
    }

    fn check(run: &BenchRun) -> Outcomes {
        check_failures(Scope::default(), &[run], &Thresholds::default())
    }

    #[test]
    fn sums_alone_tell_of_lost_and_failed_requests() {
        let severity = |planned, completed, failed| {
            check(&summed(planned, completed, failed)).findings().next().map(|f| f.severity)
        };
        // vLLM prints a clean table of 1 of 12; SGLang issue 2805 answers 1,648 of 3,000.
        assert_eq!(severity(Some(12), Some(1), None), Some(Severity::Error));
        assert_eq!(severity(Some(12), Some(1), Some(11)), Some(Severity::Error));
        assert_eq!(severity(Some(3_000), Some(1_648), None), Some(Severity::Error));
        // llmperf's bedrock file: 49 of 150 failed.
        assert_eq!(severity(Some(150), Some(101), Some(49)), Some(Severity::Error));
        assert_eq!(severity(Some(100), Some(99), Some(1)), None);
        assert_eq!(severity(Some(100), Some(98), Some(2)), Some(Severity::Warning));
        assert_eq!(severity(Some(100), Some(99), None), Some(Severity::Warning));
        assert_eq!(severity(Some(12), Some(12), None), None);
        assert_eq!(severity(None, Some(12), Some(0)), None);
        // Nobody could answer: all failed.
        assert_eq!(severity(Some(12), Some(0), Some(12)), Some(Severity::Error));
    }

    #[test]
    fn a_run_that_says_that_it_is_a_part_hides_nothing() {
        let mut part = run("a", &[5; 6], 0, 500);
        assert_eq!(check(&part).findings().next().unwrap().severity, Severity::Error);
        part.conditions.set("partial", "yes", By::Measured);
        let got = check(&part);
        let found = got.findings().next().unwrap();
        assert_eq!(found.severity, Severity::Warning);
        assert!(found.message.starts_with("a part of a run: 6 of 500 requests"), "{found:?}");
        // What failed in it failed: 3 of 6.
        let mut broken = run("a", &[5; 6], 3, 500);
        broken.conditions.set("partial", "yes", By::Measured);
        assert_eq!(check(&broken).findings().next().unwrap().severity, Severity::Error);
        // And a whole one is whole.
        let mut whole = run("a", &[5; 6], 0, 6);
        whole.conditions.set("partial", "no", By::Measured);
        assert_eq!(check(&whole).findings().count(), 0);
    }

    #[test]
    fn a_run_whose_requests_nobody_counted_has_not_lost_them() {
        for run in [summed(Some(12), None, None), summed(None, Some(12), None)] {
            let got = check(&run);
            assert!(got.findings().count() == 0 && got.iter().count() == 1);
            let outcome = got.iter().next().unwrap();
            assert!(matches!(outcome, CheckOutcome::NotObserved { .. }));
        }
    }

    #[test]
    fn failures_that_only_the_sums_know_count_beside_the_rows() {
        // The rows are the answered ones alone.
        let mut answered = run("a", &[5; 8], 0, 10);
        answered.reported.set_total(Total::CompletedRequests, Known::is(8, By::Reported), "made");
        answered.reported.set_total(Total::FailedRequests, Known::is(2, By::Reported), "made");
        let got = check(&answered);
        assert_eq!(
            got.findings().next().unwrap().message,
            "2 of 10 requests failed or were cancelled"
        );
        // The rows are a sample of the answered ones.
        let mut sampled = run("a", &[5; 3], 0, 10);
        sampled.reported.set_total(Total::CompletedRequests, Known::is(10, By::Reported), "made");
        assert_eq!(check(&sampled).findings().count(), 0);
    }
}
