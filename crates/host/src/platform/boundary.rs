//! What lies between this system and the hardware: a container, a virtual machine, both.

use std::fmt;

use serde::{Deserialize, Serialize};
use trueline_core::{By, Known, Why};

use super::reading::{after_key, seen};
use crate::root::Root;

/// What lies between this system and the hardware.
///
/// # Shape
/// A container and a virtual machine are told apart: a container may well run in a virtual machine,
/// and a marker of the one says nothing about the other.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Boundary {
    /// The container around the watcher.
    pub container: Known<Container>,
    /// Whether the machine is virtual.
    pub virtual_machine: Known<bool>,
    /// Who made the machine, as its firmware says.
    pub vendor: Known<String>,
    /// Whether this is Linux inside Windows, whose own load and power plan are out of sight.
    pub wsl: Known<bool>,
}

/// A container by what marks it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Container {
    /// No mark of one.
    None,
    /// Docker's mark.
    Docker,
    /// Podman's mark.
    Podman,
    /// A pod's group.
    Kubernetes,
    /// A group of LXC's.
    Lxc,
    /// A root that lies over another, as that of a container does.
    Other,
}

impl Boundary {
    pub(super) fn read(root: &Root, cpuinfo: &Result<String, Why>, mounts: &str) -> Self {
        let release = root.text("proc/sys/kernel/osrelease");
        let dxg = root.exists("dev/dxg");
        let wsl = release.map(|text| dxg || text.to_ascii_lowercase().contains("microsoft"));
        let vendor = crate::root::known(root.text("sys/class/dmi/id/sys_vendor"));
        Self {
            container: container(root, mounts),
            virtual_machine: virtual_machine(root, cpuinfo, &vendor),
            vendor,
            wsl: crate::root::known(wsl),
        }
    }
}

impl fmt::Display for Boundary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let machine = match (self.wsl.value(), self.virtual_machine.value()) {
            (Some(true), _) => "WSL",
            (_, Some(true)) => "virtual machine",
            (_, Some(false)) => "bare metal",
            (_, None) => "machine of unknown kind",
        };
        let container = match self.container.value() {
            Some(Container::None) => return f.write_str(machine),
            Some(Container::Docker) => "docker",
            Some(Container::Podman) => "podman",
            Some(Container::Kubernetes) => "kubernetes",
            Some(Container::Lxc) => "lxc",
            Some(Container::Other) => "container",
            None => "unknown container",
        };
        write!(f, "{container} on {machine}")
    }
}

/// The environment of the first process would say it too, and holds secrets: it stays unread.
fn container(root: &Root, mounts: &str) -> Known<Container> {
    let group = root.text("proc/1/cgroup");
    let (docker, podman) = (root.exists(".dockerenv"), root.exists("run/.containerenv"));
    let Ok(group) = group else { return Known::Not(Why::Absent) };
    let marks = |words: &[&str]| words.iter().any(|word| group.contains(word));
    let found = match () {
        () if marks(&["kubepods"]) => Container::Kubernetes,
        () if podman || marks(&["libpod"]) => Container::Podman,
        () if docker || marks(&["/docker/", "docker-"]) => Container::Docker,
        () if marks(&["/lxc", "lxc.payload"]) => Container::Lxc,
        () if marks(&["containerd", "crio"]) || root_is_overlaid(mounts) => Container::Other,
        () => Container::None,
    };
    Known::is(found, By::Derived)
}

fn root_is_overlaid(mounts: &str) -> bool {
    let mounts = mounts.lines().filter_map(|line| line.split_once(" - "));
    let mut of_root = mounts.filter(|(before, _)| before.split(' ').nth(4) == Some("/"));
    of_root.next_back().is_some_and(|(_, after)| after.starts_with("overlay "))
}

/// On x86 a processor says itself that a hypervisor is below it; elsewhere firmware does.
fn virtual_machine(
    root: &Root,
    cpuinfo: &Result<String, Why>,
    vendor: &Known<String>,
) -> Known<bool> {
    const MAKERS: [&str; 6] = ["QEMU", "KVM", "VMware", "Xen", "innotek", "Parallels"];
    let hypervisor =
        root.exists("sys/hypervisor/type") || root.exists("proc/device-tree/hypervisor/compatible");
    let cpuinfo = match cpuinfo {
        Ok(text) => text,
        Err(why) => return Known::Not(*why),
    };
    if let Some(flags) = after_key(cpuinfo, "flags") {
        return Known::is(flags.split(' ').any(|flag| flag == "hypervisor"), By::Reported);
    }
    match seen(vendor) {
        _ if hypervisor => Known::is(true, By::Reported),
        Some(vendor) => Known::is(MAKERS.iter().any(|maker| vendor.contains(maker)), By::Derived),
        None => Known::Not(Why::Absent),
    }
}
