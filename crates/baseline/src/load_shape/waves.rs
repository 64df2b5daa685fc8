//! Whether a closed loop had enough requests for its slots, and kept the slots full.

use trueline_core::number::{percent, short};
use trueline_core::{
    BenchRun, Each, Finding, Mark, Metric, Need, Outcomes, Scope, Statistic, Thresholds, Total,
};

use super::checks::{CONCURRENCY_NOT_REACHED, TOO_FEW_WAVES};
use super::timeline::{Shape, Timeline, sent_requests, shape};
use crate::form::Form;
use crate::stats::{count, real};

/// Checks that there are enough requests for each slot. An open loop has no slots.
pub(super) fn check_waves(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &TOO_FEW_WAVES;
    let about = Scope::of_run(run);
    let mut outcomes = Outcomes::default();
    match (shape(run), waves(run)) {
        (Shape::Open(_), _) => outcomes.clear(check, about),
        (Shape::Closed(slots), Some((requests, waves))) => {
            if waves < thresholds.get(check, "waves") {
                outcomes.found(
                    Finding::new(
                        check,
                        about,
                        format!(
                            "{} at concurrency {slots} {} {} wave{}",
                            requests_in_words(requests),
                            if requests == 1 { "is" } else { "are" },
                            short(waves, 2),
                            if (waves - 1.0).abs() < 1e-9 { "" } else { "s" }
                        ),
                    )
                    .with("form", Form::of(run))
                    .with("requests", requests)
                    .with("concurrency", u64::from(slots))
                    .with("waves", waves),
                );
            } else {
                outcomes.clear(check, about);
            }
        }
        (Shape::Closed(_), None) => outcomes.not_observed(check, Need::FailuresCounted, about),
        (Shape::Unknown, _) => outcomes.not_observed(check, Need::LoadAsked, about),
    }
    outcomes
}

/// Checks that a closed loop had as many requests in flight as it was asked to keep.
///
/// # Formula
/// Requests: the share of the time from first to last send in which at least 95 % of the slots are
/// busy; what drains after the last send is no fault. Requests without times may have filled slots
/// unseen, so their share is added. Aggregate: the mean in flight over the whole run, draining
/// included.
pub(super) fn check_concurrency_reached(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &CONCURRENCY_NOT_REACHED;
    let about = Scope::of_run(run);
    let mut outcomes = Outcomes::default();
    let (slots, requests, waves) = match (shape(run), waves(run)) {
        (Shape::Open(_), _) => {
            outcomes.clear(check, about);
            return outcomes;
        }
        (Shape::Closed(slots), Some((requests, waves))) => (slots, requests, waves),
        (Shape::Closed(_), None) => {
            outcomes.not_observed(check, Need::FailuresCounted, about);
            return outcomes;
        }
        (Shape::Unknown, _) => {
            outcomes.not_observed(check, Need::LoadAsked, about);
            return outcomes;
        }
    };
    let finding = |message: String| {
        Finding::new(check, about.clone(), message)
            .with("requests", requests)
            .with("concurrency", u64::from(slots))
            .with("waves", waves)
    };
    if waves < 1.0 {
        let message = format!("{} cannot keep {slots} in flight", requests_in_words(requests));
        outcomes.found(finding(message).with("form", Form::of(run)));
        return outcomes;
    }
    if waves < thresholds.get(check, "plateau_waves") {
        outcomes.not_observed(check, Need::FiveWaves, about);
        return outcomes;
    }
    let wanted = thresholds.get(check, "plateau") * f64::from(slots);
    let plateau = Timeline::of(run).and_then(|line| {
        let unseen = count(line.unseen) / count(run.requests.len().max(1));
        Some((line.share_at_least(wanted)?, unseen))
    });
    if let Some((share, unseen)) = plateau {
        if share + unseen < thresholds.get(check, "plateau_share") {
            let message = format!(
                "{slots} were in flight for {} of the time in which requests were sent",
                percent(share)
            );
            outcomes.found(
                finding(message)
                    .with("form", Form::Requests)
                    .with("plateau_share", share)
                    .with("unseen_share", unseen),
            );
        } else {
            outcomes.clear(check, about);
        }
        return outcomes;
    }
    match mean_in_flight(run) {
        Some((mean, missing)) if waves >= thresholds.get(check, "mean_waves") => {
            let share = mean / f64::from(slots);
            if share + missing < thresholds.get(check, "mean_share") {
                let message = format!("{} of {slots} were in flight on average", short(mean, 3));
                outcomes.found(
                    finding(message).with("form", Form::Aggregate).with("mean_in_flight", mean),
                );
            } else {
                outcomes.clear(check, about);
            }
        }
        _ => outcomes.not_observed(check, Need::WallTimes, about),
    }
    outcomes
}

/// How many requests were sent, and how many that is for each slot.
fn waves(run: &BenchRun) -> Option<(u64, f64)> {
    let Shape::Closed(slots) = shape(run) else { return None };
    let requests = sent_requests(run)?;
    Some((requests, real(requests) / f64::from(slots)))
}

fn requests_in_words(n: u64) -> String {
    if n == 1 { "1 request".to_owned() } else { format!("{n} requests") }
}

/// The mean in flight as the tool states it, else by Little's law; and the share of requests that
/// it leaves out, since they failed.
fn mean_in_flight(run: &BenchRun) -> Option<(f64, f64)> {
    let reported = &run.reported;
    let completed = real(run.completed()?);
    // Where nobody counted failures none are allowed for.
    let failed = reported.total(Total::FailedRequests).filter(|n| *n > 0).map(real);
    let missing = failed.map_or(0.0, |failed| failed / (completed + failed));
    let stated = [None, Some(Statistic::Mean)]
        .into_iter()
        .find_map(|statistic| reported.figure(Metric::Concurrency, statistic))
        .filter(|figure| figure.definition.each != Each::Slice)
        .and_then(|figure| figure.value.value());
    let by_law = || {
        let e2e = reported.figure(Metric::E2eLatencyS, Some(Statistic::Mean))?;
        let fits = e2e.definition.each == Each::Request && e2e.definition.from == Mark::Sent;
        let seconds = reported.duration.value()?.as_secs_f64();
        let mean = e2e.value.value().filter(|_| fits && seconds > 0.0)?;
        Some(mean * completed / seconds)
    };
    Some((stated.or_else(by_law)?, missing))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use trueline_core::{By, Definition, Figure, Known, Load, Side};

    use super::super::timeline::made::*;
    use super::*;

    fn aggregate(slots: u32, completed: u64, mean: Option<f64>) -> BenchRun {
        let mut run = with_load(Vec::new(), Some(Load::Concurrency(slots)));
        run.reported.set_total(Total::CompletedRequests, Known::is(completed, By::Reported), "c");
        run.reported.duration = Known::is(Duration::from_secs(100), By::Reported);
        let meaning = Definition::new(Mark::Sent, Mark::Closed, Side::Client).each(Each::Run);
        run.reported.figures.extend(mean.map(|mean| {
            let value = Known::is(mean, By::Reported);
            Figure::new(Metric::Concurrency, None, value, meaning, "concurrency")
        }));
        run
    }

    fn codes(run: &BenchRun) -> Vec<&'static str> {
        let thresholds = Thresholds::default();
        let mut outcomes = check_waves(run, &thresholds);
        outcomes.extend(check_concurrency_reached(run, &thresholds));
        assert_eq!(outcomes.iter().count(), 2);
        outcomes.findings().map(|f| f.code).collect()
    }

    #[test]
    fn a_hundred_prompts_cannot_reach_256_slots_and_fill_64_too_few_times() {
        // 100 / 256 = 0.39 waves; 100 / 64 = 1.6; 100 / 20 = 5; 99 / 20 = 4.95.
        assert_eq!(codes(&aggregate(256, 100, None)), ["too-few-waves", "concurrency-not-reached"]);
        assert_eq!(codes(&aggregate(64, 100, None)), ["too-few-waves"]);
        assert!(codes(&aggregate(20, 100, None)).is_empty());
        assert_eq!(codes(&aggregate(20, 99, None)), ["too-few-waves"]);
    }

    #[test]
    fn twelve_requests_in_two_slots_are_quiet_though_they_drain() {
        let run = closed(2, &[0.1, 0.13, 0.13, 0.12, 0.1, 0.14, 0.13, 0.13, 0.1, 0.1, 0.1, 0.4]);
        assert!(codes(&run).is_empty());
    }

    #[test]
    fn output_lengths_that_vary_leave_the_slots_full() {
        let latencies: Vec<f64> = (0..80).map(|i| 5.0 * noise(i, 0.9).powi(2)).collect();
        assert!(codes(&closed(8, &latencies)).is_empty());
    }

    #[test]
    fn slots_that_stand_empty_are_found_from_the_times() {
        // Four slots, one request at a time: never more than one in flight.
        let at = |i: u32| request(f64::from(i), 0.1, 0.9);
        let run = with_load((0..40).map(at).collect(), Some(Load::Concurrency(4)));
        assert_eq!(codes(&run), ["concurrency-not-reached"]);
        // Where they overlap by four, all are full: 4 in flight from second 3 on.
        let at = |i: u32| request(f64::from(i), 0.1, 4.0);
        let run = with_load((0..40).map(at).collect(), Some(Load::Concurrency(4)));
        assert!(codes(&run).is_empty());
    }

    #[test]
    fn failed_requests_may_have_filled_the_slots_unseen() {
        // Two of four slots seen full; half of the requests failed without a time.
        let mut requests: Vec<_> = (0..40).map(|i| request(f64::from(i), 0.1, 1.9)).collect();
        let run = with_load(requests.clone(), Some(Load::Concurrency(4)));
        assert_eq!(codes(&run), ["concurrency-not-reached"]);
        for _ in 0..200 {
            let mut failed = request(0.0, 0.1, 1.0);
            failed.outcome = trueline_core::Outcome::Failed;
            failed.spans = trueline_core::Spans::default();
            requests.push(failed);
        }
        assert!(codes(&with_load(requests, Some(Load::Concurrency(4)))).is_empty());
    }

    #[test]
    fn a_mean_in_flight_of_half_the_slots_is_no_draining() {
        // 1,000 / 64 = 15.6 waves; 31 of 64 is 0.48, 33 of 64 is 0.52.
        assert_eq!(codes(&aggregate(64, 1_000, Some(31.0))), ["concurrency-not-reached"]);
        assert!(codes(&aggregate(64, 1_000, Some(33.0))).is_empty());
        assert!(codes(&aggregate(64, 600, Some(31.0))).is_empty());
    }

    #[test]
    fn a_load_that_nobody_states_is_not_observed_and_a_rate_has_no_slots() {
        let mut run = aggregate(1, 10, None);
        run.plan.load = None;
        assert!(codes(&run).is_empty());
        run.plan.load = Some(Load::Rate(0.5));
        assert!(codes(&run).is_empty());
    }
}
