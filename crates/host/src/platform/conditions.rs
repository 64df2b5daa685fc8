//! What about a machine must be equal for two runs on it to be compared.

use std::collections::BTreeSet;

use trueline_core::number::short;
use trueline_core::{By, ConditionKey, Conditions, Known, Role, Why};

use super::Platform;
use super::frequency::Policy;
use super::power::Source;
use super::reading::{float, seen, word};

const fn key(name: &'static str, role: Role, about: &'static str) -> ConditionKey {
    ConditionKey { name, role, about }
}

/// The conditions of a machine, beside `machine`, which every run has.
pub const PLATFORM_CONDITIONS: &[ConditionKey] = &[
    key("cpu_model", Role::Setting, "the processor by its own name"),
    key("cpus", Role::Setting, "how many processors are switched on"),
    key("threads_share_cores", Role::Setting, "whether two processors may be one core's threads"),
    key("numa_nodes", Role::Setting, "how many nodes have processors"),
    key("boundary", Role::Setting, "container, virtual machine or bare metal"),
    key("governor", Role::Setting, "how the clock of processors is chosen"),
    key("cpu_limit_mhz", Role::Setting, "the clock that processors are held to"),
    key("turbo", Role::Setting, "whether clocks above the base clock are allowed"),
    key("cpu_quota", Role::Setting, "the processors that control groups grant"),
    key("clock_source", Role::Setting, "the counter that clocks are read from"),
    key("power_source", Role::Setting, "line or battery"),
    key("power_profile", Role::Setting, "the firmware's profile"),
    key("mitigations", Role::Setting, "what is done against weaknesses of the processor"),
    key("huge_pages", Role::Setting, "when memory is given in large pages"),
    key("kernel", Role::Subject, "the kernel's release"),
    key("microcode", Role::Context, "the version of the processor's microcode"),
    key("boot_id", Role::Context, "the start of the system"),
];

/// Writes down what is known. What a system has no setting for is `none`; what could not be read
/// has its reason.
pub(super) fn note(platform: &Platform, conditions: &mut Conditions) {
    let identity = &platform.identity;
    let mut set = |key: &str, value: Result<String, Why>| match value {
        Ok(value) => conditions.set(key, value, By::Measured),
        Err(why) => conditions.forget(key, why),
    };
    set("machine", text(&identity.machine));
    set("cpu_model", text(&identity.cpu_model));
    set("kernel", text(&identity.kernel));
    set("microcode", text(&identity.microcode));
    set("boot_id", text(&identity.boot_id));
    set("mitigations", text(&identity.mitigations));
    let topology = &platform.topology;
    set("cpus", text(&topology.online).and_then(|_| cpus(platform).ok_or(Why::Absent)));
    set("threads_share_cores", text(&topology.threads_share_cores));
    set("numa_nodes", topology.nodes_with_cpus().map(|n| n.to_string()).ok_or(Why::Absent));
    set("boundary", boundary(platform));
    set("governor", of_policies(platform, governor));
    set("cpu_limit_mhz", of_policies(platform, limit));
    set("turbo", or_none(text(&platform.frequency.turbo).map(|on| switch(&on))));
    set("cpu_quota", quota(platform));
    set("clock_source", text(&platform.clock_source.current));
    set("power_source", or_none(power_source(platform)));
    set("power_profile", or_none(text(&platform.power.profile)));
    set("huge_pages", or_none(text(&platform.memory.huge_pages)));
}

fn text<T: std::fmt::Display>(known: &Known<T>) -> Result<String, Why> {
    match known {
        Known::Is { value, .. } => Ok(value.to_string()),
        Known::Not(why) => Err(*why),
    }
}

fn or_none(value: Result<String, Why>) -> Result<String, Why> {
    if value == Err(Why::Absent) { Ok("none".to_owned()) } else { value }
}

fn switch(on: &str) -> String {
    if on == "true" { "on" } else { "off" }.to_owned()
}

fn cpus(platform: &Platform) -> Option<String> {
    Some(seen(&platform.topology.online)?.len().to_string())
}

fn boundary(platform: &Platform) -> Result<String, Why> {
    let boundary = &platform.boundary;
    match boundary.virtual_machine.why() {
        Some(why) if boundary.wsl.value() != Some(true) => Err(why),
        _ => Ok(boundary.to_string()),
    }
}

/// The words of all policies that differ, in order.
fn of_policies(platform: &Platform, of: impl Fn(&Policy) -> Option<String>) -> Result<String, Why> {
    if let Some(why) = platform.frequency.policies.why() {
        return or_none(Err(why));
    }
    let words: BTreeSet<String> = platform.frequency.each().filter_map(|p| of(&p.policy)).collect();
    if words.is_empty() {
        return Err(Why::Absent);
    }
    Ok(words.into_iter().collect::<Vec<_>>().join(", "))
}

fn governor(policy: &Policy) -> Option<String> {
    let governor = word(&policy.governor)?;
    match (policy.chooses_itself(), word(&policy.preference)) {
        (true, Some(preference)) => Some(format!("{governor}, prefers {preference}")),
        _ => Some(governor.to_owned()),
    }
}

fn limit(policy: &Policy) -> Option<String> {
    Some(short(float(policy.allowed_khz.value()?) / 1e3, 6))
}

/// The least of the groups of client and server.
fn quota(platform: &Platform) -> Result<String, Why> {
    let mut least: Option<f64> = None;
    let mut whole = true;
    for group in platform.groups_of_run() {
        let Some(chain) = seen(&group.cpu) else {
            whole = false;
            continue;
        };
        whole &= chain.is_whole();
        if let Some((cpus, _)) = chain.least_quota() {
            least = Some(least.map_or(cpus, |known| known.min(cpus)));
        }
    }
    match least {
        Some(cpus) => Ok(short(cpus, 4)),
        None if whole => Ok("none".to_owned()),
        // Groups above may have one.
        None => Err(Why::NeedsMore),
    }
}

fn power_source(platform: &Platform) -> Result<String, Why> {
    let word = |source| match source {
        Source::Line => "line",
        Source::Battery => "battery",
    };
    let why = platform.power.supplies.why().unwrap_or(Why::Absent);
    platform.power.source().map(|source| word(source).to_owned()).ok_or(why)
}
