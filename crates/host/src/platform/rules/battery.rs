//! Whether the machine runs on a battery or saves power.

use trueline_core::{CheckInfo, Finding, Need, Severity};

use super::{Verdict, state};
use crate::judge::View;
use crate::platform::Platform;
use crate::platform::power::Source;
use crate::platform::reading::{float, word};

/// A battery or a profile is a cause; processors held below their clock with it are the effect.
pub(super) fn battery(view: &View<'_>, check: &CheckInfo) -> Verdict {
    state(view)?;
    let ends = [&view.record.before, &view.record.after];
    let ends: Vec<&Platform> = ends.into_iter().flatten().map(|s| &s.platform).collect();
    let on_battery = ends.iter().any(|p| p.power.source() == Some(Source::Battery));
    let saving = ends.iter().find_map(|p| saving(p));
    let held = ends.iter().any(|p| is_held(p));
    let message = match (on_battery, &saving) {
        (true, Some(profile)) => format!("the machine runs on a battery, in profile {profile}"),
        (true, None) => "the machine runs on a battery".to_owned(),
        (false, Some(profile)) => format!("the machine saves power, in profile {profile}"),
        (false, None) => {
            // A profile alone says nothing about where the power comes from.
            let known = ends.iter().any(|p| p.power.source().is_some());
            return if known { Ok(None) } else { Err(Need::HostReading) };
        }
    };
    // A profile chosen to be quiet, on the line, does not explain clocks that somebody held down.
    let explains = on_battery || saving.as_deref().is_some_and(|p| p.starts_with("low"));
    let mut finding = Finding::new(check, view.about.clone(), message)
        .with("power_source", if on_battery { "battery" } else { "line" });
    if let Some(profile) = saving {
        finding = finding.with("power_profile", profile);
    }
    if !(held && explains) {
        return Ok(Some(finding.at(Severity::Warning)));
    }
    let message = format!("{}, and its processors are held below their clock", finding.message);
    Ok(Some(finding.saying(message)))
}

/// A profile that trades speed away.
///
/// # Source
/// Kernel documentation, `userspace-api/sysfs-platform_profile`.
fn saving(platform: &Platform) -> Option<String> {
    if platform.power.low_power_mode.value() == Some(true) {
        return Some("low power mode".to_owned());
    }
    let profile = word(&platform.power.profile)?;
    matches!(profile, "low-power" | "quiet" | "cool").then(|| profile.to_owned())
}

fn is_held(platform: &Platform) -> bool {
    let below = |top: Option<u64>, allowed: Option<u64>| {
        top.zip(allowed).is_some_and(|(top, allowed)| float(allowed) < 0.99 * float(top))
    };
    platform.frequency.turbo.value() == Some(false)
        || platform
            .frequency
            .each()
            .any(|p| below(p.policy.reachable_khz(), p.policy.allowed_khz.value()))
}

#[cfg(test)]
mod tests {
    use trueline_core::Severity::{Error, Warning};

    use crate::platform::made::{Said, Tree, at_once};
    use crate::snapshot::Snapshot;

    const CODE: &str = "on-battery";

    /// Supplies as `name/file text`, and a profile.
    fn state(supplies: &[(&str, &str)], profile: &str, no_turbo: &str) -> Snapshot {
        let tree = Tree::new().with(&[
            ("sys/firmware/acpi/platform_profile", profile),
            ("sys/devices/system/cpu/intel_pstate/no_turbo", no_turbo),
            ("sys/class/power_supply/.keep", ""),
        ]);
        for (path, text) in supplies {
            tree.write(&format!("sys/class/power_supply/{path}"), text);
        }
        tree.snapshot(100, &[])
    }

    const EMPTIED: [(&str, &str); 4] = [
        ("BAT0/type", "Battery"),
        ("BAT0/status", "Discharging"),
        ("AC/type", "Mains"),
        ("AC/online", "0"),
    ];

    #[test]
    fn a_battery_warns_and_processors_held_with_it_are_an_error() {
        assert!(matches!(
            at_once(&state(&EMPTIED, "balanced", "0"), CODE),
            Said::Found(Warning, _)
        ));
        let held = at_once(&state(&EMPTIED, "low-power", "1"), CODE);
        assert!(matches!(&held, Said::Found(Error, m) if m.contains("low-power")), "{held:?}");
        let saving = at_once(&state(&[], "low-power", "0"), CODE);
        assert!(matches!(saving, Said::Found(Warning, m) if m.contains("saves power")));
        let quiet = at_once(&state(&[], "quiet", "1"), CODE);
        assert!(matches!(quiet, Said::Found(Warning, _)), "{quiet:?}");
    }

    #[test]
    fn lines_servers_and_a_mouse_are_no_battery() {
        let plugged = [
            ("BAT0/type", "Battery"),
            ("BAT0/status", "Charging"),
            ("AC/type", "Mains"),
            ("AC/online", "1"),
        ];
        let mouse = [
            ("hidpp_battery_0/type", "Battery"),
            ("hidpp_battery_0/scope", "Device"),
            ("hidpp_battery_0/status", "Discharging"),
        ];
        let none: [(&str, &str); 0] = [];
        for supplies in [&plugged[..], &mouse[..], &none[..]] {
            assert_eq!(at_once(&state(supplies, "balanced", "1"), CODE), Said::Clear);
        }
    }

    #[test]
    fn a_machine_that_does_not_say_is_not_observed() {
        assert_eq!(at_once(&Tree::new().snapshot(100, &[]), CODE), Said::NotObserved);
    }

    #[test]
    fn macos_says_it_in_words() {
        for (batt, mode, expected) in [
            ("Now drawing from 'Battery Power'", "lowpowermode 0", Some(Warning)),
            ("Now drawing from 'AC Power'", "lowpowermode 1", Some(Warning)),
            ("Now drawing from 'AC Power'", "lowpowermode 0", None),
        ] {
            let tree = Tree::new().with(&[
                ("macos/sysctl", "kern.osrelease: 24.0.0"),
                ("macos/pmset_batt", batt),
                ("macos/pmset", mode),
            ]);
            let found = match at_once(&tree.snapshot(100, &[]), CODE) {
                Said::Found(severity, _) => Some(severity),
                Said::Clear => None,
                other => panic!("{other:?}"),
            };
            assert_eq!(found, expected, "{batt} {mode}");
        }
    }
}
