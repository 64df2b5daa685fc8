//! What must be equal about GPUs for two runs to be compared.

use trueline_core::{By, ConditionKey, Conditions, Known, Role, Scope, Thresholds};

use super::clock::busy_clock;
use super::expected::{PowerLimited, expected, power_limited};
use super::known::text;
use super::seen::{Seen, watts};
use super::state::GpuState;
use crate::judge::View;
use crate::record::HostRecord;

/// The conditions of GPUs.
pub const GPU_CONDITIONS: &[ConditionKey] = &[
    ConditionKey { name: "gpu", role: Role::Setting, about: "the GPUs' names" },
    ConditionKey { name: "gpu_count", role: Role::Setting, about: "how many GPUs there are" },
    ConditionKey { name: "gpu_driver", role: Role::Setting, about: "the GPU driver's version" },
    ConditionKey {
        name: "gpu_power_limit_w",
        role: Role::Setting,
        about: "the power limit in force, watts, the lowest of several",
    },
    ConditionKey {
        name: "gpu_mig",
        role: Role::Setting,
        about: "whether a GPU is divided into slices",
    },
    ConditionKey {
        name: "gpu_ecc",
        role: Role::Setting,
        about: "whether the GPUs' memory corrects errors",
    },
    ConditionKey {
        name: "gpu_persistence",
        role: Role::Context,
        about: "whether the driver stays loaded while nobody uses the GPU",
    },
    ConditionKey {
        name: "gpu_clock_busy_mhz",
        role: Role::Context,
        about: "the median clock under load, of the slowest GPU that worked",
    },
    ConditionKey {
        name: "gpu_clock_expected_mhz",
        role: Role::Context,
        about: "the clock expected of it; not stated where its own power limit sets the clock",
    },
    ConditionKey {
        name: "gpu_limited_by",
        role: Role::Context,
        about: "power, where the power limit sets the clock under load",
    },
];

/// Notes what the states say.
pub(crate) fn note_conditions(gpus: &Known<Vec<GpuState>>, conditions: &mut Conditions) {
    let states = match gpus {
        Known::Is { value, .. } if !value.is_empty() => value,
        _ => return,
    };
    let mut set = |key: &str, value: Option<String>| {
        if let Some(value) = value {
            conditions.set(key, value, By::Measured);
        }
    };
    set("gpu", joined(states.iter().filter_map(|state| text(&state.name))));
    set("gpu_count", Some(states.len().to_string()));
    set("gpu_driver", joined(states.iter().filter_map(|state| text(&state.driver))));
    let limits = states.iter().filter_map(|state| state.power.enforced_mw.value());
    set("gpu_power_limit_w", limits.min().map(|limit| watts(limit).to_string()));
    let switch = |field: fn(&GpuState) -> Known<bool>| {
        let known: Vec<bool> = states.iter().filter_map(|state| field(state).value()).collect();
        joined(known.iter().map(|on| if *on { "on" } else { "off" }))
    };
    set("gpu_mig", switch(|state| state.mig));
    set("gpu_ecc", switch(|state| state.ecc));
    set("gpu_persistence", switch(|state| state.persistence));
}

/// Notes what the busy samples of a record say, into its own conditions.
///
/// A clock that somebody stated before stays.
pub(crate) fn note_load(record: &mut HostRecord) {
    let noted = {
        let (about, thresholds) = (Scope::default(), Thresholds::default());
        let view = View { record, about: &about, thresholds: &thresholds };
        let Ok(seen) = Seen::of(&view) else { return };
        let clocks = seen.gpus.iter().filter_map(|gpu| Some((gpu, busy_clock(gpu, 1.0)?)));
        let Some((slowest, busy)) = clocks.min_by(|a, b| a.1.total_cmp(&b.1)) else { return };
        let limited = power_limited(slowest, 0.5, 0.9);
        let expected = match limited {
            PowerLimited::AtDefault => None,
            _ => expected(slowest, &record.conditions),
        };
        (busy, expected, limited)
    };
    let (busy, expected, limited) = noted;
    let conditions = &mut record.conditions;
    conditions.set("gpu_clock_busy_mhz", busy.to_string(), By::Measured);
    if let Some(expected) = expected
        && conditions.get("gpu_clock_expected_mhz").is_none()
    {
        conditions.set("gpu_clock_expected_mhz", expected.mhz.to_string(), By::Derived);
    }
    if limited != PowerLimited::No {
        conditions.set("gpu_limited_by", "power", By::Measured);
    }
}

/// Different words once each, in the order in which they come; `None` of none.
fn joined<'a>(words: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut seen: Vec<&str> = Vec::new();
    for word in words {
        if !seen.contains(&word) {
            seen.push(word);
        }
    }
    (!seen.is_empty()).then(|| seen.join(" + "))
}
