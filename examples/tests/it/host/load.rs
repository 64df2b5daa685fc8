//! Who takes the processors, and who stands behind.

use super::provoke::{Kept, OF_LOAD, SPIN, a_processor, alone, busy_s, skipped, start, works};
use super::{folder, watched};

#[test]
fn nice_without_an_effect_is_a_warning_and_noted() {
    let _alone = alone();
    let told = watched("nice", &[], &["nice", "-n", "5", "sleep", "2"]);
    if told.finding("foreign-cpu-load").is_some() {
        // Even its start may have had to wait.
        skipped("nice without an effect", "others are busy");
    } else {
        assert_eq!(told.severity("nice-not-zero"), Some("warning"));
    }
    assert!(told.message("nice-not-zero").contains("sleep"), "{}", told.message("nice-not-zero"));
    assert!(told.condition("nice").is_some_and(|nice| nice != "0"));
}

#[test]
fn a_starved_command_is_an_error_with_its_cause() {
    let cpu = a_processor();
    if !works("taskset", &["-c", &cpu, "true"]) || !works("timeout", &["1", "true"]) {
        return skipped("cpu-run-delay", "taskset (util-linux) or timeout is not there");
    }
    let _alone = alone();
    let _spinners = [(); 2].map(|()| start("taskset", &["-c", &cpu, "sh", "-c", SPIN]));
    let command = ["taskset", "-c", &cpu, "nice", "-n", "5", "timeout", "3", "sh", "-c", SPIN];
    let told = watched("starved", &[], &command);
    for code in ["cpu-run-delay", "nice-not-zero", "foreign-cpu-load"] {
        assert_eq!(told.severity(code), Some("error"), "{code}: {}", told.message(code));
    }
    assert!(told.message("nice-not-zero").contains("waited"), "{}", told.message("nice-not-zero"));
    assert_eq!(told.condition("cpu_affinity"), Some(cpu.as_str()));
}

#[test]
fn who_loads_the_machine_is_named_by_its_command() {
    let hog = folder("hog").join("batch-job");
    std::fs::write(&hog, SPIN).unwrap();
    let _alone = alone();
    let (_, cpus) = busy_s();
    if cpus > 16.0 {
        return skipped("foreign-cpu-load", "too many processors to keep busy in a test");
    }
    // Half of them and one more: a quarter is an error.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 9")]
    let n = (cpus / 2.0) as usize + 1;
    let _hogs: Vec<Kept> = (0..n).map(|_| start("sh", &[hog.to_str().unwrap()])).collect();
    let told = watched("hog-watched", &[], &["sleep", "3"]);
    let message = told.message("foreign-cpu-load");
    assert_eq!(told.severity("foreign-cpu-load"), Some("error"), "{message}");
    let finding = told.finding("foreign-cpu-load").unwrap();
    let who = finding["evidence"]["who"].to_string();
    let foreign = finding["evidence"]["foreign_cores"].as_f64().unwrap();
    // Three are named: those of others may be busier, where the hogs do not get all that was taken.
    if !who.contains("batch-job") && foreign > cpus / 2.0 + 0.5 {
        return skipped("naming who is busy", "others are busier");
    }
    assert!(who.contains("batch-job"), "{message} {who}");
}

#[test]
fn a_quiet_machine_is_called_quiet() {
    let _alone = alone();
    let (before, cpus) = busy_s();
    let told = watched("quiet", &[], &["sh", "-c", "for i in 1 2 3 4 5 6; do sleep 0.5; done"]);
    let busy = (busy_s().0 - before) / 3.0 / cpus;
    let mut errors = told.errors();
    if busy > 0.1 {
        skipped("a machine without load", "others are busy");
        errors.retain(|code| !OF_LOAD.contains(code));
    }
    assert_eq!(errors, [""; 0], "{:#}", told.0["findings"]);
    for code in ["process-traced", "debug-build", "rebooted", "slowing-environment"] {
        assert!(told.is_clear(code), "{code}");
    }
}
