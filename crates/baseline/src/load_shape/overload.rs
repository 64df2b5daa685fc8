//! Whether requests came faster than they were served.

use trueline_core::number::{percent, short};
use trueline_core::{BenchRun, Finding, Metric, Need, Outcomes, Scope, Thresholds};

use super::at_once::from_burst;
use super::checks::OVER_SATURATED;
use super::overload_sums::from_figures;
use super::timeline::{Sent, Shape, Timeline, by_wave, shape};
use crate::form::Form;
use crate::samples::value_of;
use crate::stats::{count, mean, median_of, quantile, sorted, squares_about, trend};

/// The normal deviate that one run in a hundred exceeds.
pub(super) const CHANCE: f64 = 2.33;

/// Into how many parts the sends of a run are divided before a trend is sought.
const PARTS: usize = 20;

/// Checks that an open loop was no faster than the server. A closed loop cannot be.
///
/// # Formula
/// Requests: the number in flight and TTFT both rise over the run, each by more than half of its
/// median, with `p < 0.01` of Kendall's tau over 20 means in send order; sends before the p95
/// latency of the first quarter has passed are left out, as the loop fills up then. What piles up
/// waiting for a first token must be over 5 % of what was sent, beyond chance: a queue near its limit swings by itself. Or the
/// rate of sends stays below 95 % of the rate asked for by more than chance.
///
/// Aggregate: see [`from_figures`]. Requests that were all sent at once: see [`from_burst`].
///
/// # Shape
/// One finding for each metric that holds the wait: the throughput is the server's limit and stands.
pub(super) fn check_overload(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &OVER_SATURATED;
    let about = Scope::of_run(run);
    let mut outcomes = Outcomes::default();
    let line = Timeline::of(run);
    let form = if line.is_some() { Form::Requests } else { Form::Aggregate };
    let (judged, rate) = match (shape(run), line) {
        (Shape::Closed(_), _) => {
            outcomes.clear(check, about);
            return outcomes;
        }
        (Shape::Unknown, _) => (from_burst(run, thresholds), None),
        (Shape::Open(rate), Some(line)) => (from_requests(&line, rate, thresholds), Some(rate)),
        (Shape::Open(rate), None) => (from_figures(run, rate, thresholds), Some(rate)),
    };
    match judged {
        Judged::Overloaded(message, evidence) => {
            for metric in waiting_metrics(run) {
                let about = about.clone().with_metric(metric);
                let mut finding = Finding::new(check, about, message.clone());
                if let Some(rate) = rate {
                    finding = finding.with("asked_request_per_s", rate);
                }
                for (name, value) in &evidence {
                    finding = finding.with(name, *value);
                }
                outcomes.found(finding.with("form", form));
            }
        }
        Judged::Kept => outcomes.clear(check, about),
        Judged::Not(need) => outcomes.not_observed(check, need, about),
    }
    outcomes
}

/// The metrics that hold the wait in the queue and grow with the length of the run.
fn waiting_metrics(run: &BenchRun) -> impl Iterator<Item = Metric> + '_ {
    let stated = |metric: &Metric| run.reported.figures_of(*metric).next().is_some();
    let more = [Metric::QueueS, Metric::E2ePerTokenS, Metric::GoodputRequestPerS];
    [Metric::TtftS, Metric::E2eLatencyS].into_iter().chain(more.into_iter().filter(stated))
}

/// What one form of the check says.
pub(super) enum Judged {
    /// More came than was served, in words and numbers.
    Overloaded(String, Vec<(&'static str, f64)>),
    /// The server kept up.
    Kept,
    /// It cannot be said.
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
        if sent < (thresholds.get(check, "achieved") - by_chance(&line.measured)) * rate {
            let message = format!(
                "{} requests a second were sent, {} asked for",
                short(sent, 3),
                short(rate, 3)
            );
            return Judged::Overloaded(message, vec![("sent_request_per_s", sent)]);
        }
    }
    let in_flight = line.in_flight_at_sends();
    let waiting = line.waiting_at_sends().unwrap_or_else(|| in_flight.clone());
    let filled = filled_at(&line.measured);
    let mut points: Vec<[f64; 3]> = Vec::with_capacity(n);
    for ((sent, in_flight), waiting) in line.measured.iter().zip(in_flight).zip(waiting) {
        let wait = value_of(sent.request, Metric::TtftS);
        let wait = wait.or_else(|| value_of(sent.request, Metric::E2eLatencyS));
        if let Some(wait) = wait.filter(|_| filled.is_none_or(|filled| sent.at >= filled)) {
            points.push([in_flight, wait, waiting]);
        }
    }
    if count(points.len()) < thresholds.get(check, "requests") {
        return Judged::Not(Need::MoreRequests);
    }
    let growth = |of: fn(&[f64; 3]) -> f64| {
        let values: Vec<f64> = points.iter().map(of).collect();
        let means = by_wave(&values, values.len() / PARTS);
        let trend = trend(&means).filter(|t| t.p < thresholds.get(check, "p"))?;
        let growth = trend.span() / median_of(means).filter(|m| *m > 0.0)?;
        (growth > thresholds.get(check, "growth")).then_some((growth, trend.span()))
    };
    let grown = (growth(|p| p[0]), growth(|p| p[1]), growth(|p| p[2]));
    let (Some((in_flight, _)), Some((wait, _)), Some((_, piled_up))) = grown else {
        return Judged::Kept;
    };
    let left = piled_up / count(points.len());
    let limit = 1.0 - thresholds.get(check, "achieved") + by_chance(&line.measured);
    if left <= limit {
        return Judged::Not(Need::MoreRequests);
    }
    let message = format!(
        "at {} requests a second those in flight grow by {} of their median, TTFT by {}",
        short(rate, 3),
        percent(in_flight),
        percent(wait)
    );
    Judged::Overloaded(
        message,
        vec![
            ("in_flight_growth_share", in_flight),
            ("ttft_growth_share", wait),
            ("piled_up_share", left),
        ],
    )
}

/// From when on requests end as well as begin.
fn filled_at(measured: &[Sent<'_>]) -> Option<f64> {
    let quarter = measured.get(..measured.len() / 4)?;
    let latencies = sorted(quarter.iter().filter_map(|sent| Some(sent.end? - sent.at)).collect());
    Some(measured.first()?.at + quantile(&latencies, 0.95)?)
}

/// By how much of the number sent the arrivals and the service may lag behind their means in one run
/// of a hundred.
///
/// # Formula
/// `2.33 sqrt((a^2 + s^2) / n)`, with `a` the deviation of the gaps between sends over their mean,
/// and `s` that of service times: half.
fn by_chance(measured: &[Sent<'_>]) -> f64 {
    let gaps: Vec<f64> =
        measured.iter().zip(measured.iter().skip(1)).map(|(a, b)| b.at - a.at).collect();
    let n = count(gaps.len());
    let varied = mean(&gaps).filter(|mean| *mean > 0.0);
    let arrivals = varied.map_or(0.0, |mean| squares_about(mean, &gaps) / n / mean.powi(2));
    CHANCE * ((arrivals + 0.25) / n).sqrt()
}

#[cfg(test)]
mod tests {
    use trueline_core::{CheckOutcome, Load};

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
    fn the_throughput_of_a_loop_beyond_the_limit_stands() {
        let outcomes = check_overload(&queue(0.12), &Thresholds::default());
        let of: Vec<_> = outcomes.findings().map(|f| f.about.metric).collect();
        assert_eq!(of, [Some(Metric::TtftS), Some(Metric::E2eLatencyS)]);
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
        // 1,000 even gaps: 2.33 x sqrt(0.25 / 999) is 3.7 %, so 91.3 % of 10 a second is enough.
        assert_eq!(found(&at(0.1 / 0.90)), Some(true));
        assert_eq!(found(&at(0.1 / 0.92)), Some(false));
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
