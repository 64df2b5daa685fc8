//! Whether others take time from a thread that only computes.

use trueline_core::number::percent;
use trueline_core::{Finding, Need, Outcomes};

use super::checks::CPU_CONTENDED;
use crate::judge::View;

/// Checks that the probe had its core for itself.
///
/// It weakens and never revokes: the probe is not the server, and its place is before and after a
/// run. What takes time from the server itself is found by its run delay.
pub(super) fn check_contention(view: &View<'_>, outcomes: &mut Outcomes) {
    let (check, about) = (&CPU_CONTENDED, view.about.clone());
    let Some(probe) = &view.record.cpu else {
        return outcomes.not_observed(check, Need::CpuMeasured, about);
    };
    let Some(taken) = probe.contention.taken_share.value() else {
        return outcomes.not_observed(check, Need::HostReading, about);
    };
    if taken <= view.thresholds.get(check, "taken_share") {
        return outcomes.clear(check, about);
    }
    let idle = probe.contention.not_running_share.value();
    let mut message = format!("{} of a computing thread's time went to others", percent(taken));
    if let Some(idle) = idle {
        message += &format!("; for {} it did not run at all", percent(idle));
    }
    let mut finding = Finding::new(check, about, message).with("taken_share", taken);
    if let Some(worst) = probe.contention.taken_share_worst.value() {
        finding = finding.with("taken_share_worst", worst);
    }
    if let Some(idle) = idle {
        finding = finding.with("not_running_share", idle);
    }
    outcomes.found(finding);
}

#[cfg(test)]
mod tests {
    use trueline_core::{By, CheckOutcome, Known, Scope, Severity, Thresholds, Why};

    use super::super::CpuProbe;
    use super::*;
    use crate::record::HostRecord;

    fn judge(taken: Known<f64>, worst: f64) -> CheckOutcome {
        let mut cpu = CpuProbe::default();
        cpu.contention.taken_share = taken;
        cpu.contention.taken_share_worst = Known::is(worst, By::Measured);
        cpu.contention.not_running_share = Known::is(0.24, By::Measured);
        outcome(&HostRecord { cpu: Some(cpu), ..HostRecord::default() })
    }

    fn outcome(record: &HostRecord) -> CheckOutcome {
        let (about, thresholds) = (Scope::default(), Thresholds::default());
        let mut outcomes = Outcomes::default();
        check_contention(&View { record, about: &about, thresholds: &thresholds }, &mut outcomes);
        let mut all = outcomes.iter().cloned();
        let first = all.next().unwrap();
        assert_eq!(all.next(), None);
        first
    }

    #[test]
    fn a_quarter_of_the_time_taken_warns() {
        let CheckOutcome::Found(finding) = judge(Known::is(0.252, By::Measured), 0.5) else {
            panic!("nothing found");
        };
        assert_eq!(finding.severity, Severity::Warning);
        assert_eq!(
            finding.message,
            "25 % of a computing thread's time went to others; for 24 % it did not run at all"
        );
        assert_eq!(finding.evidence.len(), 3);
    }

    #[test]
    fn a_timer_tick_and_a_burst_are_no_contention() {
        // Quiet: 0.3 %. One stretch of eight half taken leaves the median as it is.
        for worst in [0.004, 0.5] {
            let outcome = judge(Known::is(0.003, By::Measured), worst);
            assert!(matches!(outcome, CheckOutcome::Clear { .. }), "{outcome:?}");
        }
    }

    #[test]
    fn what_was_not_measured_is_not_quiet() {
        let need = |outcome| match outcome {
            CheckOutcome::NotObserved { need, .. } => need,
            other => panic!("{other:?}"),
        };
        assert_eq!(need(judge(Known::Not(Why::Impossible), 0.0)), Need::HostReading);
        assert_eq!(need(outcome(&HostRecord::default())), Need::CpuMeasured);
    }
}
