//! Whether the server's memory and GPU are near to its processors.

use trueline_core::number::percent;
use trueline_core::{CheckInfo, Finding, Need};

use super::{Verdict, state};
use crate::judge::View;
use crate::platform::Platform;
use crate::platform::cgroup::Member;
use crate::platform::reading::{seen, share};
use crate::processes::CpuList;
use crate::processes::ProcessRole;

/// A server that may use the processors of all nodes has no memory that is far from all of them:
/// only one that is bound to some nodes is judged.
pub(super) fn nodes(view: &View<'_>, check: &CheckInfo) -> Verdict {
    let platform = &state(view)?.platform;
    match platform.topology.nodes_with_cpus() {
        None => return Err(Need::HostReading),
        Some(0 | 1) => return Ok(None),
        Some(_) => {}
    }
    let members = platform.groups.iter().flat_map(|group| &group.members);
    let servers: Vec<&Member> = members.filter(|m| m.party == ProcessRole::Server).collect();
    if servers.is_empty() {
        return Err(Need::ServerProcess);
    }
    let mut unread = false;
    for server in servers {
        let Some(cpus) = seen(&server.affinity) else {
            unread = true;
            continue;
        };
        let near = platform.topology.nodes_of(cpus);
        if near.len() >= platform.topology.nodes_with_cpus().unwrap_or(0) {
            continue;
        }
        if let Some(finding) = remote_gpu(view, check, platform, server, &near) {
            return Ok(Some(finding));
        }
        match far_share(platform, server.pid, &near) {
            None => unread = true,
            Some(far) if far > view.thresholds.get(check, "remote_share") => {
                let message = format!(
                    "{} of the server's memory lies on other nodes than its processors (node {near})",
                    percent(far)
                );
                let finding = Finding::new(check, view.about.clone(), message)
                    .with("pid", u64::from(server.pid))
                    .with("remote_share", far)
                    .with("nodes_of_processors", near.to_string());
                return Ok(Some(finding));
            }
            Some(_) => {}
        }
    }
    if unread { Err(Need::HostReading) } else { Ok(None) }
}

/// The share of a process's memory on nodes that are not near.
fn far_share(platform: &Platform, pid: u32, near: &CpuList) -> Option<f64> {
    let memory = seen(&platform.server_memory)?.iter().find(|memory| memory.pid == pid)?;
    let far =
        memory.bytes.iter().filter(|(node, _)| !near.contains(**node)).map(|(_, bytes)| bytes);
    share(far.sum(), memory.bytes.values().sum())
}

/// Where all GPUs are far: which of several it uses is not known.
fn remote_gpu(
    view: &View<'_>,
    check: &CheckInfo,
    platform: &Platform,
    server: &Member,
    near: &CpuList,
) -> Option<Finding> {
    let gpus = seen(&platform.topology.gpus)?;
    let nodes: Vec<u32> = gpus.iter().filter_map(|gpu| gpu.node).collect();
    if nodes.is_empty() || nodes.len() < gpus.len() || nodes.iter().any(|node| near.contains(*node))
    {
        return None;
    }
    let gpu_nodes: CpuList = nodes.into_iter().collect();
    let message = format!(
        "the server's processors are of node {near}, and every GPU hangs on node {gpu_nodes}"
    );
    let finding = Finding::new(check, view.about.clone(), message)
        .with("pid", u64::from(server.pid))
        .with("nodes_of_processors", near.to_string())
        .with("nodes_of_gpus", gpu_nodes.to_string());
    Some(finding)
}

#[cfg(test)]
mod tests {
    use trueline_core::Severity::Warning;

    use super::*;
    use crate::platform::made::{Said, Tree, at_once};
    use crate::snapshot::Snapshot;

    const CODE: &str = "numa-remote";

    /// Two nodes of 8 processors, a GPU on node 1.
    fn machine(affinity: &str, maps: Option<&str>, gpu: &str) -> Snapshot {
        let status = format!("Threads:\t9\nCpus_allowed_list:\t{affinity}\nVmRSS:\t 4096 kB");
        let tree = Tree::new().with(&[
            ("sys/devices/system/node/node0/cpulist", "0-7"),
            ("sys/devices/system/node/node1/cpulist", "8-15"),
            ("sys/bus/pci/devices/0000:81:00.0/class", "0x030200"),
            ("sys/bus/pci/devices/0000:81:00.0/numa_node", gpu),
            ("sys/bus/pci/devices/0000:01:00.0/class", "0x020000"),
            ("proc/500/cgroup", "0::/"),
            ("proc/500/status", &status),
        ]);
        if let Some(maps) = maps {
            tree.write("proc/500/numa_maps", maps);
        }
        tree.snapshot(100, &[(500, ProcessRole::Server)])
    }

    #[test]
    fn memory_far_from_the_processors_is_found() {
        // By hand: 900 of 1,000 pages on node 0, whose processors it does not use.
        let far =
            "7f00 default file=/srv/weights.gguf mapped=1000 N0=900 N1=100 kernelpagesize_kB=4";
        let said = at_once(&machine("8-15", Some(far), "1"), CODE);
        assert!(matches!(&said, Said::Found(Warning, m) if m.starts_with("90 %")), "{said:?}");
        let near = "7f00 default anon=1000 N0=50 N1=950 kernelpagesize_kB=4";
        assert_eq!(at_once(&machine("8-15", Some(near), "1"), CODE), Said::Clear);
        // Bound to no node: nothing is far.
        assert_eq!(at_once(&machine("0-15", Some(far), "1"), CODE), Said::Clear);
    }

    #[test]
    fn a_gpu_on_another_node_is_found_unless_the_firmware_does_not_say() {
        let near = "7f00 default anon=1000 N0=1000 kernelpagesize_kB=4";
        let said = at_once(&machine("0-7", Some(near), "1"), CODE);
        assert!(matches!(said, Said::Found(Warning, m) if m.contains("every GPU")));
        assert_eq!(at_once(&machine("0-7", Some(near), "-1"), CODE), Said::Clear);
    }

    #[test]
    fn one_node_is_clear_and_unread_pages_are_not_observed() {
        let one = Tree::new().with(&[("sys/devices/system/node/node0/cpulist", "0-1")]);
        assert_eq!(at_once(&one.snapshot(100, &[]), CODE), Said::Clear);
        assert_eq!(at_once(&Tree::new().snapshot(100, &[]), CODE), Said::NotObserved);
        assert_eq!(at_once(&machine("8-15", None, "1"), CODE), Said::NotObserved);
    }
}
