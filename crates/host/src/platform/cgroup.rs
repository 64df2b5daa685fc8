//! Control groups of the processes looked at, equal ones once.

use serde::{Deserialize, Serialize};
use trueline_core::{Known, Why};

use super::cgroup_cpu::CpuChain;
use super::cgroup_memory::{MemoryLevel, read_memory};
use super::cgroup_mount::{CgroupVersion, Chain, Mount, locate, locate_unified};
use super::placement::Placement;
use super::pressure::Pressure;
use super::reading::{after_key, bytes_after, part};
use crate::processes::CpuList;
use crate::processes::ProcessRole;
use crate::root::{Root, known};

/// The groups that some processes are in, and these processes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Group {
    /// The processes.
    pub members: Vec<Member>,
    /// Processor time granted and withheld, from the innermost group to the topmost visible one.
    pub cpu: Known<CpuChain>,
    /// Memory, in the same order.
    pub memory: Known<Vec<MemoryLevel>>,
    /// The processors that the group may use.
    pub cpus: Known<CpuList>,
    /// Time in which its threads waited for a processor; not applicable to the topmost group, whose
    /// pressure is the machine's.
    pub cpu_pressure: Known<Pressure>,
    /// Time in which its threads waited for memory; the same holds.
    pub memory_pressure: Known<Pressure>,
}

/// A process that is looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Member {
    /// Its id.
    pub pid: u32,
    /// What it is to the measurement.
    pub party: ProcessRole,
    /// Its threads.
    pub threads: Known<u64>,
    /// The processors that its first thread may use.
    pub affinity: Known<CpuList>,
    /// How much of it is in memory.
    pub resident_bytes: Known<u64>,
    /// How much of it is in swap.
    pub swap_bytes: Known<u64>,
}

/// The groups of processes, equal ones once, in the order of the processes.
pub(super) fn read_groups(root: &Root, mounts: &[Mount], placements: &[Placement]) -> Vec<Group> {
    let mut groups: Vec<(&Known<Vec<String>>, Group)> = Vec::new();
    for placement in placements {
        if let Some((_, group)) = groups.iter_mut().find(|(l, _)| *l == &placement.cgroup) {
            group.members.push(Member::read(root, placement));
        } else {
            let group = Group::read(root, mounts, placement);
            groups.push((&placement.cgroup, group));
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

impl Group {
    /// Whether it holds a process of one of the parties.
    pub fn has(&self, parties: &[ProcessRole]) -> bool {
        self.members.iter().any(|member| parties.contains(&member.party))
    }

    pub(super) fn read(root: &Root, mounts: &[Mount], placement: &Placement) -> Self {
        let lines = match &placement.cgroup {
            Known::Is { value, .. } => Ok(value.as_slice()),
            Known::Not(why) => Err(*why),
        };
        let chain = |controller| lines.and_then(|lines| locate(root, mounts, lines, controller));
        let unified = lines.and_then(|lines| locate_unified(root, mounts, lines));
        let pressure = |file: &str| pressure(root, unified.as_ref(), file);
        Self {
            members: vec![Member::read(root, placement)],
            cpu: known(chain("cpu").map(|chain| CpuChain::read(root, &chain))),
            memory: known(chain("memory").map(|chain| read_memory(root, &chain))),
            cpus: known(chain("cpuset").and_then(|chain| cpus(root, &chain))),
            cpu_pressure: pressure("cpu.pressure"),
            memory_pressure: pressure("memory.pressure"),
        }
    }
}

impl Member {
    fn read(root: &Root, placement: &Placement) -> Self {
        let status = root.text(&format!("{}/status", placement.folder()));
        let cpus = |text: &str| after_key(text, "Cpus_allowed_list")?.parse().ok();
        Self {
            pid: placement.pid,
            party: placement.party,
            threads: placement.threads,
            affinity: part(&status, cpus),
            resident_bytes: part(&status, |text| bytes_after(text, "VmRSS")),
            swap_bytes: part(&status, |text| bytes_after(text, "VmSwap")),
        }
    }
}

/// The set in force; a group without one has that of the group above.
fn cpus(root: &Root, chain: &Chain) -> Result<CpuList, Why> {
    let file = match chain.version {
        CgroupVersion::V1 => "cpuset.effective_cpus",
        CgroupVersion::V2 => "cpuset.cpus.effective",
    };
    let read = |folder: &str| root.text(&format!("{folder}/{file}"));
    let texts = chain.levels.iter().map(|level| read(&level.folder));
    let found = texts.into_iter().find(|text| *text != Err(Why::Absent));
    found.ok_or(Why::Absent)??.parse().map_err(|_| Why::Unreadable)
}

fn pressure(root: &Root, unified: Result<&Chain, &Why>, file: &str) -> Known<Pressure> {
    match unified {
        Ok(chain) if chain.is_topmost() => Known::Not(Why::NotApplicable),
        Ok(chain) => match chain.levels.first() {
            Some(level) => Pressure::read(root, &format!("{}/{file}", level.folder)),
            None => Known::Not(Why::Absent),
        },
        Err(why) => Known::Not(*why),
    }
}
