//! Recordings of GPUs with what the checks must say of each.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use trueline_core::Severity::{Error, Warning};
use trueline_core::{CheckOutcome, Known, Need, Outcomes, Scope, Severity, Thresholds};

use super::known::measured;
use super::log::parse_gpu_log;
use super::recorded::RecordedGpus;
use super::seen::Seen;
use super::sharing::check_foreign;
use super::state::{GpuProcess, GpuProcessKind};
use super::verdict::Verdict;
use super::{GpuReader, check};
use crate::judge::View;
use crate::processes::CpuTick;
use crate::record::HostRecord;
use crate::root::Root;
use crate::snapshot::{Snapshot, Wanted};
use crate::watch::Tick;

fn text(name: &str) -> String {
    let path = format!("{}/tests/data/gpu/{name}", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(path).unwrap()
}

fn extension(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// A record as a watch would make it from a recording.
pub(super) fn watched(mut gpus: RecordedGpus) -> HostRecord {
    let nowhere = Root::at("no/such/folder");
    let take = |gpus: &mut RecordedGpus, at_s: f64| {
        let mut snapshot = Snapshot::take(&nowhere, &Wanted::default());
        snapshot.gpus = gpus.state().map_or_else(Known::Not, measured);
        snapshot.clocks.monotonic = measured(Duration::from_secs_f64(100.0 + at_s));
        snapshot
    };
    let before = Some(take(&mut gpus, 0.0));
    let mut record = HostRecord { before, ..HostRecord::default() };
    while let Ok(sample) = gpus.sample() {
        record.ticks.push(Tick {
            at: Duration::ZERO,
            cpu: CpuTick::default(),
            gpus: sample,
            in_flight: Known::default(),
            connected: Known::default(),
        });
    }
    let took = gpus.took_s;
    record.after = Some(take(&mut gpus, took));
    record
}

pub(super) fn record(name: &str) -> HostRecord {
    if extension(name) == "csv" {
        HostRecord::default().with_gpu_log(parse_gpu_log(&text(name)).unwrap())
    } else {
        watched(serde_json::from_str(&text(name)).unwrap())
    }
}

pub(super) fn outcomes(record: &HostRecord) -> Outcomes {
    let mut outcomes = Outcomes::default();
    let (about, thresholds) = (Scope::default(), Thresholds::default());
    check(&View { record, about: &about, thresholds: &thresholds }, &mut outcomes);
    outcomes
}

/// What was found, each code once.
pub(super) fn found(outcomes: &Outcomes) -> Vec<(&'static str, Severity)> {
    let mut found: Vec<_> = outcomes.findings().map(|f| (f.code, f.severity)).collect();
    found.dedup();
    found.sort();
    found
}

/// A recording, and what must be found in it.
type Expected = (&'static str, &'static [(&'static str, Severity)]);

const LOW: (&str, Severity) = ("gpu-clock-low", Error);

/// What each recording has to show, from what was reported of the machine behind it.
const RECORDINGS: &[Expected] = &[
    ("h100-healthy.csv", &[]),
    ("locked-at-915.csv", &[("gpu-clock-locked", Error), LOW]),
    ("gb300-capped-at-500w.csv", &[LOW, ("gpu-power-capped", Error)]),
    ("b200-idle-at-120.csv", &[]),
    ("b200-at-120-too-hot.json", &[LOW, ("gpu-throttled", Error), ("gpu-too-hot", Error)]),
    ("h200-power-limited.csv", &[]),
    ("a100-one-kernel.csv", &[LOW]),
    ("laptop-4060-at-16w.csv", &[LOW]),
    ("gb10-slow-without-reason.csv", &[LOW]),
    ("pcie-slow-at-rest.csv", &[]),
    ("pcie-slow-under-load.csv", &[("gpu-pcie-degraded", Warning)]),
    ("max-boost-at-rest.csv", &[]),
    ("rtx4090-above-default.csv", &[]),
    ("persistence-off.csv", &[]),
    ("rtx3090-capped-at-230w.csv", &[LOW, ("gpu-power-capped", Error)]),
    ("cap-without-effect.csv", &[("gpu-power-capped", Warning)]),
    ("memory-locked.csv", &[("gpu-clock-locked", Error)]),
    ("b200-drifts.csv", &[("gpu-clock-drifts", Error)]),
    (
        "hot-after-105s.csv",
        &[("gpu-clock-drifts", Error), ("gpu-throttled", Error), ("gpu-too-hot", Error)],
    ),
    ("one-slow-sibling.csv", &[("gpu-clock-low", Warning)]),
    ("mig-slices.csv", &[("gpu-shared-mig", Warning)]),
    ("loop-killed.csv", &[]),
    ("throttled-between-samples.json", &[("gpu-throttled", Error)]),
    ("one-blip.json", &[]),
    ("processes-in-a-container.json", &[]),
    ("failing-memory.json", &[("gpu-ecc", Error)]),
];

#[test]
fn each_recording_shows_what_was_reported_and_no_more() {
    for (name, expected) in RECORDINGS {
        let outcomes = outcomes(&record(name));
        assert_eq!(found(&outcomes), *expected, "{name}");
    }
}

#[test]
fn every_recording_is_listed_and_every_check_says_one_thing_of_it() {
    let folder = format!("{}/tests/data/gpu", env!("CARGO_MANIFEST_DIR"));
    let mut names = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !["csv", "json"].contains(&extension(&name)) {
            continue;
        }
        names += 1;
        assert!(RECORDINGS.iter().any(|(known, _)| *known == name), "{name}");
        for check in super::GPU_CHECKS {
            let outcomes = outcomes(&record(&name));
            let says: BTreeSet<&str> = outcomes
                .iter()
                .filter_map(|outcome| match outcome {
                    CheckOutcome::Found(f) if f.code == check.code => Some("found"),
                    CheckOutcome::Clear { code, .. } if *code == check.code => Some("clear"),
                    CheckOutcome::NotObserved { code, .. } if *code == check.code => Some("not"),
                    _ => None,
                })
                .collect();
            assert!(says.len() <= 1, "{name} {} {says:?}", check.code);
        }
    }
    assert_eq!(names, RECORDINGS.len());
}

fn need_of(outcomes: &Outcomes, wanted: &str) -> Option<Need> {
    outcomes.iter().find_map(|outcome| match outcome {
        CheckOutcome::NotObserved { code, need, .. } if *code == wanted => Some(*need),
        _ => None,
    })
}

fn is_clear(outcomes: &Outcomes, wanted: &str) -> bool {
    outcomes.iter().any(|o| matches!(o, CheckOutcome::Clear { code, .. } if *code == wanted))
}

#[test]
fn a_healthy_gpu_is_clear_of_all_that_its_log_can_tell() {
    let outcomes = outcomes(&record("h100-healthy.csv"));
    for code in [
        "gpu-clock-low",
        "gpu-clock-locked",
        "gpu-throttled",
        "gpu-power-capped",
        "gpu-too-hot",
        "gpu-clock-drifts",
        "gpu-ecc",
        "gpu-pcie-degraded",
        "gpu-shared-mig",
    ] {
        assert!(is_clear(&outcomes, code), "{code} {:?}", need_of(&outcomes, code));
    }
    assert_eq!(need_of(&outcomes, "gpu-foreign-process"), Some(Need::ServerProcess));
}

#[test]
fn an_idle_gpu_is_not_judged_by_its_clock_or_its_link() {
    let outcomes = outcomes(&record("b200-idle-at-120.csv"));
    for code in ["gpu-clock-low", "gpu-throttled", "gpu-clock-drifts", "gpu-pcie-degraded"] {
        assert_eq!(need_of(&outcomes, code), Some(Need::BusyGpu), "{code}");
    }
    assert!(is_clear(&outcomes, "gpu-power-capped") && is_clear(&outcomes, "gpu-ecc"));
}

#[test]
fn a_slice_does_not_say_whether_it_works() {
    let outcomes = outcomes(&record("mig-slices.csv"));
    assert_eq!(need_of(&outcomes, "gpu-clock-low"), Some(Need::BusyGpu));
}

#[test]
fn findings_say_what_was_seen_with_numbers() {
    for (name, code, message) in [
        // By hand: 915 / 2100 is 43.6 %.
        (
            "locked-at-915.csv",
            "gpu-clock-low",
            "GPU at 44 % of its clock: 915 of 2,100 MHz over 10 busy samples, and no reason is given",
        ),
        (
            "locked-at-915.csv",
            "gpu-clock-locked",
            "GPU held at 915 MHz, 44 % of its highest clock, at rest and under load, without a reason",
        ),
        // By hand: 230 / 350 is 65.7 %.
        ("rtx3090-capped-at-230w.csv", "gpu-power-capped", "GPU capped at 230 of 350 W (66 %)"),
        // By hand: 11.7 s of 12 s.
        (
            "b200-at-120-too-hot.json",
            "gpu-throttled",
            "GPU throttled for 98 % of the run: hardware thermal slowdown",
        ),
        // By hand: 2.4 s of 60 s.
        (
            "throttled-between-samples.json",
            "gpu-throttled",
            "GPU throttled for 4.0 % of the run: hardware power brake",
        ),
        (
            "one-slow-sibling.csv",
            "gpu-clock-low",
            "GPU 2 at 1,755 MHz under load where another of its kind reaches 1,980 MHz",
        ),
        (
            "pcie-slow-under-load.csv",
            "gpu-pcie-degraded",
            "GPU at PCIe generation 3 of 5 and 8 of 16 lanes under load",
        ),
        (
            "failing-memory.json",
            "gpu-ecc",
            "GPU counted 2 uncorrected errors of its memory in the run",
        ),
    ] {
        let outcomes = outcomes(&record(name));
        let said: Vec<&str> =
            outcomes.findings().filter(|f| f.code == code).map(|f| f.message.as_str()).collect();
        assert_eq!(said.first(), Some(&message), "{name}");
    }
}

#[test]
fn a_cap_that_leaves_the_memory_clock_alone_does_not_touch_decode() {
    use trueline_core::Metric;
    let about = |name| {
        let outcomes = outcomes(&record(name));
        let of = outcomes.findings().filter(|f| f.code == "gpu-power-capped");
        of.map(|f| f.about.metric).collect::<Vec<_>>()
    };
    // 9,501 of 9,751 MHz is 97.4 %.
    let capped = about("rtx3090-capped-at-230w.csv");
    assert!(
        capped.contains(&Some(Metric::PrefillTokPerS)) && !capped.contains(&Some(Metric::TpotS))
    );
    assert_eq!(about("cap-without-effect.csv"), [None]);
}

#[test]
fn a_log_that_was_killed_says_what_it_lost() {
    let record = record("loop-killed.csv");
    let lines = record.gpu_log.unwrap().lines;
    assert_eq!((lines.read, lines.used, lines.headers), (11, 8, 1));
    assert_eq!((lines.rejected, lines.torn), (1, 1));
}

#[test]
fn conditions_hold_what_the_gpu_is_and_how_it_ran() {
    let healthy = record("h100-healthy.csv").conditions;
    for (key, value) in [
        ("gpu", "NVIDIA H100 80GB HBM3"),
        ("gpu_count", "1"),
        ("gpu_driver", "570.86.15"),
        ("gpu_power_limit_w", "700"),
        ("gpu_mig", "off"),
        ("gpu_ecc", "on"),
        ("gpu_clock_busy_mhz", "1980"),
        ("gpu_clock_expected_mhz", "1980"),
    ] {
        assert_eq!(healthy.get(key), Some(value), "{key}");
    }
    // Its own power limit sets the clock: no other is expected of it.
    let limited = record("h200-power-limited.csv").conditions;
    assert_eq!(limited.get("gpu_clock_expected_mhz"), None);
    assert_eq!(limited.get("gpu_limited_by"), Some("power"));
    assert_eq!(record("persistence-off.csv").conditions.get("gpu_persistence"), Some("off"));
}

#[test]
fn a_record_by_hand_is_judged_by_its_two_clocks() {
    let by_hand = |busy: &str, expected: &str| {
        let conditions = trueline_core::Conditions::from_iter([
            ("gpu_clock_busy_mhz", busy),
            ("gpu_clock_expected_mhz", expected),
        ]);
        let record = HostRecord { conditions, ..HostRecord::default() };
        outcomes(&record)
    };
    assert_eq!(found(&by_hand("460", "1380")), [LOW]);
    assert!(is_clear(&by_hand("1520", "2000"), "gpu-clock-low"));
    assert_eq!(found(&by_hand("1480", "2000")), [LOW]);
    assert_eq!(need_of(&by_hand("n/a", "2000"), "gpu-clock-low"), Some(Need::GpuReadings));
    assert_eq!(need_of(&by_hand("460", "1380"), "gpu-throttled"), Some(Need::GpuReadings));
}

#[test]
fn a_machine_without_gpu_gives_no_outcome() {
    let mut record = watched(RecordedGpus::default());
    for snapshot in [&mut record.before, &mut record.after] {
        snapshot.as_mut().unwrap().gpus = Known::Not(trueline_core::Why::NotApplicable);
    }
    assert_eq!(outcomes(&record).iter().count(), 0);
    for snapshot in [&mut record.before, &mut record.after] {
        snapshot.as_mut().unwrap().gpus = Known::Not(trueline_core::Why::Denied);
    }
    assert_eq!(need_of(&outcomes(&record), "gpu-ecc"), Some(Need::HostReading));
}

#[test]
fn a_stated_clock_is_preferred_to_the_boards_own() {
    // The box is known to reach 960 MHz, so 915 is not low; the lock below its highest stays.
    let mut record = record("locked-at-915.csv");
    record.conditions.set("gpu_clock_expected_mhz", "960", trueline_core::By::Reported);
    assert_eq!(found(&outcomes(&record)), [("gpu-clock-locked", Error)]);
}

#[test]
fn only_processes_of_others_are_foreign() {
    let mut record = record("processes-in-a-container.json");
    let judge = |record: &HostRecord, own: &[u32]| {
        let (about, thresholds) = (Scope::default(), Thresholds::default());
        let view = View { record, about: &about, thresholds: &thresholds };
        let own = measured(own.iter().copied().collect::<BTreeSet<u32>>());
        check_foreign(&Seen::of(&view).unwrap(), &about, &own).remove(0)
    };
    // In a container the server is process 7, and the driver lists the host's number for it.
    assert_eq!(judge(&record, &[7]), Verdict::Missing(Need::HostReading));
    assert_eq!(judge(&record, &[4_021_187]), Verdict::Clear);
    let mut list = |extra: &[(u32, GpuProcessKind)]| {
        let mut all = vec![GpuProcess::new(4_021_187, GpuProcessKind::Compute)];
        all.extend(extra.iter().map(|(pid, kind)| GpuProcess::new(*pid, *kind)));
        let Some(after) = record.after.as_mut() else { panic!("a watch has an end") };
        if let Known::Is { value, .. } = &mut after.gpus {
            value[0].processes = measured(all);
        }
        match judge(&record, &[4_021_187]) {
            Verdict::Found(finding) => Some(finding.severity),
            _ => None,
        }
    };
    assert_eq!(list(&[(99, GpuProcessKind::Compute)]), Some(Error));
    assert_eq!(list(&[(99, GpuProcessKind::Graphics)]), Some(Warning));
    assert_eq!(list(&[]), None);
}
