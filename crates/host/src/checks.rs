//! The checks of this crate as data, and the conditions that it records.

use trueline_core::{CheckInfo, ConditionKey, Role, Threshold};

pub(crate) const fn threshold(name: &'static str, default: f64, why: &'static str) -> Threshold {
    Threshold { name, default, why }
}

/// The checks of a host's state as a whole.
pub const HOST_CHECKS: &[CheckInfo] = &[];

/// The conditions of a host that decide whether two runs can be compared.
pub const HOST_CONDITIONS: &[ConditionKey] = &[ConditionKey {
    name: "nice",
    role: Role::Setting,
    about: "the least favoured priority of a thread of client or server",
}];
