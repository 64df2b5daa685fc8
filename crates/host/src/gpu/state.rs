//! What changes slowly about a GPU, and its counters.

use serde::{Deserialize, Serialize};
use trueline_core::{Known, Why};

use super::known::is_absent;

/// What changes slowly about a GPU, and its counters, at one moment.
///
/// # Shape
/// Counters are as the driver keeps them; what happened between two moments is their difference.
/// What is not written down was not asked for.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct GpuState {
    /// What it is called.
    #[serde(skip_serializing_if = "is_absent")]
    pub name: Known<String>,
    /// The id that no other GPU has.
    #[serde(skip_serializing_if = "is_absent")]
    pub uuid: Known<String>,
    /// Where it sits on the PCI bus.
    #[serde(skip_serializing_if = "is_absent")]
    pub pci_bus_id: Known<String>,
    /// The version of the driver.
    #[serde(skip_serializing_if = "is_absent")]
    pub driver: Known<String>,
    /// The version of the library that was asked.
    #[serde(skip_serializing_if = "is_absent")]
    pub library: Known<String>,
    /// The clocks that it can reach.
    pub clocks: ClockLimits,
    /// The limits of its power.
    pub power: PowerLimits,
    /// The limits of its temperature.
    pub temperature: TemperatureLimits,
    /// The errors that it has counted.
    pub faults: Faults,
    /// What its PCI Express link can do.
    pub pcie: PcieLimits,
    /// How long each reason has held its clocks down.
    pub throttled: ThrottleTimes,
    /// Whether it is divided into slices (MIG).
    #[serde(skip_serializing_if = "is_absent")]
    pub mig: Known<bool>,
    /// Whether its memory corrects errors.
    #[serde(skip_serializing_if = "is_absent")]
    pub ecc: Known<bool>,
    /// Whether the driver stays loaded while nobody uses it.
    #[serde(skip_serializing_if = "is_absent")]
    pub persistence: Known<bool>,
    /// Who may use it at once, in the driver's words.
    #[serde(skip_serializing_if = "is_absent")]
    pub compute_mode: Known<String>,
    /// Whether it drives a display.
    #[serde(skip_serializing_if = "is_absent")]
    pub display_active: Known<bool>,
    /// The level that somebody set its performance to (AMD).
    #[serde(skip_serializing_if = "is_absent")]
    pub performance_level: Known<String>,
    /// The energy it has used, millijoules.
    #[serde(skip_serializing_if = "is_absent")]
    pub energy_mj: Known<u64>,
    /// The processes that use it.
    #[serde(skip_serializing_if = "is_absent")]
    pub processes: Known<Vec<GpuProcess>>,
}

/// The clocks that a GPU can reach, MHz.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ClockLimits {
    /// The highest of the multiprocessors. Few boards hold it under load.
    #[serde(skip_serializing_if = "is_absent")]
    pub max_sm_mhz: Known<u32>,
    /// The highest of the memory.
    #[serde(skip_serializing_if = "is_absent")]
    pub max_memory_mhz: Known<u32>,
    /// The one that the vendor sells it for.
    #[serde(skip_serializing_if = "is_absent")]
    pub boost_sm_mhz: Known<u32>,
}

/// The limits of a GPU's power, milliwatts.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct PowerLimits {
    /// The one in force, whoever set it.
    #[serde(skip_serializing_if = "is_absent")]
    pub enforced_mw: Known<u64>,
    /// The one that it comes with.
    #[serde(skip_serializing_if = "is_absent")]
    pub default_mw: Known<u64>,
}

/// The limits of a GPU's temperature, degrees Celsius.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct TemperatureLimits {
    /// Where the hardware cuts clocks.
    #[serde(skip_serializing_if = "is_absent")]
    pub slowdown_c: Known<i32>,
    /// Where software begins to.
    #[serde(skip_serializing_if = "is_absent")]
    pub max_operating_c: Known<i32>,
}

/// The errors that a GPU has counted.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Faults {
    /// Errors of memory that could be corrected, since the driver was loaded.
    #[serde(skip_serializing_if = "is_absent")]
    pub corrected: Known<u64>,
    /// Errors of memory that could not be corrected, since the driver was loaded.
    #[serde(skip_serializing_if = "is_absent")]
    pub uncorrected: Known<u64>,
    /// Whether rows or pages of memory wait for a reset to be replaced.
    #[serde(skip_serializing_if = "is_absent")]
    pub remap_pending: Known<bool>,
    /// Whether replacing one failed.
    #[serde(skip_serializing_if = "is_absent")]
    pub remap_failed: Known<bool>,
    /// The last error that the driver reported (Xid).
    #[serde(skip_serializing_if = "is_absent")]
    pub xid: Known<u64>,
    /// PCI Express packets that were sent again.
    #[serde(skip_serializing_if = "is_absent")]
    pub pcie_replays: Known<u64>,
}

/// What a PCI Express link can do: the less of GPU and slot.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct PcieLimits {
    /// The highest generation.
    #[serde(skip_serializing_if = "is_absent")]
    pub max_generation: Known<u32>,
    /// The most lanes.
    #[serde(skip_serializing_if = "is_absent")]
    pub max_width: Known<u32>,
}

/// How long each reason has held a GPU's clocks down, nanoseconds since the driver was loaded.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ThrottleTimes {
    /// The power limit.
    #[serde(skip_serializing_if = "is_absent")]
    pub power_cap_ns: Known<u64>,
    /// The slowest GPU of its group.
    #[serde(skip_serializing_if = "is_absent")]
    pub sync_boost_ns: Known<u64>,
    /// Temperature, by software.
    #[serde(skip_serializing_if = "is_absent")]
    pub sw_thermal_ns: Known<u64>,
    /// Temperature, by hardware.
    #[serde(skip_serializing_if = "is_absent")]
    pub hw_thermal_ns: Known<u64>,
    /// The brake of power supply or rack.
    #[serde(skip_serializing_if = "is_absent")]
    pub power_brake_ns: Known<u64>,
    /// Below the base clocks for any reason.
    #[serde(skip_serializing_if = "is_absent")]
    pub below_base_ns: Known<u64>,
    /// A limit of the board.
    #[serde(skip_serializing_if = "is_absent")]
    pub board_limit_ns: Known<u64>,
    /// A limit of voltage that keeps it reliable.
    #[serde(skip_serializing_if = "is_absent")]
    pub reliability_ns: Known<u64>,
}

/// A process that uses a GPU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GpuProcess {
    /// Its id as the driver sees it: the host's, also in a container.
    pub pid: u32,
    /// What it is called.
    #[serde(default, skip_serializing_if = "is_absent")]
    pub name: Known<String>,
    /// Its memory on the GPU, bytes.
    #[serde(default, skip_serializing_if = "is_absent")]
    pub memory_bytes: Known<u64>,
    /// What it uses the GPU for.
    pub kind: GpuProcessKind,
}

/// What a process uses a GPU for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum GpuProcessKind {
    /// It computes.
    Compute,
    /// It draws.
    Graphics,
    /// It computes through the server that shares a GPU among processes (MPS).
    Mps,
}

impl GpuProcess {
    /// A process of which no more than this is known.
    pub fn new(pid: u32, kind: GpuProcessKind) -> Self {
        Self { pid, name: Known::default(), memory_bytes: Known::default(), kind }
    }
}

impl GpuState {
    /// The same without what tells this GPU from others of its kind, and without names of
    /// processes.
    #[must_use]
    pub fn redacted(mut self) -> Self {
        self.uuid = Known::Not(Why::Withheld);
        self.pci_bus_id = Known::Not(Why::Withheld);
        if let Known::Is { value, .. } = &mut self.processes {
            for process in value {
                process.name = Known::Not(Why::Withheld);
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::super::known::measured;
    use super::*;

    #[test]
    fn a_state_survives_json_with_its_reasons() {
        let mut state = GpuState::default();
        state.power.enforced_mw = measured(700_000);
        state.mig = Known::Not(Why::NotApplicable);
        state.processes = measured(vec![GpuProcess::new(7, GpuProcessKind::Compute)]);
        let text = serde_json::to_string(&state).unwrap();
        assert_eq!(serde_json::from_str::<GpuState>(&text).unwrap(), state);
        assert!(!text.contains("uuid"), "{text}");
        assert_eq!(serde_json::from_str::<GpuState>("{}").unwrap(), GpuState::default());
    }

    #[test]
    fn a_redacted_state_names_neither_gpu_nor_process() {
        let mut process = GpuProcess::new(7, GpuProcessKind::Compute);
        process.name = measured("secret".to_owned());
        let state = GpuState {
            uuid: measured("GPU-1".to_owned()),
            processes: measured(vec![process]),
            ..GpuState::default()
        };
        let text = serde_json::to_string(&state.redacted()).unwrap();
        assert!(!text.contains("secret") && !text.contains("GPU-1"), "{text}");
    }
}
