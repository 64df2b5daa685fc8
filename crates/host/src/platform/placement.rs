//! Which processes are looked at, and how they are tied to control groups.

use std::time::Duration;

use trueline_core::{By, Known};

use super::reading::{number_after, part};
use crate::judge::View;
use crate::processes::{Process, ProcessRole, Processes, own_time};
use crate::root::{Root, known};

/// A process, its groups and its threads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Placement {
    pub(super) pid: u32,
    pub(super) party: ProcessRole,
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
pub(super) fn placements(root: &Root, processes: &Processes) -> Vec<Placement> {
    let watcher = Placement::watcher(root);
    let others = processes.ours.iter().filter(|process| process.pid != watcher.pid);
    let mut all: Vec<Placement> = others.map(Placement::of_process).collect();
    // A program that measures may watch itself.
    let measures =
        processes.ours.iter().any(|p| p.pid == watcher.pid && p.role != ProcessRole::Watcher);
    let party = if measures { ProcessRole::Client } else { ProcessRole::Watcher };
    all.push(Placement { party, ..watcher });
    all
}

/// What the processes of client and server had of the processors; `None` where it is not known.
pub(super) fn own_cpu(view: &View<'_>) -> Option<OwnCpu> {
    own_time(view).map(|(ran, waited)| OwnCpu { ran, waited })
}

impl Placement {
    /// The process that reads.
    pub(super) fn watcher(root: &Root) -> Self {
        let pid = part(&root.text("proc/self/status"), |text| number_after(text, "Pid"));
        let pid = pid.value().and_then(|pid| u32::try_from(pid).ok()).unwrap_or(0);
        Self::read(root, "proc/self", pid, ProcessRole::Watcher)
    }

    /// A process that was read already.
    pub(super) fn of_process(process: &Process) -> Self {
        Self {
            pid: process.pid,
            party: process.role,
            cgroup: process.cgroup.clone(),
            threads: Known::is(process.threads.count, By::Measured),
        }
    }

    /// A process by its id.
    #[cfg(test)]
    pub(super) fn of(root: &Root, pid: u32, party: ProcessRole) -> Self {
        Self::read(root, &format!("proc/{pid}"), pid, party)
    }

    fn read(root: &Root, folder: &str, pid: u32, party: ProcessRole) -> Self {
        let lines = root.text(&format!("{folder}/cgroup"));
        let lines = lines.map(|text| text.lines().map(str::to_owned).collect());
        let status = root.text(&format!("{folder}/status"));
        let threads = part(&status, |text| number_after(text, "Threads"));
        Self { pid, party, cgroup: known(lines), threads }
    }

    /// The folder that it is read from.
    pub(super) fn folder(&self) -> String {
        match self.party {
            ProcessRole::Watcher => "proc/self".to_owned(),
            ProcessRole::Client | ProcessRole::Server => format!("proc/{}", self.pid),
        }
    }
}
