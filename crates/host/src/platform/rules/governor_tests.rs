//! Governors, preferences and limits of several drivers.

use trueline_core::Severity::Warning;

use crate::platform::made::{Said, Tree, at_once};
use crate::snapshot::Snapshot;

/// Two equal policies, of files by name.
fn policies(files: &[(&str, &str)]) -> Snapshot {
    let tree = Tree::new();
    for policy in 0..2 {
        for (name, text) in files {
            tree.write(&format!("sys/devices/system/cpu/cpufreq/policy{policy}/{name}"), text);
        }
    }
    tree.snapshot(100, &[])
}

fn said(files: &[(&str, &str)]) -> Said {
    at_once(&policies(files), "cpu-governor")
}

const DRIVER: &str = "scaling_driver";
const GOVERNOR: &str = "scaling_governor";
const PREFERS: &str = "energy_performance_preference";
const ALLOWED: &str = "scaling_max_freq";
const HARDWARE: &str = "cpuinfo_max_freq";

#[test]
fn adaptive_powersave_is_healthy_and_another_powersave_is_not() {
    for driver in ["intel_pstate", "amd-pstate-epp"] {
        for preference in ["balance_performance", "performance", "default", "128"] {
            let files = [(DRIVER, driver), (GOVERNOR, "powersave"), (PREFERS, preference)];
            assert_eq!(said(&files), Said::Clear, "{driver} {preference}");
        }
        for preference in ["power", "balance_power", "192"] {
            let files = [(DRIVER, driver), (GOVERNOR, "powersave"), (PREFERS, preference)];
            assert!(matches!(said(&files), Said::Found(Warning, _)), "{driver} {preference}");
        }
        // Without the preference of the hardware there is still the driver's own choice.
        assert_eq!(said(&[(DRIVER, driver), (GOVERNOR, "powersave")]), Said::Clear);
    }
    for driver in ["acpi-cpufreq", "intel_cpufreq", "amd-pstate"] {
        let Said::Found(Warning, message) = said(&[(DRIVER, driver), (GOVERNOR, "powersave")])
        else {
            panic!("{driver}")
        };
        assert!(message.contains("2 of 2"), "{message}");
        assert_eq!(said(&[(DRIVER, driver), (GOVERNOR, "performance")]), Said::Clear);
        let late = said(&[(DRIVER, driver), (GOVERNOR, "schedutil")]);
        assert!(matches!(late, Said::Found(Warning, m) if m.contains("follows the load late")));
    }
}

#[test]
fn a_limit_below_the_hardware_is_found() {
    let files = [
        (GOVERNOR, "performance"),
        (DRIVER, "intel_pstate"),
        (HARDWARE, "4700000"),
        (ALLOWED, "2000000"),
    ];
    let found = said(&files);
    assert!(matches!(&found, Said::Found(_, m) if m.contains("held to 2 of 4.7 GHz")), "{found:?}");
    let files = [(GOVERNOR, "performance"), (HARDWARE, "4700000"), (ALLOWED, "4700000")];
    assert_eq!(said(&files), Said::Clear);
}

#[test]
fn a_table_that_ends_at_the_base_clock_is_no_limit() {
    // acpi-cpufreq of a desktop processor: it boosts to 4.67 GHz, and its table ends at 3.7.
    let healthy = [
        (GOVERNOR, "performance"),
        (DRIVER, "acpi-cpufreq"),
        (HARDWARE, "4672070"),
        (ALLOWED, "3700000"),
        ("scaling_available_frequencies", "3700000 2800000 2200000"),
        ("bios_limit", "3700000"),
    ];
    assert_eq!(said(&healthy), Said::Clear);
    let mut held = healthy;
    held[5] = ("bios_limit", "2200000");
    let found = said(&held);
    assert!(matches!(&found, Said::Found(_, m) if m.contains("by the firmware")), "{found:?}");
}

#[test]
fn a_machine_that_declares_nothing_is_not_observed() {
    let nothing = Tree::new();
    for code in ["cpu-governor", "turbo-off"] {
        assert_eq!(at_once(&nothing.snapshot(100, &[]), code), Said::NotObserved);
    }
    // A folder without policies, as virtual machines have it.
    let empty = Tree::new().with(&[("sys/devices/system/cpu/cpufreq/keep", "")]);
    assert_eq!(at_once(&empty.snapshot(100, &[]), "cpu-governor"), Said::NotObserved);
}

#[test]
fn turbo_is_read_from_either_switch() {
    let intel = "sys/devices/system/cpu/intel_pstate/no_turbo";
    let other = "sys/devices/system/cpu/cpufreq/boost";
    for (path, text, off) in
        [(intel, "1", true), (intel, "0", false), (other, "0", true), (other, "1", false)]
    {
        let said = at_once(&Tree::new().with(&[(path, text)]).snapshot(100, &[]), "turbo-off");
        assert_eq!(matches!(said, Said::Found(Warning, _)), off, "{path} {text}");
        assert_eq!(said == Said::Clear, !off);
    }
}
