//! Work that was done and does not show in the counts: requests cut off, preempted or retried.

use trueline_core::number::percent;
use trueline_core::{
    BenchRun, Finding, Need, Outcome, Outcomes, Scope, Severity, Thresholds, Total,
};

use super::checks::{IN_FLIGHT_AT_EDGES, PREEMPTED_OR_RETRIED};
use super::timeline::sent_requests;
use crate::form::Form;
use crate::stats::{count, real};

/// Checks that few requests were cut off while they were in flight.
///
/// # Formula
/// Requests: tokens of cancelled requests over those of all, where each says how many it got; else
/// and in the aggregate form the share of cancelled requests.
pub(super) fn check_edges(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &IN_FLIGHT_AT_EDGES;
    let about = Scope::of_run(run);
    let mut outcomes = Outcomes::default();
    let Some(cut) = cut_off(run) else {
        outcomes.not_observed(check, Need::FailuresCounted, about);
        return outcomes;
    };
    if cut.share <= thresholds.get(check, "share") {
        outcomes.clear(check, about);
        return outcomes;
    }
    outcomes.found(
        Finding::new(
            check,
            about,
            format!(
                "{} of {} requests were cut off in flight, {} of the {}",
                cut.requests,
                cut.all,
                percent(cut.share),
                if cut.by_tokens { "output tokens" } else { "requests" }
            ),
        )
        .with("form", cut.form)
        .with("cut_off_requests", cut.requests)
        .with("requests", cut.all)
        .with("share", cut.share),
    );
    outcomes
}

struct CutOff {
    requests: u64,
    all: u64,
    share: f64,
    by_tokens: bool,
    form: Form,
}

fn cut_off(run: &BenchRun) -> Option<CutOff> {
    let recorded: Vec<_> = run.requests.iter().filter(|r| !r.warmup).collect();
    let told = recorded.iter().all(|r| r.outcome != Outcome::Unknown);
    let stated = run.reported.total(Total::CancelledRequests);
    let cancelled = recorded.iter().filter(|r| r.outcome == Outcome::Cancelled).count() as u64;
    // A list of the answered requests alone says nothing of those that were cut off.
    if !recorded.is_empty() && told && (cancelled > 0 || stated.is_none_or(|n| n == 0)) {
        if cancelled == 0 && stated.is_none() && run.plan.requests != Some(recorded.len() as u64) {
            return None;
        }
        let tokens = |wanted: bool| -> Option<f64> {
            let of = recorded.iter().filter(|r| (r.outcome == Outcome::Cancelled) == wanted);
            of.map(|r| {
                let counts = wanted || r.outcome == Outcome::Ok;
                if counts { Some(r.tokens.output.value()?.as_f64()) } else { Some(0.0) }
            })
            .sum()
        };
        let by_tokens = tokens(true).zip(tokens(false)).filter(|(cut, rest)| cut + rest > 0.0);
        let share = by_tokens
            .map_or(real(cancelled) / count(recorded.len()), |(cut, rest)| cut / (cut + rest));
        return Some(CutOff {
            requests: cancelled,
            all: recorded.len() as u64,
            share,
            by_tokens: by_tokens.is_some(),
            form: Form::Requests,
        });
    }
    let (cancelled, completed) = (stated?, run.completed()?);
    let all = cancelled.checked_add(completed).filter(|all| *all > 0)?;
    Some(CutOff {
        requests: cancelled,
        all,
        share: real(cancelled) / real(all),
        by_tokens: false,
        form: Form::Aggregate,
    })
}

/// Checks that no request was preempted by the server or tried twice by the client. One in a
/// thousand of the requests is a note.
pub(super) fn check_retries(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &PREEMPTED_OR_RETRIED;
    let about = Scope::of_run(run);
    let mut outcomes = Outcomes::default();
    let (preempted, retried) =
        (run.reported.total(Total::Preemptions), run.reported.total(Total::Retries));
    let parts: Vec<String> = [(preempted, "preemption"), (retried, "retry")]
        .into_iter()
        .filter_map(|(n, what)| match (n, what) {
            (Some(1), _) => Some(format!("1 {what}")),
            (Some(n), "retry") if n > 1 => Some(format!("{n} retries")),
            (Some(n), _) if n > 1 => Some(format!("{n} {what}s")),
            _ => None,
        })
        .collect();
    if !parts.is_empty() {
        let twice = preempted.unwrap_or(0).saturating_add(retried.unwrap_or(0));
        let sent = sent_requests(run);
        let few = sent.is_some_and(|n| real(twice) <= thresholds.get(check, "share") * real(n));
        let of = sent.map_or_else(String::new, |n| format!(" of {n} requests"));
        let severity = if few { Severity::Note } else { Severity::Warning };
        let message = format!("{} during the run{of}", parts.join(" and "));
        let mut finding =
            Finding::new(check, about, message).at(severity).with("form", Form::Aggregate);
        if let Some(n) = preempted {
            finding = finding.with("preemptions", n);
        }
        if let Some(n) = retried {
            finding = finding.with("retries", n);
        }
        outcomes.found(finding);
    } else if preempted.is_some() && retried.is_some() {
        outcomes.clear(check, about);
    } else {
        outcomes.not_observed(check, Need::RetriesCounted, about);
    }
    outcomes
}

#[cfg(test)]
mod tests {
    use trueline_core::{By, CheckOutcome, Known, RequestRecord};

    use super::super::timeline::made::*;
    use super::*;

    fn totals(totals: &[(Total, u64)]) -> BenchRun {
        let mut run = with_load(Vec::new(), None);
        for (total, n) in totals {
            run.reported.set_total(*total, Known::is(*n, By::Reported), "t");
        }
        run
    }

    /// `None` where the check could not run.
    fn found(outcomes: &Outcomes) -> Option<bool> {
        match outcomes.iter().next() {
            Some(CheckOutcome::NotObserved { .. }) => None,
            _ => Some(outcomes.findings().count() > 0),
        }
    }

    fn edges(run: &BenchRun) -> Option<bool> {
        found(&check_edges(run, &Thresholds::default()))
    }

    #[test]
    fn two_of_a_hundred_requests_may_be_cut_off_and_three_may_not() {
        use Total::{CancelledRequests, CompletedRequests};
        let with = |cut| totals(&[(CompletedRequests, 100 - cut), (CancelledRequests, cut)]);
        assert_eq!(edges(&with(2)), Some(false));
        assert_eq!(edges(&with(3)), Some(true));
        assert_eq!(edges(&with(0)), Some(false));
        assert_eq!(edges(&totals(&[(CompletedRequests, 100)])), None);
    }

    #[test]
    fn tokens_weigh_more_than_requests_where_they_are_known() {
        // Five of 100 requests are cut off after 10 tokens each: 50 of 9,645 tokens, 0.5 %.
        let cut = |tokens| {
            let mut run = closed(1, &[1.0; 100]);
            for r in run.requests.iter_mut().take(5) {
                r.outcome = Outcome::Cancelled;
                r.tokens.output = RequestRecord::counted(tokens);
            }
            run
        };
        assert_eq!(edges(&cut(10)), Some(false));
        // After 100 tokens each: 500 of 10,095, 5 %.
        assert_eq!(edges(&cut(100)), Some(true));
    }

    #[test]
    fn a_list_of_answered_requests_alone_shows_no_edges() {
        let mut run = closed(1, &[1.0; 100]);
        assert_eq!(edges(&run), None);
        run.plan.requests = Some(100);
        assert_eq!(edges(&run), Some(false));
    }

    #[test]
    fn one_preemption_is_said_and_silence_is_not_zero() {
        use Total::{Preemptions, Retries};
        let retries =
            |of: &[(Total, u64)]| found(&check_retries(&totals(of), &Thresholds::default()));
        assert_eq!(retries(&[(Preemptions, 1)]), Some(true));
        assert_eq!(retries(&[(Preemptions, 0), (Retries, 7)]), Some(true));
        assert_eq!(retries(&[(Preemptions, 0), (Retries, 0)]), Some(false));
        assert_eq!(retries(&[(Retries, 0)]), None);
        assert_eq!(retries(&[]), None);
    }

    #[test]
    fn one_retry_in_a_thousand_requests_is_a_note() {
        use Total::{CompletedRequests, Retries};
        let severity = |requests| {
            let run = totals(&[(CompletedRequests, requests), (Retries, 1)]);
            let outcomes = check_retries(&run, &Thresholds::default());
            outcomes.findings().next().map(|f| f.severity)
        };
        assert_eq!(severity(1_000), Some(Severity::Note));
        assert_eq!(severity(999), Some(Severity::Warning));
    }
}
