//! The checks of this crate as data, and the conditions that it records.

use trueline_core::ClaimKind::{Absolute, Relative};
use trueline_core::Severity::{Error, Warning};
use trueline_core::{CheckInfo, ConditionKey, Need, Role, Threshold};

use crate::gpu::GPU_CONDITIONS;
use crate::platform::PLATFORM_CONDITIONS;
use crate::processes::PROCESS_CONDITIONS;

pub(crate) const fn threshold(name: &'static str, default: f64, why: &'static str) -> Threshold {
    Threshold { name, default, why }
}

pub(crate) const STATE_CHANGED: CheckInfo = CheckInfo {
    code: "state-changed",
    severity: (Warning, Error),
    touches: &[Absolute, Relative],
    needs: &[Need::HostWatched, Need::HostReading],
    implied_by: &["rebooted"],
    thresholds: &[threshold(
        "gpu_clock_offset",
        0.01,
        "between two arms: a ratio is not known better than the clocks under it are alike",
    )],
    rule: "a setting of the machine was another one at the end than at the start, or in one arm than \
           in the other",
    advice: "find out who changed it (a power daemon, another user, a tuning script), keep it as it \
             is to be, and measure again",
};

/// The checks of a host's state as a whole.
pub const HOST_CHECKS: &[CheckInfo] = &[STATE_CHANGED];

/// What the expected clocks of a record are: references for what is measured.
const REFERENCES: &[ConditionKey] = &[ConditionKey {
    name: "cpu_clock_expected_mhz",
    role: Role::Context,
    about: "the clock that this processor reached when it was well",
}];

/// The conditions that a host record holds.
pub fn host_conditions() -> impl Iterator<Item = &'static ConditionKey> {
    [PLATFORM_CONDITIONS, PROCESS_CONDITIONS, GPU_CONDITIONS, REFERENCES].into_iter().flatten()
}
