//! What is read of processes at one moment.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use trueline_core::{By, Known, Why};

use super::connections::{Connections, read_connections};
use super::cpu_list::CpuList;
use super::cpu_time::{CpuTimes, parse_cpu_times};
use super::family::{Heads, Listing, ProcessRole, roles};
use super::listing::{own_id, read_cgroups, read_listing};
use super::meter::sum;
use super::others::{Others, others};
use super::process::{Depth, Look, Process};
use super::server::{Server, find_server, listeners, read_sockets};
use crate::root::{Root, known};
use crate::snapshot::{ServerProcess, Wanted};

/// Processes of client and server that are kept.
const MOST: usize = 128;

/// The processes of client and server, and who else is busy.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Processes {
    /// The processes of client and server, and the watcher's, by id; at most 128.
    pub ours: Vec<Process>,
    /// Whether a process that measures was asked for.
    pub client_wanted: bool,
    /// The process that serves; not applicable where none was asked for.
    pub server: Known<Server>,
    /// The port by which it was looked for; absent where it was not.
    pub server_port: Known<u16>,
    /// Who is connected to it.
    pub connections: Known<Connections>,
    /// What the processors have done.
    pub cpu: Known<CpuTimes>,
    /// Who else took processor time.
    pub others: Known<Others>,
    /// Whether the scheduler weighs sessions before it weighs processes.
    pub autogroup: Known<bool>,
    /// Processors that share a core, group by group; not applicable where client and server may run
    /// on the same processors anyway and both are here already, or only one of the two is.
    pub siblings: Known<Vec<CpuList>>,
}

impl Processes {
    /// The processes of one role.
    pub fn of(&self, role: ProcessRole) -> impl Iterator<Item = &Process> {
        self.ours.iter().filter(move |process| process.role == role)
    }

    /// The processors that the processes of a role may run on; `None` where none is known.
    ///
    /// # Shape
    /// A process that took less than a hundredth of the role's time is left out: the shell that
    /// started the others with `taskset` is not kept where they are.
    pub fn allowed_cpus(&self, role: ProcessRole) -> Option<CpuList> {
        joined_cpus(&self.of(role).collect::<Vec<_>>())
    }

    /// Whether anything was read of processes or processors.
    pub(crate) fn reads(&self) -> bool {
        !self.ours.is_empty() || self.cpu.is_known()
    }

    pub(crate) fn read(root: &Root, wanted: &Wanted) -> Self {
        let cpu = root.text("proc/stat").and_then(|t| parse_cpu_times(&t).ok_or(Why::Unreadable));
        let listing = match read_listing(root) {
            Ok(listing) => listing,
            Err(why) => {
                let server = known(find_server(root, &Listing::new(), wanted.server).and(Err(why)));
                let client_wanted = !wanted.client.is_empty();
                return Self { client_wanted, server, cpu: known(cpu), ..Self::default() };
            }
        };
        let head = find_server(root, &listing, wanted.server);
        let own = own_id(root);
        let heads = Heads { clients: wanted.client.clone(), server: head.ok(), own };
        let cgroups = read_cgroups(root, heads.server, listing.keys().copied());
        let roles =
            roles(&listing, &heads, &BTreeMap::new(), |pid| cgroups.get(&pid).map(String::as_str));
        let stands_in = wanted.stands_in;
        let look = Look { root, listing: &listing, own, stands_in, depth: Depth::Whole };
        let mut holders = BTreeMap::new();
        let mut ours = Vec::new();
        for (stat, role) in roles.iter().filter_map(|(p, r)| Some((listing.get(p)?, *r))).take(MOST)
        {
            let (process, sockets) = look.read(stat, role);
            for inode in sockets {
                // Of those that inherited a socket the server's process counts.
                let holder = holders.entry(inode).or_insert(stat.pid);
                if role == ProcessRole::Server {
                    *holder = stat.pid;
                }
            }
            ours.push(process);
        }
        let sockets = head.and_then(|pid| read_sockets(root, Some(pid)));
        let serving: BTreeMap<u64, u32> = holders
            .iter()
            .filter(|(_, pid)| {
                roles.get(*pid) == Some(&ProcessRole::Server) || heads.server == Some(**pid)
            })
            .map(|(inode, pid)| (*inode, *pid))
            .collect();
        let server = head.and_then(|pid| listing.get(&pid).ok_or(Why::Absent)).map(|stat| Server {
            pid: stat.pid,
            start_ticks: stat.start_ticks,
            name: stat.name.clone(),
            listeners: sockets
                .as_deref()
                .map_or_else(|_| Vec::new(), |all| listeners(all, &serving)),
        });
        let ports: Vec<u16> =
            server.iter().flat_map(|s| s.listeners.iter().map(|(port, _)| *port)).collect();
        let connections =
            sockets.map(|all| read_connections(root, &listing, &roles, &all, &ports, &holders));
        let mut read = Self {
            ours,
            client_wanted: !wanted.client.is_empty(),
            server: known(server),
            server_port: match wanted.server {
                Some(ServerProcess::Port(port)) => Known::is(port, By::Reported),
                _ => Known::Not(Why::NotApplicable),
            },
            connections: known(connections),
            cpu: known(cpu),
            others: Known::is(others(&listing, &roles), By::Measured),
            autogroup: known(root.text(AUTOGROUP).map(|text| text == "1")),
            siblings: Known::Not(Why::NotApplicable),
        };
        read.siblings = read.read_siblings(root);
        read
    }

    /// Reads which processors share a core, where client and server are kept on different ones.
    fn read_siblings(&self, root: &Root) -> Known<Vec<CpuList>> {
        let lists =
            self.allowed_cpus(ProcessRole::Client).zip(self.allowed_cpus(ProcessRole::Server));
        // Who stands in for the client may start it elsewhere.
        let undecided = self.of(ProcessRole::Client).any(|process| process.stands_in);
        let apart = |(a, b): &(CpuList, CpuList)| undecided || a.shared(b).is_empty();
        let Some((client, server)) = lists.filter(apart) else {
            return Known::Not(Why::NotApplicable);
        };
        let mut groups: Vec<CpuList> = Vec::new();
        for cpu in client.joined(&server).iter() {
            let path = format!("sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
            match root.value::<CpuList>(&path) {
                Known::Is { value, .. } if groups.contains(&value) => {}
                Known::Is { value, .. } => groups.push(value),
                // A processor that is allowed and switched off has no topology.
                Known::Not(Why::Absent) if !groups.is_empty() => {}
                Known::Not(why) => return Known::Not(why),
            }
        }
        Known::is(groups, By::Measured)
    }
}

/// The processors that any of some processes may run on, those that hardly ran left out; `None` where
/// none is known.
pub(crate) fn joined_cpus(processes: &[&Process]) -> Option<CpuList> {
    let all = sum(processes.iter().map(|process| process.own_ticks));
    let busy = processes.iter().filter(|process| process.own_ticks.saturating_mul(100) >= all);
    let lists = busy.filter_map(|process| match &process.allowed_cpus {
        Known::Is { value, .. } => Some(value.clone()),
        Known::Not(_) => None,
    });
    lists.reduce(|a, b| a.joined(&b))
}

const AUTOGROUP: &str = "proc/sys/kernel/sched_autogroup_enabled";
