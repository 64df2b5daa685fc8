//! Which processes are looked at, and how they are tied to control groups.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use trueline_core::Known;

use super::reading::{number_after, part};
use crate::judge::Stretch;
use crate::processes::Processes;
use crate::root::{Root, known};

/// What a process is to a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Party {
    /// It measures.
    Client,
    /// It serves.
    Server,
    /// It watches, and is neither.
    Watcher,
}

/// A process, its groups and its threads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Placement {
    pub(super) pid: u32,
    pub(super) party: Party,
    /// The lines of its `/proc/<pid>/cgroup`.
    pub(super) cgroup: Known<Vec<String>>,
    pub(super) threads: Known<u64>,
}

/// What the processes of client and server had of the processors over a stretch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OwnCpu {
    /// The time in which their threads ran, added up.
    pub(super) ran: Duration,
    /// The time in which their threads could have run and did not, added up.
    pub(super) waited: Duration,
}

/// The processes to look at: those of client and server, and the watcher itself.
pub(super) fn placements(root: &Root, _processes: &Processes) -> Vec<Placement> {
    // Where the processes of client and server are read, they are added here.
    vec![Placement::watcher(root)]
}

/// What the processes of client and server had of the processors; `None` where it is not known.
pub(super) fn own_cpu(_stretch: &Stretch<'_>) -> Option<OwnCpu> {
    None
}

impl Placement {
    /// The process that reads.
    pub(super) fn watcher(root: &Root) -> Self {
        let pid = part(&root.text("proc/self/status"), |text| number_after(text, "Pid"));
        let pid = pid.value().and_then(|pid| u32::try_from(pid).ok()).unwrap_or(0);
        Self::read(root, "proc/self", pid, Party::Watcher)
    }

    /// A process by its id.
    #[cfg_attr(not(test), expect(dead_code, reason = "until processes are read"))]
    pub(super) fn of(root: &Root, pid: u32, party: Party) -> Self {
        Self::read(root, &format!("proc/{pid}"), pid, party)
    }

    fn read(root: &Root, folder: &str, pid: u32, party: Party) -> Self {
        let lines = root.text(&format!("{folder}/cgroup"));
        let lines = lines.map(|text| text.lines().map(str::to_owned).collect());
        let status = root.text(&format!("{folder}/status"));
        let threads = part(&status, |text| number_after(text, "Threads"));
        Self { pid, party, cgroup: known(lines), threads }
    }

    /// The folder that it is read from.
    pub(super) fn folder(&self) -> String {
        match self.party {
            Party::Watcher => "proc/self".to_owned(),
            Party::Client | Party::Server => format!("proc/{}", self.pid),
        }
    }
}
