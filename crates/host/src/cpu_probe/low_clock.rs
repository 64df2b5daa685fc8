//! Whether the measured clock is the one that this processor reaches.

use trueline_core::number::{percent, short};
use trueline_core::{Finding, Need, Outcomes, Severity};

use super::checks::CPU_CLOCK_LOW;
use crate::judge::View;
use crate::snapshot::Snapshot;

/// The condition that holds the clock of an earlier record: same machine, or same processor model
/// and number of cores.
const EXPECTED: &str = "cpu_clock_expected_mhz";

/// The clock that a processor is held against.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Reference {
    mhz: f64,
    source: &'static str,
}

/// Checks that the measured clock is near its reference.
///
/// # Formula
/// Measured over reference: an error below 0.80, a warning below 0.92. Above the reference nothing
/// is found: a declared clock may leave out the turbo.
pub(super) fn check_clock(view: &View<'_>, outcomes: &mut Outcomes) {
    let (check, about) = (&CPU_CLOCK_LOW, view.about.clone());
    let Some(probe) = &view.record.cpu else {
        return outcomes.not_observed(check, Need::CpuMeasured, about);
    };
    let Some(mhz) = probe.clock.mhz.value() else {
        return outcomes.not_observed(check, Need::HostReading, about);
    };
    let Some(reference) = reference(view) else {
        return outcomes.not_observed(check, Need::CpuReference, about);
    };
    let share = mhz / reference.mhz;
    let severity = if share < view.thresholds.get(check, "error_share") {
        Severity::Error
    } else if share < view.thresholds.get(check, "warning_share") {
        Severity::Warning
    } else {
        return outcomes.clear(check, about);
    };
    let message = format!(
        "a core runs at {} MHz, {} of the {} MHz {}",
        short(mhz, 4),
        percent(share),
        short(reference.mhz, 4),
        reference.source,
    );
    outcomes.found(
        Finding::new(check, about, message)
            .at(severity)
            .with("measured_clock_mhz", mhz)
            .with("expected_clock_mhz", reference.mhz)
            .with("share", share)
            .with("reference", reference.source),
    );
}

/// An earlier measurement of the same; else what the processor declares, which is the clock of its
/// best core alone and may leave out the turbo.
fn reference(view: &View<'_>) -> Option<Reference> {
    let earlier = view.record.conditions.get(EXPECTED).and_then(|text| text.parse().ok());
    let declared = view.state().and_then(declared_mhz);
    let of = |mhz: Option<f64>, source| {
        mhz.filter(|mhz| mhz.is_finite() && *mhz > 0.0).map(|mhz| Reference { mhz, source })
    };
    of(earlier, "of an earlier record").or(of(declared, "that it declares"))
}

/// The highest clock that the processor declares, where all its cores declare the same.
fn declared_mhz(state: &Snapshot) -> Option<f64> {
    let khz = state.platform.frequency.common_highest_khz()?;
    u32::try_from(khz / 1000).ok().map(f64::from)
}

#[cfg(test)]
mod tests {
    use trueline_core::{By, CheckOutcome, Conditions, Known, Scope, Thresholds, Why};

    use super::super::CpuProbe;
    use super::*;
    use crate::record::HostRecord;

    fn record(measured: Known<f64>, expected: Option<&str>) -> HostRecord {
        let mut cpu = CpuProbe::default();
        cpu.clock.mhz = measured;
        let conditions = Conditions::from_iter(expected.map(|mhz| (EXPECTED, mhz)));
        HostRecord { conditions, cpu: Some(cpu), ..HostRecord::default() }
    }

    fn judge(record: &HostRecord) -> Vec<CheckOutcome> {
        let (about, thresholds) = (Scope::default(), Thresholds::default());
        let mut outcomes = Outcomes::default();
        check_clock(&View { record, about: &about, thresholds: &thresholds }, &mut outcomes);
        outcomes.iter().cloned().collect()
    }

    fn severity(mhz: f64, expected: &str) -> Option<Severity> {
        let outcomes = judge(&record(Known::is(mhz, By::Measured), Some(expected)));
        assert_eq!(outcomes.len(), 1);
        match outcomes.first() {
            Some(CheckOutcome::Found(finding)) => Some(finding.severity),
            Some(CheckOutcome::Clear { .. }) => None,
            other => panic!("{other:?}"),
        }
    }

    fn needed(record: &HostRecord) -> Need {
        match judge(record).as_slice() {
            [CheckOutcome::NotObserved { need, .. }] => *need,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_clock_below_nine_tenths_warns_and_one_below_eight_is_an_error() {
        // 4,200 MHz: 0.92 of it are 3,864, 0.80 are 3,360.
        assert_eq!(severity(3_860.0, "4200"), Some(Severity::Warning));
        assert_eq!(severity(3_350.0, "4200"), Some(Severity::Error));
        assert_eq!(severity(1_400.0, "4200"), Some(Severity::Error));
    }

    #[test]
    fn a_turbo_step_less_and_a_turbo_that_is_not_declared_are_healthy() {
        assert_eq!(severity(4_091.0, "4200"), None);
        assert_eq!(severity(3_870.0, "4200"), None);
        assert_eq!(severity(4_250.0, "2596"), None);
    }

    #[test]
    fn a_finding_holds_both_clocks() {
        let outcomes = judge(&record(Known::is(1_386.0, By::Measured), Some("4200")));
        let Some(CheckOutcome::Found(finding)) = outcomes.first() else { panic!("{outcomes:?}") };
        // 1386 / 4200 = 0.33
        assert_eq!(
            finding.message,
            "a core runs at 1,386 MHz, 33 % of the 4,200 MHz of an earlier record"
        );
        assert_eq!(finding.evidence.len(), 4);
    }

    #[test]
    fn without_a_reference_a_clock_is_neither_low_nor_well() {
        let measured = Known::is(4_091.0, By::Measured);
        assert_eq!(needed(&record(measured, None)), Need::CpuReference);
        assert_eq!(needed(&record(measured, Some("fast"))), Need::CpuReference);
        assert_eq!(needed(&record(measured, Some("0"))), Need::CpuReference);
    }

    #[test]
    fn a_probe_that_failed_or_never_ran_shows_nothing() {
        for why in [Why::Impossible, Why::NotApplicable] {
            assert_eq!(needed(&record(Known::Not(why), Some("4200"))), Need::HostReading);
        }
        assert_eq!(needed(&HostRecord::default()), Need::CpuMeasured);
    }
}
