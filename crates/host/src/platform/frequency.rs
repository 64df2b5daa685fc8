//! What the system declares about the clock of processors: governor, limits, turbo.

use serde::{Deserialize, Serialize};
use trueline_core::{Known, Why};

use super::reading::{parsed, seen, word};
use super::topology::switch;
use crate::root::{Root, known};

const FOLDER: &str = "sys/devices/system/cpu";

/// What the system declares about the clock of processors.
///
/// # Shape
/// Declared, not measured. Clocks of the moment are left out: they say nothing unless the processor
/// is busy. Most virtual machines declare nothing.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Frequency {
    /// Equal policies once each, with how many there are.
    pub policies: Known<Vec<Policies>>,
    /// Whether clocks above the base clock are allowed.
    pub turbo: Known<bool>,
    /// The share of its performance that `intel_pstate` allows, in percent.
    pub allowed_percent: Known<u64>,
}

/// Policies that are equal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Policies {
    /// How many; one for each processor or for each group that shares a clock.
    pub count: u64,
    /// What they say.
    pub policy: Policy,
}

/// How the clock of some processors is chosen.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Policy {
    /// The driver, such as `intel_pstate`.
    pub driver: Known<String>,
    /// The governor, such as `performance`.
    pub governor: Known<String>,
    /// What the hardware prefers where it chooses itself, such as `balance_performance`.
    pub preference: Known<String>,
    /// The highest clock allowed.
    pub allowed_khz: Known<u64>,
    /// The highest clock of the hardware, boost included where the driver knows it.
    pub hardware_khz: Known<u64>,
    /// The clock without turbo.
    pub base_khz: Known<u64>,
    /// The highest clock among those that can be asked for, where there is a table.
    pub listed_khz: Known<u64>,
    /// The limit that the firmware sets at the moment.
    pub firmware_limit_khz: Known<u64>,
}

impl Frequency {
    pub(super) fn read(root: &Root) -> Self {
        let no_turbo = root.text(&format!("{FOLDER}/intel_pstate/no_turbo"));
        let boost = root.text(&format!("{FOLDER}/cpufreq/boost"));
        let no_turbo = parsed(no_turbo, |text| switch(text).map(|off| !off));
        Self {
            policies: policies(root),
            turbo: no_turbo.or(parsed(boost, switch)),
            allowed_percent: root.value(&format!("{FOLDER}/intel_pstate/max_perf_pct")),
        }
    }

    /// All policies, equal ones once.
    pub fn each(&self) -> impl Iterator<Item = &Policies> {
        seen(&self.policies).into_iter().flatten()
    }

    /// The highest clock that any processor declares.
    pub fn highest_khz(&self) -> Option<u64> {
        self.each().filter_map(|p| p.policy.hardware_khz.value()).max()
    }

    /// The highest clock that every processor declares; `None` where they differ, as on processors
    /// with cores of two kinds.
    pub fn common_highest_khz(&self) -> Option<u64> {
        let lowest = self.each().map(|p| p.policy.hardware_khz.value()).min()??;
        (self.highest_khz()? == lowest).then_some(lowest)
    }

    /// The highest clock that any processor declares without turbo.
    pub fn base_khz(&self) -> Option<u64> {
        self.each().filter_map(|p| p.policy.base_khz.value()).max()
    }
}

impl Policy {
    fn read(root: &Root, name: &str) -> Self {
        let path = |file: &str| format!("{FOLDER}/cpufreq/{name}/{file}");
        let listed = root.text(&path("scaling_available_frequencies"));
        Self {
            driver: known(root.text(&path("scaling_driver"))),
            governor: known(root.text(&path("scaling_governor"))),
            preference: known(root.text(&path("energy_performance_preference"))),
            allowed_khz: root.value(&path("scaling_max_freq")),
            hardware_khz: root.value(&path("cpuinfo_max_freq")),
            base_khz: root.value(&path("base_frequency")),
            listed_khz: parsed(listed, |text| {
                text.split_ascii_whitespace().filter_map(|khz| khz.parse().ok()).max()
            }),
            firmware_limit_khz: root.value(&path("bios_limit")),
        }
    }

    /// Whether the hardware chooses the clock by itself, so that the governor `powersave` follows
    /// the load and does not hold the lowest clock.
    ///
    /// # Source
    /// Kernel documentation, `admin-guide/pm/intel_pstate` and `amd-pstate`: the drivers have these
    /// names in their active mode alone (`intel_cpufreq` and `amd-pstate` in the others).
    pub fn chooses_itself(&self) -> bool {
        matches!(word(&self.driver), Some("intel_pstate" | "amd-pstate-epp" | "amd_pstate_epp"))
    }

    /// The highest clock that can be asked for. Where there is a table it ends at the base clock
    /// (`acpi-cpufreq`), though the hardware boosts beyond: a limit at its top is none.
    pub fn reachable_khz(&self) -> Option<u64> {
        self.listed_khz.or(self.hardware_khz).value()
    }
}

fn policies(root: &Root) -> Known<Vec<Policies>> {
    let names = match root.names(&format!("{FOLDER}/cpufreq")) {
        Ok(names) => names,
        Err(why) => return Known::Not(why),
    };
    let mut all: Vec<Policies> = Vec::new();
    for name in names.iter().filter(|name| name.starts_with("policy")) {
        let policy = Policy::read(root, name);
        match all.iter_mut().find(|known| known.policy == policy) {
            Some(known) => known.count += 1,
            None => all.push(Policies { count: 1, policy }),
        }
    }
    // A folder without policies is what a virtual machine shows.
    known(if all.is_empty() { Err(Why::Absent) } else { Ok(all) })
}
