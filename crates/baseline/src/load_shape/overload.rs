//! Whether requests came faster than they were served.

use trueline_core::number::{percent, short};
use trueline_core::{
    BenchRun, Each, Finding, Metric, Need, Outcomes, Scope, Statistic, Thresholds,
};

use super::checks::OVER_SATURATED;
use super::series::value_of;
use super::timeline::{Sent, Shape, Timeline, by_wave, count, middle, sent_requests, shape};
use crate::stats::{quantile, trend};

/// Into how many parts the sends of a run are divided before a trend is sought.
const PARTS: usize = 20;

/// Decoding beyond five times its mean is rare, whatever lengths the replies have.
const LONGEST_DECODE: f64 = 5.0;

/// Checks that an open loop was no faster than the server. A closed loop cannot be.
///
/// # Formula
/// Requests: the number in flight and TTFT both rise over the run, each by more than half of its
/// median, with `p < 0.01` of Kendall's tau over 20 means in send order; sends before the p95
/// latency of the first quarter has passed are left out, as the loop fills up then. Or the rate of
/// sends stays below 95 % of the rate asked for by more than Poisson arrivals explain.
///
/// Aggregate: `requests / (duration - 5 x mean decode time)` is below 95 % of the rate asked for,
/// the time beyond `requests / rate` is more than Poisson arrivals explain, the high quantile of
/// TTFT is at least half of it, and 1.8 times its median: the wait grew.
pub(super) fn check_overload(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &OVER_SATURATED;
    let about = Scope::of_run(run);
    let mut outcomes = Outcomes::default();
    let rate = match shape(run) {
        Shape::Open(rate) => rate,
        Shape::Closed(_) => {
            outcomes.clear(check, about);
            return outcomes;
        }
        Shape::Unknown => {
            outcomes.not_observed(check, Need::LoadAsked, about);
            return outcomes;
        }
    };
    let (judged, form) = match Timeline::of(run) {
        Some(line) => (from_requests(&line, rate, thresholds), "requests"),
        None => (from_figures(run, rate, thresholds), "aggregate"),
    };
    match judged {
        Judged::Overloaded(message, evidence) => {
            let mut finding = Finding::new(check, about, message).with("asked_request_per_s", rate);
            for (name, value) in evidence {
                finding = finding.with(name, value);
            }
            outcomes.found(finding.with("form", form));
        }
        Judged::Kept => outcomes.clear(check, about),
        Judged::Not(need) => outcomes.not_observed(check, need, about),
    }
    outcomes
}

enum Judged {
    Overloaded(String, Vec<(&'static str, f64)>),
    Kept,
    Not(Need),
}

fn from_requests(line: &Timeline<'_>, rate: f64, thresholds: &Thresholds) -> Judged {
    let check = &OVER_SATURATED;
    let n = line.measured.len();
    if count(n) < thresholds.get(check, "requests") {
        return Judged::Not(Need::MoreRequests);
    }
    if let Some((from, to)) = line.sending().filter(|(from, to)| to > from) {
        let sent = count(n - 1) / (to - from);
        if sent < (thresholds.get(check, "achieved") - by_chance(count(n))) * rate {
            let message = format!(
                "{} requests a second were sent, {} asked for",
                short(sent, 3),
                short(rate, 3)
            );
            return Judged::Overloaded(message, vec![("sent_request_per_s", sent)]);
        }
    }
    let in_flight = line.in_flight_at_sends();
    let filled = filled_at(&line.measured);
    let mut points: Vec<(f64, f64)> = Vec::with_capacity(n);
    for (sent, in_flight) in line.measured.iter().zip(in_flight) {
        let wait = value_of(sent.request, Metric::TtftS);
        let wait = wait.or_else(|| value_of(sent.request, Metric::E2eLatencyS));
        if let Some(wait) = wait.filter(|_| filled.is_none_or(|filled| sent.at >= filled)) {
            points.push((in_flight, wait));
        }
    }
    if count(points.len()) < thresholds.get(check, "requests") {
        return Judged::Not(Need::MoreRequests);
    }
    let growth = |of: fn(&(f64, f64)) -> f64| {
        let values: Vec<f64> = points.iter().map(of).collect();
        let means = by_wave(&values, values.len() / PARTS);
        let trend = trend(&means).filter(|t| t.p < thresholds.get(check, "p"))?;
        let growth = trend.span() / middle(&means).filter(|m| *m > 0.0)?;
        (growth > thresholds.get(check, "growth")).then_some(growth)
    };
    match (growth(|p| p.0), growth(|p| p.1)) {
        (Some(in_flight), Some(wait)) => Judged::Overloaded(
            format!(
                "at {} requests a second those in flight grow by {} of their median, TTFT by {}",
                short(rate, 3),
                percent(in_flight),
                percent(wait)
            ),
            vec![("in_flight_growth_share", in_flight), ("ttft_growth_share", wait)],
        ),
        _ => Judged::Kept,
    }
}

/// From when on requests end as well as begin.
fn filled_at(measured: &[Sent<'_>]) -> Option<f64> {
    let quarter = measured.get(..measured.len() / 4)?;
    let mut latencies: Vec<f64> =
        quarter.iter().filter_map(|sent| Some(sent.end? - sent.at)).collect();
    latencies.sort_by(f64::total_cmp);
    Some(measured.first()?.at + quantile(&latencies, 0.95)?)
}

/// By how much of it the rate of `n` Poisson arrivals stays below its mean in one run of a hundred.
fn by_chance(n: f64) -> f64 {
    2.33 / n.sqrt()
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn from_figures(run: &BenchRun, rate: f64, thresholds: &Thresholds) -> Judged {
    let check = &OVER_SATURATED;
    let value = |metric, statistic| {
        let figure = run.reported.figure(metric, Some(statistic))?;
        figure.value.value().filter(|_| figure.definition.each == Each::Request)
    };
    let numbers = || {
        let n = sent_requests(run)? as f64;
        let seconds = run.reported.duration.value()?.as_secs_f64();
        let decode =
            value(Metric::E2eLatencyS, Statistic::Mean)? - value(Metric::TtftS, Statistic::Mean)?;
        Some((n, seconds, LONGEST_DECODE * decode.max(0.0)))
    };
    let Some((n, seconds, drain)) = numbers() else { return Judged::Not(Need::Samples) };
    if n < thresholds.get(check, "requests") {
        return Judged::Not(Need::MoreRequests);
    }
    let busy = seconds - drain;
    if busy <= 0.0 {
        return Judged::Not(Need::MoreRequests);
    }
    let achieved = n / busy;
    let late = busy - n / rate;
    if achieved >= thresholds.get(check, "achieved") * rate || late <= by_chance(n) * n / rate {
        return Judged::Kept;
    }
    let high = run.reported.figures_of(Metric::TtftS).filter_map(|figure| {
        let high = match figure.statistic? {
            Statistic::Max => true,
            Statistic::Quantile(q) => q.get() >= 0.9 - 1e-9,
            _ => false,
        };
        figure.value.value().filter(|_| high)
    });
    let high = high.fold(0.0, f64::max);
    let usual = value(Metric::TtftS, Statistic::Median).unwrap_or(f64::INFINITY);
    if high < late / 2.0 || high < 1.8 * usual {
        return Judged::Not(Need::Samples);
    }
    let message = format!(
        "{} requests a second were answered, {} asked for; TTFT reaches {} s",
        short(achieved, 3),
        short(rate, 3),
        short(high, 3)
    );
    let evidence = vec![("answered_request_per_s", achieved), ("ttft_high_s", high)];
    Judged::Overloaded(message, evidence)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use trueline_core::{By, CheckOutcome, Definition, Figure, Known, Load, Mark, Side, Total};

    use super::super::timeline::made::*;
    use super::*;

    /// `None` where the check could not run.
    fn found(run: &BenchRun) -> Option<bool> {
        let outcomes = check_overload(run, &Thresholds::default());
        match outcomes.iter().next() {
            Some(CheckOutcome::NotObserved { .. }) => None,
            _ => Some(outcomes.has("over-saturated")),
        }
    }

    /// 200 requests at 10 a second for a server that takes `service` seconds for each, one by one.
    fn queue(service: f64) -> BenchRun {
        let mut free = 0.0_f64;
        let requests = (0..200).map(|i| {
            let at = f64::from(i) / 10.0;
            let begun = free.max(at);
            free = begun + service * noise(i, 0.3);
            request(at, free - at, free - at + 0.05)
        });
        with_load(requests.collect(), Some(Load::Rate(10.0)))
    }

    #[test]
    fn a_queue_that_grows_is_found_and_one_that_does_not_is_not() {
        // 0.12 s a request at 10 a second: 20 % more comes than is served. 0.09 s: 10 % less.
        assert_eq!(found(&queue(0.12)), Some(true));
        assert_eq!(found(&queue(0.09)), Some(false));
    }

    #[test]
    fn a_loop_that_fills_up_at_its_start_does_not_grow() {
        // Eight seconds each at 10 a second: 80 in flight from second 8 on, none waiting.
        let one = |i: u32| request(f64::from(i) / 10.0, 0.2 * noise(i, 0.3), 8.0 * noise(i, 0.5));
        let run = with_load((0..400).map(one).collect(), Some(Load::Rate(10.0)));
        assert_eq!(found(&run), Some(false));
    }

    #[test]
    fn requests_held_back_by_a_cap_show_in_the_rate_of_sends() {
        let at = |gap: f64| {
            let one = |i: u32| request(f64::from(i) * gap, 0.1, 0.2);
            with_load((0..1_000).map(one).collect(), Some(Load::Rate(10.0)))
        };
        // 1,000 Poisson arrivals stay within 7.4 %: below 87.6 % is found, 90 % is not.
        assert_eq!(found(&at(0.1 / 0.85)), Some(true));
        assert_eq!(found(&at(0.1 / 0.90)), Some(false));
    }

    fn aggregate(rate: f64, n: u64, seconds: f64, ttft: [f64; 3], e2e: f64) -> BenchRun {
        let mut run = with_load(Vec::new(), Some(Load::Rate(rate)));
        run.reported.duration = Known::is(Duration::from_secs_f64(seconds), By::Reported);
        run.reported.set_total(Total::CompletedRequests, Known::is(n, By::Reported), "n");
        let meaning = Definition::new(Mark::Sent, Mark::FirstToken, Side::Client);
        for (metric, statistic, value) in [
            (Metric::TtftS, "mean", ttft[0]),
            (Metric::TtftS, "median", ttft[1]),
            (Metric::TtftS, "p99", ttft[2]),
            (Metric::E2eLatencyS, "mean", e2e),
        ] {
            let value = Known::is(value, By::Reported);
            let statistic = Some(statistic.parse().unwrap());
            run.reported.figures.push(Figure::new(metric, statistic, value, meaning, "x"));
        }
        run
    }

    #[test]
    fn sums_show_it_where_the_wait_is_as_long_as_the_run_is_late() {
        // 1,000 at 10 a second are sent in 100 s; served in 150 s, TTFT up to 49 s.
        assert_eq!(found(&aggregate(10.0, 1_000, 150.0, [25.0, 25.0, 49.0], 26.0)), Some(true));
        // The same lateness without a wait: somebody else held the run up.
        assert_eq!(found(&aggregate(10.0, 1_000, 150.0, [0.2, 0.2, 0.5], 1.2)), None);
        assert_eq!(found(&aggregate(10.0, 1_000, 104.0, [0.2, 0.2, 0.5], 1.2)), Some(false));
    }

    #[test]
    fn a_short_run_that_drains_is_not_over_saturated() {
        // 100 at 10 a second take 10 s, and the last reply 5 s more: 6.7 a second in all.
        assert_eq!(found(&aggregate(10.0, 100, 15.0, [0.2, 0.2, 0.4], 5.2)), None);
        // The published stage: 60 at one a second in 59 s.
        assert_eq!(found(&aggregate(1.0, 60, 58.99, [0.031, 0.031, 0.040], 0.480)), Some(false));
    }

    #[test]
    fn closed_loops_cannot_be_and_unknown_loads_are_not_judged() {
        let mut run = queue(0.12);
        run.plan.load = Some(Load::Concurrency(4));
        assert_eq!(found(&run), Some(false));
        run.plan.load = None;
        assert_eq!(found(&run), None);
        assert_eq!(found(&with_load(Vec::new(), Some(Load::Rate(1.0)))), None);
    }
}
