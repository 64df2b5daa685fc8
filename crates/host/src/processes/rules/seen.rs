//! The processes of client and server that a record saw at any time, and what it could not see.

use trueline_core::{Known, Need, Why};

use super::super::cpu_list::CpuList;
use super::super::family::ProcessRole;
use super::super::process::Process;
use super::super::readings::{Processes, joined_cpus};
use crate::judge::View;

/// The processes of client and server that a record saw.
///
/// # Shape
/// One process stands there once for each time that it was looked at, the last time first. One that
/// stands in for others is not there where one of those was seen.
#[derive(Debug)]
pub(super) struct Seen<'a> {
    pub(super) processes: Vec<&'a Process>,
    /// What would be needed to see all that was asked for.
    pub(super) missing: Option<Need>,
}

/// Gathers them.
pub(super) fn seen<'a>(view: &View<'a>) -> Seen<'a> {
    let snapshots = [view.record.after.as_ref(), view.record.before.as_ref()];
    let snapshots: Vec<&Processes> =
        snapshots.into_iter().flatten().map(|snapshot| &snapshot.processes).collect();
    let of_ticks = view.ticks().iter().rev().flat_map(|tick| &tick.cpu.processes);
    let mut processes: Vec<&Process> = Vec::new();
    if let Some(last) = snapshots.first() {
        processes.extend(&last.ours);
    }
    processes.extend(of_ticks);
    processes.extend(snapshots.iter().skip(1).flat_map(|first| &first.ours));
    processes.retain(|process| process.role != ProcessRole::Watcher);
    if processes.iter().any(|process| process.role == ProcessRole::Client && !process.stands_in) {
        processes.retain(|process| !process.stands_in);
    }
    let missing = missing(&snapshots, &processes);
    Seen { processes, missing }
}

fn missing(snapshots: &[&Processes], processes: &[&Process]) -> Option<Need> {
    let has = |role| processes.iter().any(|process| process.role == role);
    let Some(last) = snapshots.first() else {
        return (!has(ProcessRole::Client) && !has(ProcessRole::Server))
            .then_some(Need::HostWatched);
    };
    let server = snapshots.iter().find_map(|read| read.server.is_known().then_some(None));
    // A process that measures and serves is listed once, as one that measures.
    let server = server.unwrap_or(last.server.why()).filter(|_| !has(ProcessRole::Server));
    let client_wanted = snapshots.iter().any(|read| read.client_wanted);
    match server {
        Some(Why::NotApplicable) if !client_wanted => Some(Need::ServerProcess),
        Some(Why::Denied | Why::Unreadable) => Some(Need::HostReading),
        Some(Why::NotApplicable) | None if client_wanted && !has(ProcessRole::Client) => {
            Some(Need::HostWatched)
        }
        Some(Why::NotApplicable) | None => None,
        Some(_) => Some(Need::ServerProcess),
    }
}

impl<'a> Seen<'a> {
    /// Whether a role is among what was seen.
    pub(super) fn has(&self, role: ProcessRole) -> bool {
        self.processes.iter().any(|process| process.role == role)
    }

    /// The processors that the processes of a role may run on, each as it was looked at last; `None`
    /// where none is known.
    pub(super) fn allowed_cpus(&self, role: ProcessRole) -> Option<CpuList> {
        let of_role = self.processes.iter().filter(|process| process.role == role);
        let mut last: Vec<&Process> = Vec::new();
        for process in of_role {
            if process.allowed_cpus.is_known() && !last.iter().any(|known| known.is(process)) {
                last.push(process);
            }
        }
        joined_cpus(&last)
    }

    /// The first process of which a reading says something, and what would be needed where a
    /// reading is missing and none says anything.
    ///
    /// # Shape
    /// A reading that does not apply, or is not taken beside a run, is not missing.
    pub(super) fn find<T: 'a>(
        &self,
        reading: impl Fn(&'a Process) -> &'a Known<T>,
        says: impl Fn(&'a Process, &'a T) -> bool,
    ) -> (Option<(&'a Process, &'a T)>, Option<Need>) {
        let found = self.processes.iter().find_map(|process| match reading(process) {
            Known::Is { value, .. } => says(process, value).then_some((*process, value)),
            Known::Not(_) => None,
        });
        let known = |one: &Process| {
            self.processes.iter().any(|other| other.is(one) && reading(other).is_known())
        };
        let unread = self.processes.iter().any(|process| {
            let why = reading(process).why();
            !matches!(why, None | Some(Why::NotApplicable | Why::NeedsMore)) && !known(process)
        });
        (found, self.missing.or(unread.then_some(Need::HostReading)))
    }
}

/// Whose a process is, for a sentence.
pub(super) fn whose(role: ProcessRole) -> &'static str {
    match role {
        ProcessRole::Client => "the client's",
        ProcessRole::Server => "the server's",
        ProcessRole::Watcher => "the watcher's",
    }
}
