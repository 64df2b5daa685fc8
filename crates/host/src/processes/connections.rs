//! Who is connected to the server.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::family::{Listing, ProcessRole};
use super::fds::read_fds;
use super::sockets::{Socket, SocketState};
use crate::root::Root;

/// Peers that are kept, those with the most connections first.
const MOST_PEERS: usize = 16;

/// The connections to the server's ports at one moment, those of its own processes left out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Connections {
    /// How many there are.
    pub count: u64,
    /// Who holds them, the most connections first, at most 16.
    pub peers: Vec<Peer>,
}

/// Who holds connections to the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Peer {
    /// How many.
    pub connections: u64,
    /// Whose process it is, if one of client, server or watcher.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<ProcessRole>,
    /// Its id, where it is a process of this machine that can be seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Its name, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The address that it comes from, where that is another one than the server's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
}

/// Each connection with the inode of its other end, where that is on this machine.
pub(crate) type Ends<'a> = Vec<(&'a Socket, Option<u64>)>;

/// Reads who is connected to some ports.
pub(crate) fn read_connections(
    root: &Root,
    listing: &Listing,
    roles: &BTreeMap<u32, ProcessRole>,
    sockets: &[Socket],
    ports: &[u16],
    holders: &BTreeMap<u64, u32>,
) -> Connections {
    let ends = ends(sockets, ports);
    let mut holders = holders.clone();
    if ends.iter().any(|(_, inode)| inode.is_some_and(|inode| !holders.contains_key(&inode))) {
        add_strangers(root, listing, roles, &mut holders);
    }
    connections(&ends, listing, roles, &holders)
}

/// Who holds the other ends of connections.
pub(crate) fn connections(
    ends: &Ends<'_>,
    listing: &Listing,
    roles: &BTreeMap<u32, ProcessRole>,
    holders: &BTreeMap<u64, u32>,
) -> Connections {
    let mut peers: BTreeMap<(Option<u32>, Option<String>), u64> = BTreeMap::new();
    for (socket, inode) in ends {
        let pid = inode.and_then(|inode| holders.get(&inode).copied());
        let here = socket.remote.ip().is_loopback() || socket.remote.ip() == socket.local.ip();
        let address = (!here).then(|| socket.remote.ip().to_string());
        *peers.entry((pid, address)).or_default() += 1;
    }
    let mut peers: Vec<Peer> = peers
        .into_iter()
        .map(|((pid, address), connections)| Peer {
            connections,
            role: pid.and_then(|pid| roles.get(&pid).copied()),
            pid,
            name: pid.and_then(|pid| listing.get(&pid)).map(|stat| stat.name.clone()),
            address,
        })
        .filter(|peer| peer.role != Some(ProcessRole::Server))
        .collect();
    let count = peers.iter().map(|peer| peer.connections).sum();
    peers.sort_by_key(|peer| std::cmp::Reverse(peer.connections));
    peers.truncate(MOST_PEERS);
    Connections { count, peers }
}

/// The open connections to some ports.
pub(crate) fn ends<'a>(sockets: &'a [Socket], ports: &[u16]) -> Ends<'a> {
    let by_ends: BTreeMap<_, u64> =
        sockets.iter().map(|s| ((s.local, s.remote), s.inode)).collect();
    sockets
        .iter()
        .filter(|s| s.state == SocketState::Established && ports.contains(&s.local.port()))
        .map(|s| (s, by_ends.get(&(s.remote, s.local)).copied().filter(|inode| *inode != 0)))
        .collect()
}

fn add_strangers(
    root: &Root,
    listing: &Listing,
    roles: &BTreeMap<u32, ProcessRole>,
    holders: &mut BTreeMap<u64, u32>,
) {
    for stat in listing.values().filter(|s| !s.is_kernel && !roles.contains_key(&s.pid)) {
        for inode in read_fds(root, stat.pid).unwrap_or_default().sockets {
            holders.entry(inode).or_insert(stat.pid);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sockets::parse_sockets;
    use super::super::stat::made::stat;
    use super::*;

    /// A server on port 8000 (`1F40`) with two connections of one client, one of a stranger from
    /// elsewhere (`0A000002` is 2.0.0.10 the low byte first), and one of its own.
    const TCP: &str = "header\n\
        0: 0100007F:1F40 00000000:0000 0A 0:0 00:0 0 0 0 10 1 x\n\
        1: 0100007F:1F40 0100007F:C001 01 0:0 00:0 0 0 0 11 1 x\n\
        2: 0100007F:1F40 0100007F:C002 01 0:0 00:0 0 0 0 12 1 x\n\
        3: 0100007F:C001 0100007F:1F40 01 0:0 00:0 0 0 0 21 1 x\n\
        4: 0100007F:C002 0100007F:1F40 01 0:0 00:0 0 0 0 22 1 x\n\
        5: 0200000A:1F40 0A000002:C003 01 0:0 00:0 0 0 0 13 1 x\n\
        6: 0100007F:1F40 0100007F:C004 01 0:0 00:0 0 0 0 14 1 x\n\
        7: 0100007F:C004 0100007F:1F40 01 0:0 00:0 0 0 0 24 1 x\n";

    #[test]
    fn peers_are_counted_by_process_or_address_and_the_servers_own_are_left_out() {
        let sockets = parse_sockets(TCP);
        let listing: Listing =
            [stat(30, 1, "server"), stat(20, 1, "bench")].map(|s| (s.pid, s)).into();
        let roles = BTreeMap::from([(30, ProcessRole::Server), (20, ProcessRole::Client)]);
        let holders = BTreeMap::from([(21, 20), (22, 20), (24, 30), (10, 30), (11, 30)]);
        let nowhere = Root::at("no/such/folder");
        let all = read_connections(&nowhere, &listing, &roles, &sockets, &[8000], &holders);
        assert_eq!(all.count, 3);
        let words: Vec<_> = all.peers.iter().map(|p| (p.connections, p.role, p.pid)).collect();
        assert_eq!(words, [(2, Some(ProcessRole::Client), Some(20)), (1, None, None)]);
        assert_eq!(all.peers[1].address.as_deref(), Some("2.0.0.10"));
        assert_eq!(super::super::server::listeners(&sockets, &holders), [(8000, 10)]);
    }
}
