//! Rates times duration against the tokens and requests of a run.

use trueline_core::{
    BenchRun, Finding, Metric, Need, Outcome, Outcomes, Scope, Severity, Thresholds, Total, number,
};

use super::checks::{REQUESTS_DO_NOT_ADD_UP, TOKENS_DO_NOT_ADD_UP};
use super::pair::Pair;
use super::stated::{duration, failures, of_run};
use super::words::{seconds, worded};
use crate::conclusion::conclude;
use crate::form::Form;
use crate::stats::{count, real};

/// Checks every token rate of the run against its tokens and duration.
///
/// # Formula
/// `rate * duration = tokens`, for output, prompt and all tokens; the tool's own count of output
/// tokens serves as well as the server's. Tokens of failed requests may be in a rate: what is above
/// is allowed for their share.
pub(super) fn check_tokens(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &TOKENS_DO_NOT_ADD_UP;
    let (warning, error) = (thresholds.get(check, "warning"), thresholds.get(check, "error"));
    let pairs = token_pairs(run);
    let mut findings = Vec::new();
    for pair in pairs.iter().filter(|pair| pair.apart() > warning) {
        let Some((lasting, _)) = duration(run) else { continue };
        let severity = if pair.apart() > error { Severity::Error } else { Severity::Warning };
        let text = format!(
            "{} over {} are {} tokens, and the run counts {}",
            worded(pair.metric, pair.stated),
            seconds(lasting),
            number::short(pair.stated * lasting, 6),
            number::short(pair.derived * lasting, 6),
        );
        findings.push(
            Finding::new(check, Scope::of_run(run).with_metric(pair.metric), text)
                .at(severity)
                .with("form", Form::Aggregate)
                .with("stated_tok_per_s", pair.stated)
                .with("derived_tok_per_s", pair.derived)
                .with("duration_s", lasting)
                .with("off_share", pair.apart()),
        );
    }
    conclude(check, Scope::of_run(run), findings, missing(run, &pairs, Need::TokensCounted))
}

/// Checks the request rate against the answered requests and the duration, and that no more answers
/// are recorded than counted.
pub(super) fn check_requests(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &REQUESTS_DO_NOT_ADD_UP;
    let tolerance = thresholds.get(check, "tolerance");
    let about = Scope::of_run(run).with_metric(Metric::RequestPerS);
    let pairs: Vec<Pair> = request_pair(run).into_iter().collect();
    let mut findings = Vec::new();
    let failed = failures(run).unwrap_or(0);
    for pair in pairs.iter().filter(|pair| pair.apart() > tolerance) {
        let (Some((lasting, _)), Some(done)) = (duration(run), run.completed()) else { continue };
        let sent =
            Pair { derived: pair.derived * real(done + failed) / real(done), ..pair.clone() };
        let failed_too = failed > 0 && sent.apart() <= tolerance;
        let text = if failed_too {
            format!(
                "the request rate of {} counts {failed} failed ones",
                worded(pair.metric, pair.stated)
            )
        } else {
            format!(
                "{} over {} are {} requests, and {} were answered",
                worded(pair.metric, pair.stated),
                seconds(lasting),
                number::short(pair.stated * lasting, 6),
                number::count(done),
            )
        };
        findings.push(
            Finding::new(check, about.clone(), text)
                .at(if failed_too { Severity::Warning } else { Severity::Error })
                .with("form", Form::Aggregate)
                .with("stated_request_per_s", pair.stated)
                .with("derived_request_per_s", pair.derived)
                .with("duration_s", lasting)
                .with("failed", failed)
                .with("off_share", pair.apart()),
        );
    }
    let answered = run.requests.iter().filter(|r| !r.warmup && r.outcome == Outcome::Ok).count();
    let counted = run.reported.total(Total::CompletedRequests);
    if let Some(counted) = counted
        && count(answered) > real(counted) * (1.0 + tolerance)
    {
        let text =
            format!("{answered} answered requests are recorded, and the tool counts {counted}");
        findings.push(
            Finding::new(check, Scope::of_run(run), text)
                .with("form", Form::Requests)
                .with("recorded", answered)
                .with("counted", counted),
        );
    }
    let compared = !pairs.is_empty() || (counted.is_some() && answered > 0);
    let missing = if compared { None } else { missing(run, &pairs, Need::FailuresCounted) };
    conclude(check, about, findings, missing)
}

/// What an identity of rates needed, where there is no pair for it.
fn missing(run: &BenchRun, pairs: &[Pair], count: Need) -> Option<Need> {
    if !pairs.is_empty() {
        return None;
    }
    let rates = [Metric::OutputTokPerS, Metric::InputTokPerS, Metric::TotalTokPerS];
    let stated = match count {
        Need::FailuresCounted => of_run(run, Metric::RequestPerS).is_some(),
        _ => rates.iter().any(|metric| of_run(run, *metric).is_some()),
    };
    match (stated, duration(run)) {
        (false, _) => Some(Need::Figures),
        (true, None) => Some(Need::WallTimes),
        (true, Some(_)) => Some(count),
    }
}

/// Every token rate beside tokens over duration.
pub(super) fn token_pairs(run: &BenchRun) -> Vec<Pair> {
    let output = [run.tokens(Total::OutputTokens), run.reported.total(Total::OwnOutputTokens)];
    let prompt = [run.tokens(Total::PromptTokens), run.reported.total(Total::OwnPromptTokens)];
    let both = |i: usize, j: usize| {
        prompt.get(i).copied().flatten()?.checked_add(output.get(j).copied().flatten()?)
    };
    let all = [both(0, 0), both(0, 1), both(1, 0), both(1, 1)];
    [
        (Metric::OutputTokPerS, output.as_slice()),
        (Metric::InputTokPerS, prompt.as_slice()),
        (Metric::TotalTokPerS, all.as_slice()),
    ]
    .into_iter()
    .filter_map(|(metric, counts)| {
        let pairs = counts.iter().flatten().filter_map(|count| pair(run, metric, *count));
        pairs.min_by(|a, b| a.apart().total_cmp(&b.apart()))
    })
    .collect()
}

/// The request rate beside answered requests over duration.
pub(super) fn request_pair(run: &BenchRun) -> Option<Pair> {
    pair(run, Metric::RequestPerS, run.completed()?)
}

fn pair(run: &BenchRun, metric: Metric, count: u64) -> Option<Pair> {
    let (lasting, step) = duration(run)?;
    let stated = of_run(run, metric)?;
    let derived = real(count) / lasting;
    let mut slack = stated.slack() + step;
    // The tokens of failed requests may be in a token rate, and are in no total.
    if metric != Metric::RequestPerS && stated.value > derived {
        let done = run.completed().filter(|n| *n > 0);
        slack += done.map_or(0.0, |n| real(failures(run).unwrap_or(0)) / real(n));
    }
    let what = format!("{metric} beside the count over the duration");
    (count > 0).then_some(Pair { metric, what, stated: stated.value, derived, slack })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Made, chunk4, sglang};
    use super::*;

    fn tokens(made: &Made) -> Option<Severity> {
        check_tokens(&made.0, &Thresholds::default()).findings().map(|f| f.severity).max()
    }

    fn requests(made: &Made) -> Option<Severity> {
        check_requests(&made.0, &Thresholds::default()).findings().map(|f| f.severity).max()
    }

    fn output(rate: f64, step: f64) -> Made {
        Made::run()
            .lasting(10.0, 0.0)
            .total_completed(10)
            .total(Total::OutputTokens, 1_000)
            .run_figure(Metric::OutputTokPerS, rate, step)
    }

    #[test]
    fn a_token_rate_is_tokens_over_duration() {
        // 1,000 tokens in 10 s are 100 tok/s.
        assert_eq!(tokens(&output(100.9, 0.0)), None);
        assert_eq!(tokens(&output(101.1, 0.0)), Some(Severity::Warning));
        assert_eq!(tokens(&output(104.9, 0.0)), Some(Severity::Warning));
        assert_eq!(tokens(&output(94.9, 0.0)), Some(Severity::Error));
        assert_eq!(tokens(&output(105.1, 0.0)), Some(Severity::Error));
    }

    #[test]
    fn printed_digits_are_allowed_for() {
        // SGLang's console: 0.81 s and 354.25 tok/s are 286.9 of 288 tokens.
        let console = Made::run()
            .lasting(0.81, 0.01)
            .total_completed(12)
            .total(Total::OutputTokens, 288)
            .run_figure(Metric::OutputTokPerS, 354.25, 0.01)
            .run_figure(Metric::RequestPerS, 14.76, 0.01);
        assert_eq!((tokens(&console), requests(&console)), (None, None));
    }

    #[test]
    fn healthy_published_runs_add_up() {
        for made in [sglang(), chunk4()] {
            assert!(Made::clear(&check_tokens(&made.0, &Thresholds::default())));
            assert!(Made::clear(&check_requests(&made.0, &Thresholds::default())));
        }
    }

    #[test]
    fn tokens_of_failed_requests_may_be_in_a_rate() {
        // 2 of 12 failed with some tokens: up to a fifth more than the 10 answered ones have.
        let more = output(115.0, 0.0).total(Total::FailedRequests, 2);
        assert_eq!(tokens(&more), None);
        let less = output(85.0, 0.0).total(Total::FailedRequests, 2);
        assert_eq!(tokens(&less), Some(Severity::Error));
    }

    #[test]
    fn a_request_rate_is_answers_over_duration() {
        let of = |rate| output(100.0, 0.0).run_figure(Metric::RequestPerS, rate, 0.0);
        assert_eq!(requests(&of(1.009)), None);
        assert_eq!(requests(&of(1.011)), Some(Severity::Error));
        // 10 answered and 5 failed in 10 s: 1.5 requests/s count both.
        let both = of(1.5).total(Total::FailedRequests, 5);
        assert_eq!(requests(&both), Some(Severity::Warning));
    }

    #[test]
    fn more_answers_than_counted_contradict_the_count_and_fewer_are_a_sample() {
        let rows = |counted| {
            (0..3).fold(Made::run().total_completed(counted), |made, _| {
                made.request(0.0, 10.0, 100.0, 10)
            })
        };
        assert_eq!(requests(&rows(2)), Some(Severity::Error));
        assert_eq!(requests(&rows(3)), None);
        assert_eq!(requests(&rows(100)), None);
    }

    #[test]
    fn without_a_duration_or_a_count_nothing_is_observed() {
        let mut made = output(100.0, 0.0).run_figure(Metric::RequestPerS, 1.0, 0.0);
        made.0.reported.duration = trueline_core::Known::default();
        assert!(Made::not_observed(&check_tokens(&made.0, &Thresholds::default())));
        assert!(Made::not_observed(&check_requests(&made.0, &Thresholds::default())));
        let bare = Made::run().lasting(10.0, 0.0).run_figure(Metric::OutputTokPerS, 1.0, 0.0);
        assert!(Made::not_observed(&check_tokens(&bare.0, &Thresholds::default())));
    }
}
