//! Whether requests came faster than they were served, from sums over the run.

use trueline_core::number::short;
use trueline_core::{BenchRun, Each, Metric, Need, Statistic, Thresholds};

use super::checks::OVER_SATURATED;
use super::overload::{CHANCE, Judged};
use super::timeline::sent_requests;
use crate::stats::real;

/// Decoding beyond five times its mean is rare, whatever lengths the replies have.
const LONGEST_DECODE: f64 = 5.0;

/// The check from the tool's own figures.
///
/// # Formula
/// `requests / (duration - 5 x mean decode time)` is below 95 % of the rate asked for,
/// the time beyond `requests / rate` is more than Poisson arrivals explain, the high quantile of
/// TTFT is at least half of it, and 1.8 times its median: the wait grew.
pub(super) fn from_figures(run: &BenchRun, rate: f64, thresholds: &Thresholds) -> Judged {
    let check = &OVER_SATURATED;
    let value = |metric, statistic| {
        let figure = run.reported.figure(metric, Some(statistic))?;
        figure.value.value().filter(|_| figure.definition.each == Each::Request)
    };
    let numbers = || {
        let n = real(sent_requests(run)?);
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
    if achieved >= thresholds.get(check, "achieved") * rate || late <= CHANCE * n.sqrt() / rate {
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

    use trueline_core::{By, Definition, Figure, Known, Load, Mark, Side, Total};

    use super::super::timeline::made::*;
    use super::*;

    /// `None` where the check could not run.
    fn found(run: &BenchRun) -> Option<bool> {
        let Some(Load::Rate(rate)) = run.plan.load else { return None };
        match from_figures(run, rate, &Thresholds::default()) {
            Judged::Overloaded(..) => Some(true),
            Judged::Kept => Some(false),
            Judged::Not(_) => None,
        }
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
}
