//! The machine: processors, memory, limits, clocks, power.

mod boundary;
#[cfg(test)]
mod captured_tests;
mod cgroup;
mod cgroup_cpu;
mod cgroup_memory;
mod cgroup_mount;
mod checks;
mod clock_source;
mod conditions;
mod frequency;
mod groups_seen;
mod identity;
mod load;
mod macos;
#[cfg(test)]
mod made;
mod memory;
mod numa;
mod placement;
mod power;
mod pressure;
mod reading;
pub(crate) mod rules;
mod thermal;
mod topology;

use serde::{Deserialize, Serialize};
use trueline_core::{By, Conditions, Known, Outcomes, Why};

pub use boundary::{Boundary, Container};
pub use cgroup::{Group, Member};
pub use cgroup_cpu::{CpuChain, CpuLevel, Quota};
pub use cgroup_memory::{MemoryLevel, MemoryLimit};
pub use cgroup_mount::{Above, CgroupVersion};
pub use checks::PLATFORM_CHECKS;
pub use clock_source::ClockSource;
pub use conditions::PLATFORM_CONDITIONS;
pub use frequency::{Frequency, Policies, Policy};
pub use identity::{Identity, Mitigations};
pub use load::{CpuTicks, SystemLoad};
pub use macos::{Macos, MacosTask};
pub use memory::Memory;
pub use numa::NodeMemory;
pub use power::{Power, Supply};
pub use pressure::Pressure;
pub use thermal::Throttled;
pub use topology::{GpuPlace, Node, Topology};

use crate::judge::View;
use crate::processes::ProcessRole;
use crate::processes::Processes;
use crate::root::Root;
use crate::snapshot::Wanted;
pub(crate) use groups_seen::GroupsSeen;
use macos::{MacosSystem, is_macos};
use placement::{Placement, placements};

/// The machine: processors, memory, limits, clocks, power.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Platform {
    /// Which machine this is, and since which start.
    pub identity: Identity,
    /// What lies between this system and the hardware.
    pub boundary: Boundary,
    /// Processors and nodes.
    pub topology: Topology,
    /// What the system declares about the clock of processors.
    pub frequency: Frequency,
    /// How often processors were slowed down for heat.
    pub throttled: Known<Vec<Throttled>>,
    /// Where the electric power comes from.
    pub power: Power,
    /// The counter that clocks are read from.
    pub clock_source: ClockSource,
    /// What the processors did, and who waited.
    pub load: SystemLoad,
    /// Memory of the machine.
    pub memory: Memory,
    /// Control groups of client, server and watcher. Those that came and went during a watch are at
    /// its start as they were first seen, and at its end as they were last.
    pub groups: Vec<Group>,
    /// On which nodes the server's memory lies.
    pub server_memory: Known<Vec<NodeMemory>>,
    /// What macOS says; not applicable elsewhere.
    pub macos: Known<Macos>,
}

impl Platform {
    pub(crate) fn read(root: &Root, processes: &Processes, wanted: &Wanted) -> Self {
        let platform = Self::read_with(root, &placements(root, processes));
        if is_macos(root) { platform.with_macos(root, &wanted.pids()) } else { platform }
    }

    /// The same with given processes looked at.
    fn read_with(root: &Root, placements: &[Placement]) -> Self {
        let cpuinfo = root.text("proc/cpuinfo");
        let mountinfo = root.text("proc/self/mountinfo").unwrap_or_default();
        let mounts = cgroup_mount::parse_mounts(&mountinfo);
        let topology = Topology::read(root);
        let groups = cgroup::read_groups(root, &mounts, placements);
        Self {
            identity: Identity::read(root, &cpuinfo),
            boundary: Boundary::read(root, &cpuinfo, &mountinfo),
            frequency: Frequency::read(root),
            throttled: thermal::read_throttled(root),
            power: Power::read(root),
            clock_source: ClockSource::read(root),
            load: SystemLoad::read(root),
            memory: Memory::read(root),
            server_memory: numa::read_memory_of_server(root, &topology, &groups),
            topology,
            groups,
            macos: Known::Not(Why::NotApplicable),
        }
    }

    /// The same with what macOS says of some processes: it has no `/proc` to find others in.
    fn with_macos(mut self, root: &Root, pids: &[u32]) -> Self {
        let (macos, system) = Macos::read(root, pids);
        let MacosSystem { boot_id, machine, kernel, cpu_model, cpus, .. } = system;
        self.identity.boot_id = boot_id;
        self.identity.machine = machine;
        self.identity.kernel = kernel;
        self.identity.cpu_model = cpu_model;
        let cpus = cpus.value().and_then(|cpus| u32::try_from(cpus).ok());
        self.topology.online = Known::derived(cpus.map(|n| (0..n).collect()), Why::Absent);
        self.memory.total_bytes = system.memory_bytes;
        self.memory.swapped_in_pages = system.swapped_in_pages;
        self.memory.swapped_out_pages = system.swapped_out_pages;
        self.power.low_power_mode = macos.low_power_mode;
        if let Some(battery) = macos.on_battery.value() {
            self.power.supplies = Known::is(vec![Supply::of_macos(battery)], By::Measured);
        }
        self.macos = Known::is(macos, By::Measured);
        self
    }

    /// Whether anything was read that is judged.
    pub(crate) fn reads(&self) -> bool {
        let Self { load, clock_source, frequency, throttled, power, memory, macos, .. } = self;
        let of_load = load.ticks.is_known() || load.cpu_pressure.is_known();
        let of_clocks = clock_source.current.is_known() || frequency.policies.is_known();
        let of_power = power.supplies.is_known() || power.profile.is_known();
        let of_memory = memory.swapped_in_pages.is_known() || load.memory_pressure.is_known();
        let groups = self.groups.iter().any(|group| group.cpu.is_known());
        of_load
            || of_clocks
            || of_power
            || of_memory
            || groups
            || throttled.is_known()
            || frequency.turbo.is_known()
            || macos.is_known()
    }

    pub(crate) fn note_conditions(&self, conditions: &mut Conditions) {
        conditions::note(self, conditions);
    }

    /// The groups that matter to a measurement: those of client and server, or the watcher's where
    /// neither is known.
    fn groups_of_run(&self) -> Vec<&Group> {
        let of_run: Vec<_> = self
            .groups
            .iter()
            .filter(|g| g.has(&[ProcessRole::Client, ProcessRole::Server]))
            .collect();
        if of_run.is_empty() { self.groups.iter().collect() } else { of_run }
    }
}

pub(crate) fn check(view: &View<'_>, outcomes: &mut Outcomes) {
    rules::check(view, outcomes);
}
