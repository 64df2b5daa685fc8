//! Processors, their siblings and the nodes they and the memory belong to.

use serde::{Deserialize, Serialize};
use trueline_core::{Known, Why};

use super::reading::{parsed, seen};
use crate::processes::CpuList;
use crate::root::{Root, known};

/// Processors and nodes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Topology {
    /// The processors that are switched on.
    pub online: Known<CpuList>,
    /// Whether two processors may be threads of one core.
    pub threads_share_cores: Known<bool>,
    /// The nodes, rising by number.
    pub nodes: Known<Vec<Node>>,
    /// The nodes of display and compute devices; read where there are several nodes.
    pub gpus: Known<Vec<GpuPlace>>,
}

/// A node: processors and the memory that is near to them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Its number.
    pub id: u32,
    /// Its processors; empty for a node of memory alone.
    pub cpus: CpuList,
}

/// The node that a GPU hangs on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuPlace {
    /// Its address on the bus.
    pub address: String,
    /// Its node; `None` where the firmware does not say.
    pub node: Option<u32>,
}

impl Topology {
    pub(super) fn read(root: &Root) -> Self {
        let nodes = nodes(root);
        let several = seen(&nodes).is_some_and(|nodes| nodes.len() > 1);
        Self {
            online: parsed(root.text("sys/devices/system/cpu/online"), |text| text.parse().ok()),
            threads_share_cores: parsed(root.text("sys/devices/system/cpu/smt/active"), switch),
            nodes,
            gpus: if several { gpus(root) } else { Known::Not(Why::NotApplicable) },
        }
    }

    /// How many nodes have processors. Memory of a GPU or on a bus may be a node of its own.
    pub fn nodes_with_cpus(&self) -> Option<usize> {
        Some(seen(&self.nodes)?.iter().filter(|node| !node.cpus.is_empty()).count())
    }

    /// The nodes that processors belong to.
    pub fn nodes_of(&self, cpus: &CpuList) -> CpuList {
        let nodes = seen(&self.nodes).into_iter().flatten();
        nodes.filter(|node| !node.cpus.shared(cpus).is_empty()).map(|node| node.id).collect()
    }
}

/// `0` or `1`.
pub(super) fn switch(text: &str) -> Option<bool> {
    match text {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

fn nodes(root: &Root) -> Known<Vec<Node>> {
    const FOLDER: &str = "sys/devices/system/node";
    let read = root.names(FOLDER).and_then(|names| {
        let ids = names.iter().filter_map(|name| name.strip_prefix("node")?.parse::<u32>().ok());
        let node = |id: u32| {
            let cpus = root.text(&format!("{FOLDER}/node{id}/cpulist"))?;
            Ok(Node { id, cpus: cpus.parse().map_err(|_| Why::Unreadable)? })
        };
        let mut nodes = ids.map(node).collect::<Result<Vec<_>, Why>>()?;
        nodes.sort_by_key(|node| node.id);
        Ok(nodes)
    });
    known(read)
}

/// Display controllers (class 03) and processing accelerators (class 12).
fn gpus(root: &Root) -> Known<Vec<GpuPlace>> {
    const FOLDER: &str = "sys/bus/pci/devices";
    let read = root.names(FOLDER).map(|addresses| {
        let is_gpu = |address: &String| {
            let class = root.text(&format!("{FOLDER}/{address}/class")).unwrap_or_default();
            class.starts_with("0x03") || class.starts_with("0x12")
        };
        let place = |address: String| {
            let node = root.value::<i64>(&format!("{FOLDER}/{address}/numa_node")).value();
            GpuPlace { node: node.and_then(|node| u32::try_from(node).ok()), address }
        };
        addresses.into_iter().filter(is_gpu).map(place).collect()
    });
    known(read)
}
