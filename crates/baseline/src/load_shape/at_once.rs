//! Requests that were all sent at once, neither at a rate nor into slots.

use trueline_core::number::{percent, short};
use trueline_core::{BenchRun, Each, Metric, Need, Statistic, Thresholds};

use super::checks::OVER_SATURATED;
use super::overload::Judged;
use super::timeline::{Timeline, sent_requests};
use crate::samples::value_of;
use crate::stats::{quantile, real, sorted};

/// Sends that take no more of a run are one burst.
const BURST_SHARE: f64 = 0.05;

/// The condition under which a tool records that it sends at no rate.
const RATE: &str = "request_rate";

/// Whether TTFT is the place in a queue.
///
/// # Formula
/// All requests are sent within a twentieth of the run, and the p95 of TTFT is over half of it: where
/// the server takes all of them in at once, they wait for a small part. Aggregate: the tool was asked
/// for no rate and no cap, and the highest percentile of TTFT that it states is over half of the run.
pub(super) fn from_burst(run: &BenchRun, thresholds: &Thresholds) -> Judged {
    let sent = sent_requests(run).map_or(0.0, real);
    let enough = sent >= thresholds.get(&OVER_SATURATED, "requests");
    let asked = run.conditions.get(RATE) == Some("inf") && run.plan.max_concurrency.is_none();
    let seen = match Timeline::of(run) {
        Some(line) => of_requests(&line),
        None if asked => of_figures(run),
        None => None,
    };
    let Some((waited, lasts)) = seen else { return Judged::Not(Need::LoadAsked) };
    if !enough {
        return Judged::Not(Need::MoreRequests);
    }
    let share = waited / lasts;
    if share <= thresholds.get(&OVER_SATURATED, "growth") {
        return Judged::Kept;
    }
    let message = format!(
        "{} requests were sent at once, and TTFT reaches {} s, {} of the run: it is the place in a queue",
        short(sent, 6),
        short(waited, 3),
        percent(share)
    );
    Judged::Overloaded(message, vec![("ttft_high_s", waited), ("ttft_run_share", share)])
}

/// The p95 of TTFT and how long the run lasts, where all requests are sent at its start.
fn of_requests(line: &Timeline<'_>) -> Option<(f64, f64)> {
    let (from, to) = line.sending()?;
    let end = line.measured.iter().filter_map(|sent| sent.end).fold(f64::MIN, f64::max);
    let lasts = end - from;
    if lasts <= 0.0 || to - from > BURST_SHARE * lasts {
        return None;
    }
    let ttfts = line.measured.iter().filter_map(|sent| value_of(sent.request, Metric::TtftS));
    Some((quantile(&sorted(ttfts.collect()), 0.95)?, lasts))
}

fn of_figures(run: &BenchRun) -> Option<(f64, f64)> {
    let lasts = run.reported.duration.value()?.as_secs_f64();
    let high = run.reported.figures_of(Metric::TtftS).filter_map(|figure| {
        let high = match figure.statistic? {
            Statistic::Max => true,
            Statistic::Quantile(q) => q.get() >= 0.9 - 1e-9,
            _ => false,
        };
        figure.value.value().filter(|_| high && figure.definition.each == Each::Request)
    });
    let high = high.fold(0.0, f64::max);
    (lasts > 0.0 && high > 0.0).then_some((high, lasts))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use trueline_core::{By, Definition, Figure, Known, Mark, Side, Total};

    use super::super::timeline::made::*;
    use super::*;

    /// `None` where it cannot be said.
    fn found(run: &BenchRun) -> Option<bool> {
        match from_burst(run, &Thresholds::default()) {
            Judged::Overloaded(..) => Some(true),
            Judged::Kept => Some(false),
            Judged::Not(_) => None,
        }
    }

    /// Hundred requests sent within 0.1 s: `prefill` seconds each one after the other, a reply of
    /// 10 s beside the others for all that fit in.
    fn burst(gap: f64, prefill: f64) -> BenchRun {
        let one = |i: u32| {
            let at = f64::from(i) * gap;
            let ttft = f64::from(i + 1) * prefill - at;
            request(at, ttft.max(0.05), ttft.max(0.05) + 10.0)
        };
        with_load((0..100).map(one).collect(), None)
    }

    #[test]
    fn a_burst_that_waits_for_most_of_the_run_is_a_queue() {
        // The 95th of 100 waits 95 of 110 s.
        assert_eq!(found(&burst(0.001, 1.0)), Some(true));
        // The server takes all in: 1.9 s of 12 s.
        assert_eq!(found(&burst(0.001, 0.02)), Some(false));
        // Sent over ten of 110 seconds, this is no burst, and nobody says what it is.
        assert_eq!(found(&burst(0.1, 1.0)), None);
    }

    #[test]
    fn sums_tell_where_no_rate_and_no_cap_was_asked_for() {
        let of = |rate: Option<&str>, p99: f64| {
            let mut run = with_load(Vec::new(), None);
            run.reported.duration = Known::is(Duration::from_secs(16), By::Reported);
            run.reported.set_total(Total::CompletedRequests, Known::is(600, By::Reported), "n");
            let meaning = Definition::new(Mark::Sent, Mark::FirstToken, Side::Client);
            let (value, p99) = (Known::is(p99, By::Reported), "p99".parse().ok());
            run.reported.figures.push(Figure::new(Metric::TtftS, p99, value, meaning, "x"));
            if let Some(rate) = rate {
                run.conditions.set(RATE, rate, By::Reported);
            }
            run
        };
        assert_eq!(found(&of(Some("inf"), 15.2)), Some(true));
        assert_eq!(found(&of(Some("inf"), 2.0)), Some(false));
        assert_eq!(found(&of(None, 15.2)), None);
        let mut capped = of(Some("inf"), 15.2);
        capped.plan.max_concurrency = Some(64);
        assert_eq!(found(&capped), None);
    }
}
