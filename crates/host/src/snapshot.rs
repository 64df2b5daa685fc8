//! The state of the machine at one moment.

use serde::{Deserialize, Serialize};
use trueline_core::{Conditions, Known, ServerCounters, Why};

use crate::clocks::Clocks;
use crate::gpu::GpuState;
use crate::platform::Platform;
use crate::processes::Processes;
use crate::root::Root;

/// How the server's process is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerProcess {
    /// By its id.
    Pid(u32),
    /// As the process that listens on a port.
    Port(u16),
}

/// Which processes a snapshot looks at.
///
/// # Shape
/// Each with its threads and all that descend from it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Wanted {
    /// The processes that measure: a load generator, or the program that embeds one.
    pub client: Vec<u32>,
    /// The process that serves, if it is on this machine.
    pub server: Option<ServerProcess>,
    /// The process that reads, though among the client's, measures nothing itself: it stands in for
    /// what is started as it was. How it was built then says nothing.
    #[serde(default)]
    pub stands_in: bool,
}

impl Wanted {
    /// The processes that are asked for by their id.
    pub(crate) fn pids(&self) -> Vec<u32> {
        let server = match self.server {
            Some(ServerProcess::Pid(pid)) => Some(pid),
            Some(ServerProcess::Port(_)) | None => None,
        };
        self.client.iter().copied().chain(server).collect()
    }
}

/// The state of the machine at one moment.
///
/// # Shape
/// Counters are as the system keeps them, since boot or since a process began; what happened
/// between two moments is their difference. A part that is not in a written record was not read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Snapshot {
    /// The clocks, first of all.
    #[serde(default)]
    pub clocks: Clocks,
    /// The machine: processors, memory, limits, clocks, power.
    #[serde(default)]
    pub platform: Platform,
    /// The client's and the server's processes, and who else is busy.
    #[serde(default)]
    pub processes: Processes,
    /// The GPUs; absent where nobody read them.
    #[serde(default)]
    pub gpus: Known<Vec<GpuState>>,
    /// What the server had counted; absent where nobody asked it.
    #[serde(default)]
    pub server: Known<ServerCounters>,
}

impl Snapshot {
    /// Reads the state of a machine, GPUs and the server's counters apart.
    ///
    /// Nothing that cannot be read is an error: it is there with its reason.
    pub fn take(root: &Root, wanted: &Wanted) -> Self {
        let clocks = Clocks::read(root);
        let processes = Processes::read(root, wanted);
        let platform = Platform::read(root, &processes, wanted);
        let none = Why::Absent;
        Self { clocks, platform, processes, gpus: Known::Not(none), server: Known::Not(none) }
    }

    /// Whether anything of the host was read: its processors, settings, processes or GPUs.
    pub(crate) fn reads_host(&self) -> bool {
        self.platform.reads() || self.processes.reads() || self.gpus.is_known()
    }

    /// What must be equal for two runs on it to be compared.
    pub fn conditions(&self) -> Conditions {
        let mut conditions = Conditions::default();
        self.platform.note_conditions(&mut conditions);
        self.processes.note_conditions(&mut conditions);
        crate::gpu::note_conditions(&self.gpus, &mut conditions);
        conditions
    }
}
