//! Requests in flight beside the most that were allowed.

use trueline_core::{
    BenchRun, Each, Finding, Metric, Need, Outcomes, Scope, Severity, Thresholds, number,
};

use super::checks::CONCURRENCY_ABOVE_CAP;
use super::in_flight::overlap;
use super::stated::{cap, of_run};
use crate::conclusion::conclude;
use crate::form::Form;

/// Checks the requests' own times, and the peak and the mean that the tool states.
///
/// A run without a cap has none to exceed. A peak that counts the requests which touch a second is
/// above the cap by nature.
pub(super) fn check_cap(run: &BenchRun, thresholds: &Thresholds) -> Outcomes {
    let check = &CONCURRENCY_ABOVE_CAP;
    let about = Scope::of_run(run);
    let Some(cap) = cap(run) else { return conclude(check, about, Vec::new(), None) };
    let mut findings = Vec::new();
    let timed = overlap(run, cap);
    if let Some((most, above)) = timed
        && above > thresholds.get(check, "time_share")
    {
        let text = format!(
            "{most} requests were in flight at once, and {cap} were allowed; above that for {} of \
             the run",
            number::percent(above),
        );
        findings.push(
            Finding::new(check, about.clone(), text)
                .with("form", Form::Requests)
                .with("in_flight", most)
                .with("cap", cap)
                .with("time_share_above", above),
        );
    }
    let mean = of_run(run, Metric::Concurrency);
    if let Some(mean) = mean.filter(|m| m.value - m.step > cap * thresholds.get(check, "mean")) {
        let text = format!(
            "a mean of {} in flight is stated, and {cap} were allowed",
            number::short(mean.value, 4)
        );
        findings.push(
            Finding::new(check, about.clone(), text)
                .with("form", Form::Aggregate)
                .with("mean_in_flight", mean.value)
                .with("cap", cap),
        );
    }
    let peak = run.reported.figures_of(Metric::PeakConcurrency).find_map(|figure| {
        let value = figure.value.value().filter(|x| x.is_finite())?;
        Some((value, figure.step, figure.definition.each))
    });
    if let Some((peak, _, each)) = peak.filter(|(peak, step, _)| peak - step > cap) {
        let touched = each != Each::Run;
        let (severity, words) = if touched {
            (Severity::Note, "it counts requests that touch a second, not those that overlap")
        } else {
            (Severity::Error, "more than allowed")
        };
        let peak_text = number::short(peak, 4);
        let text = format!("a peak of {peak_text} in flight beside a cap of {cap}: {words}");
        let scope = if touched {
            about.clone().with_metric(Metric::PeakConcurrency)
        } else {
            about.clone()
        };
        let finding = Finding::new(check, scope, text)
            .at(severity)
            .with("form", Form::Aggregate)
            .with("peak_in_flight", peak)
            .with("cap", cap);
        findings.push(if touched { finding.advising("do not quote this peak") } else { finding });
    }
    let judged = timed.is_some() || mean.is_some() || peak.is_some();
    conclude(check, about, findings, (!judged).then_some(Need::WallTimes))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Made, RATE, sglang};
    use super::*;

    fn severities(made: &Made) -> Vec<Severity> {
        let got = check_cap(&made.0, &Thresholds::default());
        got.findings().map(|f| f.severity).collect()
    }

    /// Requests of 100 ms, each sent some milliseconds after the one before.
    fn every(ms: f64, cap: u32) -> Made {
        (0..20)
            .fold(Made::run().held(cap), |made, i| made.request(f64::from(i) * ms, 10.0, 100.0, 9))
    }

    #[test]
    fn requests_that_overlap_beyond_the_cap_revoke_everything() {
        // One every 50 ms lasting 100 ms: two in flight.
        assert!(severities(&every(50.0, 2)).is_empty());
        assert_eq!(severities(&every(50.0, 1)), [Severity::Error]);
        // One every 99.5 ms: half a per cent of the time two stamps overlap.
        assert!(severities(&every(99.5, 1)).is_empty());
    }

    #[test]
    fn a_peak_of_touched_seconds_is_a_note() {
        // SGLang says 12 at a cap of 2.
        assert_eq!(severities(&sglang()), [Severity::Note]);
    }

    #[test]
    fn a_peak_of_the_run_or_a_mean_above_the_cap_is_an_error() {
        let peak = |n: f64| {
            let mut made = Made::run().held(4).run_figure(Metric::PeakConcurrency, n, 0.0);
            made.0.reported.figures.iter_mut().for_each(|f| f.definition = RATE);
            made
        };
        assert!(severities(&peak(4.0)).is_empty());
        assert_eq!(severities(&peak(5.0)), [Severity::Error]);
        let mean = |n| Made::run().held(4).run_figure(Metric::Concurrency, n, 0.01);
        assert!(severities(&mean(4.08)).is_empty());
        assert_eq!(severities(&mean(4.2)), [Severity::Error]);
    }

    #[test]
    fn without_a_cap_it_is_clear_and_without_times_not_observed() {
        let check = |made: &Made| check_cap(&made.0, &Thresholds::default());
        assert!(Made::clear(&check(&Made::run())));
        assert!(Made::not_observed(&check(&Made::run().held(2))));
    }
}
