//! All processes of the machine, each by its line.

use std::collections::BTreeMap;

use trueline_core::Why;

use super::cgroup_name::own_cgroup;
use super::family::Listing;
use super::process::cgroup_lines;
use super::stat::{Stat, parse_stat};
use crate::root::Root;

/// Where a captured tree says which process took it.
const OWN: &str = "trueline/self.txt";

/// The ids of all processes, in order.
pub(crate) fn process_ids(root: &Root) -> Result<Vec<u32>, Why> {
    let names = root.names("proc")?;
    Ok(names.iter().filter_map(|name| name.parse().ok()).collect())
}

/// The id that a process or thread got last: as long as it stays, none began.
///
/// # Source
/// `proc_loadavg(5)`, the fifth field.
pub(crate) fn last_process_id(root: &Root) -> Option<u64> {
    let text = root.text("proc/loadavg").ok()?;
    text.split_ascii_whitespace().nth(4)?.parse().ok()
}

/// The line of one process; `None` for one that is gone.
pub(crate) fn read_stat(root: &Root, pid: u32) -> Option<Stat> {
    root.text(&format!("proc/{pid}/stat")).ok().and_then(|line| parse_stat(&line))
}

/// The lines of all processes.
pub(crate) fn read_listing(root: &Root) -> Result<Listing, Why> {
    let pids = process_ids(root)?;
    Ok(pids.into_iter().filter_map(|pid| Some((pid, read_stat(root, pid)?))).collect())
}

/// The id of the process that reads; `None` where there is no `/proc/self`.
pub(crate) fn own_id(root: &Root) -> Option<u32> {
    root.link_kept_at("proc/self", OWN).ok()?.trim().parse().ok()
}

/// Cgroups by process, where the server has one of its own; else nobody's is of interest.
pub(crate) fn read_cgroups(
    root: &Root,
    server: Option<u32>,
    pids: impl IntoIterator<Item = u32>,
) -> BTreeMap<u32, String> {
    let own = |pid: u32| {
        let lines = cgroup_lines(root, pid).ok()?;
        own_cgroup(lines.iter().map(String::as_str)).map(str::to_owned)
    };
    match server.and_then(own) {
        None => BTreeMap::new(),
        Some(_) => pids.into_iter().filter_map(|pid| Some((pid, own(pid)?))).collect(),
    }
}
