//! On which nodes the memory of a server lies.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use trueline_core::{Known, Why};

use super::cgroup::{Group, Member};
use super::reading::parsed;
use super::topology::Topology;
use crate::processes::ProcessRole;
use crate::root::Root;

/// A process with more memory is not asked: the kernel walks its page tables, 15 ms for each GiB
/// of small pages (measured on a guest with two processors), and the process may wait meanwhile.
const MOST_BYTES: u64 = 16 << 30;

/// Where the memory of a process lies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeMemory {
    /// The process.
    pub pid: u32,
    /// Bytes by node; pages of files that it maps are among them, such as weights.
    pub bytes: BTreeMap<u32, u64>,
}

/// Reads where the memory of the server's processes lies. A machine with one node has no choice.
pub(super) fn read_memory_of_server(
    root: &Root,
    topology: &Topology,
    groups: &[Group],
) -> Known<Vec<NodeMemory>> {
    match topology.nodes_with_cpus() {
        None => return Known::Not(Why::Absent),
        Some(0 | 1) => return Known::Not(Why::NotApplicable),
        Some(_) => {}
    }
    let members = groups.iter().flat_map(|group| &group.members);
    let servers = members.filter(|member| member.party == ProcessRole::Server);
    let read: Vec<_> = servers.map(|server| read_one(root, server)).collect();
    let reason = read.iter().find_map(Known::why).unwrap_or(Why::NeedsMore);
    let all: Vec<NodeMemory> = read
        .into_iter()
        .filter_map(|one| match one {
            Known::Is { value, .. } => Some(value),
            Known::Not(_) => None,
        })
        .collect();
    crate::root::known(if all.is_empty() { Err(reason) } else { Ok(all) })
}

fn read_one(root: &Root, server: &Member) -> Known<NodeMemory> {
    match server.resident_bytes.value() {
        Some(0..=MOST_BYTES) => {
            let text = root.text(&format!("proc/{}/numa_maps", server.pid));
            let bytes = parsed(text, |text| Some(parse_numa_maps(text)));
            match bytes {
                Known::Is { value: bytes, by } => {
                    Known::is(NodeMemory { pid: server.pid, bytes }, by)
                }
                Known::Not(why) => Known::Not(why),
            }
        }
        _ => Known::Not(Why::NeedsMore),
    }
}

/// # Source
/// `numa(7)`: `N<node>=<pages>`, in pages of the size that ends the line.
fn parse_numa_maps(text: &str) -> BTreeMap<u32, u64> {
    let mut bytes = BTreeMap::new();
    for line in text.lines() {
        let fields = || line.split_ascii_whitespace();
        let size = fields().find_map(|f| f.strip_prefix("kernelpagesize_kB=")?.parse().ok());
        let size = size.unwrap_or(4_u64).saturating_mul(1024);
        for field in fields() {
            let pages = field.strip_prefix('N').and_then(|field| field.split_once('='));
            let Some((node, pages)) = pages else { continue };
            if let (Ok(node), Ok(pages)) = (node.parse::<u32>(), pages.parse::<u64>()) {
                *bytes.entry(node).or_insert(0) += pages.saturating_mul(size);
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_count_by_their_size() {
        let text = "\
56521b400000 default file=/srv/weights.gguf mapped=3 N0=1 N1=2 kernelpagesize_kB=4
7f0000000000 default anon=2 dirty=2 N1=2 kernelpagesize_kB=2048
7f1000000000 default";
        // By hand: 1 x 4 KiB; 2 x 4 KiB + 2 x 2 MiB.
        let expected = BTreeMap::from([(0, 4_096), (1, 8_192 + 4_194_304)]);
        assert_eq!(parse_numa_maps(text), expected);
    }
}
