//! Whether the clock of processors is chosen late, low, or without turbo.

use trueline_core::number::short;
use trueline_core::{CheckInfo, Finding, Need};

use super::{Verdict, state};
use crate::judge::View;
use crate::platform::frequency::Policy;
use crate::platform::reading::{float, word};

/// Why a policy may keep the clock low.
fn complaint(policy: &Policy, limit_share: f64) -> Option<(u8, String)> {
    let governor = word(&policy.governor);
    let driver = word(&policy.driver).unwrap_or("unknown driver");
    let top = policy.reachable_khz();
    let below = |khz: u64| top.is_some_and(|top| float(khz) < limit_share * float(top));
    let ghz = |khz: u64| short(float(khz) / 1e6, 3);
    let held = |khz: u64, by: &str| {
        let top = top.map_or("unknown".to_owned(), ghz);
        format!("held to {} of {top} GHz {by}", ghz(khz))
    };
    if let Some(limit) = policy.allowed_khz.value().filter(|khz| below(*khz)) {
        return Some((3, held(limit, "by a setting")));
    }
    if let Some(limit) = policy.firmware_limit_khz.value().filter(|khz| below_base(policy, *khz)) {
        return Some((3, held(limit, "by the firmware")));
    }
    match governor {
        Some("powersave") if !policy.chooses_itself() => {
            Some((2, format!("governor powersave ({driver}) holds the lowest clock")))
        }
        _ if policy.chooses_itself() && prefers_power(policy) => {
            let preference = word(&policy.preference).unwrap_or_default();
            Some((2, format!("the hardware prefers {preference} ({driver})")))
        }
        Some("performance" | "powersave") | None => None,
        Some(other) => Some((1, format!("governor {other} ({driver}) follows the load late"))),
    }
}

/// The firmware's limit leaves boost out: it is held against the table or the base clock.
fn below_base(policy: &Policy, khz: u64) -> bool {
    // A driver without either leaves nothing to compare with: boost alone may be the difference.
    let base = policy.listed_khz.or(policy.base_khz).value();
    // Tables of some processors write the turbo step as base + 1 MHz.
    base.is_some_and(|base| float(khz) < 0.99 * float(base))
}

/// # Source
/// Kernel documentation, `admin-guide/pm/intel_pstate`: words, or numbers from 0 (performance) to
/// 255 (power); `balance_power` is 192 in the kernel's table.
fn prefers_power(policy: &Policy) -> bool {
    match word(&policy.preference) {
        Some("power" | "balance_power") => true,
        Some(number) => number.parse::<u8>().is_ok_and(|number| number >= 192),
        None => false,
    }
}

pub(super) fn governor(view: &View<'_>, check: &CheckInfo) -> Verdict {
    let frequency = &state(view)?.platform.frequency;
    if !frequency.policies.is_known() {
        return Err(Need::HostReading);
    }
    let limit = view.thresholds.get(check, "limit_share");
    let known = |policy: &Policy| policy.governor.is_known() || policy.allowed_khz.is_known();
    if !frequency.each().any(|p| known(&p.policy)) {
        return Err(Need::HostReading);
    }
    let percent = frequency.allowed_percent.value().filter(|percent| *percent < 100);
    let found: Vec<_> = frequency
        .each()
        .filter_map(|p| Some((p.count, p.policy.clone(), complaint(&p.policy, limit)?)))
        .collect();
    let all: u64 = frequency.each().map(|p| p.count).sum();
    let worst = found.iter().max_by_key(|(count, _, (rank, _))| (*rank, *count));
    let (message, policy) = match (worst, percent) {
        (Some((_, policy, (_, why))), _) => {
            let same = found.iter().filter(|(.., (_, other))| other == why);
            let count: u64 = same.map(|(count, ..)| count).sum();
            (format!("{why}, for {count} of {all} clock policies"), Some(policy))
        }
        (None, Some(percent)) => (format!("processors are held to {percent} % by a setting"), None),
        (None, None) => return Ok(None),
    };
    let mut finding = Finding::new(check, view.about.clone(), message).with("policies", all);
    if let Some(percent) = percent {
        finding = finding.with("allowed_percent", percent);
    }
    let Some(policy) = policy else { return Ok(Some(finding)) };
    let words = [
        ("governor", &policy.governor),
        ("driver", &policy.driver),
        ("energy_preference", &policy.preference),
    ];
    for (name, text) in words {
        if let Some(text) = word(text) {
            finding = finding.with(name, text);
        }
    }
    let clocks = [("allowed_mhz", policy.allowed_khz), ("hardware_mhz", policy.hardware_khz)];
    for (name, khz) in clocks {
        if let Some(khz) = khz.value() {
            finding = finding.with(name, float(khz) / 1e3);
        }
    }
    Ok(Some(finding))
}

pub(super) fn turbo(view: &View<'_>, check: &CheckInfo) -> Verdict {
    let frequency = &state(view)?.platform.frequency;
    match frequency.turbo.value() {
        None => Err(Need::HostReading),
        Some(true) => Ok(None),
        Some(false) => {
            let mut message = "processors may not run above their base clock".to_owned();
            let mut finding = Finding::new(check, view.about.clone(), "");
            if let Some(base) = frequency.base_khz() {
                message += &format!(" of {} GHz", short(float(base) / 1e6, 3));
                finding = finding.with("base_mhz", float(base) / 1e3);
            }
            Ok(Some(finding.saying(message)))
        }
    }
}

#[cfg(test)]
#[path = "governor_tests.rs"]
mod tests;
