//! Records of GPUs made up for tests: what is near a threshold, on either side of it.

use trueline_core::{By, CheckOutcome, Known, Need, Severity, Share, Why};

use super::known::measured;
use super::reasons::Reasons;
use super::recorded::RecordedGpus;
use super::recordings::{found, outcomes, watched};
use super::sample::{GpuReading, GpuSample};
use super::state::{
    ClockLimits, GpuProcess, GpuProcessKind, GpuState, PcieLimits, PowerLimits, TemperatureLimits,
};
use crate::record::HostRecord;

/// A healthy board of 1,980 MHz and 700 W.
fn state() -> GpuState {
    GpuState {
        name: measured("NVIDIA H100 80GB HBM3".to_owned()),
        clocks: ClockLimits {
            boost_sm_mhz: measured(1_980),
            max_sm_mhz: measured(1_980),
            ..ClockLimits::default()
        },
        power: PowerLimits { enforced_mw: measured(700_000), default_mw: measured(700_000) },
        temperature: TemperatureLimits {
            max_operating_c: measured(87),
            ..TemperatureLimits::default()
        },
        pcie: PcieLimits { max_generation: measured(5), max_width: measured(16) },
        ..GpuState::default()
    }
}

/// The same at work.
fn reading() -> GpuReading {
    GpuReading {
        sm_clock_mhz: measured(1_980),
        power_mw: measured(500_000),
        temperature_c: measured(60),
        utilization: measured(Share::new(0.98).unwrap()),
        active: measured(Reasons::NONE),
        pcie_generation: measured(5),
        pcie_width: measured(16),
        ..GpuReading::default()
    }
}

/// Fifteen moments of one GPU over a minute, each as `change` makes it.
fn record(state: GpuState, change: impl Fn(u32, &mut GpuReading)) -> HostRecord {
    let moment = |i| {
        let mut reading = reading();
        change(i, &mut reading);
        vec![GpuSample::new(0, reading)]
    };
    watched(RecordedGpus {
        took_s: 60.0,
        before: vec![state],
        moments: (0..15).map(moment).collect(),
        ..RecordedGpus::default()
    })
}

fn codes(record: &HostRecord) -> Vec<(&'static str, Severity)> {
    found(&outcomes(record))
}

fn need(record: &HostRecord, wanted: &str) -> Option<Need> {
    outcomes(record).iter().find_map(|outcome| match outcome {
        CheckOutcome::NotObserved { code, need, .. } if *code == wanted => Some(*need),
        _ => None,
    })
}

#[test]
fn a_clock_below_85_percent_of_the_boost_clock_is_low_and_one_above_is_not() {
    // Two clocks in turn, so that nothing looks locked. By hand: 0.85 x 1,980 is 1,683.
    let at = |mhz| record(state(), move |i, r| r.sm_clock_mhz = measured(mhz + 40 * (i % 2)));
    assert_eq!(codes(&at(1_640)), [("gpu-clock-low", Severity::Error)]);
    assert_eq!(codes(&at(1_690)), []);
}

#[test]
fn a_power_limit_explains_a_low_clock_only_where_it_is_drawn() {
    let at = |watts: u64| {
        record(state(), move |i, r| {
            r.sm_clock_mhz = measured(1_300 + 40 * (i % 2));
            r.active = measured(Reasons::SW_POWER_CAP);
            r.power_mw = measured(watts * 1_000);
        })
    };
    assert_eq!(codes(&at(695)), []);
    // By hand: 300 of 700 W is 43 %, and the limit holds nothing.
    assert_eq!(codes(&at(300)), [("gpu-clock-low", Severity::Error)]);
    // The box is known to hold 1,800 MHz under load, with its limit. By hand: 1,340 / 1,800 is 74 %.
    let mut known = at(695);
    known.conditions.set("gpu_clock_expected_mhz", "1800", By::Reported);
    assert_eq!(codes(&known), [("gpu-clock-low", Severity::Error)]);
}

#[test]
fn without_reasons_the_power_drawn_tells_whether_the_limit_holds_the_clock() {
    let at = |watts: u64| {
        record(state(), move |i, r| {
            r.sm_clock_mhz = measured(1_300 + 40 * (i % 2));
            r.active = Known::Not(Why::NotApplicable);
            r.power_mw = measured(watts * 1_000);
        })
    };
    assert_eq!(codes(&at(690)), []);
    assert_eq!(codes(&at(500)), [("gpu-clock-low", Severity::Error)]);
}

#[test]
fn a_limit_one_percent_below_the_default_is_rounding() {
    let at = |limit| {
        let mut state = state();
        state.power.enforced_mw = measured(limit);
        record(state, |_, _| {})
    };
    assert_eq!(codes(&at(694_000)), []);
    assert_eq!(codes(&at(690_000)), [("gpu-power-capped", Severity::Warning)]);
    let mut unknown = state();
    unknown.power.default_mw = Known::default();
    assert_eq!(need(&record(unknown, |_, _| {}), "gpu-power-capped"), Some(Need::GpuReadings));
}

#[test]
fn five_degrees_below_the_limit_is_too_hot_and_six_are_not() {
    let at = |c| record(state(), move |_, r| r.temperature_c = measured(c));
    assert_eq!(codes(&at(82)), [("gpu-too-hot", Severity::Warning)]);
    assert_eq!(codes(&at(81)), []);
    let mut unknown = state();
    unknown.temperature = TemperatureLimits::default();
    assert_eq!(need(&record(unknown, |_, _| {}), "gpu-too-hot"), Some(Need::GpuReadings));
}

#[test]
fn a_gpu_that_warms_up_at_a_steady_clock_is_well() {
    let warming = |fall: u32| {
        record(state(), move |i, r| {
            r.temperature_c = measured(50 + i32::try_from(i).unwrap());
            r.sm_clock_mhz = measured(1_980 - fall * i);
        })
    };
    assert_eq!(codes(&warming(0)), []);
    // By hand: medians of the thirds are 1,840 and 1,740 MHz, 5.4 % less, and 1,940 at the start.
    let found = [("gpu-clock-drifts", Severity::Error), ("gpu-too-hot", Severity::Warning)];
    assert_eq!(codes(&warming(20)), found);
}

#[test]
fn a_clock_that_moves_by_five_percent_drifts_and_one_that_jitters_does_not() {
    let steps = |by: u32| record(state(), move |i, r| r.sm_clock_mhz = measured(1_980 - by * i));
    // By hand, medians of the outer thirds: 1,980 - 2 and - 12 steps. 10 x 9 MHz is 4.6 %, 10 x 11
    // is 5.6 %.
    assert_eq!(codes(&steps(9)), []);
    assert_eq!(codes(&steps(11)), [("gpu-clock-drifts", Severity::Error)]);
    let jitter = record(state(), |i, r| r.sm_clock_mhz = measured(1_750 + 100 * (i * 7 % 3)));
    assert_eq!(codes(&jitter), []);
    let few = record(state(), |i, r| {
        if i > 10 {
            r.utilization = measured(Share::NONE);
        }
    });
    assert_eq!(need(&few, "gpu-clock-drifts"), Some(Need::BusyGpu));
}

#[test]
fn a_thermal_reason_in_one_sample_is_a_blip_and_in_two_is_throttling() {
    let hot = |until: u32| {
        record(state(), move |i, r| {
            if (5..until).contains(&i) {
                r.active = measured(Reasons::SW_THERMAL);
            }
        })
    };
    assert_eq!(codes(&hot(6)), []);
    assert_eq!(codes(&hot(7)), [("gpu-throttled", Severity::Error)]);
    let silent = record(state(), |_, r| r.active = Known::default());
    assert_eq!(need(&silent, "gpu-throttled"), Some(Need::GpuReadings));
    // It says only whether the power limit holds it: faults would not show.
    let partial = record(state(), |_, r| r.supported = measured(Reasons::SW_POWER_CAP));
    assert_eq!(need(&partial, "gpu-throttled"), Some(Need::GpuReadings));
    assert_eq!(need(&partial, "gpu-clock-locked"), Some(Need::GpuReadings));
}

#[test]
fn application_clocks_say_so_themselves() {
    let set = record(state(), |_, r| {
        r.sm_clock_mhz = measured(1_800);
        r.active = measured(Reasons::APPLICATION_CLOCKS);
    });
    assert_eq!(codes(&set), [("gpu-clock-locked", Severity::Warning)]);
}

#[test]
fn a_constant_low_clock_without_a_look_at_rest_is_not_called_a_lock() {
    let low = record(state(), |_, r| r.sm_clock_mhz = measured(1_800));
    assert_eq!(codes(&low), []);
    assert_eq!(need(&low, "gpu-clock-locked"), Some(Need::HostWatched));
    let level = |level: &str| {
        let mut state = state();
        state.performance_level = measured(level.to_owned());
        codes(&record(state, |_, _| {}))
    };
    assert_eq!(level("low"), [("gpu-clock-locked", Severity::Warning)]);
    assert_eq!(level("auto"), []);
}

#[test]
fn bad_rows_warn_and_failures_during_the_run_are_errors() {
    let with = |change: fn(&mut GpuState)| {
        let mut state = state();
        change(&mut state);
        codes(&record(state, |_, _| {}))
    };
    let warning = [("gpu-ecc", Severity::Warning)];
    assert_eq!(with(|s| s.faults.remap_pending = measured(true)), warning);
    assert_eq!(with(|s| s.faults.remap_failed = measured(true)), [("gpu-ecc", Severity::Error)]);
    // Counted before the run already, and no more since.
    assert_eq!(with(|s| s.faults.uncorrected = measured(3)), warning);
    assert_eq!(with(|s| s.faults.uncorrected = measured(0)), []);
    assert_eq!(need(&record(state(), |_, _| {}), "gpu-ecc"), Some(Need::GpuReadings));
}

#[test]
fn a_failure_that_was_reported_during_the_run_is_an_error() {
    let mut after = state();
    after.faults.xid = measured(79);
    let mut watched = record(state(), |_, _| {});
    watched.after.as_mut().unwrap().gpus = measured(vec![after]);
    assert_eq!(codes(&watched), [("gpu-ecc", Severity::Error)]);
}

#[test]
fn a_link_that_is_fast_in_one_busy_sample_is_fast() {
    let slow = |from: u32| {
        record(state(), move |i, r| {
            if i >= from {
                r.pcie_generation = measured(1);
            }
        })
    };
    assert_eq!(codes(&slow(1)), []);
    assert_eq!(codes(&slow(0)), [("gpu-pcie-degraded", Severity::Warning)]);
}

#[test]
fn processes_of_mps_share_a_gpu() {
    let mut shared = state();
    let mut server = GpuProcess::new(9, GpuProcessKind::Compute);
    server.name = measured("/usr/bin/nvidia-cuda-mps-server".to_owned());
    shared.processes = measured(vec![server]);
    assert_eq!(codes(&record(shared, |_, _| {})), [("gpu-shared-mig", Severity::Warning)]);
    assert_eq!(need(&record(state(), |_, _| {}), "gpu-shared-mig"), Some(Need::GpuReadings));
}
