//! Whether the client, and not the server, made the numbers.

use trueline_core::number::short;
use trueline_core::{
    BenchRun, Each, Finding, Metric, Need, Outcomes, Scope, Statistic, Thresholds,
};

use super::checks::CLIENT_BOUND;
use super::client_account::check_client_account;
use super::timeline::{Shape, sent_requests, shape};
use crate::form::Form;
use crate::stats::real;

/// Checks that requests did not wait in the client: by what the client says of itself where it does, as
/// [`check_client_account`] has it, else by how late they were sent.
///
/// # Formula
/// The p99 of the send delay is at most `max(1 ms, 10 % of the mean gap between sends)`. Where the
/// tool states no p99, any lower quantile or the mean above that limit says the same. The mean gap
/// is 1 over the rate asked for, else the duration over the requests.
///
/// In a closed loop a request waits for a slot by design: nothing is observed then. Where the load
/// is not known, delays of a tenth of the run and more may be such waits: all requests were due at
/// its start.
pub(super) fn check_client(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let own = check_client_account(run);
    if own.iter().next().is_some() {
        return own;
    }
    let check = &CLIENT_BOUND;
    let about = Scope::of_run(run);
    let mut outcomes = Outcomes::default();
    let gap = mean_gap(run).filter(|_| !may_be_by_design(run, thresholds));
    let (Some(gap), Some((delay, statistic, is_p99))) = (gap, send_delay(run)) else {
        outcomes.not_observed(check, Need::ClientNotBound, about);
        return outcomes;
    };
    let limit = thresholds.get(check, "delay_s").max(thresholds.get(check, "gap_share") * gap);
    if delay > limit {
        outcomes.found(
            Finding::new(
                check,
                about,
                format!(
                    "requests left the client {} s late ({statistic}), at a mean gap of {} s",
                    short(delay, 3),
                    short(gap, 2)
                ),
            )
            .with("form", Form::Aggregate)
            .with("send_delay_s", delay)
            .with("statistic", statistic)
            .with("mean_gap_s", gap)
            .with("limit_s", limit),
        );
    } else if is_p99 {
        outcomes.clear(check, about);
    } else {
        outcomes.not_observed(check, Need::ClientNotBound, about);
    }
    outcomes
}

fn mean_gap(run: &BenchRun) -> Option<f64> {
    match shape(run) {
        Shape::Closed(_) => None,
        Shape::Open(rate) => Some(rate.recip()),
        Shape::Unknown => Some(seconds(run)? / real(sent_requests(run)?)).filter(|gap| *gap > 0.0),
    }
}

/// How long the run took: as stated, else as its request rate and count say.
fn seconds(run: &BenchRun) -> Option<f64> {
    let stated = run.duration().map(|d| d.as_secs_f64());
    stated.or_else(|| {
        let rate = run.reported.value(Metric::RequestPerS, None)?;
        Some(real(run.completed()?) / rate).filter(|s| s.is_finite())
    })
}

/// Whether the delays may be waits for a slot, where nobody says what the load was.
fn may_be_by_design(run: &BenchRun, thresholds: &Thresholds) -> bool {
    if !matches!(shape(run), Shape::Unknown) {
        return false;
    }
    let typical = [Statistic::Median, Statistic::Mean]
        .into_iter()
        .find_map(|s| run.reported.value(Metric::SendDelayS, Some(s)));
    let share = thresholds.get(&CLIENT_BOUND, "by_design_share");
    typical.zip(seconds(run)).is_some_and(|(delay, seconds)| delay > share * seconds)
}

/// The send delay at p99 or, where that is not stated, the largest figure that p99 cannot be below:
/// a lower quantile, or the mean. Rounding is taken in the client's favour.
fn send_delay(run: &BenchRun) -> Option<(f64, String, bool)> {
    let mut best: Option<(f64, String, bool)> = None;
    for figure in run.reported.figures_of(Metric::SendDelayS) {
        let (Some(value), Some(statistic)) = (figure.value.value(), figure.statistic) else {
            continue;
        };
        let is_p99 = match statistic {
            Statistic::Mean | Statistic::Median => false,
            Statistic::Quantile(q) if q.get() <= 0.99 + 1e-9 => q.get() >= 0.99 - 1e-9,
            _ => continue,
        };
        if !matches!(figure.definition.each, Each::Request | Each::Unknown) {
            continue;
        }
        let value = value - figure.step / 2.0;
        let better = match &best {
            None => true,
            Some((_, _, true)) => false,
            Some((known, _, false)) => is_p99 || value > *known,
        };
        if better {
            best = Some((value, statistic.to_string(), is_p99));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use trueline_core::{By, CheckOutcome, Definition, Figure, Known, Load, Mark, Side, Total};

    use super::super::timeline::made::*;
    use super::*;

    fn run(load: Option<Load>, figures: &[(&str, f64)]) -> BenchRun {
        let mut run = with_load(Vec::new(), load);
        let meaning = Definition::new(Mark::Intended, Mark::Sent, Side::Client);
        for (statistic, value) in figures {
            let statistic = Some(statistic.parse().unwrap());
            let value = Known::is(*value, By::Reported);
            let figure = Figure::new(Metric::SendDelayS, statistic, value, meaning, "delay");
            run.reported.figures.push(figure);
        }
        run
    }

    /// `None` where the check could not run.
    fn found(run: &BenchRun) -> Option<bool> {
        let outcomes = check_client(run, &Thresholds::default());
        match outcomes.iter().next() {
            Some(CheckOutcome::NotObserved { .. }) => None,
            _ => Some(outcomes.has("client-bound")),
        }
    }

    #[test]
    fn waits_of_a_closed_loop_that_nobody_names_are_not_judged() {
        // Measured: 8 requests due at once, two in flight, 4.05 s; median wait 1.24 s.
        let mut closed = run(None, &[("mean", 1.207), ("median", 1.243), ("p99", 2.274)]);
        closed.reported.set_total(Total::CompletedRequests, Known::is(8, By::Reported), "count");
        closed.reported.duration = Known::is(Duration::from_secs_f64(4.05), By::Reported);
        assert_eq!(found(&closed), None);
    }

    #[test]
    fn the_published_summary_with_a_delay_of_41_seconds_is_found() {
        // 38,717 requests at 63.46 a second: a mean gap of 15.8 ms; p99 41.5 s, mean 9.25 s.
        let mut summary = run(None, &[("mean", 9.252), ("median", 4.48), ("p99", 41.52)]);
        assert_eq!(found(&summary), None);
        summary.reported.set_total(
            Total::CompletedRequests,
            Known::is(38_717, By::Reported),
            "count",
        );
        summary.reported.duration = Known::is(Duration::from_secs_f64(610.09), By::Reported);
        assert_eq!(found(&summary), Some(true));
        // The file states no duration, but a rate.
        summary.reported.duration = Known::Not(trueline_core::Why::Absent);
        let meaning = Definition::new(Mark::Sent, Mark::Closed, Side::Client).each(Each::Run);
        let rate = Known::is(63.461_25, By::Reported);
        summary.reported.figures.push(Figure::new(Metric::RequestPerS, None, rate, meaning, "r"));
        assert_eq!(found(&summary), Some(true));
        // Its first stage: one request a second, p99 1.5 ms.
        assert_eq!(found(&run(Some(Load::Rate(1.0)), &[("p99", 0.0015)])), Some(false));
    }

    #[test]
    fn a_tenth_of_the_gap_is_kept_or_not() {
        // At 4 a second the gap is 250 ms: 25 ms are allowed; at 1,000 a second 1 ms is.
        assert_eq!(found(&run(Some(Load::Rate(4.0)), &[("p99", 0.025)])), Some(false));
        assert_eq!(found(&run(Some(Load::Rate(4.0)), &[("p99", 0.026)])), Some(true));
        assert_eq!(found(&run(Some(Load::Rate(1_000.0)), &[("p99", 0.001)])), Some(false));
        assert_eq!(found(&run(Some(Load::Rate(1_000.0)), &[("p99", 0.0011)])), Some(true));
    }

    #[test]
    fn a_mean_above_the_limit_is_enough_and_below_it_says_nothing() {
        assert_eq!(found(&run(Some(Load::Rate(4.0)), &[("mean", 0.5)])), Some(true));
        assert_eq!(found(&run(Some(Load::Rate(4.0)), &[("mean", 0.001)])), None);
        assert_eq!(found(&run(Some(Load::Rate(4.0)), &[("max", 5.0)])), None);
    }

    #[test]
    fn waiting_for_a_slot_is_by_design() {
        assert_eq!(found(&run(Some(Load::Concurrency(8)), &[("p99", 41.5)])), None);
        assert_eq!(found(&run(Some(Load::Rate(1.0)), &[])), None);
    }
}
