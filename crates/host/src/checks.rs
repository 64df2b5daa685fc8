//! The checks of this crate as data, and the conditions that it records.

use trueline_core::ClaimKind::{Absolute, Relative};
use trueline_core::Severity::{Error, Warning};
use trueline_core::{CheckInfo, ConditionKey, Need, Role, Threshold};

pub(crate) const fn threshold(name: &'static str, default: f64, why: &'static str) -> Threshold {
    Threshold { name, default, why }
}

pub(crate) const STATE_CHANGED: CheckInfo = CheckInfo {
    code: "state-changed",
    severity: (Warning, Error),
    touches: &[Absolute, Relative],
    needs: &[Need::HostWatched, Need::HostReading],
    implied_by: &["rebooted"],
    thresholds: &[],
    rule: "a setting of the machine was another one at the end than at the start",
    advice: "find out who changed it (a power daemon, another user, a tuning script), keep it as it \
             is to be, and measure again",
};

/// The checks of a host's state as a whole.
pub const HOST_CHECKS: &[CheckInfo] = &[STATE_CHANGED];

/// The conditions of a host that decide whether two runs can be compared.
pub const HOST_CONDITIONS: &[ConditionKey] = &[ConditionKey {
    name: "nice",
    role: Role::Setting,
    about: "the least favoured priority of a thread of client or server",
}];
