//! Little's law: the sum of latencies over the duration is the mean number in flight.

use trueline_core::{
    BenchRun, ClaimKind, Finding, Load, Metric, Need, Outcomes, Scope, Thresholds, number,
};

use super::checks::LITTLES_LAW_BROKEN;
use super::in_flight::InFlight;
use super::stated::{cap, duration, failures, of_run};
use super::words::seconds;
use crate::conclusion::conclude;
use crate::stats::real;

/// Checks the mean number in flight against the cap, the load that was to be held and the mean that
/// the tool states.
///
/// # Formula
/// `N = sum e2e / duration`, exact for a run that starts and ends empty. Slots that are always
/// refilled are all busy but for the last of the run, which takes at most the longest latency:
/// `sum e2e / (duration - longest) >= cap`.
pub(super) fn check_little(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &LITTLES_LAW_BROKEN;
    let about = Scope::of_run(run);
    let Some(flight) = InFlight::of(run) else {
        let need = if duration(run).is_some() { Need::Samples } else { Need::WallTimes };
        return conclude(check, about, Vec::new(), Some(need));
    };
    let above = thresholds.get(check, "above_cap");
    let findings = match cap(run).filter(|cap| flight.mean() / (1.0 + flight.slack) > above * cap) {
        Some(cap) => vec![beyond_cap(about.clone(), &flight, cap)],
        None => not_held(run, &flight, thresholds)
            .into_iter()
            .chain(other_mean(run, &flight, thresholds.get(check, "concurrency")))
            .collect(),
    };
    conclude(check, about, findings, None)
}

fn finding(about: Scope, flight: &InFlight, text: String) -> Finding {
    Finding::new(&LITTLES_LAW_BROKEN, about, text)
        .with("form", flight.form)
        .with("mean_in_flight", flight.mean())
        .with("e2e_sum_s", flight.busy)
        .with("duration_s", flight.lasting)
}

fn beyond_cap(about: Scope, flight: &InFlight, cap: f64) -> Finding {
    let text = format!(
        "{} of latency in {} are {} requests in flight on average, and {cap} were allowed",
        seconds(flight.busy),
        seconds(flight.lasting),
        number::short(flight.mean(), 4),
    );
    finding(about, flight, text).with("cap", cap)
}

/// A closed loop whose slots stood empty.
fn not_held(run: &BenchRun, flight: &InFlight, thresholds: &Thresholds) -> Option<Finding> {
    let check = &LITTLES_LAW_BROKEN;
    let cap = cap(run).filter(|_| matches!(run.plan.load, Some(Load::Concurrency(_))))?;
    let waves = real(run.completed()?) / cap;
    let judged = flight.whole
        && failures(run) == Some(0)
        && waves >= thresholds.get(check, "waves")
        && flight.lasting > flight.longest;
    let held = flight.busy / (flight.lasting - flight.longest) * (1.0 + flight.slack);
    (judged && held < thresholds.get(check, "held") * cap).then(|| {
        let text = format!(
            "{} of {cap} requests were in flight on average: the load was not held",
            number::short(flight.mean(), 3),
        );
        finding(Scope::of_run(run), flight, text)
            .touching([ClaimKind::Trend, ClaimKind::Capacity, ClaimKind::Ranking])
            .advising(
                "look for a connection limit, a busy client or one long last reply, and repeat the \
                 level with more requests",
            )
            .with("cap", cap)
            .with("waves", waves)
            .with("longest_e2e_latency_s", flight.longest)
    })
}

/// A mean concurrency that the tool states and its latencies do not give. Failed requests occupy
/// slots and have no latency.
fn other_mean(run: &BenchRun, flight: &InFlight, tolerance: f64) -> Option<Finding> {
    let stated = of_run(run, Metric::Concurrency)?;
    let off = (stated.value - flight.mean()).abs() / flight.mean();
    // A mean over time may leave out the first filling and the last emptying of the slots.
    let edges = flight.lasting / (flight.lasting - flight.longest).max(1e-9);
    let slack = tolerance + flight.slack + stated.slack();
    let apart = stated.value < flight.mean() * (1.0 - slack)
        || stated.value > flight.mean() * edges * (1.0 + slack);
    let judged = flight.whole && failures(run).unwrap_or(0) == 0;
    (judged && apart).then(|| {
        let text = format!(
            "a mean of {} in flight is stated, and {} of latency in {} give {}",
            number::short(stated.value, 4),
            seconds(flight.busy),
            seconds(flight.lasting),
            number::short(flight.mean(), 4),
        );
        finding(Scope::of_run(run), flight, text)
            .touching([ClaimKind::Absolute])
            .with("stated_concurrency", stated.value)
            .with("off_share", off)
    })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Made, chunk4, sglang};
    use super::*;

    fn run(made: &Made) -> Outcomes {
        check_little(&made.0, &Thresholds::default())
    }

    fn kinds(made: &Made) -> Vec<Vec<ClaimKind>> {
        run(made).findings().map(|f| f.touches.clone()).collect()
    }

    /// 100 requests at concurrency 4, answered without failure.
    fn means(e2e_ms: f64, lasting: f64, step: f64) -> Made {
        Made::run()
            .held(4)
            .planned(100)
            .total_completed(100)
            .lasting(lasting, step)
            .mean_ms(Metric::E2eLatencyS, e2e_ms)
    }

    #[test]
    fn published_runs_obey_it() {
        // 133.114 ms x 12 / 0.81298 s = 1.9648; 113.715 x 12 / 0.688095 = 1.9831.
        assert!(Made::clear(&run(&sglang())) && Made::clear(&run(&chunk4())));
    }

    #[test]
    fn more_latency_than_the_cap_allows_revokes_everything() {
        // 100 x 1 s in 24.6 s are 4.065, in 24.4 s 4.098; the limit is 4.08.
        assert!(Made::clear(&run(&means(1_000.0, 24.6, 0.0))));
        assert_eq!(kinds(&means(1_000.0, 24.4, 0.0)), [ClaimKind::ALL.to_vec()]);
        // A duration written in whole seconds leaves that open.
        assert!(Made::clear(&run(&means(1_000.0, 24.4, 1.0))));
    }

    #[test]
    fn a_load_that_was_not_held_touches_trends() {
        // 100 x 1 s in 28.7 s: 100 / 27.7 = 3.61; in 28.9 s: 100 / 27.9 = 3.58; the limit is 3.6.
        let trend = vec![ClaimKind::Trend, ClaimKind::Capacity, ClaimKind::Ranking];
        assert!(Made::clear(&run(&means(1_000.0, 28.7, 0.0))));
        assert_eq!(kinds(&means(1_000.0, 28.9, 0.0)), [trend]);
        // One reply of 5 s may have run alone at the end.
        let longest = means(1_000.0, 30.0, 0.0).ms(
            Metric::E2eLatencyS,
            trueline_core::Statistic::Max,
            5_000.0,
        );
        assert!(Made::clear(&run(&longest)));
        // Failed requests occupied slots.
        let failed = means(1_000.0, 40.0, 0.0).total(trueline_core::Total::FailedRequests, 10);
        assert!(Made::clear(&run(&failed)));
        // Nine waves are mostly ramp and drain.
        let few = Made::run()
            .held(4)
            .planned(36)
            .total_completed(36)
            .lasting(15.0, 0.0)
            .mean_ms(Metric::E2eLatencyS, 1_000.0);
        assert!(Made::clear(&run(&few)));
        // An open loop has no load to hold.
        let mut open = means(1_000.0, 40.0, 0.0);
        open.0.plan.load = Some(Load::Rate(2.5));
        assert!(Made::clear(&run(&open)));
    }

    #[test]
    fn a_stated_mean_is_that_of_the_latencies() {
        let stated = |n| means(1_000.0, 25.0, 0.0).run_figure(Metric::Concurrency, n, 0.0);
        assert!(Made::clear(&run(&stated(3.93))));
        assert_eq!(kinds(&stated(3.90)), [vec![ClaimKind::Absolute]]);
        // Over the 24 s without its last second a mean may be 4.167, and 2 % more 4.25.
        assert!(Made::clear(&run(&stated(4.24))));
        assert_eq!(kinds(&stated(4.26)), [vec![ClaimKind::Absolute]]);
        let failed = stated(3.5).total(trueline_core::Total::FailedRequests, 10);
        assert!(Made::clear(&run(&failed)));
    }

    #[test]
    fn requests_are_summed_where_all_are_recorded() {
        // Two slots, 20 requests of 100 ms back to back: 1 s.
        let rows = |cap| {
            (0..20).fold(Made::run().held(cap), |made, i| {
                made.request(f64::from(i / 2) * 100.0, 20.0, 100.0, 9)
            })
        };
        assert!(Made::clear(&run(&rows(2))));
        assert_eq!(kinds(&rows(1)), [ClaimKind::ALL.to_vec()]);
    }

    #[test]
    fn without_latency_or_duration_nothing_is_observed() {
        assert!(Made::not_observed(&run(&Made::run().held(4).lasting(3.0, 0.0))));
        assert!(Made::not_observed(&run(&Made::run().held(4))));
    }
}
