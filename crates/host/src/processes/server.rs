//! Which process serves, and since when.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use trueline_core::Why;

use super::family::{Listing, ancestors};
use super::fds::read_fds;
use super::sockets::{Socket, SocketState, parse_sockets};
use crate::root::Root;
use crate::snapshot::ServerProcess;

/// The process that serves.
///
/// # Shape
/// `listeners` are the inodes of the sockets that its processes listen on, by port: another inode is
/// another start to listen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Server {
    /// Its id.
    pub pid: u32,
    /// When it began, in hundredths of a second since boot.
    pub start_ticks: u64,
    /// Its name.
    pub name: String,
    /// The ports that it listens on, each with the inode of the socket, in order.
    pub listeners: Vec<(u16, u64)>,
}

/// Finds the server's process.
///
/// # Shape
/// By its port, it is the process that holds the listening socket; of several, the eldest. A socket
/// that init or a port forwarder holds says nothing about who serves.
pub(crate) fn find_server(
    root: &Root,
    listing: &Listing,
    wanted: Option<ServerProcess>,
) -> Result<u32, Why> {
    let port = match wanted.ok_or(Why::NotApplicable)? {
        ServerProcess::Pid(pid) => return listing.get(&pid).map(|s| s.pid).ok_or(Why::Absent),
        ServerProcess::Port(port) => port,
    };
    let inodes: BTreeSet<u64> = read_sockets(root, None)?
        .iter()
        .filter(|s| s.state == SocketState::Listening && s.local.port() == port)
        .map(|s| s.inode)
        .collect();
    if inodes.is_empty() {
        return Err(Why::Absent);
    }
    let mut denied = false;
    for stat in listing.values().filter(|stat| !stat.is_kernel && stat.pid > 1) {
        match read_fds(root, stat.pid) {
            Ok(fds) if fds.sockets.iter().any(|inode| inodes.contains(inode)) => {
                if !FORWARDERS.contains(&stat.name.as_str()) {
                    return Ok(eldest(root, listing, stat.pid, &inodes));
                }
            }
            Ok(_) => {}
            Err(why) => denied |= why == Why::Denied,
        }
    }
    Err(if denied { Why::Denied } else { Why::NeedsMore })
}

/// Programs that hold a port for a server elsewhere.
const FORWARDERS: [&str; 4] = ["docker-proxy", "rootlessport", "systemd", "conmon"];

/// The first ancestor that holds the socket as well: a child inherits it.
fn eldest(root: &Root, listing: &Listing, pid: u32, inodes: &BTreeSet<u64>) -> u32 {
    let holds = |pid| {
        read_fds(root, pid).is_ok_and(|fds| fds.sockets.iter().any(|inode| inodes.contains(inode)))
    };
    ancestors(listing, pid)
        .take_while(|stat| {
            stat.pid > 1 && !FORWARDERS.contains(&stat.name.as_str()) && holds(stat.pid)
        })
        .last()
        .map_or(pid, |stat| stat.pid)
}

/// The TCP sockets that a process sees, or this one.
pub(crate) fn read_sockets(root: &Root, pid: Option<u32>) -> Result<Vec<Socket>, Why> {
    let of = pid.map(|pid| format!("{pid}/")).unwrap_or_default();
    let mut sockets = parse_sockets(&root.text(&format!("proc/{of}net/tcp"))?);
    // A machine without IPv6 has no such file.
    sockets.extend(root.text(&format!("proc/{of}net/tcp6")).iter().flat_map(|t| parse_sockets(t)));
    Ok(sockets)
}

/// What processes of a family listen on, from the sockets that they hold.
pub(crate) fn listeners(sockets: &[Socket], holders: &BTreeMap<u64, u32>) -> Vec<(u16, u64)> {
    let held = sockets
        .iter()
        .filter(|s| s.state == SocketState::Listening && holders.contains_key(&s.inode));
    let ports: BTreeSet<(u16, u64)> = held.map(|s| (s.local.port(), s.inode)).collect();
    ports.into_iter().collect()
}
