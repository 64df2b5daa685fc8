//! Who was busy between two moments.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use trueline_core::Known;

use super::family::ProcessRole;
use super::process::Process;
use super::threads::RunTime;

/// Who was busy between two moments.
///
/// # Units
/// Cores: seconds of processor time for each second.
///
/// # Shape
/// Over the processors that client and server may run on. What nobody wanted is not applicable,
/// what is gone absent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CpuTick {
    /// Since the tick before.
    pub took: Duration,
    /// Over how many processors.
    pub cpus: u64,
    /// Programs of anybody, interrupts left out.
    pub busy_cores: Known<f64>,
    /// The client's processes.
    pub client_cores: Known<f64>,
    /// The server's processes.
    pub server_cores: Known<f64>,
    /// The watcher itself.
    pub watcher_cores: Known<f64>,
    /// Everybody else: what is left of all without client, server, watcher and kernel threads.
    pub foreign_cores: Known<f64>,
    /// Taken by the machine below a virtual one.
    pub steal_cores: Known<f64>,
    /// Threads that run or want to, the watcher's among them.
    pub runnable: Known<u64>,
    /// The busiest of everybody else since processes were last listed, which is not done at every
    /// tick; at most three.
    pub who: Vec<Busy>,
    /// How long the client's threads ran and waited since they were last read.
    pub client_delay: Known<RunTime>,
    /// How long the server's threads ran and waited since they were last read.
    pub server_delay: Known<RunTime>,
    /// Processes of client and server that are new since the watch began, or differ from what was
    /// read of them before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processes: Vec<Process>,
}

/// A process that was busy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Busy {
    /// Its name.
    pub name: String,
    /// Its id.
    pub pid: u32,
    /// Its program and a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// How many processors it kept busy, with the children it waited for.
    pub cores: f64,
    /// Over how long.
    pub over: Duration,
}

impl CpuTick {
    /// How long the threads of a role ran and waited.
    pub(crate) fn delay(&self, role: ProcessRole) -> Option<RunTime> {
        match role {
            ProcessRole::Client => self.client_delay.value(),
            ProcessRole::Server => self.server_delay.value(),
            ProcessRole::Watcher => None,
        }
    }
}
